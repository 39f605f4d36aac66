// Exact collapsed Gibbs sampling (Griffiths and Steyvers 2004, eq. 5): all topics of a token, sixteen at once.
//
// Two additions for private data. A token may be noise, uniform over the words and of no topic. And the losses of a sweep
// can be monitored: how far a draw's probabilities could move when the topics lose one token, or a longest document.
#include <algorithm>
#include <cmath>

#include "kernels.hpp"
#include "random.hpp"

namespace fedtopics::FEDTOPICS_ISA {

namespace {

// Which of four weights a share of their sum falls on; `share` becomes what is left of it. A weight of zero is never hit.
INLINE int pick(const float* weights, float& share) {
  const float to1 = weights[0], to2 = to1 + weights[1], to3 = to2 + weights[2];
  int i = (to1 <= share) + (to2 <= share) + (to3 <= share);
  while (i > 0 && !(weights[i] > 0)) i--;
  share -= i == 0 ? 0 : i == 1 ? to1 : i == 2 ? to2 : to3;
  return i;
}

// A topic in proportion to its weight. partial[16 j + l] is the sum of the weights l, 16 + l, ..., 16 j + l.
INLINE int32_t draw(const float* partial, int32_t stride, int32_t n_topics, float uniform) {
  const float* lanes = partial + stride - LANES;
  float columns[4];
  for (int c = 0; c < 4; c++) columns[c] = (lanes[c] + lanes[4 + c]) + (lanes[8 + c] + lanes[12 + c]);
  float share = uniform * ((columns[0] + columns[1]) + (columns[2] + columns[3]));
  const int column = pick(columns, share);
  const float rows[4] = {lanes[column], lanes[4 + column], lanes[8 + column], lanes[12 + column]};
  const int lane = column + 4 * pick(rows, share);
  int32_t blocks = 0;
  for (int32_t k = lane; k < stride - LANES; k += LANES) blocks += partial[k] <= share;
  int32_t topic = lane + LANES * blocks;
  while (topic >= n_topics) topic -= LANES;
  return topic;
}

INLINE float total(const float* partial, int32_t stride) {
  const float* lanes = partial + stride - LANES;
  float columns[4];
  for (int c = 0; c < 4; c++) columns[c] = (lanes[c] + lanes[4 + c]) + (lanes[8 + c] + lanes[12 + c]);
  return (columns[0] + columns[1]) + (columns[2] + columns[3]);
}

// The largest lane of each of four vectors.
INLINE void largest(const Floats (&a)[4], float* most) {
  alignas(64) float x[4][LANES];
  for (int v = 0; v < 4; v++) store(x[v], a[v]);
  for (int half = LANES / 2; half > 0; half /= 2)
    for (int v = 0; v < 4; v++)
      for (int l = 0; l < half; l++) x[v][l] = std::max(x[v][l], x[v][l + half]);
  for (int v = 0; v < 4; v++) most[v] = x[v][0];
}

// ln(1 + x) for x >= 0, to five digits; a few terms do where x is small.
INLINE float log_of_one_plus(float x) {
  return x < 0.01f ? x * (1 - x * (0.5f - x * (1.0f / 3 - x * 0.25f))) : std::log(1 + x);
}

template <class Count>
struct Document {
  const Gibbs<Count>& g;
  float *counts, *inverse, *factor, *partial;
  float *lost[2], *gained[2];  // by one token and by the longest document
  float alpha_mass = 0, n_true = 0;

  explicit Document(const Gibbs<Count>& gibbs) : g(gibbs) {
    counts = g.scratch;
    inverse = counts + g.stride;
    factor = inverse + g.stride;
    partial = factor + g.stride;
    for (int32_t k = 0; k < g.stride; k++) inverse[k] = g.totals ? 1.0f / (float)g.totals[k] : 1.0f;
    for (int32_t k = 0; k < g.n_topics; k++) alpha_mass += g.alpha[k];
    for (int level = 0; level < 2; level++) {
      lost[level] = partial + (1 + level) * g.stride;
      gained[level] = lost[level] + 2 * g.stride;
    }
    for (int32_t k = 0; g.losses && k < g.stride; k++) watch(k);
  }

  // Shares of the mass of topic k that one token and one document could take away.
  METHOD void watch(int32_t k) {
    const double held = std::max(0.0, g.totals[k] - g.prior[k]);
    for (int level = 0; level < 2; level++) {
      const float taken = (float)std::min(level ? g.most : 1.0, held), mass = (float)g.totals[k];
      lost[level][k] = taken * inverse[k];
      gained[level][k] = taken / (mass - taken);
    }
  }

  // Adds the losses of the draw that `partial` describes: as printed and corrected, for a word and for a document.
  METHOD void monitor(float* losses) {
    const float sum = total(partial, g.stride);
    Floats most[4] = {all(0.0f), all(0.0f), all(0.0f), all(0.0f)}, before = all(0.0f);  // fallen and risen, by level
    for (int32_t k = 0; k < g.stride; k += LANES) {
      const Floats running = load(partial + k), weight = running - before, rest = all(sum) - weight;
      for (int level = 0; level < 2; level++) {
        const Floats loss = rest * load(lost[level] + k), gain = weight * load(gained[level] + k);
        most[level] = select(most[level] < loss, loss, most[level]);
        most[2 + level] = select(most[2 + level] < gain, gain, most[2 + level]);
      }
      before = running;
    }
    float found[4];
    largest(most, found);
    for (int level = 0; level < 2; level++) {
      const float risen = found[2 + level] / sum, share = found[level] / sum, fallen = share / (1 - share);
      const float gain = log_of_one_plus(risen);
      losses[2 * level] += 2 * gain;
      losses[2 * level + 1] += fallen > risen ? log_of_one_plus(fallen) : gain;
    }
  }

  METHOD float weight(int64_t i) const { return g.weights ? g.weights[i] : 1.0f; }

  METHOD void open(int64_t begin, int64_t end) {
    for (int32_t k = 0; k < g.stride; k++) counts[k] = 0;
    n_true = 0;
    for (int64_t i = begin; i < end; i++) {
      if (g.topics[i] == g.n_topics) continue;
      counts[g.topics[i]] += weight(i);
      n_true += weight(i);
    }
    for (int32_t k = 0; k < g.stride; k += LANES)
      store(factor + k, (load(counts + k) + load(g.alpha + k)) * load(inverse + k));
  }

  METHOD void move(int32_t w, int32_t k, float by) {
    if (k == g.n_topics) return;
    counts[k] += by;
    n_true += by;
    if (g.totals) {
      g.word_topic[(int64_t)w * g.stride + k] += (Count)by;
      g.totals[k] += by;
      inverse[k] = 1.0f / (float)g.totals[k];
      if (g.losses) watch(k);
    }
    factor[k] = (counts[k] + g.alpha[k]) * inverse[k];
  }

  template <bool OWN, bool BASE>
  METHOD void weigh(int32_t w) {
    const int64_t row = (int64_t)w * g.stride;
    Floats running = all(0.0f);
    for (int32_t k = 0; k < g.stride; k += LANES) {
      Floats word = BASE ? load(g.base + row + k) : all(g.beta);
      if (OWN) word = to_floats(load(g.word_topic + row + k)) + word;
      running = running + load(factor + k) * word;
      store(partial + k, running);
    }
  }

  METHOD int32_t choose(float uniform) {
    if (g.background > 0) {
      const float words = total(partial, g.stride), noise = g.background * (n_true + alpha_mass);
      const float at = uniform * (words + noise);
      if (at >= words) return g.n_topics;
      uniform = std::min(at / words, 1 - 1.0f / 16777216.0f);
    }
    return draw(partial, g.stride, g.n_topics, uniform);
  }

  template <bool OWN, bool BASE>
  METHOD void visit(int64_t d) {
    const int64_t begin = g.offsets[d], end = g.offsets[d + 1];
    Stream random(g.seed, Purpose::gibbs, g.sweep, (uint32_t)d);
    open(begin, end);
    for (int64_t i = begin; i < end; i++) {
      const int32_t w = g.words[i];
      move(w, g.topics[i], -weight(i));
      weigh<OWN, BASE>(w);
      if (g.losses) monitor(g.losses + 4 * i);
      g.topics[i] = (uint16_t)choose(random.uniform());
      move(w, g.topics[i], weight(i));
    }
  }
};

template <class Count>
void sweep(const Gibbs<Count>& g) {
  Document<Count> document(g);
  for (int64_t d = g.first; d < g.last; d++) {
    if (!g.totals)
      document.template visit<false, true>(d);
    else if (g.base)
      document.template visit<true, true>(d);
    else
      document.template visit<true, false>(d);
  }
}

}  // namespace

void gibbs(const Gibbs<int32_t>& g) { sweep(g); }
void weighted_gibbs(const Gibbs<float>& g) { sweep(g); }

void start(uint16_t* topics, const int64_t* offsets, int64_t n_docs, int32_t n_topics, uint64_t seed) {
  for (int64_t d = 0; d < n_docs; d++) {
    Stream random(seed, Purpose::start, 0, (uint32_t)d);
    for (int64_t i = offsets[d]; i < offsets[d + 1]; i++) topics[i] = (uint16_t)random.below((uint32_t)n_topics);
  }
}

}  // namespace fedtopics::FEDTOPICS_ISA
