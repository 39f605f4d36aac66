// Counts of tokens, and tokens in another order.
#include <algorithm>
#include <vector>

#include "lda.hpp"
#include "memory.hpp"

namespace fedtopics {

int64_t Documents::longest() const {
  int64_t longest = 0;
  for (int64_t d = 0; d < n_docs; d++) longest = std::max(longest, offsets[d + 1] - offsets[d]);
  return longest;
}

void count_word_topics(const Documents& c, const uint16_t* topics, int32_t n_topics, int32_t* out) {
  for (int64_t i = 0; i < c.n_tokens(); i++) out[(int64_t)c.words[i] * n_topics + topics[i]]++;
}

void order_by_word(const Documents& c, int64_t* offsets, int32_t* order, int32_t* slots) {
  for (int64_t i = 0; i < c.n_tokens(); i++) offsets[c.words[i] + 1]++;
  for (int64_t w = 0; w < c.n_words; w++) offsets[w + 1] += offsets[w];
  std::vector<int64_t> next_of_word(offsets, offsets + c.n_words), next_of_document(c.offsets, c.offsets + c.n_docs);
  Aligned<int32_t> document(c.n_tokens(), Fill::nothing);
  for (int64_t d = 0; d < c.n_docs; d++)
    for (int64_t i = c.offsets[d]; i < c.offsets[d + 1]; i++) {
      document[i] = (int32_t)d;
      order[next_of_word[c.words[i]]++] = (int32_t)i;
    }
  // Word after word, the next free record of each token's document is its own.
  for (int64_t j = 0; j < c.n_tokens(); j++) {
    const int32_t token = order[j];
    order[j] = (int32_t)next_of_document[document[token]]++;
    slots[order[j]] = token;
  }
}

}  // namespace fedtopics
