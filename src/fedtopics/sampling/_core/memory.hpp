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

// What lives for many sweeps comes from the system, what lives for one call from the heap, which keeps it for the next.
enum class Life { sweeps, call };

// Memory that starts at a multiple of 64 bytes.
template <class T>
class Aligned {
 public:
  explicit Aligned(int64_t size, Fill fill = Fill::zeros, Life life = Life::sweeps)
      : bytes_(((size_t)size * sizeof(T) + 64) / 64 * 64) {
#if defined(__linux__)
    if (life == Life::sweeps && bytes_ >= HUGE_PAGE) {
      map();
      return;
    }
#endif
    data_ = static_cast<T*>(std::aligned_alloc(64, bytes_));
    if (!data_) throw std::bad_alloc();
    if (fill == Fill::zeros) std::memset(data_, 0, bytes_);
  }
  // The rows of a matrix, each padded with zeros, for one call.
  Aligned(const T* from, int64_t n_rows, int32_t n_columns)
      : Aligned(n_rows * padded(n_columns), Fill::zeros, Life::call) {
    for (int64_t i = 0; i < n_rows; i++)
      std::memcpy(data_ + i * padded(n_columns), from + i * n_columns, sizeof(T) * n_columns);
  }
  ~Aligned() {
#if defined(__linux__)
    if (mapping_) {
      munmap(mapping_, bytes_ + HUGE_PAGE);
      return;
    }
#endif
    std::free(data_);
  }
  Aligned(const Aligned&) = delete;
  Aligned& operator=(const Aligned&) = delete;

  T* get() { return data_; }
  const T* get() const { return data_; }
  T& operator[](int64_t i) { return data_[i]; }

 private:
#if defined(__linux__)
  // Zeros of the system's own: it has them back at once, where the heap would keep them. Random access to many small
  // pages waits for address translation, so it is asked for huge ones; a refusal does no harm.
  void map() {
    mapping_ = mmap(nullptr, bytes_ + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapping_ == MAP_FAILED) throw std::bad_alloc();
    const uintptr_t start = (reinterpret_cast<uintptr_t>(mapping_) + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    data_ = reinterpret_cast<T*>(start);
    madvise(data_, bytes_, MADV_HUGEPAGE);
  }
#endif

  size_t bytes_;
  void* mapping_ = nullptr;
  T* data_ = nullptr;
};

// Lets go of the pages that lie wholly within this part of an array that is mapped from a file: what is in them stays on
// the disk. Never for memory of the process itself, whose content would be lost.
inline void let_go(const void* first, const void* last) {
#if defined(__linux__)
  constexpr uintptr_t PAGE = 4096;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(first) + PAGE - 1) / PAGE * PAGE;
  const uintptr_t end = reinterpret_cast<uintptr_t>(last) / PAGE * PAGE;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
#else
  (void)first, (void)last;
#endif
}

}  // namespace fedtopics
