// An adaptive binary range coder: every bit is coded by what its model has seen so far. Integers alone, so the
// same bytes on every machine. A reader takes as many bytes as the writer made, no more and no fewer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fedtopics {

// How likely a bit is 1, in 2^-16: it learns fast at first, then ever more slowly.
struct Bit {
  static constexpr int kSlowest = 6;
  std::uint16_t one = 1 << 15;
  std::uint8_t seen = 0;

  void learn(bool bit) {
    const int rate = seen < kSlowest - 1 ? seen + 2 : kSlowest;
    if (seen < kSlowest) ++seen;
    if (bit)
      one = static_cast<std::uint16_t>(one + ((65535 - one) >> rate));
    else
      one = static_cast<std::uint16_t>(one - (one >> rate));
  }
  std::uint32_t share() const { return one < 32 ? 32 : one > 65504 ? 65504 : one; }
};

// What is left to code lies between `low` and `high`; leading bytes that both share are settled.
struct Span {
  std::uint32_t low = 0, high = 0xffffffff;

  std::uint32_t split(std::uint32_t share) const {
    const std::uint32_t width = high - low;
    return low + (width >> 16) * share + (((width & 0xffff) * share) >> 16);
  }
  bool settled() const { return ((low ^ high) & 0xff000000) == 0; }
  void shift() {
    low <<= 8;
    high = high << 8 | 0xff;
  }
};

class Writer {
 public:
  bool bit(Bit& model, bool value) {
    const std::uint32_t middle = span_.split(model.share());
    (value ? span_.high : span_.low) = value ? middle : middle + 1;
    model.learn(value);
    for (; span_.settled(); span_.shift()) bytes_.push_back(static_cast<std::uint8_t>(span_.high >> 24));
    return value;
  }
  void finish() {
    for (int byte = 0; byte < 4; ++byte, span_.shift()) bytes_.push_back(static_cast<std::uint8_t>(span_.high >> 24));
  }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  Span span_;
  std::vector<std::uint8_t> bytes_;
};

class Reader {
 public:
  Reader(const std::uint8_t* bytes, std::size_t size) : bytes_(bytes), size_(size) {
    for (int byte = 0; byte < 4; ++byte) take();
  }
  bool bit(Bit& model, bool) {
    const std::uint32_t middle = span_.split(model.share());
    const bool value = code_ <= middle;
    (value ? span_.high : span_.low) = value ? middle : middle + 1;
    model.learn(value);
    for (; span_.settled(); span_.shift()) take();
    return value;
  }
  // Whether more was read than there is: from then on zeros are read, and all of it is refused.
  bool beyond() const { return place_ > size_; }
  bool ended() const { return place_ == size_; }

 private:
  void take() {
    code_ = code_ << 8 | (place_ < size_ ? bytes_[place_] : 0);
    ++place_;
  }
  const std::uint8_t* bytes_;
  std::size_t size_, place_ = 0;
  std::uint32_t code_ = 0;
  Span span_;
};

}  // namespace fedtopics
