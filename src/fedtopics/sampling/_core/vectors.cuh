// Rows of topics as a half-warp holds them: lane l has the topics l, l + 16, ... of a row padded to whole vectors.
//
// VECTORS is the number of vectors of a row where it is known as the kernel is compiled, so that a row fits into registers;
// 0: the rows that a half-warp works with lie in shared memory.
#pragma once
#include "lanes.cuh"

#if VECTORS > 0
struct Numbers {
  float own[VECTORS];
  __device__ float& operator[](int j) { return own[j]; }
  __device__ float operator[](int j) const { return own[j]; }
};
#define N_VECTORS VECTORS
#else
struct Numbers {
  float* at;
  __device__ float& operator[](int j) { return at[j * LANES + lane()]; }
  __device__ float operator[](int j) const { return at[j * LANES + lane()]; }
};
#define N_VECTORS n_vectors
#endif

// For each vector of a row.
#define EACH(j) _Pragma("unroll") for (int j = 0; j < N_VECTORS; j++)

// Room for the row of this number; `shared` is the half-warp's own.
__device__ inline Numbers room(float* shared, int number, int n_vectors) {
#if VECTORS > 0
  (void)shared, (void)number, (void)n_vectors;
  return {};
#else
  return {shared + number * n_vectors * LANES};
#endif
}
