// How many tokens stand behind a released count: n ~ Poisson(mu), released m = n + two-sided geometric noise of ratio a.
//
// The likelihood ratio of m given n against given 0 is LR(n) = a^-n for n <= m and a^-(2m-n) for n > m, so term n of
//     evidence = sum_n mu^n/n! LR(n),    expected = sum_n n mu^n/n! LR(n) / evidence
// follows from term n - 1 by the ratio (n <= m ? mu/a : mu a) / n.
#pragma once

#include "channel_lanes.hpp"

namespace fedtopics::FEDTOPICS_ISA {

struct Posterior {
  Floats expected;
  Floats log_evidence;  // without the factor exp(-mu)
};

// The lanes sum upward from n = 0; beyond these bounds they would overflow or end too early, and one lane is summed
// alone in double precision.
constexpr float LARGEST_VALUE = 8.0f, LARGEST_RISE = 2e5f, LARGEST_TAIL = 0.2f;
constexpr int TAIL_TERMS = 4;

// log(x) in double precision, from IEEE operations alone.
INLINE double logarithm(double x) {
  int64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const int64_t exponent = (bits - 0x3fe6a09e667f3bcd) >> 52;  // sqrt(1/2)
  bits -= exponent << 52;
  std::memcpy(&x, &bits, sizeof x);
  const double z = (x - 1.0) / (x + 1.0), zz = z * z;
  double series = 0.0;
  for (int i = 21; i > 0; i -= 2) series = series * zz + 1.0 / i;
  return 2.0 * z * series + static_cast<double>(exponent) * 0.693147180559945309;
}

// log(n!): exact product for small n, Stirling's series above.
INLINE double log_factorial(double n) {
  if (n < 16) {
    double product = 1.0;
    for (double i = 2; i <= n; ++i) product *= i;
    return logarithm(product);
  }
  const double r = 1.0 / n;
  return (n + 0.5) * logarithm(n) - n + 0.918938533204672742 + r * (1.0 / 12 - r * r * (1.0 / 360 - r * r / 1260));
}

// One lane in double precision, summed both ways from its largest term: nothing can overflow.
static __attribute__((noinline)) void posterior_alone(double m, double mu, double a, float* expected, float* log_evidence) {
  const double rise = mu / a, tail = a * mu;
  const double peak = rise < m ? static_cast<double>(static_cast<int64_t>(rise))
                      : tail > m ? static_cast<double>(static_cast<int64_t>(tail))
                                 : m;
  double term = 1.0, evidence = 1.0, mean = peak;
  for (double n = peak; n > 0 && term > 1e-12 * evidence; --n) {
    term *= n / (n <= m ? rise : tail);
    evidence += term;
    mean += term * (n - 1);
  }
  term = 1.0;
  for (double n = peak + 1; term > 1e-12 * evidence; ++n) {
    term *= (n <= m ? rise : tail) / n;
    evidence += term;
    mean += term * n;
  }
  const double rising = peak < m ? peak : m;
  *expected = static_cast<float>(mean / evidence);
  *log_evidence = static_cast<float>(logarithm(evidence) + rising * logarithm(rise) - log_factorial(peak) +
                                     (peak > m ? (peak - m) * logarithm(tail) : 0.0));
}

INLINE Posterior posterior(Floats m, Floats mu, float a, bool want_evidence) {
  const Floats rise = mu / a, tail = a * mu;
  const float largest_value = largest(m);
  const Floats excess = larger(larger(m / LARGEST_VALUE, rise / LARGEST_RISE), tail / LARGEST_TAIL);
  const int n_terms = static_cast<int>(largest_value < LARGEST_VALUE ? largest_value : LARGEST_VALUE) + TAIL_TERMS;
  Floats term = all(1.0f), evidence = term, mean = all(0.0f);
  for (int n = 1; n <= n_terms; ++n) {
    const float number = static_cast<float>(n);
    term = term * (1.0f / number * select(all(number) <= m, rise, tail));
    evidence = evidence + term;
    mean = mean + number * term;
  }
  Posterior result{mean / evidence, want_evidence ? logarithm(evidence) : evidence};
  if (largest(excess) > 1.0f) {
    float* const expected = reinterpret_cast<float* >(&result.expected);
    float* const log_evidence = reinterpret_cast<float* >(&result.log_evidence);
    for (int i = 0; i < LANES; ++i)
      if (lane(excess, i) > 1.0f) posterior_alone(lane(m, i), lane(mu, i), a, expected + i, log_evidence + i);
  }
  return result;
}

}  // namespace fedtopics::FEDTOPICS_ISA
