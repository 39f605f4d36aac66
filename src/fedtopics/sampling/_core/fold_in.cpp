// Topic mixtures of new documents by the EM fixed point: theta_k ~ alpha_k + sum_w n_w theta_k phi_kw / (theta . phi_w).
#include "kernels.hpp"
#include "random.hpp"

namespace fedtopics::FEDTOPICS_ISA {

namespace {

// Distinct words and their counts, in order of first appearance after sorting; returns how many.
int32_t tally(const int32_t* words, int64_t n, int32_t* distinct, int32_t* counts) {
  for (int64_t i = 0; i < n; i++) distinct[i] = words[i];
  for (int64_t gap = n / 2; gap > 0; gap /= 2)
    for (int64_t i = gap; i < n; i++) {
      const int32_t w = distinct[i];
      int64_t j = i;
      for (; j >= gap && distinct[j - gap] > w; j -= gap) distinct[j] = distinct[j - gap];
      distinct[j] = w;
    }
  int32_t m = 0;
  for (int64_t i = 0; i < n; i++) {
    if (m > 0 && distinct[m - 1] == distinct[i]) {
      counts[m - 1]++;
    } else {
      distinct[m] = distinct[i];
      counts[m++] = 1;
    }
  }
  return m;
}

INLINE void normalize(float* theta, int32_t stride) {
  Floats running = all(0.0f);
  for (int32_t k = 0; k < stride; k += LANES) running = running + load(theta + k);
  const Floats scale = all(1.0f / sum(running));
  for (int32_t k = 0; k < stride; k += LANES) store(theta + k, load(theta + k) * scale);
}

// Adds n_w phi_kw / (theta . phi_w) to gain[k]. A word that no topic explains tells nothing.
INLINE void explain(const float* phi, float count, const float* theta, float* gain, int32_t stride) {
  Floats running = all(0.0f);
  for (int32_t k = 0; k < stride; k += LANES) running = running + load(theta + k) * load(phi + k);
  const float likelihood = sum(running);
  if (!(likelihood > 0)) return;
  const Floats share = all(count / likelihood);
  for (int32_t k = 0; k < stride; k += LANES) store(gain + k, load(gain + k) + load(phi + k) * share);
}

void document(const FoldIn& f, int64_t d) {
  float *theta = f.scratch, *gain = theta + f.stride;
  const int64_t n = f.offsets[d + 1] - f.offsets[d];
  int32_t *words = f.distinct, *counts = words + n;
  const int32_t n_distinct = tally(f.words + f.offsets[d], n, words, counts);
  for (int32_t k = 0; k < f.stride; k++) theta[k] = k < f.n_topics ? 1.0f : 0.0f;
  normalize(theta, f.stride);
  for (int32_t t = 0; t < f.n_iterations || t == 0; t++) {
    for (int32_t k = 0; k < f.stride; k++) gain[k] = 0;
    for (int32_t j = 0; j < n_distinct; j++)
      explain(f.phi + (int64_t)words[j] * f.stride, (float)counts[j], theta, gain, f.stride);
    for (int32_t k = 0; k < f.stride; k += LANES)
      store(theta + k, load(f.alpha + k) + load(theta + k) * load(gain + k));
    normalize(theta, f.stride);
  }
  std::memcpy(f.theta + d * f.n_topics, theta, sizeof(float) * f.n_topics);
}

}  // namespace

void fold_in(const FoldIn& f) {
  for (int64_t d = f.first; d < f.last; d++) document(f, d);
}

}  // namespace fedtopics::FEDTOPICS_ISA
