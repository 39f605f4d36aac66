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

void order_by_word(const Documents& c, int64_t* offsets, int32_t* order, int32_t* slots, bool on_disk) {
  constexpr int64_t AT_ONCE = 1 << 22;  // tokens between two times of letting go
  for (int64_t i = 0; i < c.n_tokens(); i++) {
    offsets[c.words[i] + 1]++;
    if (on_disk && i % AT_ONCE == AT_ONCE - 1) let_go(c.words + i + 1 - AT_ONCE, c.words + i + 1);
  }
  for (int64_t w = 0; w < c.n_words; w++) offsets[w + 1] += offsets[w];
  std::vector<int64_t> next_of_word(offsets, offsets + c.n_words);
  std::vector<uint64_t> sorted;  // the tokens of a document by word, then by place
  int64_t kept = 0;
  for (int64_t d = 0; d < c.n_docs; d++) {
    const int64_t first = c.offsets[d], last = c.offsets[d + 1];
    sorted.clear();
    for (int64_t i = first; i < last; i++) sorted.push_back((uint64_t)c.words[i] << 32 | (uint64_t)(i - first));
    std::sort(sorted.begin(), sorted.end());
    for (int64_t r = first; r < last; r++) {
      const uint64_t token = sorted[r - first];
      slots[r] = (int32_t)(first + (int64_t)(token & 0xFFFFFFFF));
      order[next_of_word[token >> 32]++] = (int32_t)r;
    }
    if (on_disk && last - kept >= AT_ONCE) {
      let_go(c.words + kept, c.words + last);
      let_go(slots + kept, slots + last);
      kept = last;
    }
  }
}

}  // namespace fedtopics
