// Half a warp plays the sixteen lanes of vector.hpp: lane l of a vector is lane l of the half-warp, and sums over lanes are
// added in the same order. With --fmad=false every kernel gives the bits of its twin on the processor.
#pragma once

typedef unsigned short Topic;
typedef unsigned int Bits;
typedef long long Long;

#ifndef SHARED  // tests play the kernels on a processor
#define SHARED(name) extern __shared__ Bits name[]
#endif

constexpr int LANES = 16;

__device__ inline int lane() { return threadIdx.x % LANES; }
// Number of this half-warp in its block, and how many there are.
__device__ inline int team() { return threadIdx.x / LANES; }
__device__ inline int n_teams() { return blockDim.x / LANES; }
// The threads of this half-warp in their warp.
__device__ inline Bits mates() { return 0xFFFFu << (threadIdx.x & LANES); }
__device__ inline void meet() { __syncwarp(mates()); }
// A bit for each lane of this half-warp where it holds.
__device__ inline Bits lanes_where(bool mine) { return __ballot_sync(mates(), mine) >> (threadIdx.x & LANES) & 0xFFFFu; }
__device__ inline bool any_lane(bool mine) { return lanes_where(mine) != 0; }
template <class T>
__device__ inline T from(int other, T x) {
  return __shfl_sync(mates(), x, other, LANES);
}
template <class T>
__device__ inline T from_partner(int distance, T x) {
  return __shfl_xor_sync(mates(), x, distance, LANES);
}

// The sum of all lanes, in every lane: `sum` of vector.hpp.
__device__ inline float sum(float x) {
  for (int distance = LANES / 2; distance > 0; distance /= 2) x = x + from_partner(distance, x);
  return x;
}
// The same with its last steps in double precision: `sum_lanes`.
__device__ inline double sum_lanes(float x) {
  x = x + from_partner(8, x);
  x = x + from_partner(4, x);
  double wide = (double)x;
  wide = wide + from_partner(1, wide);
  return wide + from_partner(2, wide);
}
__device__ inline float largest(float x) {
  for (int distance = LANES / 2; distance > 0; distance /= 2) x = fmaxf(x, from_partner(distance, x));
  return x;
}
// a > b ? a : b and a < b ? a : b, with b where they cannot be compared.
__device__ inline float larger(float a, float b) { return a > b ? a : b; }
__device__ inline float smaller(float a, float b) { return a < b ? a : b; }
