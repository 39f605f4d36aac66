// Random numbers addressed by (seed, sweep, row): no state is carried from one row to the next, so neither the order
// of the rows nor the number of threads changes a draw.
//
// The address is enciphered with Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011);
// its 16 x 128 bits start sixteen lanes of xoshiro128+ (Blackman and Vigna, 2018), of which the upper bits are used.
#pragma once
#include "vector.hpp"

namespace fedtopics::FEDTOPICS_ISA {

INLINE void philox(uint32_t c[4], uint32_t key0, uint32_t key1) {
  for (int round = 0; round < 10; round++) {
    uint64_t a = (uint64_t)c[0] * 0xD2511F53u, b = (uint64_t)c[2] * 0xCD9E8D57u;
    uint32_t c1 = c[1], c3 = c[3];
    c[0] = (uint32_t)(b >> 32) ^ c1 ^ key0;
    c[1] = (uint32_t)b;
    c[2] = (uint32_t)(a >> 32) ^ c3 ^ key1;
    c[3] = (uint32_t)a;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
}

// What a row's numbers are for: two purposes never share a stream.
enum class Purpose : uint32_t { start, gibbs, document, word, metropolis };

class Random {
 public:
  Random(uint64_t seed, Purpose purpose, uint32_t sweep, uint32_t row) {
    alignas(64) uint32_t state[4][LANES];
    for (uint32_t lane = 0; lane < LANES; lane++) {
      uint32_t c[4] = {row, sweep, (uint32_t)purpose, lane};
      philox(c, (uint32_t)seed, (uint32_t)(seed >> 32));
      for (int j = 0; j < 4; j++) state[j][lane] = c[j];
    }
    for (int j = 0; j < 4; j++) s_[j] = load(state[j]);
  }

  inline __attribute__((always_inline)) Bits bits() {
    Bits result = s_[0] + s_[3], t = s_[1] << 9;
    s_[2] = s_[2] ^ s_[0];
    s_[3] = s_[3] ^ s_[1];
    s_[1] = s_[1] ^ s_[2];
    s_[0] = s_[0] ^ s_[3];
    s_[2] = s_[2] ^ t;
    s_[3] = (s_[3] << 11) | (s_[3] >> 21);
    return result;
  }

  // Multiples of 2^-24 in [0, 1).
  inline __attribute__((always_inline)) Floats uniform() {
    return to_floats(as_ints(bits() >> 8)) * all(1.0f / 16777216.0f);
  }

 private:
  Bits s_[4];
};

}  // namespace fedtopics::FEDTOPICS_ISA
