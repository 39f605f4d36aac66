// Exact collapsed Gibbs sampling (Griffiths and Steyvers 2004, eq. 5), all topics of a token at once.
#include "kernels.hpp"

#include "random.hpp"

namespace fedtopics::FEDTOPICS_ISA {

namespace {

// Draws k with probability weight[k] / sum, given running sums per lane: partial[16 j + l] = weight[l] + weight[16 + l] + ...
INLINE int32_t draw(const float* partial, int32_t stride, int32_t n_topics, Floats lane_sums, float uniform) {
  alignas(64) float sums[LANES];
  store(sums, lane_sums);
  float total = 0, before[LANES + 1];
  for (int l = 0; l < LANES; l++) {
    before[l] = total;
    total += sums[l];
  }
  float u = uniform * total;
  int lane = 0;
  for (int l = 1; l < LANES; l++) lane += before[l] <= u;
  while (lane > 0 && sums[lane] <= 0) lane--;
  u -= before[lane];
  int32_t k = lane;
  while (k + LANES < stride && partial[k] <= u) k += LANES;
  while (k >= n_topics) k -= LANES;
  return k;
}

INLINE float weight_of(const float* weights, int64_t i) { return weights ? weights[i] : 1.0f; }

template <class Count>
struct Document {
  const Gibbs<Count>& g;
  float *counts, *factor, *inverse, *partial;

  explicit Document(const Gibbs<Count>& gibbs) : g(gibbs) {
    counts = g.scratch;
    factor = counts + g.stride;
    inverse = factor + g.stride;
    partial = inverse + g.stride;
    for (int32_t k = 0; k < g.stride; k++) inverse[k] = g.totals ? 1.0f / (float)g.totals[k] : 1.0f;
  }

  // Moves `weight` of word w into topic k, or out of it when negative.
  inline __attribute__((always_inline)) void move(int32_t w, int32_t k, float weight) {
    counts[k] += weight;
    if (g.totals) {
      g.word_topic[(int64_t)w * g.stride + k] += (Count)weight;
      g.totals[k] += weight;
      inverse[k] = 1.0f / (float)g.totals[k];
    }
    factor[k] = (counts[k] + g.alpha[k]) * inverse[k];
  }

  void open(int64_t begin, int64_t end) {
    for (int32_t k = 0; k < g.stride; k++) counts[k] = 0;
    for (int64_t i = begin; i < end; i++) counts[g.topics[i]] += weight_of(g.weights, i);
    for (int32_t k = 0; k < g.stride; k += LANES)
      store(factor + k, (load(counts + k) + load(g.alpha + k)) * load(inverse + k));
  }

  inline __attribute__((always_inline)) int32_t sample(int32_t w, float uniform) {
    const int64_t row = (int64_t)w * g.stride;
    const Floats beta = all(g.beta);
    Floats running = all(0.0f);
    for (int32_t k = 0; k < g.stride; k += LANES) {
      Floats smooth = g.base ? load(g.base + row + k) : beta;
      if (g.totals) smooth = smooth + to_floats(load(g.word_topic + row + k));
      running = running + load(factor + k) * smooth;
      store(partial + k, running);
    }
    return draw(partial, g.stride, g.n_topics, running, uniform);
  }
};

template <class Count>
void sweep(const Gibbs<Count>& g) {
  Document<Count> document(g);
  alignas(64) float uniforms[LANES];
  for (int64_t d = g.first; d < g.last; d++) {
    const int64_t begin = g.offsets[d], end = g.offsets[d + 1];
    Random random(g.seed, Purpose::gibbs, g.sweep, (uint32_t)d);
    document.open(begin, end);
    for (int64_t i = begin; i < end; i++) {
      const int slot = (int)((i - begin) % LANES);
      if (slot == 0) store(uniforms, random.uniform());
      const float weight = weight_of(g.weights, i);
      document.move(g.words[i], g.topics[i], -weight);
      g.topics[i] = (uint16_t)document.sample(g.words[i], uniforms[slot]);
      document.move(g.words[i], g.topics[i], weight);
    }
  }
}

}  // namespace

void gibbs(const Gibbs<int32_t>& g) { sweep(g); }
void weighted_gibbs(const Gibbs<float>& g) { sweep(g); }

void start(uint16_t* topics, const int64_t* offsets, int64_t n_docs, int32_t n_topics, uint64_t seed) {
  alignas(64) uint32_t bits[LANES];
  for (int64_t d = 0; d < n_docs; d++) {
    Random random(seed, Purpose::start, 0, (uint32_t)d);
    for (int64_t i = offsets[d]; i < offsets[d + 1]; i++) {
      const int slot = (int)((i - offsets[d]) % LANES);
      if (slot == 0) store(bits, random.bits());
      topics[i] = (uint16_t)(((uint64_t)bits[slot] * (uint32_t)n_topics) >> 32);
    }
  }
}

}  // namespace fedtopics::FEDTOPICS_ISA
