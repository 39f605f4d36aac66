#include "alias.hpp"

namespace fedtopics {

void build_alias(const float* weights, int32_t n_topics, float* threshold, uint32_t* other, uint32_t* scratch) {
  double total = 0;
  for (int32_t k = 0; k < n_topics; k++) total += weights[k];
  const double scale = n_topics / total;
  // Columns below their fair share fill the scratch from the left, those above it from the right.
  int32_t small = 0, large = n_topics;
  for (int32_t k = 0; k < n_topics; k++) {
    threshold[k] = (float)(weights[k] * scale);
    other[k] = (uint32_t)k;
    if (threshold[k] < 1)
      scratch[small++] = (uint32_t)k;
    else
      scratch[--large] = (uint32_t)k;
  }
  while (small > 0 && large < n_topics) {
    const uint32_t poor = scratch[--small], rich = scratch[large];
    other[poor] = rich;
    threshold[rich] -= 1 - threshold[poor];
    if (threshold[rich] < 1) {
      large++;
      scratch[small++] = rich;
    }
  }
  // What rounding left over is full.
  while (small > 0) threshold[scratch[--small]] = 1;
  while (large < n_topics) threshold[scratch[large++]] = 1;
}

AliasTables::AliasTables(const float* weights, int64_t n_rows, int32_t n_topics)
    : threshold_(n_rows * n_topics), other_(threshold_.size()) {
  std::vector<uint32_t> scratch(n_topics);
  for (int64_t row = 0; row < n_rows; row++) {
    const int64_t at = row * n_topics;
    build_alias(weights + at, n_topics, threshold_.data() + at, other_.data() + at, scratch.data());
  }
}

}  // namespace fedtopics
