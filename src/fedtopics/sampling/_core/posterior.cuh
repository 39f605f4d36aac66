// channel_posterior.hpp and channel_gaussian.hpp, a lane each: how many tokens stand behind a released count.
#pragma once
#include "lanes.cuh"

constexpr int RECIPROCALS = 256;

// The law of the noise. A count above `most` is done alone, in double precision. `inside` and `outside` are 1 / (n a) and a / n of the n-th term; `first` the ratios E^(2m - 1);
// `reciprocals` 1 / n below RECIPROCALS.
struct Law {
  double growth, burstiness;  // exp(1 / (2 sigma^2)) of Gaussian noise, or 0; q
  float decay, fade, most;    // a of geometric noise, or 0; E^-2
  const float *inside, *outside, *first;
  const double* reciprocals;
};

// a / n, rounded as a division is: the quotient is corrected by what it leaves (Markstein, IBM J. of R&D 34, 1990), which
// takes a fifth of the time.
__device__ inline double over(double a, double n, const double* reciprocals) {
  if (n >= RECIPROCALS) return a / n;
  const double reciprocal = reciprocals[(int)n], quotient = a * reciprocal;
  return __fma_rn(__fma_rn(-quotient, n, a), reciprocal, quotient);
}

struct Posterior {
  float expected, log_evidence;  // relative to n = 0
};

constexpr int TAIL_TERMS = 4, GAUSSIAN_TABLE = 16, GAUSSIAN_TERMS = 6;

__device__ inline float logarithm(float x) {
  int bits = __float_as_int(x);
  const int exponent = (bits - 0x3f3504f3) >> 23;
  bits -= exponent << 23;
  const float m = __int_as_float(bits), z = (m - 1.0f) / (m + 1.0f), zz = z * z;
  float series = 1.0f / 9;
#pragma unroll
  for (int i = 7; i > 0; i -= 2) series = series * zz + 1.0f / i;
  return 2.0f * z * series + 0.693147181f * (float)exponent;
}

__device__ inline double logarithm(double x) {
  Long bits = __double_as_longlong(x);
  const Long exponent = (bits - 0x3fe6a09e667f3bcdll) >> 52;
  bits -= exponent * (1ll << 52);
  x = __longlong_as_double(bits);
  const double z = (x - 1.0) / (x + 1.0), zz = z * z;
  double series = 0.0;
#pragma unroll
  for (int i = 21; i > 0; i -= 2) series = series * zz + 1.0 / i;
  return 2.0 * z * series + (double)exponent * 0.693147180559945309;
}

__device__ __noinline__ static Posterior geometric_alone(double m, double mu, double a, double q,
                                                         const double* reciprocals, bool want_evidence) {
  constexpr double LARGE = 1e200, LOG_LARGE = 460.517018598809137;
  const double first = (1 - q) * mu, inside = 1 / a;
  double term = 1.0, evidence = 1.0, mean = 0.0, log_scale = 0.0;
  for (double n = 1; n <= m || term > 1e-12 * evidence; n++) {
    term *= over(first + (n - 1) * q, n, reciprocals) * (n <= m ? inside : a);
    evidence += term;
    mean += term * n;
    if (evidence > LARGE) {
      term /= LARGE;
      evidence /= LARGE;
      mean /= LARGE;
      log_scale += LOG_LARGE;
    }
  }
  return {(float)(mean / evidence), want_evidence ? (float)(logarithm(evidence) + log_scale) : 0.0f};
}

__device__ __noinline__ static Posterior gaussian_alone(double m, double mu, double growth, double q) {
  constexpr double LARGE = 1e200, LOG_LARGE = 460.517018598809137;
  const double square = growth * growth;
  double evidence = 1.0, mean = m, log_none = 0.0, term = 1.0, step = 1.0 / growth;
  for (double n = m + 1; term > 1e-12 * evidence; n++, step /= square) {
    term *= ((1 - q) * mu + (n - 1) * q) / n * step;
    evidence += term;
    mean += term * n;
  }
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
  return {(float)(mean / evidence), (float)(logarithm(evidence) + log_none - log_term)};
}

// All lanes sum as many terms as the largest count of the half-warp asks for, those too that are `known` already.
__device__ inline Posterior geometric(const Law& law, float m, float mu, bool want_evidence, bool known) {
  const float a = law.decay, q = (float)law.burstiness, most = law.most;
  const float steepest = a > 2e-5f ? 1.5e5f : 4e9f;
  const float first = (1 - q) * mu, steps = first + most * q;
  const float excess = larger(m / most, larger(steps / (steepest * a), 5 * a * larger(first, q)));
  const float longest = largest(m);
  const int n_terms = (int)(longest < most ? longest : most) + TAIL_TERMS;
  float term = 1.0f, evidence = 1.0f, mean = 0.0f;
  for (int n = 1; n <= n_terms; n++) {
    const float number = (float)n;
    term = term * ((first + (number - 1) * q) * (number <= m ? law.inside[n] : law.outside[n]));
    evidence = evidence + term;
    mean = mean + number * term;
  }
  if (excess > 1.0f && !known) return geometric_alone(m, mu, a, q, law.reciprocals, want_evidence);
  return {mean / evidence, want_evidence ? logarithm(evidence) : evidence};
}

__device__ inline Posterior gaussian(const Law& law, float m, float mu, bool want_evidence, bool known) {
  const float q = (float)law.burstiness, longest = largest(m), chance = (1 - q) * mu;
  const int n_terms = (longest < GAUSSIAN_TABLE / 2 ? (int)longest : GAUSSIAN_TABLE / 2) + GAUSSIAN_TERMS;
  float noise = m <= GAUSSIAN_TABLE ? law.first[(int)m] : 1e38f, term = 1.0f, evidence = 1.0f, mean = 0.0f;
  for (int n = 1; n <= n_terms; n++) {
    const float number = (float)n;
    term = term * ((chance + (number - 1) * q) / number * noise);
    noise = law.fade * noise;
    evidence = evidence + term;
    mean = mean + number * term;
  }
  const bool ended = term <= 1e-7f * evidence && evidence < 1e37f;
  if ((!ended || m > GAUSSIAN_TABLE) && !known) return gaussian_alone(m, mu, law.growth, q);
  return {mean / evidence, want_evidence ? logarithm(evidence) : evidence};
}
