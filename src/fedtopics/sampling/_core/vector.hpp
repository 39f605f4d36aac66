// Sixteen lanes at a time, whatever the machine: every instruction set gives the same bits.
//
// A `Vector` is made of one, two or four native registers. All kernels are written on it once; the file is compiled
// several times, each time in the namespace FEDTOPICS_ISA, so that no symbol of one set is linked into another.
#pragma once
#include <cstdint>
#include <cstring>
#if defined(__AVX2__)
#include <immintrin.h>
#elif defined(__SSE2__)
#include <emmintrin.h>
#endif

#define METHOD inline __attribute__((always_inline))
#define INLINE static METHOD

#if defined(__AVX512F__)
#define FEDTOPICS_REGISTER 64
#elif defined(__AVX2__)
#define FEDTOPICS_REGISTER 32
#else
#define FEDTOPICS_REGISTER 16
#endif

namespace fedtopics::FEDTOPICS_ISA {

constexpr int LANES = 16;

template <class T>
struct Vector {
  typedef T Register __attribute__((vector_size(FEDTOPICS_REGISTER)));
  static constexpr int WIDTH = FEDTOPICS_REGISTER / sizeof(T);
  static constexpr int PARTS = LANES / WIDTH;
  Register part[PARTS];
};
using Floats = Vector<float>;
using Ints = Vector<int32_t>;
using Bits = Vector<uint32_t>;
typedef float Quad __attribute__((vector_size(16)));

#define EACH_PART(T) _Pragma("GCC unroll 8") for (int p = 0; p < Vector<T>::PARTS; p++)

#define OPERATOR(OP)                                                   \
  template <class T>                                                   \
  INLINE Vector<T> operator OP(Vector<T> a, Vector<T> b) {             \
    EACH_PART(T) a.part[p] = a.part[p] OP b.part[p];                   \
    return a;                                                          \
  }
OPERATOR(+)
OPERATOR(-)
OPERATOR(*)
OPERATOR(/)
OPERATOR(^)
OPERATOR(&)
OPERATOR(|)
#undef OPERATOR

// Comparisons give lanes of all ones or all zeros.
#define COMPARISON(OP)                                                 \
  template <class T>                                                   \
  INLINE Ints operator OP(Vector<T> a, Vector<T> b) {                  \
    Ints mask;                                                         \
    EACH_PART(T) mask.part[p] = (Ints::Register)(a.part[p] OP b.part[p]); \
    return mask;                                                       \
  }
COMPARISON(<)
COMPARISON(<=)
COMPARISON(==)
#undef COMPARISON

template <class T>
INLINE Vector<T> operator<<(Vector<T> a, int n) {
  EACH_PART(T) a.part[p] = a.part[p] << n;
  return a;
}
template <class T>
INLINE Vector<T> operator>>(Vector<T> a, int n) {
  EACH_PART(T) a.part[p] = a.part[p] >> n;
  return a;
}

template <class T>
INLINE Vector<T> all(T x) {
  Vector<T> a;
  EACH_PART(T) a.part[p] = x - typename Vector<T>::Register{};
  return a;
}
// What is loaded and stored is aligned. Register by register: GCC copies a whole `Vector` through the stack.
template <class T>
INLINE Vector<T> load(const T* from) {
  Vector<T> a;
  EACH_PART(T) a.part[p] = reinterpret_cast<const typename Vector<T>::Register*>(from)[p];
  return a;
}
template <class T>
INLINE void store(T* to, Vector<T> a) {
  EACH_PART(T) reinterpret_cast<typename Vector<T>::Register*>(to)[p] = a.part[p];
}
INLINE Floats operator-(float x, Floats y) { return all(x) - y; }
INLINE Floats operator*(float x, Floats y) { return all(x) * y; }
INLINE Floats operator/(Floats x, float y) { return x / all(y); }

template <class T>
INLINE Vector<T> select(Ints mask, Vector<T> yes, Vector<T> no) {
  EACH_PART(T) no.part[p] = mask.part[p] ? yes.part[p] : no.part[p];
  return no;
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

INLINE Floats to_floats(Floats a) { return a; }
INLINE Floats to_floats(Ints a) {
  Floats f;
  EACH_PART(float) f.part[p] = __builtin_convertvector(a.part[p], Floats::Register);
  return f;
}
INLINE Ints as_ints(Bits a) {
  Ints i;
  EACH_PART(int32_t) i.part[p] = (Ints::Register)a.part[p];
  return i;
}
INLINE Bits as_bits(Ints a) {
  Bits b;
  EACH_PART(int32_t) b.part[p] = (Bits::Register)a.part[p];
  return b;
}

// The upper halves of the 64-bit products.
INLINE Bits multiply_high(Bits a, Bits b) {
  Bits high;
#if defined(__AVX512F__)
  const __m512i x = (__m512i)a.part[0], y = (__m512i)b.part[0];
  const __m512i even = _mm512_mul_epu32(x, y);
  const __m512i odd = _mm512_mul_epu32(_mm512_srli_epi64(x, 32), _mm512_srli_epi64(y, 32));
  high.part[0] = (Bits::Register)_mm512_mask_blend_epi32(0xAAAA, _mm512_srli_epi64(even, 32), odd);
#elif defined(__AVX2__)
  EACH_PART(uint32_t) {
    const __m256i x = (__m256i)a.part[p], y = (__m256i)b.part[p];
    const __m256i even = _mm256_mul_epu32(x, y);
    const __m256i odd = _mm256_mul_epu32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(y, 32));
    high.part[p] = (Bits::Register)_mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xAA);
  }
#elif defined(__SSE2__)
  EACH_PART(uint32_t) {
    const __m128i x = (__m128i)a.part[p], y = (__m128i)b.part[p];
    const __m128i even = _mm_srli_epi64(_mm_mul_epu32(x, y), 32);
    const __m128i odd = _mm_mul_epu32(_mm_srli_epi64(x, 32), _mm_srli_epi64(y, 32));
    high.part[p] = (Bits::Register)_mm_or_si128(even, _mm_andnot_si128(_mm_set1_epi64x(0xFFFFFFFF), odd));
  }
#else
  alignas(64) uint32_t x[LANES], y[LANES];
  store(x, a);
  store(y, b);
  for (int l = 0; l < LANES; l++) x[l] = (uint32_t)(((uint64_t)x[l] * y[l]) >> 32);
  high = load(x);
#endif
  return high;
}

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

// The sum of all lanes in one fixed order.
INLINE float sum(Floats x) {
  const Quad four = fold(x);
  return (four[0] + four[2]) + (four[1] + four[3]);
}
// The same with its last steps in double precision.
INLINE double sum_lanes(Floats x) {
  const Quad four = fold(x);
  return (static_cast<double>(four[0]) + four[1]) + (static_cast<double>(four[2]) + four[3]);
}

INLINE float largest(const Floats& x) {
  float most = lane(x, 0);
  for (int i = 1; i < LANES; i++) most = lane(x, i) > most ? lane(x, i) : most;
  return most;
}

// table[index] lane by lane.
INLINE Bits gather(const uint32_t* table, Bits index) {
  Bits b;
#if defined(__AVX512F__)
  b.part[0] = (Bits::Register)_mm512_i32gather_epi32((__m512i)index.part[0], table, 4);
#elif defined(__AVX2__)
  EACH_PART(uint32_t)
  b.part[p] = (Bits::Register)_mm256_i32gather_epi32((const int*)table, (__m256i)index.part[p], 4);
#else
  alignas(64) uint32_t x[LANES];
  store(x, index);
  for (int l = 0; l < LANES; l++) x[l] = table[x[l]];
  b = load(x);
#endif
  return b;
}
INLINE Floats gather(const float* table, Bits index) {
  const Bits bits = gather(reinterpret_cast<const uint32_t*>(table), index);
  Floats f;
  EACH_PART(float) f.part[p] = (Floats::Register)bits.part[p];
  return f;
}

// table[index] for a table of SIZE floats (64 or 128; 0: any number), from registers where that is faster.
template <int SIZE>
INLINE Floats look_up(const float* table, Bits index) {
#if defined(__AVX512F__)
  if constexpr (SIZE > 0) {
    const __m512i i = (__m512i)index.part[0];
    const auto pair = [&](const float* t) {
      return _mm512_permutex2var_ps(_mm512_load_ps(t), i, _mm512_load_ps(t + LANES));
    };
    const __mmask16 odd = _mm512_test_epi32_mask(i, _mm512_set1_epi32(32));
    __m512 found = _mm512_mask_mov_ps(pair(table), odd, pair(table + 32));
    if constexpr (SIZE > 64) {
      const __mmask16 upper = _mm512_test_epi32_mask(i, _mm512_set1_epi32(64));
      found = _mm512_mask_mov_ps(found, upper, _mm512_mask_mov_ps(pair(table + 64), odd, pair(table + 96)));
    }
    Floats f;
    f.part[0] = (Floats::Register)found;
    return f;
  }
#endif
  return gather(table, index);
}

INLINE bool any(Ints mask) {
#if defined(__AVX512F__)
  return _mm512_movepi32_mask((__m512i)mask.part[0]) != 0;
#elif defined(__AVX2__)
  return !_mm256_testz_si256((__m256i)(mask.part[0] | mask.part[1]), _mm256_set1_epi32(-1));
#else
  alignas(64) int32_t x[LANES];
  store(x, mask);
  int32_t found = 0;
  for (int l = 0; l < LANES; l++) found |= x[l];
  return found != 0;
#endif
}

INLINE void prefetch(const void* at) { __builtin_prefetch(at, 0, 3); }

}  // namespace fedtopics::FEDTOPICS_ISA
