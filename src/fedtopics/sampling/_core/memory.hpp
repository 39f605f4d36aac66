// Memory for rows of topics.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>
#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace fedtopics {

// Length of a stored row of topics: a whole number of vectors.
inline int32_t padded(int32_t n_topics) { return (n_topics + 15) / 16 * 16; }

constexpr size_t HUGE_PAGE = 1 << 21;

enum class Fill { zeros, nothing };

// Memory that starts at a multiple of 64 bytes.
template <class T>
class Aligned {
 public:
  explicit Aligned(int64_t size, Fill fill = Fill::zeros) {
    const size_t grain = (size_t)size * sizeof(T) < HUGE_PAGE ? 64 : HUGE_PAGE;
    const size_t bytes = ((size_t)size * sizeof(T) + grain) / grain * grain;
    data_ = static_cast<T*>(std::aligned_alloc(grain, bytes));
    if (!data_) throw std::bad_alloc();
#if defined(__linux__)
    // Random access to many small pages waits for address translation. A refusal does no harm.
    if (grain == HUGE_PAGE) madvise(data_, bytes, MADV_HUGEPAGE);
#endif
    if (fill == Fill::zeros) std::memset(data_, 0, bytes);
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
