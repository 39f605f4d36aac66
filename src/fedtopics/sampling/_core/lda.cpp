#include "lda.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include "kernels.hpp"
#include "threads.hpp"

namespace fedtopics {

void count_word_topics(const int32_t* words, const uint16_t* topics, int64_t n_tokens, int32_t n_topics, int32_t* out) {
  for (int64_t i = 0; i < n_tokens; i++) out[(int64_t)words[i] * n_topics + topics[i]]++;
}

namespace {

// Rows of n_topics copied into rows of `stride`, each value plus `extra`.
void pad_rows(const float* from, int64_t n_rows, int32_t n_topics, int32_t stride, float extra, float* to) {
  for (int64_t r = 0; r < n_rows; r++)
    for (int32_t k = 0; k < n_topics; k++) to[r * stride + k] = from[r * n_topics + k] + extra;
}

template <class Count>
struct Counts {
  Aligned<Count> word_topic;
  Aligned<double> totals;

  Counts(const GibbsRun& run, int32_t stride) : word_topic(run.documents.n_words * stride), totals(stride) {}

  void recount(const GibbsRun& run, int32_t stride) {
    const Documents& c = run.documents;
    std::memset(word_topic.get(), 0, sizeof(Count) * (size_t)(c.n_words * stride));
    for (int32_t k = 0; k < stride; k++) totals[k] = (double)c.n_words * run.beta;
    if (run.others)
      for (int64_t w = 0; w < c.n_words; w++)
        for (int32_t k = 0; k < run.n_topics; k++) totals[k] += run.others[w * run.n_topics + k];
    for (int64_t i = 0; i < c.offsets[c.n_docs]; i++) {
      const float weight = run.weights ? run.weights[i] : 1.0f;
      word_topic[(int64_t)c.words[i] * stride + run.topics[i]] += (Count)weight;
      totals[run.topics[i]] += weight;
    }
  }
};

template <class Count>
void gibbs(const GibbsRun& run, void (*kernel)(const Gibbs<Count>&)) {
  const int32_t stride = padded(run.n_topics);
  const Documents& c = run.documents;
  Counts<Count> counts(run, stride);
  Aligned<float> alpha(stride), scratch(4 * (int64_t)stride);
  for (int32_t k = 0; k < run.n_topics; k++) alpha[k] = (float)run.alpha[k];
  std::unique_ptr<Aligned<float>> base;
  if (run.others) {
    base = std::make_unique<Aligned<float>>(c.n_words * stride);
    pad_rows(run.others, c.n_words, run.n_topics, stride, (float)run.beta, base->get());
  }
  Gibbs<Count> g{c.words, c.offsets, run.weights, run.topics, counts.word_topic.get(), base ? base->get() : nullptr,
                 (float)run.beta, counts.totals.get(), alpha.get(), 0, c.n_docs, run.n_topics, stride, run.seed,
                 run.first_sweep, scratch.get()};
  for (uint32_t t = 0; t < run.n_sweeps; t++, g.sweep++) {
    // Float counts drift by rounding; integer counts stay exact.
    if (t == 0 || run.weights) counts.recount(run, stride);
    kernel(g);
  }
}

}  // namespace

void run_gibbs(const GibbsRun& run) {
  if (run.weights)
    gibbs<float>(run, kernels().weighted_gibbs);
  else
    gibbs<int32_t>(run, kernels().gibbs);
}

void run_fold_in(const FoldInRun& run) {
  const int32_t stride = padded(run.n_topics);
  const Documents& c = run.documents;
  Aligned<float> phi(c.n_words * stride), alpha(stride);
  int64_t longest = 0;
  for (int64_t d = 0; d < c.n_docs; d++) longest = std::max(longest, c.offsets[d + 1] - c.offsets[d]);
  for (int32_t k = 0; k < run.n_topics; k++) {
    alpha[k] = (float)run.alpha[k];
    for (int64_t w = 0; w < c.n_words; w++) phi[w * stride + k] = (float)run.topic_word[k * c.n_words + w];
  }
  constexpr int64_t BLOCK = 32;
  share((c.n_docs + BLOCK - 1) / BLOCK, run.n_threads, [&](int, int64_t block) {
    Aligned<int32_t> distinct(2 * longest);
    Aligned<float> scratch(2 * (int64_t)stride);
    kernels().fold_in({c.words, c.offsets, phi.get(), alpha.get(), run.theta, block * BLOCK,
                       std::min(c.n_docs, (block + 1) * BLOCK), run.n_topics, stride, run.n_iterations, distinct.get(),
                       scratch.get()});
  });
}

}  // namespace fedtopics
