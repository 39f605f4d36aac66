// The E steps of EM on noisy document histograms and on privatized reports of single tokens: the shape of their work,
// shared by all instruction sets.
#pragma once
#include <cstdint>

namespace fedtopics {

// Rows of topics are padded with zeros to `width`, a multiple of 16, and aligned to 64 bytes.
struct ChannelProblem {
  const int64_t* offsets;  // document d owns the entries offsets[d]:offsets[d+1]
  const int32_t* words;
  const int32_t* values;       // released counts, all at least 1
  const float* phi;            // (n_words, width) topic-word probabilities
  const float* inverse_sizes;  // (width,) 1 / S_k
  const float* alpha;          // (width,)
  const float* coverage;       // (width,) sum of phi over the words that could have been reported
  float* theta;                // (n_docs, n_topics) changed
  double* intensity;           // (n_docs,) expected length lambda, changed
  double decay;                // a = exp(-epsilon); 0: the values are the true counts
  double growth;               // exp(1 / (2 sigma^2)) of Gaussian noise; 0: the noise is geometric, or none
  double burstiness;           // q of the negative binomial counts; 0: Poisson
  double absence;              // -log P(count 0) / mu
  double silence;              // -log P(no survivor) / mu, summed over the noise
  double hidden;               // expected count of a word that did not survive / mu
  int64_t n_topics, width;
  int n_steps;   // updates of theta before the counts are taken
  bool exclude;  // each token is left out of its own evidence
};

// A report of a token says of topic k as much as g_k = 1 + sum of gain_w phi_kw over its entries.
struct ReportProblem {
  const int64_t* documents;    // document d owns the reports documents[d]:documents[d+1]
  const int64_t* reports;      // report r owns the entries reports[r]:reports[r+1]
  const float* times;          // how many equal reports stand for one
  const int32_t* words;        // of the entries
  const float* gains;          // likelihood of the report if the token was this word, over that of others, less one
  const float* phi;            // (n_words, width) topic-word probabilities
  const float* inverse_sizes;  // (width,) 1 / S_k
  const float* alpha;          // (width,)
  float* theta;                // (n_docs, n_topics) changed
  int64_t n_topics, width;
  int n_steps;   // updates of theta before the counts are taken
  bool exclude;  // each token is left out of its own evidence
};

// What a block of documents adds up to.
struct ChannelSums {
  float* counts;       // (n_words, width) survivors' expected counts less their part in `background`; or null
  double* background;  // (width,) words that did not survive have the expected counts background_k phi_kw
  double log_likelihood;
};

constexpr int CHANNEL_SCRATCH_ROWS = 20;

}  // namespace fedtopics
