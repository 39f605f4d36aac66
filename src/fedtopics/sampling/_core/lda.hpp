// Whole operations on flat arrays: counts, scratch and threads around the kernels.
#pragma once
#include <cstdint>

namespace fedtopics {

struct Documents {
  const int32_t* words;    // (n_tokens,)
  const int64_t* offsets;  // (n_docs + 1,)
  int64_t n_docs, n_words;

  int64_t n_tokens() const { return offsets[n_docs]; }
  int64_t longest() const;
};

// Tokens in two orders. Record r belongs to token slots[r]: documents as they are, sorted by word within a document, so that
// equal words lie side by side. Word w owns the records order[offsets[w]:offsets[w + 1]], which rise.
struct WordOrder {
  static constexpr int64_t PADDING = 64;  // kernels read ahead
  const int64_t* offsets;  // (n_words + 1,)
  const int32_t* order;    // (n_tokens + PADDING,)
  const int32_t* slots;    // (n_tokens,)
  bool on_disk;            // both are mapped from files, and are let go of behind the sampler
};

struct Model {
  int32_t n_topics;
  const double* alpha;     // (n_topics,)
  double beta;
  const float* others;     // (n_words, n_topics) or null
};

struct Sweeps {
  uint64_t seed;
  uint32_t first, count;
};

void count_word_topics(const Documents&, const uint16_t* topics, int32_t n_topics, int32_t* out);

// Fills the arrays of a WordOrder, which hold zeros; words and slots are let go of on the way if they are on the disk.
void order_by_word(const Documents&, int64_t* offsets, int32_t* order, int32_t* slots, bool on_disk);

// Steps of `alpha`, one per topic, toward its most likely value.
void optimize_alpha(const Documents&, const uint16_t* topics, int32_t n_topics, int32_t n_iterations, int n_threads,
                    double* alpha);

// `beta` after steps toward its most likely value.
double optimize_beta(const Documents&, const WordOrder&, const uint16_t* topics, int32_t n_topics, int32_t n_iterations,
                     int n_threads, double beta);

struct GibbsOptions {
  const float* weights = nullptr;  // (n_tokens,) or null: every token counts 1
  float background = 0;            // weight of uniform noise, topic n_topics; 0: none
  float* losses = nullptr;         // (n_tokens, 4) added to, or null
};

void run_gibbs(const Documents&, const Model&, const Sweeps&, const GibbsOptions&, uint16_t* topics);

// Topics of the tokens when phi (n_topics, n_words) is fixed.
void run_assign(const Documents&, const double* topic_word, const double* alpha, int32_t n_topics, const Sweeps&,
                int n_threads, uint16_t* topics);

// The same by Metropolis-Hastings, n_proposals from the document and as many from the word for each token.
void run_assign_metropolis(const Documents&, const double* topic_word, const double* alpha, int32_t n_topics,
                           const Sweeps&, int32_t n_proposals, int n_threads, uint16_t* topics);

// `out` is touched at the end alone, when the scratch is gone.
void run_warp(const Documents&, const WordOrder&, const Model&, const Sweeps&, int32_t n_proposals, int n_threads,
              const uint16_t* topics, uint16_t* out);

void run_metropolis(const Documents&, const WordOrder&, const Model&, const Sweeps&, int32_t n_proposals,
                    uint16_t* topics);

void run_fold_in(const Documents&, const double* topic_word, const double* alpha, int32_t n_topics,
                 int32_t n_iterations, int n_threads, float* theta);

}  // namespace fedtopics
