// Exact samplers, integer arithmetic only. "Algorithm n" is that of C. Canonne, G. Kamath, T. Steinke,
// The discrete Gaussian for differential privacy, NeurIPS 2020.
#pragma once

#include <cstdint>
#include <stdexcept>

#include "stream.hpp"

namespace fedtopics {

// Algorithm 1 for a number <= 1. `at_most(stream)` draws Bernoulli(number).
template <class Coin>
bool exp_minus_fraction(Stream& stream, Coin coin) {
  std::uint64_t k = 1;
  while (coin(stream) && stream.below(k) == 0) ++k;  // Bernoulli(number / k)
  return k % 2 == 1;
}

inline bool exp_minus_one(Stream& stream) {
  return exp_minus_fraction(stream, [](Stream&) { return true; });
}

// Bernoulli(exp(-numerator / denominator)), Algorithm 1.
inline bool exp_minus(Stream& stream, u128 numerator, u128 denominator) {
  for (; numerator > denominator; numerator -= denominator)
    if (!exp_minus_one(stream)) return false;
  return exp_minus_fraction(stream, [=](Stream& s) { return s.below_wide(denominator) < numerator; });
}

// Pr[G = g] ~ exp(-g s / t): the magnitude in Algorithm 2.
inline std::int64_t geometric(Stream& stream, std::uint64_t s, std::uint64_t t) {
  for (;;) {
    const std::uint64_t u = stream.below(t);
    if (!exp_minus_fraction(stream, [=](Stream& z) { return z.below(t) < u; })) continue;
    std::uint64_t v = 0;
    while (exp_minus_one(stream)) ++v;
    return static_cast<std::int64_t>((u + t * v) / s);
  }
}

// An integer of either sign from the law of those that are not negative.
template <class Draw>
std::int64_t with_sign(Stream& stream, Draw draw) {
  for (;;) {
    const std::int64_t magnitude = draw(stream);
    if (!stream.bits(1)) return magnitude;
    if (magnitude > 0) return -magnitude;  // zero has one sign, or it would come twice as often
  }
}

// Pr[Z = z] ~ exp(-|z| s / t), Algorithm 2.
inline std::int64_t laplace(Stream& stream, std::uint64_t s, std::uint64_t t) {
  return with_sign(stream, [=](Stream& z) { return geometric(z, s, t); });
}

// Pr[Z = z] ~ exp(-z^2 / (2 sigma^2)), sigma^2 = n / d, t = floor(sigma) + 1, Algorithm 3.
struct GaussianLaw {
  std::uint64_t n, d, t;

  std::int64_t draw(Stream& stream) const {
    for (;;) {
      const std::int64_t z = laplace(stream, 1, t);
      const u128 magnitude = static_cast<u128>(z < 0 ? -z : z) * t * d;
      const u128 distance = magnitude > n ? magnitude - n : n - magnitude;  // | |z| - sigma^2 / t | t d
      if (distance >> 63) throw std::overflow_error("discrete Gaussian draw outside the exact range");
      const u128 denominator = static_cast<u128>(2) * n * d * t * t;
      if (exp_minus(stream, distance * distance, denominator)) return z;
    }
  }
};

struct LaplaceLaw {
  std::uint64_t s, t;
  std::int64_t draw(Stream& stream) const { return laplace(stream, s, t); }
};

// Numbers in [0, 1) given by 256 bits as sixteen digits of 16 bits, most significant first.
constexpr int kDigits = 16;

// Bernoulli of such a number: compare a uniform real with it, digit by digit, as far as needed.
inline bool coin(Stream& stream, const std::uint16_t* digits) {
  for (int i = 0; i < kDigits; ++i) {
    const auto drawn = static_cast<std::uint16_t>(stream.bits(16));
    if (drawn != digits[i]) return drawn < digits[i];
  }
  return false;
}

// Number of failures before the first success of a coin. The binary digits of a geometric number are independent
// coins (Dwork, Kenthapadi, McSherry, Mironov, Naor, Our data, ourselves, 2006): row i of `digits` is the
// probability of binary digit i, the last row that of any digit beyond them, which is past every end.
inline std::int64_t gap(Stream& stream, const std::uint16_t* digits, int n_rows) {
  std::int64_t length = 0;
  for (int i = 0; i + 1 < n_rows; ++i) length |= static_cast<std::int64_t>(coin(stream, digits + i * kDigits)) << i;
  return coin(stream, digits + (n_rows - 1) * kDigits) ? INT64_MAX : length;
}

}  // namespace fedtopics
