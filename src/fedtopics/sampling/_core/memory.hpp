// Memory for rows of topics.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace fedtopics {

// Length of a stored row of topics: a whole number of vectors.
inline int32_t padded(int32_t n_topics) { return (n_topics + 15) / 16 * 16; }

// Zeros, starting at a multiple of 64 bytes.
template <class T>
class Aligned {
 public:
  explicit Aligned(int64_t size) {
    const size_t bytes = ((size_t)size * sizeof(T) + 64) / 64 * 64;
    data_ = static_cast<T*>(std::aligned_alloc(64, bytes));
    if (!data_) throw std::bad_alloc();
    std::memset(data_, 0, bytes);
  }
  ~Aligned() { std::free(data_); }
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;

  T* get() { return data_; }
  T& operator[](int64_t i) { return data_[i]; }

 private:
  T* data_;
};

}  // namespace fedtopics
