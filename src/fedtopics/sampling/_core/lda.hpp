// Whole operations on flat arrays: scratch, counts and threads around the kernels.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <new>

namespace fedtopics {

struct Documents {
  const int32_t* words;
  const int64_t* offsets;
  int64_t n_docs;
  int64_t n_words;
};

inline int32_t padded(int32_t n_topics) { return (n_topics + 15) / 16 * 16; }

// Zeroed memory at a multiple of 64 bytes.
template <class T>
class Aligned {
 public:
  explicit Aligned(int64_t size) {
    const size_t bytes = ((size_t)size * sizeof(T) + 63) / 64 * 64;
    data_ = static_cast<T*>(std::aligned_alloc(64, bytes ? bytes : 64));
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

void count_word_topics(const int32_t* words, const uint16_t* topics, int64_t n_tokens, int32_t n_topics, int32_t* out);

struct GibbsRun {
  Documents documents;
  uint16_t* topics;
  int32_t n_topics;
  const double* alpha;    // (n_topics,)
  double beta;
  const float* others;    // (n_words, n_topics) or null
  const float* weights;   // (n_tokens,) or null
  uint64_t seed;
  uint32_t first_sweep, n_sweeps;
};
void run_gibbs(const GibbsRun&);

struct FoldInRun {
  Documents documents;
  const double* topic_word;  // (n_topics, n_words)
  const double* alpha;
  int32_t n_topics, n_iterations, n_threads;
  float* theta;              // (n_docs, n_topics)
};
void run_fold_in(const FoldInRun&);

}  // namespace fedtopics
