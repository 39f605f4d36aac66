// The random numbers of random.hpp, a lane each, and jumps along them.
#pragma once
#include "lanes.cuh"

class Random {
 public:
  __device__ Random() {}

  __device__ Random(unsigned long long seed, Bits purpose, Bits sweep, Bits row) {
    Bits c[4] = {row, sweep, purpose, (Bits)lane()}, key0 = (Bits)seed, key1 = (Bits)(seed >> 32);
    for (int round = 0; round < 10; round++) {
      const Bits high0 = __umulhi(c[0], 0xD2511F53u), low0 = c[0] * 0xD2511F53u;
      const Bits high1 = __umulhi(c[2], 0xCD9E8D57u), low1 = c[2] * 0xCD9E8D57u;
      c[0] = high1 ^ c[1] ^ key0;
      c[1] = low1;
      c[2] = high0 ^ c[3] ^ key1;
      c[3] = low0;
      key0 += 0x9E3779B9u;
      key1 += 0xBB67AE85u;
    }
    for (int i = 0; i < 4; i++) s_[i] = c[i];
  }

  __device__ Bits bits() {
    const Bits result = s_[0] + s_[3], t = s_[1] << 9;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= t;
    s_[3] = s_[3] << 11 | s_[3] >> 21;
    return result;
  }
  __device__ float uniform() { return (float)(bits() >> 8) * (1.0f / 16777216.0f); }
  __device__ Bits below(Bits n) { return __umulhi(bits(), n); }
  __device__ void skip(int n) {
    for (int i = 0; i < n; i++) bits();
  }

  // To where as many numbers were drawn as the polynomial says: x^n modulo that of the generator, a bit a power.
  __device__ void jump(const Bits* polynomial) {
    Bits sum[4] = {0, 0, 0, 0};
    for (int word = 0; word < 4; word++) {
      const Bits powers = polynomial[word];
      for (int bit = 0; bit < 32; bit++) {
        const Bits taken = 0u - (powers >> bit & 1u);
        for (int i = 0; i < 4; i++) sum[i] ^= s_[i] & taken;
        bits();
      }
    }
    for (int i = 0; i < 4; i++) s_[i] = sum[i];
  }

  __device__ Bits& state(int i) { return s_[i]; }

 private:
  Bits s_[4];
};
