/* SPDX-License-Identifier: MIT */
#include "workloads/common/srad.h"

double sl_speckle(double sum, double sum_of_squares, uint64_t count)
{
    double mean = sum / (double)count;
    return (sum_of_squares / (double)count - mean * mean) / (mean * mean);
}

double sl_speckle_of(const float *image, uint32_t pitch, uint32_t rows, uint32_t columns)
{
    double sum = 0, sum_of_squares = 0;
    for (size_t y = 0; y < rows; y++)
        for (size_t x = 0; x < columns; x++) {
            double v = (double)image[y * pitch + x];
            sum += v;
            sum_of_squares += v * v;
        }
    return sl_speckle(sum, sum_of_squares, (uint64_t)rows * columns);
}

/* Differences to the four neighbours; those beyond the border are like the border. */
typedef struct slopes {
    float north, south, west, east;
} slopes;

static slopes slopes_at(const float *image, size_t y, size_t x, size_t rows, size_t columns)
{
    const float *p = image + y * columns + x;
    return (slopes){
        .north = y ? *(p - columns) - *p : 0,
        .south = y + 1 < rows ? *(p + columns) - *p : 0,
        .west = x ? *(p - 1) - *p : 0,
        .east = x + 1 < columns ? *(p + 1) - *p : 0,
    };
}

/* How freely the point exchanges with its neighbours, from 0 at edges to 1 where there is nothing but speckle. */
static float coefficient(slopes s, float value, float speckle)
{
    float squares = s.north * s.north + s.south * s.south + s.west * s.west + s.east * s.east;
    float gradient = squares / (value * value), laplacian = (s.north + s.south + s.west + s.east) / value;
    float scale = 1 + 0.25f * laplacian;
    float variation = (0.5f * gradient - 0.0625f * laplacian * laplacian) / (scale * scale);
    float c = 1 / (1 + (variation - speckle) / (speckle * (1 + speckle)));
    return c < 0 ? 0 : c > 1 ? 1 : c;
}

void sl_reference_srad(sl_host *h, float *image, uint32_t rows, uint32_t columns, float speckle, float rate)
{
    size_t width = columns, points = rows * width;
    slopes *slope = sl_host_new(h, slopes, points);
    float *c = sl_host_new(h, float, points);
    for (size_t i = 0; i < points; i++) {
        slope[i] = slopes_at(image, i / width, i % width, rows, width);
        c[i] = coefficient(slope[i], image[i], speckle);
    }
    for (size_t i = 0; i < points; i++) {
        float south = c[i + width < points ? i + width : i], east = c[i % width + 1 < width ? i + 1 : i];
        float flow = c[i] * slope[i].north + south * slope[i].south + c[i] * slope[i].west + east * slope[i].east;
        image[i] += 0.25f * rate * flow;
    }
}
