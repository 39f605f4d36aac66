// Noisy histograms of many documents at once, only the entries that reach the threshold.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

#include "exact.hpp"

namespace fedtopics {

// Entries that go to `sink`, so many at a time, do not stay here; without one all stay.
struct Rows {
  static constexpr std::size_t AT_ONCE = 1 << 21;
  std::function<void(Rows&)> sink;
  std::vector<std::int64_t> offsets{0};
  std::vector<std::int32_t> words, values;
  std::int64_t n_gone = 0;

  void end_row() {
    offsets.push_back(n_gone + static_cast<std::int64_t>(words.size()));
    if (sink && words.size() >= AT_ONCE) empty();
  }
  void empty() {
    sink(*this);
    n_gone += static_cast<std::int64_t>(words.size());
    words.clear();
    values.clear();
  }

  void keep(std::int32_t word, std::int64_t value) {
    words.push_back(word);
    values.push_back(static_cast<std::int32_t>(std::min<std::int64_t>(value, INT32_MAX)));
  }
};

// Positions 0, 1, 2, ... at which a coin succeeds, one after another.
class Survivors {
 public:
  Survivors(Stream& stream, const std::uint16_t* digits, int n_rows)
      : stream_(stream), digits_(digits), n_rows_(n_rows), position_(-1) {
    advance();
  }
  std::int64_t position() const { return position_; }
  void advance() {
    const std::int64_t skipped = gap(stream_, digits_, n_rows_);
    position_ = skipped > INT64_MAX - 1 - std::max<std::int64_t>(position_, 0) ? INT64_MAX : position_ + 1 + skipped;
  }

 private:
  Stream& stream_;
  const std::uint16_t* digits_;
  int n_rows_;
  std::int64_t position_;
};

// Distinct words of one document in order, with their counts.
class Counter {
 public:
  explicit Counter(std::int64_t n_words) : counts_(n_words, 0) {}
  const std::vector<std::int32_t>& count(const std::int32_t* begin, const std::int32_t* end) {
    for (std::int32_t word : distinct_) counts_[word] = 0;
    distinct_.clear();
    for (const std::int32_t* word = begin; word != end; ++word)
      if (counts_[*word]++ == 0) distinct_.push_back(*word);
    std::sort(distinct_.begin(), distinct_.end());
    return distinct_;
  }
  std::int64_t of(std::int64_t word) const { return counts_[word]; }

 private:
  std::vector<std::int64_t> counts_;
  std::vector<std::int32_t> distinct_;
};

// Equals, for every document and word: value = step * count + law.draw(), kept where value >= threshold.
// A word that the document lacks survives with the probability behind `digits` and then has the value `tail()`,
// so those are drawn by skipping from survivor to survivor; each document's entries come out ordered by word.
template <class Law, class Tail>
Rows noisy_rows(Stream& stream, const std::int32_t* words, const std::int64_t* offsets, std::int64_t n_documents,
                std::int64_t n_words, std::int64_t step, std::int64_t threshold, const std::uint16_t* digits,
                int n_rows, Law law, Tail tail, std::function<void(Rows&)> sink) {
  Rows rows;
  rows.sink = std::move(sink);
  Counter counter(n_words);
  Survivors survivors(stream, digits, n_rows);
  for (std::int64_t document = 0; document < n_documents; ++document) {
    const auto& distinct = counter.count(words + offsets[document], words + offsets[document + 1]);
    const std::int64_t start = document * n_words;
    auto present = distinct.begin();
    auto present_below = [&](std::int64_t limit) {
      for (; present != distinct.end() && *present < limit; ++present) {
        const std::int64_t value = step * counter.of(*present) + law.draw(stream);
        if (value >= threshold) rows.keep(*present, value);
      }
    };
    for (; survivors.position() < start + n_words; survivors.advance()) {
      const std::int64_t word = survivors.position() - start;
      present_below(word);
      if (counter.of(word) == 0) rows.keep(static_cast<std::int32_t>(word), tail(stream));
    }
    present_below(n_words);
    rows.end_row();
  }
  if (rows.sink) rows.empty();
  return rows;
}

}  // namespace fedtopics
