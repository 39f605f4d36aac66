#include <algorithm>
#include <memory>

#include "kernels.hpp"
#include "lda.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace fedtopics {

namespace {

template <class Count>
struct Counts {
  const Documents& c;
  const Model& model;
  const float* weights;
  int32_t stride;
  Aligned<Count> word_topic;
  Aligned<double> prior, totals;

  Counts(const Documents& documents, const Model& m, const float* token_weights)
      : c(documents), model(m), weights(token_weights), stride(padded(m.n_topics)), word_topic(c.n_words * stride),
        prior(stride), totals(stride) {
    // Padding has a mass too, so that its inverse is finite.
    for (int32_t k = 0; k < stride; k++) prior[k] = std::max(1e-300, (double)c.n_words * model.beta);
    for (int64_t i = 0; model.others && i < c.n_words * model.n_topics; i++) prior[i % model.n_topics] += model.others[i];
  }

  void recount(const uint16_t* topics) {
    std::memset(word_topic.get(), 0, sizeof(Count) * (size_t)(c.n_words * stride));
    std::memcpy(totals.get(), prior.get(), sizeof(double) * stride);
    for (int64_t i = 0; i < c.n_tokens(); i++) {
      if (topics[i] == model.n_topics) continue;  // noise
      const float weight = weights ? weights[i] : 1.0f;
      word_topic[(int64_t)c.words[i] * stride + topics[i]] += (Count)weight;
      totals[topics[i]] += weight;
    }
  }
};

std::unique_ptr<Aligned<float>> smoothed(const Model& model, int64_t n_words, int32_t stride) {
  if (!model.others) return nullptr;
  auto base = std::make_unique<Aligned<float>>(n_words * stride);
  for (int64_t w = 0; w < n_words; w++)
    for (int32_t k = 0; k < model.n_topics; k++)
      (*base)[w * stride + k] = model.others[w * model.n_topics + k] + (float)model.beta;
  return base;
}

template <class Count>
void run(const Documents& c, const Model& model, const Sweeps& sweeps, const GibbsOptions& options, uint16_t* topics,
         void (*kernel)(const Gibbs<Count>&)) {
  const float* weights = options.weights;
  Counts<Count> counts(c, model, weights);
  const int32_t stride = counts.stride;
  const auto base = smoothed(model, c.n_words, stride);
  Aligned<float> alpha(stride), scratch(8 * (int64_t)stride);
  std::copy(model.alpha, model.alpha + model.n_topics, alpha.get());
  for (uint32_t t = 0; t < sweeps.count; t++) {
    // Integer counts stay exact; sums of weights would drift by rounding.
    if (t == 0 || weights) counts.recount(topics);
    kernel({c.words, c.offsets, weights, topics, counts.word_topic.get(), base ? base->get() : nullptr,
            (float)model.beta, counts.totals.get(), alpha.get(), 0, c.n_docs, model.n_topics, stride, sweeps.seed,
            sweeps.first + t, scratch.get(), options.background, options.losses, counts.prior.get(),
            (double)c.longest()});
  }
}

}  // namespace

void run_gibbs(const Documents& c, const Model& model, const Sweeps& sweeps, const GibbsOptions& options,
               uint16_t* topics) {
  if (options.weights)
    run<float>(c, model, sweeps, options, topics, kernels().weighted_gibbs);
  else
    run<int32_t>(c, model, sweeps, options, topics, kernels().gibbs);
}

void run_assign(const Documents& c, const double* topic_word, const double* alpha, int32_t n_topics,
                const Sweeps& sweeps, int n_threads, uint16_t* topics) {
  const int32_t stride = padded(n_topics);
  Aligned<float> phi(c.n_words * stride), prior(stride);
  std::copy(alpha, alpha + n_topics, prior.get());
  for (int32_t k = 0; k < n_topics; k++)
    for (int64_t w = 0; w < c.n_words; w++) phi[w * stride + k] = (float)topic_word[k * c.n_words + w];
  share_rows(c.n_docs, DOCUMENTS_AT_ONCE, n_threads, [&](int, int64_t first, int64_t last) {
    Aligned<float> scratch(8 * (int64_t)stride);
    for (uint32_t t = 0; t < sweeps.count; t++)
      kernels().gibbs({c.words, c.offsets, nullptr, topics, nullptr, phi.get(), 0, nullptr, prior.get(), first, last,
                       n_topics, stride, sweeps.seed, sweeps.first + t, scratch.get(), 0, nullptr, nullptr, 0});
  });
}

}  // namespace fedtopics
