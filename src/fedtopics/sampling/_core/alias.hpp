// Alias tables: a draw from any distribution over K topics in constant time (Walker 1977; Vose 1991).
#pragma once
#include <cstdint>

namespace fedtopics {

// A uniform column k is kept with probability threshold[k] and replaced by other[k] otherwise.
struct Alias {
  const float* threshold;  // (n_topics,)
  const uint32_t* other;   // (n_topics,)
};

// Fills a table from positive weights; `scratch` has room for n_topics numbers.
void build_alias(const float* weights, int32_t n_topics, float* threshold, uint32_t* other, uint32_t* scratch);

}  // namespace fedtopics
