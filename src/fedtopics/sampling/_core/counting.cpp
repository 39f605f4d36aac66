// Counts of tokens, and tokens in another order.
#include <algorithm>
#include <vector>

#include "lda.hpp"

namespace fedtopics {

int64_t Documents::longest() const {
  int64_t longest = 0;
  for (int64_t d = 0; d < n_docs; d++) longest = std::max(longest, offsets[d + 1] - offsets[d]);
  return longest;
}

void count_word_topics(const Documents& c, const uint16_t* topics, int32_t n_topics, int32_t* out) {
  for (int64_t i = 0; i < c.n_tokens(); i++) out[(int64_t)c.words[i] * n_topics + topics[i]]++;
}

void order_by_word(const Documents& c, int64_t* offsets, int32_t* order) {
  for (int64_t i = 0; i < c.n_tokens(); i++) offsets[c.words[i] + 1]++;
  for (int64_t w = 0; w < c.n_words; w++) offsets[w + 1] += offsets[w];
  std::vector<int64_t> next(offsets, offsets + c.n_words);
  for (int64_t i = 0; i < c.n_tokens(); i++) order[next[c.words[i]]++] = (int32_t)i;
}

int64_t count_cells(const int64_t* offsets, int64_t n_rows, const int32_t* order, const uint16_t* topics,
                    int32_t n_topics, uint16_t* topic, int32_t* count) {
  std::vector<int32_t> counts(n_topics);
  int64_t n_cells = 0;
  for (int64_t r = 0; r < n_rows; r++) {
    for (int64_t i = offsets[r]; i < offsets[r + 1]; i++) counts[topics[order ? order[i] : i]]++;
    for (int64_t i = offsets[r]; i < offsets[r + 1]; i++) {
      const uint16_t k = topics[order ? order[i] : i];
      if (counts[k] == 0) continue;
      topic[n_cells] = k;
      count[n_cells++] = counts[k];
      counts[k] = 0;
    }
  }
  return n_cells;
}

}  // namespace fedtopics
