// Sixteen floats worked on at once, on any instruction set.
//
// The lanes live in one AVX-512, two AVX2 or four SSE2 (or NEON) registers. Every operation is a plain IEEE operation
// per lane and every sum has one fixed order, so a kernel compiled for several instruction sets gives the same bits.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#define FEDTOPICS_INLINE inline __attribute__((always_inline))

namespace fedtopics {
namespace {

constexpr int kLanes = 16;
#if defined(__AVX512F__)
constexpr int kParts = 1;
#elif defined(__AVX2__)
constexpr int kParts = 2;
#else
constexpr int kParts = 4;
#endif

typedef float Part __attribute__((vector_size(64 / kParts)));
typedef std::int32_t IntPart __attribute__((vector_size(64 / kParts)));
typedef float Quad __attribute__((vector_size(16)));

struct alignas(64) Lanes {
  Part part[kParts];
  FEDTOPICS_INLINE float operator[](int i) const { return part[i / (kLanes / kParts)][i % (kLanes / kParts)]; }
};

// Register by register: GCC copies a whole struct through the stack.
FEDTOPICS_INLINE Lanes load(const float *from) {
  Lanes result;
  for (int i = 0; i < kParts; ++i) result.part[i] = reinterpret_cast<const Part *>(from)[i];
  return result;
}
FEDTOPICS_INLINE void store(float *to, Lanes x) {
  for (int i = 0; i < kParts; ++i) reinterpret_cast<Part *>(to)[i] = x.part[i];
}

FEDTOPICS_INLINE Lanes spread(float x) {
  Lanes result;
  for (int i = 0; i < kParts; ++i) result.part[i] = x - Part{};
  return result;
}

// Applies f to each register of x (and y).
template <class F>
FEDTOPICS_INLINE Lanes each(Lanes x, F f) {
  Lanes result;
  for (int i = 0; i < kParts; ++i) result.part[i] = f(x.part[i]);
  return result;
}
template <class F>
FEDTOPICS_INLINE Lanes each(Lanes x, Lanes y, F f) {
  Lanes result;
  for (int i = 0; i < kParts; ++i) result.part[i] = f(x.part[i], y.part[i]);
  return result;
}

FEDTOPICS_INLINE Lanes operator+(Lanes x, Lanes y) { return each(x, y, [](Part a, Part b) { return a + b; }); }
FEDTOPICS_INLINE Lanes operator-(Lanes x, Lanes y) { return each(x, y, [](Part a, Part b) { return a - b; }); }
FEDTOPICS_INLINE Lanes operator*(Lanes x, Lanes y) { return each(x, y, [](Part a, Part b) { return a * b; }); }
FEDTOPICS_INLINE Lanes operator/(Lanes x, Lanes y) { return each(x, y, [](Part a, Part b) { return a / b; }); }
FEDTOPICS_INLINE Lanes operator-(float x, Lanes y) { return spread(x) - y; }
FEDTOPICS_INLINE Lanes operator*(float x, Lanes y) { return spread(x) * y; }
FEDTOPICS_INLINE Lanes operator/(Lanes x, float y) { return x / spread(y); }

// a > b ? a : b and a < b ? a : b as one instruction, which GCC does not find by itself.
#if defined(__AVX512F__)
FEDTOPICS_INLINE Part larger(Part a, Part b) { return _mm512_max_ps(a, b); }
FEDTOPICS_INLINE Part smaller(Part a, Part b) { return _mm512_min_ps(a, b); }
#elif defined(__AVX2__)
FEDTOPICS_INLINE Part larger(Part a, Part b) { return _mm256_max_ps(a, b); }
FEDTOPICS_INLINE Part smaller(Part a, Part b) { return _mm256_min_ps(a, b); }
#elif defined(__SSE2__)
FEDTOPICS_INLINE Part larger(Part a, Part b) { return _mm_max_ps(a, b); }
FEDTOPICS_INLINE Part smaller(Part a, Part b) { return _mm_min_ps(a, b); }
#else
FEDTOPICS_INLINE Part larger(Part a, Part b) { return a > b ? a : b; }
FEDTOPICS_INLINE Part smaller(Part a, Part b) { return a < b ? a : b; }
#endif
FEDTOPICS_INLINE Lanes larger(Lanes x, Lanes y) { return each(x, y, [](Part a, Part b) { return larger(a, b); }); }
FEDTOPICS_INLINE Lanes smaller(Lanes x, Lanes y) { return each(x, y, [](Part a, Part b) { return smaller(a, b); }); }

// Lane by lane: x >= bound ? yes : no.
FEDTOPICS_INLINE Lanes choose(Lanes x, float bound, Lanes yes, Lanes no) {
  Lanes result;
  for (int i = 0; i < kParts; ++i) result.part[i] = x.part[i] >= bound - Part{} ? yes.part[i] : no.part[i];
  return result;
}

FEDTOPICS_INLINE Quad quarter(const Lanes &x, int i) {
  Quad result;
  std::memcpy(&result, reinterpret_cast<const char *>(&x) + 16 * i, sizeof result);
  return result;
}

// The sixteen lanes folded to four: (lanes 0-3 + 8-11) + (4-7 + 12-15).
FEDTOPICS_INLINE Quad fold(Lanes x) {
#if defined(__AVX512F__)
  typedef float Half __attribute__((vector_size(32)));
  const Half half = __builtin_shufflevector(x.part[0], x.part[0], 0, 1, 2, 3, 4, 5, 6, 7) +
                    __builtin_shufflevector(x.part[0], x.part[0], 8, 9, 10, 11, 12, 13, 14, 15);
  return __builtin_shufflevector(half, half, 0, 1, 2, 3) + __builtin_shufflevector(half, half, 4, 5, 6, 7);
#elif defined(__AVX2__)
  const Part half = x.part[0] + x.part[1];
  return __builtin_shufflevector(half, half, 0, 1, 2, 3) + __builtin_shufflevector(half, half, 4, 5, 6, 7);
#else
  return (x.part[0] + x.part[2]) + (x.part[1] + x.part[3]);
#endif
}

// Lane i of the result is the sum of the lanes of rows[i].
FEDTOPICS_INLINE Lanes sum_each(const Lanes *rows) {
  Lanes result;
  for (int i = 0; i < kLanes; i += 4) {
    const Quad a = fold(rows[i]), b = fold(rows[i + 1]), c = fold(rows[i + 2]), d = fold(rows[i + 3]);
    const Quad ab = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
    const Quad cd = __builtin_shufflevector(c, d, 0, 1, 4, 5) + __builtin_shufflevector(c, d, 2, 3, 6, 7);
    const Quad sums = __builtin_shufflevector(ab, cd, 0, 2, 4, 6) + __builtin_shufflevector(ab, cd, 1, 3, 5, 7);
    std::memcpy(reinterpret_cast<char *>(&result) + 4 * i, &sums, sizeof sums);
  }
  return result;
}

FEDTOPICS_INLINE double sum(Lanes x) {
  const Quad four = fold(x);
  return (static_cast<double>(four[0]) + four[1]) + (static_cast<double>(four[2]) + four[3]);
}

FEDTOPICS_INLINE float largest(Lanes x) {
  const Quad a = quarter(x, 0), b = quarter(x, 1), c = quarter(x, 2), d = quarter(x, 3);
  const Quad ab = a > b ? a : b, cd = c > d ? c : d, four = ab > cd ? ab : cd;
  const float low = four[0] > four[1] ? four[0] : four[1], high = four[2] > four[3] ? four[2] : four[3];
  return low > high ? low : high;
}

// Natural logarithm of positive normal floats: x = m 2^e with m near 1, log m = 2 atanh((m - 1) / (m + 1)).
FEDTOPICS_INLINE Lanes logarithm(Lanes x) {
  return each(x, [](Part value) {
    IntPart bits;
    std::memcpy(&bits, &value, sizeof bits);
    const IntPart exponent = (bits - 0x3f3504f3) >> 23;  // 0x3f3504f3 is sqrt(1/2)
    bits -= exponent << 23;
    Part m;
    std::memcpy(&m, &bits, sizeof m);
    const Part z = (m - 1.0f) / (m + 1.0f), zz = z * z;
    const Part series = 1.0f + zz * (1.0f / 3 + zz * (1.0f / 5 + zz * (1.0f / 7 + zz * (1.0f / 9))));
    return 2.0f * z * series + __builtin_convertvector(exponent, Part) * 0.693147181f;
  });
}

}  // namespace
}  // namespace fedtopics
