/* Many heart muscle cells, each integrated by one thread: Runge, Kutta and Fehlberg's method of orders 4 and 5 with a
 * fixed step. A cell's variables, slopes and parameters lie side by side in global memory, so that lanes are hundreds of
 * bytes apart. */
#define REAL      float
#define EXP(v)    expf(v)
#define LOG(v)    logf(v)
#define POW(v, e) powf(v, e)
#define MODEL     static __device__ __forceinline__
#include "myocyte/model.cuh"

enum { STAGES = 6 };

__constant__ float stage_time[STAGES], stage_weight[STAGES][STAGES], result_weight[STAGES], error_weight[STAGES];

/* y has the state of each cell before the first step and after each; temp and slopes are for this kernel alone. */
KERNEL solver(float *y, float *temp, float *slopes, const float *parameters, float *error, int cells, int steps,
              float step_ms)
{
    int cell = blockIdx.x * blockDim.x + threadIdx.x;
    if (cell >= cells)
        return;
    float *from = y + (size_t)cell * (steps + 1) * EQUATIONS, *stage_y = temp + cell * EQUATIONS;
    float *slope = slopes + cell * STAGES * EQUATIONS, worst = 0;
    for (int step = 0; step < steps; step++, from += EQUATIONS) {
#pragma unroll 1
        for (int stage = 0; stage < STAGES; stage++) {
            for (int e = 0; e < EQUATIONS; e++) {
                float change = 0;
                for (int earlier = 0; earlier < stage; earlier++)
                    change += stage_weight[stage][earlier] * slope[earlier * EQUATIONS + e];
                stage_y[e] = from[e] + step_ms * change;
            }
            float time = ((float)step + stage_time[stage]) * step_ms;
            derivatives(time, stage_y, slope + stage * EQUATIONS, parameters + cell * PARAMETERS);
        }
        for (int e = 0; e < EQUATIONS; e++) {
            float change = 0, wrong = 0;
            for (int stage = 0; stage < STAGES; stage++) {
                change += result_weight[stage] * slope[stage * EQUATIONS + e];
                wrong += error_weight[stage] * slope[stage * EQUATIONS + e];
            }
            from[EQUATIONS + e] = from[e] + step_ms * change;
            worst = fmaxf(worst, fabsf(step_ms * wrong));
        }
    }
    error[cell] = worst;
}
