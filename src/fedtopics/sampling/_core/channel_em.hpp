// The E step of EM on noisy document histograms: the shape of its work, shared by all instruction sets.
#pragma once

#include <cstdint>

namespace fedtopics {

// Rows of topics are padded with zeros to a multiple of 16 and aligned to 64 bytes.
struct ChannelProblem {
  const std::int64_t *offsets;  // document d owns the entries offsets[d]:offsets[d+1]
  const std::int32_t *words;
  const std::int32_t *values;  // released counts, all at least 1
  const float *phi;            // (n_words, width) topic-word probabilities
  const float *inverse_sizes;  // (width) 1 / S_k
  const float *alpha;          // (width)
  const float *coverage;       // (width) sum of phi over the words that could have been reported
  float *theta;                // (n_docs, n_topics), changed in place
  double *intensity;           // (n_docs) expected length lambda, changed in place
  double decay;                // a = exp(-epsilon); 0: the values are the true counts
  std::int64_t n_topics;
  std::int64_t width;
  int n_steps;           // updates of theta before the counts are taken
  bool exclude;          // each token is left out of its own evidence
};

// What one block of documents adds up to; `counts` may be null where only the likelihood is wanted.
struct ChannelSums {
  float *counts;     // (n_words, width): survivors' expected counts less what `background` already holds
  double *background;  // (width): expected counts of words that did not survive are background_k phi_kw
  double log_likelihood;
};

// Adds the documents first_doc:last_doc to the sums; `scratch` holds kChannelScratchRows aligned rows of `width`.
constexpr int kChannelScratchRows = 20;
using ChannelKernel = void (*)(const ChannelProblem &, std::int64_t first_doc, std::int64_t last_doc, ChannelSums &,
                               float *scratch);

namespace plain {
void channel_expectations(const ChannelProblem &, std::int64_t, std::int64_t, ChannelSums &, float *scratch);
}
namespace avx2 {
void channel_expectations(const ChannelProblem &, std::int64_t, std::int64_t, ChannelSums &, float *scratch);
}
namespace avx512 {
void channel_expectations(const ChannelProblem &, std::int64_t, std::int64_t, ChannelSums &, float *scratch);
}

}  // namespace fedtopics
