// A plane of counts, number by number: how each differs from what is known of it already.
//
//   is it other than before?   given: the size of the known number, how it changed last, the changes beside it
//   up or down?                given: whether there is anything to take away, how it changed last
//   by how much                the length in bits of the difference, then its bits from the top
//
// Where nothing is known, the number before it in the plane stands for the known size.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "range_coder.hpp"

namespace fedtopics {

inline int length_of(std::uint32_t value) { return value ? 32 - __builtin_clz(value) : 0; }

class Plane {
 public:
  // Codes what `coder` is to write, or gives what it reads; `known` and `last` are differences' references.
  template <class Coder>
  std::int32_t code(Coder& coder, std::int32_t value, std::int32_t known, std::int32_t last, bool alone) {
    const std::uint32_t shown = alone ? before_ : static_cast<std::uint32_t>(known);
    const int size = std::min(length_of(shown), kSizes - 1);
    const int step = step_of(last);
    const int around = std::min(beside_, kAround - 1);
    std::uint32_t difference = static_cast<std::uint32_t>(value) - static_cast<std::uint32_t>(known);
    Bit& changed = changed_[(size * kSteps + step) * kAround + around];
    if (!coder.bit(changed, difference != 0)) {
      note(known, 0);
      return known;
    }
    const bool down = coder.bit(down_[(known > 0) * kSteps + step], difference >> 31);
    std::uint32_t amount = down ? 0u - difference : difference;
    amount = magnitude(coder, amount, size * kSteps + step);
    difference = down ? 0u - amount : amount;
    const auto found = static_cast<std::int32_t>(static_cast<std::uint32_t>(known) + difference);
    note(found, amount);
    return found;
  }

 private:
  static constexpr int kSizes = 12, kSteps = 9, kAround = 4, kBits = 33;

  // How a number changed last: -4..4 by the length of the change, from 0.
  static int step_of(std::int32_t last) {
    const std::uint32_t amount = last < 0 ? 0u - static_cast<std::uint32_t>(last) : static_cast<std::uint32_t>(last);
    const int length = std::min(length_of(amount), 4);
    return last < 0 ? 4 - length : 4 + length;
  }
  void note(std::int32_t found, std::uint32_t amount) {
    before_ = (before_ + static_cast<std::uint32_t>(found)) / 2;
    beside_ = (beside_ + 1) / 2 + 2 * (amount != 0);
  }
  template <class Coder>
  std::uint32_t magnitude(Coder& coder, std::uint32_t amount, int place) {
    const int wanted = length_of(amount);
    int length = 1;
    auto& longer = longer_[place];
    while (length < 32 && coder.bit(longer[length], length < wanted)) ++length;
    std::uint32_t found = 1;
    for (int left = length - 2; left >= 0; --left) {
      Bit& model = left > 3 && left < length - 2 ? even_ : mantissa_[length][left][left == length - 2 ? 0 : found & 1];
      found = found << 1 | coder.bit(model, amount >> left & 1);
    }
    return found;
  }

  std::uint32_t before_ = 0;
  int beside_ = 0;
  Bit even_;
  std::array<Bit, kSizes * kSteps * kAround> changed_;
  std::array<Bit, 2 * kSteps> down_;
  std::array<std::array<Bit, kBits>, kSizes * kSteps> longer_;
  std::array<std::array<std::array<Bit, 2>, kBits>, kBits> mantissa_;
};

}  // namespace fedtopics
