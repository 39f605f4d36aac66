#include <algorithm>
#include <memory>
#include <vector>

#include "kernels.hpp"
#include "lda.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace fedtopics {

namespace {

// The fixed part of every word's distribution, beta plus the counts of others, with alias tables to draw from it.
struct Base {
  std::vector<float> weights, mass, threshold;
  std::vector<uint32_t> other;

  Base(const Model& m, int64_t n_words)
      : weights(m.others, m.others + n_words * m.n_topics), mass(n_words), threshold(weights.size()),
        other(weights.size()) {
    std::vector<uint32_t> scratch(m.n_topics);
    for (int64_t w = 0; w < n_words; w++) {
      float* row = weights.data() + w * m.n_topics;
      for (int32_t k = 0; k < m.n_topics; k++) mass[w] += row[k] += (float)m.beta;
      const int64_t at = w * m.n_topics;
      build_alias(row, m.n_topics, threshold.data() + at, other.data() + at, scratch.data());
    }
  }
};

}  // namespace

void run_metropolis(const Documents& c, const WordOrder& order, const Model& m, const Sweeps& sweeps,
                    int32_t n_proposals, uint16_t* topics) {
  const int32_t n_topics = m.n_topics;
  std::vector<int32_t> word_topic(c.n_words * n_topics), counts(n_topics);
  std::vector<int64_t> totals(n_topics);
  std::vector<double> prior_totals(n_topics, (double)c.n_words * m.beta);
  std::vector<float> alpha(m.alpha, m.alpha + n_topics), inverse(n_topics), threshold(n_topics);
  std::vector<uint32_t> other(n_topics), scratch(n_topics);
  float alpha_mass = 0;
  for (float a : alpha) alpha_mass += a;
  build_alias(alpha.data(), n_topics, threshold.data(), other.data(), scratch.data());
  const Alias alias{threshold.data(), other.data()};
  const bool symmetric = std::all_of(alpha.begin(), alpha.end(), [&](float a) { return a == alpha[0]; });
  std::unique_ptr<Base> base;
  if (m.others) {
    base = std::make_unique<Base>(m, c.n_words);
    for (int64_t i = 0; i < c.n_words * n_topics; i++) prior_totals[i % n_topics] += m.others[i];
  }
  std::vector<int32_t> tokens(c.n_tokens());
  for (int64_t j = 0; j < c.n_tokens(); j++) tokens[j] = order.slots[order.order[j]];
  count_word_topics(c, topics, n_topics, word_topic.data());
  for (int64_t i = 0; i < c.n_tokens(); i++) totals[topics[i]]++;
  for (uint32_t t = 0; t < sweeps.count; t++)
    kernels().metropolis({c.words, c.offsets, order.offsets, tokens.data(), topics, word_topic.data(),
                          base ? base->weights.data() : nullptr, base ? base->mass.data() : nullptr,
                          base ? Alias{base->threshold.data(), base->other.data()} : Alias{nullptr, nullptr},
                          (float)m.beta, totals.data(), prior_totals.data(), alpha.data(), alpha_mass,
                          symmetric ? nullptr : &alias, 0, c.n_docs, n_topics, n_proposals, sweeps.seed,
                          sweeps.first + t, inverse.data(), counts.data()});
}

void run_assign_metropolis(const Documents& c, const double* topic_word, const double* alpha, int32_t n_topics,
                           const Sweeps& sweeps, int32_t n_proposals, int n_threads, uint16_t* topics) {
  std::vector<float> phi(c.n_words * n_topics), prior(alpha, alpha + n_topics), threshold(phi.size()), prior_threshold(n_topics);
  std::vector<uint32_t> other(phi.size()), prior_other(n_topics), scratch(n_topics);
  float alpha_mass = 0;
  for (float a : prior) alpha_mass += a;
  build_alias(prior.data(), n_topics, prior_threshold.data(), prior_other.data(), scratch.data());
  for (int64_t w = 0; w < c.n_words; w++) {
    const int64_t at = w * n_topics;
    for (int32_t k = 0; k < n_topics; k++) phi[at + k] = (float)topic_word[k * c.n_words + w];
    build_alias(phi.data() + at, n_topics, threshold.data() + at, other.data() + at, scratch.data());
  }
  constexpr int64_t BLOCK = 32;
  share((c.n_docs + BLOCK - 1) / BLOCK, n_threads, [&](int, int64_t block) {
    std::vector<int32_t> counts(n_topics);
    for (uint32_t t = 0; t < sweeps.count; t++)
      kernels().assign_metropolis({c.words, c.offsets, topics, phi.data(), {threshold.data(), other.data()}, prior.data(),
                                   alpha_mass, {prior_threshold.data(), prior_other.data()}, block * BLOCK,
                                   std::min(c.n_docs, (block + 1) * BLOCK), n_topics, n_proposals, sweeps.seed,
                                   sweeps.first + t, counts.data()});
  });
}

}  // namespace fedtopics
