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
template <class T>
INLINE Vector<T> load(const T* from) {
  Vector<T> a;
  std::memcpy(&a, from, sizeof a);
  return a;
}
template <class T>
INLINE void store(T* to, Vector<T> a) {
  std::memcpy(to, &a, sizeof a);
}
template <class T>
INLINE Vector<T> select(Ints mask, Vector<T> yes, Vector<T> no) {
  EACH_PART(T) no.part[p] = mask.part[p] ? yes.part[p] : no.part[p];
  return no;
}

INLINE Floats to_floats(Floats a) { return a; }
INLINE Floats to_floats(Ints a) {
  Floats f;
  EACH_PART(float) f.part[p] = __builtin_convertvector(a.part[p], Floats::Register);
  return f;
}
// Rounds toward zero; the lanes must lie in the range of int32.
INLINE Ints to_ints(Floats a) {
  Ints i;
  EACH_PART(float) i.part[p] = __builtin_convertvector(a.part[p], Ints::Register);
  return i;
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

// The sum of all lanes in one fixed order.
INLINE float sum(Floats a) {
  alignas(64) float x[LANES];
  store(x, a);
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int l = 0; l < half; l++) x[l] += x[l + half];
  return x[0];
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
