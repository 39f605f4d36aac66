// How many tokens stand behind a released count m = n + discrete Gaussian noise of deviation sigma.
//
// As in channel_posterior.hpp, with LR(n) = exp(n (2m - n) / (2 sigma^2)). With E = exp(1 / (2 sigma^2)), term n follows
// from term n - 1 by the ratio ((1 - q) mu + (n - 1) q) / n * E^(2 (m - n) + 1).
#pragma once

#include "channel_posterior.hpp"

namespace fedtopics::FEDTOPICS_ISA {

constexpr int GAUSSIAN_TABLE = 16;  // released counts whose first ratio E^(2m - 1) is looked up; larger ones are done alone
constexpr int GAUSSIAN_TERMS = 6;   // beyond n = m

struct GaussianLaw {
  double growth = 0.0;  // E
  float fade = 0.0f;    // E^-2, from one ratio to the next
  float first[GAUSSIAN_TABLE + 1] = {};

  explicit GaussianLaw(double given) : growth(given) {
    if (!(given > 0.0)) return;
    fade = static_cast<float>(1.0 / (given * given));
    double ratio = given;
    for (int m = 1; m <= GAUSSIAN_TABLE; m++, ratio *= given * given) first[m] = static_cast<float>(ratio);
  }
};

// One lane in double precision, summed both ways from n = m, where LR is largest: nothing can overflow.
static __attribute__((noinline)) void gaussian_alone(double m, double mu, double growth, double q, float* expected,
                                                     float* log_evidence) {
  constexpr double LARGE = 1e200, LOG_LARGE = 460.517018598809137;
  const double square = growth * growth;
  double evidence = 1.0, mean = m, log_none = 0.0, term = 1.0, step = 1.0 / growth;
  for (double n = m + 1; term > 1e-12 * evidence; n++, step /= square) {
    term *= ((1 - q) * mu + (n - 1) * q) / n * step;
    evidence += term;
    mean += term * n;
  }
  // Down to n = 0; the ratio of LR is E^(2 (m - n) + 1) at each step and may become infinite: then the rest is nothing.
  term = 1.0;
  double log_term = 0.0, growing = growth, log_growing = logarithm(growth);
  const double log_square = logarithm(square);
  for (double n = m; n >= 1; n--, growing *= square, log_growing += log_square) {
    const double chance = ((1 - q) * mu + (n - 1) * q) / n;
    term /= chance * growing;
    log_term -= logarithm(chance) + log_growing;
    evidence += term;
    mean += term * (n - 1);
    if (evidence > LARGE) {
      term /= LARGE;
      evidence /= LARGE;
      mean /= LARGE;
      log_none += LOG_LARGE;
    }
  }
  *expected = static_cast<float>(mean / evidence);
  *log_evidence = static_cast<float>(logarithm(evidence) + log_none - log_term);
}

// Sixteen lanes at once, upward from n = 0. A lane whose sum has overflowed, or is not at its end, is done alone.
INLINE Posterior gaussian_posterior(const Floats& m, const Floats& mu, const GaussianLaw& law, float q,
                                    bool want_evidence) {
  const float longest = largest(m);
  const int n_terms = (longest < GAUSSIAN_TABLE / 2 ? static_cast<int>(longest) : GAUSSIAN_TABLE / 2) + GAUSSIAN_TERMS;
  alignas(64) float first[LANES];
  for (int i = 0; i < LANES; i++) first[i] = lane(m, i) <= GAUSSIAN_TABLE ? law.first[static_cast<int>(lane(m, i))] : 1e38f;
  const Floats chance = (1 - q) * mu;
  Floats noise = load(first), term = all(1.0f), evidence = term, mean = all(0.0f);
  for (int n = 1; n <= n_terms; n++) {
    const float number = static_cast<float>(n);
    term = term * ((chance + all((number - 1) * q)) / number * noise);
    noise = law.fade * noise;
    evidence = evidence + term;
    mean = mean + number * term;
  }
  Posterior result{mean / evidence, want_evidence ? logarithm(evidence) : evidence};
  float* const expected = reinterpret_cast<float*>(&result.expected);
  float* const log_evidence = reinterpret_cast<float*>(&result.log_evidence);
  for (int i = 0; i < LANES; i++) {
    const bool ended = lane(term, i) <= 1e-7f * lane(evidence, i) && lane(evidence, i) < 1e37f;
    if (!ended || lane(m, i) > GAUSSIAN_TABLE)
      gaussian_alone(lane(m, i), lane(mu, i), law.growth, q, expected + i, log_evidence + i);
  }
  return result;
}

}  // namespace fedtopics::FEDTOPICS_ISA
