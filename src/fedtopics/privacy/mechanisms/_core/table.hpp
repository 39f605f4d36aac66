// Draws from a law that is given as cumulative probabilities, to 256 bits.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "exact.hpp"

namespace fedtopics {

// Row i of `digits` is Pr[draw <= i]; what is beyond the last row is one draw more. A uniform real is compared with
// the rows: its first 64 bits decide but for one time in 2^64, and `first_` tells by their first byte where to begin.
class Table {
 public:
  Table(const std::uint16_t* digits, std::size_t n_rows) : digits_(digits) {
    for (std::size_t row = 0; row < n_rows; ++row) heads_.push_back(head(row));
    for (std::size_t byte = 0; byte < first_.size(); ++byte)
      first_[byte] = std::lower_bound(heads_.begin(), heads_.end(), std::uint64_t{byte} << 56) - heads_.begin();
  }

  std::int64_t draw(Stream& stream) const {
    const std::uint64_t drawn = stream.word();
    std::size_t row = first_[drawn >> 56];
    while (row < heads_.size() && heads_[row] < drawn) ++row;
    if (row < heads_.size() && heads_[row] == drawn) row = by_all_digits(stream, drawn, row);
    return static_cast<std::int64_t>(row);
  }

 private:
  static constexpr int kHead = 4;  // digits of 16 bits in a head

  std::uint64_t head(std::size_t row) const {
    std::uint64_t bits = 0;
    for (int i = 0; i < kHead; ++i) bits = bits << 16 | digits_[row * kDigits + i];
    return bits;
  }

  std::size_t by_all_digits(Stream& stream, std::uint64_t drawn, std::size_t row) const {
    std::array<std::uint16_t, kDigits - kHead> rest;
    for (auto& digit : rest) digit = static_cast<std::uint16_t>(stream.bits(16));
    for (; row < heads_.size() && heads_[row] == drawn; ++row) {
      const std::uint16_t* tail = digits_ + row * kDigits + kHead;
      if (std::lexicographical_compare(rest.begin(), rest.end(), tail, tail + rest.size())) break;
    }
    return row;
  }

  const std::uint16_t* digits_;
  std::vector<std::uint64_t> heads_;
  std::array<std::size_t, 256> first_{};
};

}  // namespace fedtopics
