// Words and their numbers.
#pragma once
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

namespace fedtopics {

// A number for each word, in order of first appearance: a hash table that nobody can aim at, as its key is random.
class Numbering {
 public:
  Numbering() : places_(1 << 12, NONE) {
    std::random_device entropy;
    key_ = ((uint64_t)entropy() << 32 | entropy()) | 1;
  }

  // The number of a word, which is the next free one if it is new.
  int32_t of(const char* word, size_t size) {
    const uint64_t hash = hashed(word, size);
    const size_t at = place(word, size, hash);
    if (places_[at] != NONE) return places_[at];
    if (hashes_.size() >= INT32_MAX) throw std::length_error("expected fewer than 2^31 different words");
    const int32_t number = places_[at] = (int32_t)hashes_.size();
    hashes_.push_back(hash);
    letters_.insert(letters_.end(), word, word + size);
    starts_.push_back(letters_.size());
    if (hashes_.size() * 2 > places_.size()) grow();
    return number;
  }

  // The number of a word, NONE if it is not known.
  int32_t find(const char* word, size_t size) const { return places_[place(word, size, hashed(word, size))]; }

  int64_t size() const { return (int64_t)hashes_.size(); }
  const char* letters(int64_t number) const { return &letters_[starts_[number]]; }
  size_t length(int64_t number) const { return starts_[number + 1] - starts_[number]; }

  static constexpr int32_t NONE = -1;

 private:
  size_t place(const char* word, size_t size, uint64_t hash) const {
    size_t at = hash & (places_.size() - 1);
    for (; places_[at] != NONE; at = (at + 1) & (places_.size() - 1)) {
      const int32_t number = places_[at];
      if (hashes_[number] == hash && length(number) == size && !std::memcmp(&letters_[starts_[number]], word, size)) break;
    }
    return at;
  }

  uint64_t hashed(const char* word, size_t size) const {
    uint64_t hash = key_ ^ size;
    for (; size > 0; size -= size < 8 ? size : 8) {
      uint64_t chunk = 0;
      std::memcpy(&chunk, word, size < 8 ? size : 8);
      const unsigned __int128 product = (unsigned __int128)(hash ^ chunk) * (key_ ^ 0x9E3779B97F4A7C15u);
      hash = (uint64_t)product ^ (uint64_t)(product >> 64);
      word += 8;
    }
    return hash;
  }

  void grow() {
    std::vector<int32_t> places(places_.size() * 2, NONE);
    for (int32_t number = 0; number < (int32_t)hashes_.size(); number++) {
      size_t at = hashes_[number] & (places.size() - 1);
      while (places[at] != NONE) at = (at + 1) & (places.size() - 1);
      places[at] = number;
    }
    places_.swap(places);
  }

  uint64_t key_;
  std::vector<int32_t> places_;
  std::vector<uint64_t> hashes_;
  std::vector<size_t> starts_{0};
  std::vector<char> letters_;
};

}  // namespace fedtopics
