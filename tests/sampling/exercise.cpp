// Runs every native operation on awkward corpora; built with sanitizers by test_sanitizers.py.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

#include "channel_blocks.hpp"
#include "kernels.hpp"
#include "lda.hpp"

using namespace fedtopics;

struct Case {
  std::vector<int64_t> offsets{0};
  std::vector<int32_t> words;
  int64_t n_words;

  Documents documents() const { return {words.data(), offsets.data(), (int64_t)offsets.size() - 1, n_words}; }
};

static Case make(std::mt19937& random, int n_docs, int longest, int n_words) {
  Case c;
  c.n_words = n_words;
  for (int d = 0; d < n_docs; d++) {
    const int length = longest ? (int)(random() % (longest + 1)) : 0;
    for (int i = 0; i < length; i++) c.words.push_back((int32_t)(std::pow(random() / 4294967296.0, 3) * n_words));
    c.offsets.push_back((int64_t)c.words.size());
  }
  return c;
}

static void expect(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::exit(1);
}

static void exercise(const Case& c, int32_t n_topics, uint64_t seed) {
  const Documents documents = c.documents();
  const int64_t n = documents.n_tokens();
  // Exact sizes, so that a read past the end is seen.
  std::vector<uint16_t> topics(n);
  std::vector<int32_t> order(n + WordOrder::PADDING), slots(n), counts(c.n_words * n_topics);
  std::vector<int64_t> word_offsets(c.n_words + 1);
  std::vector<double> alpha(n_topics), phi(n_topics * c.n_words, 1.0 / (double)std::max<int64_t>(c.n_words, 1));
  for (int32_t k = 0; k < n_topics; k++) alpha[k] = 0.05 * (1 + k % 3);
  std::vector<float> others(c.n_words * n_topics, 1.5f), weights(n, 0.5f), losses(4 * n), theta(documents.n_docs * n_topics);
  order_by_word(documents, word_offsets.data(), order.data(), slots.data(), false);
  const WordOrder by_word{word_offsets.data(), order.data(), slots.data()};
  kernels().start(topics.data(), c.offsets.data(), documents.n_docs, n_topics, seed);
  for (const float* extra : {(const float*)nullptr, (const float*)others.data()}) {
    const Model model{n_topics, alpha.data(), 0.01, extra};
    run_gibbs(documents, model, {seed, 0, 2}, {nullptr, 0, losses.data()}, topics.data());
    run_gibbs(documents, model, {seed, 2, 2}, {weights.data()}, topics.data());
    std::vector<uint16_t> noisy(topics);
    run_gibbs(documents, model, {seed, 4, 2}, {nullptr, 0.1f}, noisy.data());
    run_metropolis(documents, by_word, model, {seed, 4, 2}, 2, topics.data());
    for (int32_t n_proposals = 1; n_proposals <= 3; n_proposals++)
      for (int n_threads = 1; n_threads <= 3; n_threads += 2)
        run_warp(documents, by_word, model, {seed, 6, 2}, n_proposals, n_threads, topics.data(), topics.data());
  }
  run_assign(documents, phi.data(), alpha.data(), n_topics, {seed, 8, 1}, 2, topics.data());
  run_assign_metropolis(documents, phi.data(), alpha.data(), n_topics, {seed, 9, 1}, 2, 2, topics.data());
  run_fold_in(documents, phi.data(), alpha.data(), n_topics, 3, 2, theta.data());
  count_word_topics(documents, topics.data(), n_topics, counts.data());
  optimize_alpha(documents, topics.data(), n_topics, 3, 2, alpha.data());
  const double beta = optimize_beta(documents, by_word, topics.data(), n_topics, 3, 2, 0.01);
  expect(beta > 0 && alpha[0] > 0, "a prior is not positive");
  int64_t total = 0;
  for (int32_t count : counts) total += count;
  expect(total == n, "the counts do not add up to the tokens");
  for (float x : theta) expect(x >= 0 && x <= 1, "a mixture is not between 0 and 1");
}

// The tokens as entries of histograms, as reports, and as private units.
static void exercise_private(const Case& c, int32_t n_topics, uint64_t seed) {
  const int64_t n = (int64_t)c.words.size(), n_docs = (int64_t)c.offsets.size() - 1;
  std::vector<float> phi(c.n_words * n_topics, 1.0f / (float)std::max<int64_t>(c.n_words, 1)), alpha(n_topics, 0.1f),
      ones(std::max<int64_t>(n, n_topics), 1.0f), theta(n_docs * n_topics, 1.0f / (float)n_topics), counts(phi.size());
  std::vector<double> lengths(std::max(n, n_docs), 5.0);
  std::vector<int32_t> values(n), zeros(n_topics);
  std::vector<int64_t> each(n + 1);
  std::iota(each.begin(), each.end(), 0);
  for (int64_t i = 0; i < n; i++) values[i] = 1 + (int32_t)(i % 40);
  const PaddedTopics topics(phi.data(), c.n_words, n_topics, ones.data(), alpha.data());
  const Aligned<float> coverage(ones.data(), 1, n_topics);
  for (const double growth : {0.0, 2.0})
    for (const double decay : {0.0, 0.1}) {
      const ChannelProblem problem{c.offsets.data(), c.words.data(), values.data(), topics.phi.get(),
                                   topics.inverse_sizes.get(), topics.alpha.get(), coverage.get(), theta.data(),
                                   lengths.data(), decay, growth, 0.3, 1.0, 0.9, decay, n_topics, topics.width, 2, true};
      add_up(c.offsets.data(), n_docs, topics, 3, counts.data(),
             [&](int64_t first, int64_t last, ChannelSums& sums, float* scratch) {
               kernels().channel_em(problem, first, last, sums, scratch);
             });
    }
  const ReportProblem reports{c.offsets.data(), each.data(), ones.data(), c.words.data(), ones.data(), topics.phi.get(),
                              topics.inverse_sizes.get(), topics.alpha.get(), theta.data(), n_topics, topics.width, 2,
                              true};
  add_up(c.offsets.data(), n_docs, topics, 3, counts.data(),
         [&](int64_t first, int64_t last, ChannelSums& sums, float* scratch) {
           kernels().report_em(reports, first, last, sums, scratch);
         });
  for (float x : counts) expect(x >= 0 && std::isfinite(x), "an expected count is no count");
  std::vector<uint16_t> drawn(n);
  std::vector<float> log_phi(phi.size(), -1.0f), proposals(phi);
  const AliasTables tables(proposals.data(), c.n_words, n_topics);
  const PrivateTopics known{log_phi.data(), phi.data(), proposals.data(), tables.alias(), 0.1, c.n_words, n_topics};
  for (const Evidence evidence : {Evidence::plug_in, Evidence::one_hot, Evidence::counts}) {
    const PrivateUnits units{c.offsets.data(), each.data(), each.data(), c.words.data(), ones.data(), each.data(),
                             c.words.data(), lengths.data(), 0.1, evidence};
    for (int64_t d = 0; d < n_docs; d++) {
      kernels().private_assign(units, known, d, drawn.data(), seed);
      kernels().private_metropolis(units, known, d, drawn.data(), 2, seed, 0, zeros.data());
    }
  }
}

// The documents as units of one and of three, cut to a norm.
static void exercise_cut(const Case& c, int32_t n_topics) {
  const int64_t n_docs = (int64_t)c.offsets.size() - 1;
  const std::vector<float> counts(c.words.size(), 2.0f), flat(c.n_words * n_topics, 0.5f);
  std::vector<int64_t> sum(flat.size());
  for (const int64_t documents_each : {1, 3}) {
    std::vector<int64_t> units;
    for (int64_t d = 0; d < n_docs; d += documents_each) units.push_back(d);
    units.push_back(n_docs);
    const ClippedProblem problem{units.data(), c.offsets.data(), c.words.data(), counts.data(), flat.data(),
                                 flat.data(), flat.data(), 0, 0.1f, 3, 1.5, 0.5, 1000.0};
    run_clipped_sum(problem, (int64_t)units.size() - 1, c.n_words, n_topics, 3, sum.data());
    for (int64_t x : sum) expect(x <= 1000 * n_docs && x >= -1000 * n_docs, "a sum is longer than all units");
  }
}

int main(int, char** arguments) {
  const uint64_t seed = std::strtoull(arguments[1], nullptr, 10);
  std::mt19937 random((uint32_t)seed);
  for (int32_t n_topics : {1, 2, 15, 16, 17, 64, 100, 130, 600}) {
    for (const Case& c : {make(random, 0, 0, 0), make(random, 3, 0, 4), make(random, 1, 1, 1), make(random, 40, 3, 50),
                          make(random, 30, 70, 9), make(random, 400, 100, 300)}) {
      exercise(c, n_topics, seed);
      exercise_private(c, n_topics, seed);
      exercise_cut(c, n_topics);
    }
  }
  std::printf("%s\n", kernels().name);
}
