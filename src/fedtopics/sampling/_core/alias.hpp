// Alias tables: a draw from any distribution over K topics in constant time (Walker 1977; Vose 1991).
#pragma once
#include <cstdint>
#include <vector>

namespace fedtopics {

// A uniform column k is kept with probability threshold[k] and replaced by other[k] otherwise.
struct Alias {
  const float* threshold;  // (n_topics,)
  const uint32_t* other;   // (n_topics,)

  Alias from(int64_t at) const { return {threshold + at, other + at}; }
};

// Fills a table from positive weights; `scratch` has room for n_topics numbers.
void build_alias(const float* weights, int32_t n_topics, float* threshold, uint32_t* other, uint32_t* scratch);

// Tables of the rows of weights (n_rows, n_topics), one after the other.
class AliasTables {
 public:
  AliasTables(const float* weights, int64_t n_rows, int32_t n_topics);
  Alias alias() const { return {threshold_.data(), other_.data()}; }

 private:
  std::vector<float> threshold_;
  std::vector<uint32_t> other_;
};

}  // namespace fedtopics
