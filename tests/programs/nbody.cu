/* N-body, all pairs, with tiles of positions in shared memory, for a few time steps. */
#include "check.h"

#include <cmath>

const int TILE = 128;

__global__ void step(const float4 *in, float4 *out, float4 *velocity, int n, float dt)
{
    __shared__ float4 tile[TILE];
    int i = blockIdx.x * TILE + threadIdx.x;
    float4 me = in[i];
    float ax = 0, ay = 0, az = 0;
    for (int start = 0; start < n; start += TILE) {
        tile[threadIdx.x] = in[start + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < TILE; j++) {
            float dx = tile[j].x - me.x, dy = tile[j].y - me.y, dz = tile[j].z - me.z;
            float square = dx * dx + dy * dy + dz * dz + 0.01f;
            float inverse = 1.0f / sqrtf(square);
            float pull = tile[j].w * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        __syncthreads();
    }
    float4 v = velocity[i];
    v.x += ax * dt;
    v.y += ay * dt;
    v.z += az * dt;
    velocity[i] = v;
    out[i] = make_float4(me.x + v.x * dt, me.y + v.y * dt, me.z + v.z * dt, me.w);
}

static void step_on_cpu(std::vector<float4> &body, std::vector<float4> &velocity, float dt)
{
    std::vector<float4> before = body;
    for (size_t i = 0; i < body.size(); i++) {
        double ax = 0, ay = 0, az = 0;
        for (const float4 &other : before) {
            double dx = other.x - before[i].x, dy = other.y - before[i].y, dz = other.z - before[i].z;
            double inverse = 1 / std::sqrt(dx * dx + dy * dy + dz * dz + 0.01);
            double pull = other.w * inverse * inverse * inverse;
            ax += dx * pull;
            ay += dy * pull;
            az += dz * pull;
        }
        velocity[i].x += (float)ax * dt;
        velocity[i].y += (float)ay * dt;
        velocity[i].z += (float)az * dt;
        body[i].x += velocity[i].x * dt;
        body[i].y += velocity[i].y * dt;
        body[i].z += velocity[i].z * dt;
    }
}

int main()
{
    const int n = 512, steps = 3;
    const float dt = 0.0078125f;
    Random random(11);
    std::vector<float4> body(n), velocity(n);
    for (int i = 0; i < n; i++) {
        float x = random.unit() - 0.5f, y = random.unit() - 0.5f, z = random.unit() - 0.5f;
        body[i] = make_float4(x, y, z, random.unit() / n);
        velocity[i] = make_float4(0, 0, 0, 0);
    }
    float4 *d_body[2], *d_velocity;
    CHECK(cudaMalloc(&d_body[0], n * sizeof(float4)));
    CHECK(cudaMalloc(&d_body[1], n * sizeof(float4)));
    CHECK(cudaMalloc(&d_velocity, n * sizeof(float4)));
    CHECK(cudaMemcpy(d_body[0], body.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy(d_velocity, velocity.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    for (int s = 0; s < steps; s++) {
        step<<<n / TILE, TILE>>>(d_body[s % 2], d_body[(s + 1) % 2], d_velocity, n, dt);
        CHECK(cudaGetLastError());
        step_on_cpu(body, velocity, dt);
    }
    std::vector<float4> got(n);
    CHECK(cudaMemcpy(got.data(), d_body[steps % 2], n * sizeof(float4), cudaMemcpyDeviceToHost));
    show("bodies", got);
    bool good = true;
    for (int i = 0; i < n; i++)
        good = good && near(got[i].x, body[i].x, 1e-4) && near(got[i].y, body[i].y, 1e-4) &&
               near(got[i].z, body[i].z, 1e-4) && got[i].w == body[i].w;
    return verdict(good);
}
