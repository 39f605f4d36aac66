// The E step of EM on privatized reports of single tokens: the shape of its work, shared by all instruction sets.
#pragma once
#include <cstdint>

#include "channel_em.hpp"

namespace fedtopics {

// A report of a token says of topic k as much as g_k = 1 + sum of gain_w phi_kw over its entries.
// Rows of topics are padded with zeros to `width`, a multiple of 16, and aligned to 64 bytes.
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

}  // namespace fedtopics
