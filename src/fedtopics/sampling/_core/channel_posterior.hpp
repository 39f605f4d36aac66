// How many tokens stand behind a released count m = n + two-sided geometric noise of ratio a.
//
// Words come in bursts: n is negative binomial with mean mu and P(n) / P(n - 1) = ((1 - q) mu + (n - 1) q) / n, which
// adds up over topics and is Poisson at q = 0. The likelihood ratio of m given n against given 0 is LR(n) = a^-n for
// n <= m and a^-(2m-n) for n > m, so term n of
//     evidence = sum_n P(n)/P(0) LR(n),    expected = sum_n n P(n)/P(0) LR(n) / evidence
// follows from term n - 1 by the ratio ((1 - q) mu + (n - 1) q) / n * (n <= m ? 1/a : a).
#pragma once

#include "logarithm.hpp"

namespace fedtopics::FEDTOPICS_ISA {

struct Posterior {
  Floats expected;
  Floats log_evidence;  // relative to n = 0
};

constexpr int TAIL_TERMS = 4;  // beyond n = m

// One lane in double precision, scaled down whenever the sums grow large: nothing can overflow.
static __attribute__((noinline)) void posterior_alone(double m, double mu, double a, double q, float* expected,
                                                      float* log_evidence) {
  constexpr double LARGE = 1e200, LOG_LARGE = 460.517018598809137;
  double term = 1.0, evidence = 1.0, mean = 0.0, log_scale = 0.0;
  for (double n = 1; n <= m || term > 1e-12 * evidence; n++) {
    term *= ((1 - q) * mu + (n - 1) * q) / n * (n <= m ? 1 / a : a);
    evidence += term;
    mean += term * n;
    if (evidence > LARGE) {
      term /= LARGE;
      evidence /= LARGE;
      mean /= LARGE;
      log_scale += LOG_LARGE;
    }
  }
  *expected = static_cast<float>(mean / evidence);
  *log_evidence = static_cast<float>(logarithm(evidence) + log_scale);
}

// Sixteen lanes at once, summed upward from n = 0. A lane whose terms would overflow, or end too early, is done alone.
INLINE Posterior posterior(const Floats& m, const Floats& mu, float a, float q, bool want_evidence) {
  const float most = a > 2e-5f ? 8.0f : 4.0f, steepest = a > 2e-5f ? 1.5e5f : 4e9f;  // steepest^most / most! is a float
  const Floats first = (1 - q) * mu;
  const Floats steps = first + all(most * q);
  const Floats excess = larger(m / most, larger(steps / (steepest * a), (5 * a) * larger(first, all(q))));
  const float longest = largest(m);
  const int n_terms = static_cast<int>(longest < most ? longest : most) + TAIL_TERMS;
  Floats term = all(1.0f), evidence = term, mean = all(0.0f);
  for (int n = 1; n <= n_terms; n++) {
    const float number = static_cast<float>(n), before = (number - 1) * q;
    const Floats noise = select(all(number) <= m, all(1 / (number * a)), all(a / number));
    term = term * ((first + all(before)) * noise);
    evidence = evidence + term;
    mean = mean + number * term;
  }
  Posterior result{mean / evidence, want_evidence ? logarithm(evidence) : evidence};
  if (largest(excess) > 1.0f) {
    float* const expected = reinterpret_cast<float*>(&result.expected);
    float* const log_evidence = reinterpret_cast<float*>(&result.log_evidence);
    for (int i = 0; i < LANES; i++)
      if (lane(excess, i) > 1.0f) posterior_alone(lane(m, i), lane(mu, i), a, q, expected + i, log_evidence + i);
  }
  return result;
}

}  // namespace fedtopics::FEDTOPICS_ISA
