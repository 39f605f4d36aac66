// Random bits in order: a keystream that Python refills (ChaCha20 of the cryptography package, see noise.py).
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace fedtopics {

using u128 = unsigned __int128;

class Stream {
 public:
  explicit Stream(nanobind::object refill) : refill_(std::move(refill)) {}

  std::uint64_t word() {
    if (end_ - next_ < 8) refill();
    std::uint64_t word;
    std::memcpy(&word, next_, 8);
    next_ += 8;
    return word;
  }

  // The next n <= 64 bits.
  std::uint64_t bits(int n) {
    if (n > n_held_) return bits_across_words(n);
    const std::uint64_t taken = held_ & mask(n);
    held_ = n == 64 ? 0 : held_ >> n;
    n_held_ -= n;
    return taken;
  }

  // Uniform in 0, ..., n - 1: draw as many bits as n - 1 has, again where the number is too large.
  std::uint64_t below(std::uint64_t n) {
    if (n <= 1) return 0;
    const int n_bits = 64 - __builtin_clzll(n - 1);
    for (;;) {
      const std::uint64_t drawn = bits(n_bits);
      if (drawn < n) return drawn;
    }
  }

  u128 below_wide(u128 n) {
    const u128 last = n - 1;
    const auto high = static_cast<std::uint64_t>(last >> 64);
    if (high == 0) return last == ~std::uint64_t{0} ? word() : below(static_cast<std::uint64_t>(n));
    const int n_bits = 64 - __builtin_clzll(high);
    for (;;) {
      const u128 drawn = (static_cast<u128>(bits(n_bits)) << 64) | word();
      if (drawn < n) return drawn;
    }
  }

 private:
  static std::uint64_t mask(int n) { return n == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1; }

  std::uint64_t bits_across_words(int n) {
    std::uint64_t taken = held_;
    const int have = n_held_, need = n - have;
    held_ = word();
    n_held_ = 64;
    return taken | (bits(need) << have);
  }

  void refill() {
    bytes_ = nanobind::cast<nanobind::bytes>(refill_());
    if (bytes_.size() < 8 || bytes_.size() % 8) throw std::runtime_error("a keystream block needs whole words");
    next_ = bytes_.c_str();
    end_ = next_ + bytes_.size();
  }

  nanobind::object refill_;
  nanobind::bytes bytes_ = nanobind::bytes("", 0);
  const char* next_ = nullptr;
  const char* end_ = nullptr;
  std::uint64_t held_ = 0;
  int n_held_ = 0;
};

}  // namespace fedtopics
