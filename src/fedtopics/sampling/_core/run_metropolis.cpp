#include <algorithm>
#include <memory>
#include <vector>

#include "kernels.hpp"
#include "lda.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace fedtopics {

namespace {

std::vector<float> smoothed(const Model& m, int64_t n_words) {
  std::vector<float> weights(m.others, m.others + n_words * m.n_topics);
  for (float& weight : weights) weight += (float)m.beta;
  return weights;
}

// The fixed part of every word's distribution, beta plus the counts of others, with alias tables to draw from it.
struct Base {
  std::vector<float> weights, mass;
  AliasTables tables;

  Base(const Model& m, int64_t n_words)
      : weights(smoothed(m, n_words)), mass(n_words), tables(weights.data(), n_words, m.n_topics) {
    for (int64_t w = 0; w < n_words; w++)
      for (int32_t k = 0; k < m.n_topics; k++) mass[w] += weights[w * m.n_topics + k];
  }
};

}  // namespace

void run_metropolis(const Documents& c, const WordOrder& order, const Model& m, const Sweeps& sweeps,
                    int32_t n_proposals, uint16_t* topics) {
  const int32_t n_topics = m.n_topics;
  std::vector<int32_t> word_topic(c.n_words * n_topics), counts(n_topics);
  std::vector<int64_t> totals(n_topics);
  std::vector<double> prior_totals(n_topics, (double)c.n_words * m.beta);
  std::vector<float> alpha(m.alpha, m.alpha + n_topics), inverse(n_topics);
  float alpha_mass = 0;
  for (float a : alpha) alpha_mass += a;
  const AliasTables table(alpha.data(), 1, n_topics);
  const Alias alias = table.alias();
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
                          base ? base->tables.alias() : Alias{nullptr, nullptr},
                          (float)m.beta, totals.data(), prior_totals.data(), alpha.data(), alpha_mass,
                          symmetric ? nullptr : &alias, 0, c.n_docs, n_topics, n_proposals, sweeps.seed,
                          sweeps.first + t, inverse.data(), counts.data()});
}

void run_assign_metropolis(const Documents& c, const double* topic_word, const double* alpha, int32_t n_topics,
                           const Sweeps& sweeps, int32_t n_proposals, int n_threads, uint16_t* topics) {
  std::vector<float> phi(c.n_words * n_topics), prior(alpha, alpha + n_topics);
  float alpha_mass = 0;
  for (float a : prior) alpha_mass += a;
  for (int64_t w = 0; w < c.n_words; w++)
    for (int32_t k = 0; k < n_topics; k++) phi[w * n_topics + k] = (float)topic_word[k * c.n_words + w];
  const AliasTables prior_table(prior.data(), 1, n_topics), word_tables(phi.data(), c.n_words, n_topics);
  share_rows(c.n_docs, DOCUMENTS_AT_ONCE, n_threads, [&](int, int64_t first, int64_t last) {
    std::vector<int32_t> counts(n_topics);
    for (uint32_t t = 0; t < sweeps.count; t++)
      kernels().assign_metropolis({c.words, c.offsets, topics, phi.data(), word_tables.alias(), prior.data(), alpha_mass,
                                   prior_table.alias(), first, last, n_topics, n_proposals, sweeps.seed, sweeps.first + t,
                                   counts.data()});
  });
}

}  // namespace fedtopics
