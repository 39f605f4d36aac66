// The inner loops: arrays in, arrays changed in place. Shapes are checked before a kernel is called.
//
// n_topics is padded to `stride`, a multiple of 16, wherever a row of topics is stored; padding holds zeros.
#pragma once
#include <cstdint>

namespace fedtopics {

// Collapsed Gibbs sampling of documents [first, last): one sweep.
template <class Count>
struct Gibbs {
  const int32_t* words;      // (n_tokens,)
  const int64_t* offsets;    // (n_docs + 1,)
  const float* weights;      // (n_tokens,) for float counts, else null
  uint16_t* topics;          // (n_tokens,) changed
  Count* word_topic;         // (n_words, stride) our own counts, changed; null when phi is fixed
  const float* base;         // (n_words, stride) beta plus the counts of others, or phi; null: beta everywhere
  float beta;
  double* totals;            // (stride,) tokens of each topic plus the prior mass, changed; null when phi is fixed
  const float* alpha;        // (stride,)
  int64_t first, last;
  int32_t n_topics, stride;
  uint64_t seed;
  uint32_t sweep;
  float* scratch;            // (4 * stride,) 64-byte aligned
};

// Topic mixtures of documents [first, last) given the topics.
struct FoldIn {
  const int32_t* words;
  const int64_t* offsets;
  const float* phi;          // (n_words, stride)
  const float* alpha;        // (stride,)
  float* theta;              // (n_docs, n_topics) written
  int64_t first, last;
  int32_t n_topics, stride, n_iterations;
  int32_t* distinct;         // scratch (2 * longest document,)
  float* scratch;            // scratch (2 * stride,) 64-byte aligned
};

struct Kernels {
  const char* name;
  void (*gibbs)(const Gibbs<int32_t>&);
  void (*weighted_gibbs)(const Gibbs<float>&);
  void (*fold_in)(const FoldIn&);
  void (*start)(uint16_t* topics, const int64_t* offsets, int64_t n_docs, int32_t n_topics, uint64_t seed);
};

// The kernels of the best instruction set here, or of the one named by the environment variable FEDTOPICS_ISA.
const Kernels& kernels();

}  // namespace fedtopics
