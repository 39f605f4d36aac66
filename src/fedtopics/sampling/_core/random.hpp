// Random numbers addressed by (seed, sweep, row): no state is carried from one row to the next, so neither the order
// of the rows nor the number of threads changes a draw.
//
// The address is enciphered with Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011);
// its 16 x 128 bits start sixteen lanes of xoshiro128+ (Blackman and Vigna, 2018), of which the upper bits are used.
#pragma once
#include "alias.hpp"
#include "vector.hpp"

namespace fedtopics::FEDTOPICS_ISA {

INLINE void philox(Bits c[4], uint32_t key0, uint32_t key1) {
  const Bits m0 = all<uint32_t>(0xD2511F53u), m1 = all<uint32_t>(0xCD9E8D57u);
  for (int round = 0; round < 10; round++) {
    const Bits high0 = multiply_high(c[0], m0), low0 = c[0] * m0, high1 = multiply_high(c[2], m1), low1 = c[2] * m1;
    c[0] = high1 ^ c[1] ^ all(key0);
    c[1] = low1;
    c[2] = high0 ^ c[3] ^ all(key1);
    c[3] = low0;
    key0 += 0x9E3779B9u;
    key1 += 0xBB67AE85u;
  }
}

alignas(64) constexpr uint32_t LANE_NUMBERS[LANES] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// What a row's numbers are for: two purposes never share a stream.
enum class Purpose : uint32_t { start, gibbs, document, word, metropolis };

class Random {
 public:
  METHOD Random(uint64_t seed, Purpose purpose, uint32_t sweep, uint32_t row) {
    s_[0] = all(row);
    s_[1] = all(sweep);
    s_[2] = all((uint32_t)purpose);
    s_[3] = load(LANE_NUMBERS);
    philox(s_, (uint32_t)seed, (uint32_t)(seed >> 32));
  }

  METHOD Bits bits() {
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
  METHOD Floats uniform() {
    return to_floats(as_ints(bits() >> 8)) * all(1.0f / 16777216.0f);
  }
  // Numbers in [0, n).
  METHOD Bits below(uint32_t n) { return multiply_high(bits(), all(n)); }
  // Draws from an alias table of n topics.
  METHOD Bits draw(const Alias& alias, uint32_t n) {
    const Bits column = below(n);
    return select(uniform() < gather(alias.threshold, column), column, gather(alias.other, column));
  }

 private:
  Bits s_[4];
};

// The same numbers one by one.
class Stream {
 public:
  METHOD Stream(uint64_t seed, Purpose purpose, uint32_t sweep, uint32_t row) : random_(seed, purpose, sweep, row) {}

  METHOD uint32_t bits() {
    if (next_ == LANES) {
      store(buffer_, random_.bits());
      next_ = 0;
    }
    return buffer_[next_++];
  }
  // A multiple of 2^-24 in [0, 1).
  METHOD float uniform() { return (float)(bits() >> 8) * (1.0f / 16777216.0f); }
  // A number in [0, n).
  METHOD uint32_t below(uint32_t n) { return (uint32_t)(((uint64_t)bits() * n) >> 32); }
  // A draw from an alias table of n topics.
  METHOD uint32_t draw(const Alias& alias, uint32_t n) {
    const uint32_t column = below(n);
    return uniform() < alias.threshold[column] ? column : alias.other[column];
  }

 private:
  Random random_;
  alignas(64) uint32_t buffer_[LANES];
  int next_ = LANES;
};

}  // namespace fedtopics::FEDTOPICS_ISA
