// What the channel E step needs beyond vector.hpp: sums of many vectors at once, bounds, logarithms.
#pragma once

#include "vector.hpp"

namespace fedtopics::FEDTOPICS_ISA {

typedef float Quad __attribute__((vector_size(16)));

INLINE Floats operator-(float x, Floats y) { return all(x) - y; }
INLINE Floats operator*(float x, Floats y) { return all(x) * y; }
INLINE Floats operator/(Floats x, float y) { return x / all(y); }

// Rows are aligned. Register by register: GCC copies a whole `Floats` through the stack.
INLINE Floats load_row(const float* from) {
  Floats a;
  EACH_PART(float) a.part[p] = reinterpret_cast<const Floats::Register*>(from)[p];
  return a;
}
INLINE void store_row(float* to, Floats a) {
  EACH_PART(float) reinterpret_cast<Floats::Register*>(to)[p] = a.part[p];
}

// a > b ? a : b and a < b ? a : b as one instruction, which GCC does not find by itself.
#if defined(__AVX512F__)
INLINE Floats larger(Floats a, Floats b) { return {{_mm512_max_ps(a.part[0], b.part[0])}}; }
INLINE Floats smaller(Floats a, Floats b) { return {{_mm512_min_ps(a.part[0], b.part[0])}}; }
#elif defined(__AVX2__)
INLINE Floats larger(Floats a, Floats b) {
  EACH_PART(float) a.part[p] = _mm256_max_ps(a.part[p], b.part[p]);
  return a;
}
INLINE Floats smaller(Floats a, Floats b) {
  EACH_PART(float) a.part[p] = _mm256_min_ps(a.part[p], b.part[p]);
  return a;
}
#else
INLINE Floats larger(Floats a, Floats b) { return select(b < a, a, b); }
INLINE Floats smaller(Floats a, Floats b) { return select(a < b, a, b); }
#endif

INLINE float lane(const Floats& a, int i) { return reinterpret_cast<const float*>(&a)[i]; }

// The sixteen lanes folded to four: (lanes 0-3 + 8-11) + (4-7 + 12-15).
INLINE Quad fold(Floats x) {
#if defined(__AVX512F__)
  typedef float Half __attribute__((vector_size(32)));
  const Half half = __builtin_shufflevector(x.part[0], x.part[0], 0, 1, 2, 3, 4, 5, 6, 7) +
                    __builtin_shufflevector(x.part[0], x.part[0], 8, 9, 10, 11, 12, 13, 14, 15);
  return __builtin_shufflevector(half, half, 0, 1, 2, 3) + __builtin_shufflevector(half, half, 4, 5, 6, 7);
#elif defined(__AVX2__)
  const Floats::Register half = x.part[0] + x.part[1];
  return __builtin_shufflevector(half, half, 0, 1, 2, 3) + __builtin_shufflevector(half, half, 4, 5, 6, 7);
#else
  return (x.part[0] + x.part[2]) + (x.part[1] + x.part[3]);
#endif
}

// Lane i of the result is the sum of the lanes of rows[i].
INLINE Floats sum_each(const Floats* rows) {
  Floats result;
  for (int i = 0; i < LANES; i += 4) {
    const Quad a = fold(rows[i]), b = fold(rows[i + 1]), c = fold(rows[i + 2]), d = fold(rows[i + 3]);
    const Quad ab = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
    const Quad cd = __builtin_shufflevector(c, d, 0, 1, 4, 5) + __builtin_shufflevector(c, d, 2, 3, 6, 7);
    const Quad sums = __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
    std::memcpy(reinterpret_cast<float*>(&result) + i, &sums, sizeof sums);
  }
  return result;
}

// The sum of all lanes, its last steps in double precision.
INLINE double sum_lanes(Floats x) {
  const Quad four = fold(x);
  return (static_cast<double>(four[0]) + four[1]) + (static_cast<double>(four[2]) + four[3]);
}

INLINE float largest(const Floats& x) {
  float most = lane(x, 0);
  for (int i = 1; i < LANES; i++) most = lane(x, i) > most ? lane(x, i) : most;
  return most;
}

// Natural logarithm of positive normal floats: x = m 2^e with m near 1, log m = 2 atanh((m - 1) / (m + 1)).
INLINE Floats logarithm(Floats x) {
  Ints bits;
  std::memcpy(&bits, &x, sizeof bits);
  const Ints exponent = (bits - all(0x3f3504f3)) >> 23;  // 0x3f3504f3 is sqrt(1/2)
  bits = bits - (exponent << 23);
  Floats m;
  std::memcpy(&m, &bits, sizeof m);
  const Floats z = (m - all(1.0f)) / (m + all(1.0f)), zz = z * z;
  Floats series = all(1.0f / 9);
  for (int i = 7; i > 0; i -= 2) series = series * zz + all(1.0f / i);
  return 2.0f * z * series + 0.693147181f * to_floats(exponent);
}

}  // namespace fedtopics::FEDTOPICS_ISA
