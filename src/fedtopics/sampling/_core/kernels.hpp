// The inner loops: arrays in, arrays changed in place. Shapes are checked before a kernel is called.
//
// A stored row of topics is padded to `stride`, a multiple of 16. Scratch starts at a multiple of 64 bytes.
#pragma once
#include <cstdint>

#include "alias.hpp"
#include "channel_em.hpp"
#include "clipped_sum.hpp"
#include "private_mh.hpp"

namespace fedtopics {

// Collapsed Gibbs sampling of documents [first, last): one sweep.
template <class Count>
struct Gibbs {
  const int32_t* words;      // (n_tokens,)
  const int64_t* offsets;    // (n_docs + 1,)
  const float* weights;      // (n_tokens,) or null: every token counts 1
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
  float* scratch;            // (4, stride); (8, stride) where losses are monitored
  float background;          // weight of uniform noise, as topic n_topics, against a topic's probability of a word; 0: none
  float* losses;             // (n_tokens, 4) added to: what each draw tells of its neighbors; null: not monitored
  const double* prior;       // (stride,) the prior mass in totals, for losses
  double most;               // tokens of the longest document, for losses
};

// One pass over rows [first, last) of delayed-count sampling: a row is a document or a word.
struct Pass {
  const int64_t* offsets;    // (n_rows + 1,)
  int64_t n_rows;
  const int32_t* order;      // (n_tokens + 64,) record of each token, row by row; null: the records are in this order
  uint32_t* records;         // (n_tokens, 1 or 2) changed: the topic, then one proposal or up to three, 16 bits each
  const float* prior;        // (stride,)
  const Alias* alias;        // draws from the prior; null: it is uniform
  const float* others;       // (n_rows, n_topics) counts added to the prior of each row, or null
  const float* inverse;      // (stride,) 1 / (n_k + V beta)
  uint32_t* totals;          // (4, stride) tokens of each topic, added to
  bool accept;               // false: only draw proposals
  int64_t first, last;
  int32_t n_topics, stride, n_proposals;
  uint64_t seed;
  uint32_t sweep;
  int64_t longest;           // longest row, rounded up to whole vectors
  uint32_t* counts;          // scratch (stride,) zeros, and left so
  float* scratch;            // (7, stride or 128)
  uint32_t* row;             // scratch (3, longest)
};

// Exact Metropolis-Hastings over documents [first, last): one sweep.
struct Metropolis {
  const int32_t* words;      // (n_tokens,)
  const int64_t* offsets;    // (n_docs + 1,)
  const int64_t* word_offsets;  // (n_words + 1,)
  const int32_t* order;      // (n_tokens,) tokens word by word
  uint16_t* topics;          // (n_tokens,) changed
  int32_t* word_topic;       // (n_words, n_topics) our own counts, changed
  const float* base;         // (n_words, n_topics) beta plus the counts of others; null: beta everywhere
  const float* base_mass;    // (n_words,) sums of the rows of base, or null
  Alias base_alias;          // (n_words, n_topics) draws from the rows of base
  float beta;
  int64_t* totals;           // (n_topics,) our own tokens of each topic, changed
  const double* prior_totals;  // (n_topics,) V beta plus the counts of others
  const float* alpha;        // (n_topics,)
  float alpha_mass;
  const Alias* alpha_alias;  // null: alpha is symmetric
  int64_t first, last;
  int32_t n_topics, n_proposals;
  uint64_t seed;
  uint32_t sweep;
  float* inverse;            // scratch (n_topics,)
  int32_t* counts;           // scratch (n_topics,) zeros, and left so
};

// Metropolis-Hastings over documents [first, last) when phi is fixed: one sweep.
struct AssignMetropolis {
  const int32_t* words;      // (n_tokens,)
  const int64_t* offsets;    // (n_docs + 1,)
  uint16_t* topics;          // (n_tokens,) changed
  const float* phi;          // (n_words, n_topics)
  Alias word_alias;          // (n_words, n_topics) draws from the rows of phi
  const float* alpha;        // (n_topics,)
  float alpha_mass;
  Alias alpha_alias;
  int64_t first, last;
  int32_t n_topics, n_proposals;
  uint64_t seed;
  uint32_t sweep;
  int32_t* counts;           // scratch (n_topics,) zeros, and left so
};

// Topic mixtures of documents [first, last) given the topics.
struct FoldIn {
  const int32_t* words;      // (n_tokens,)
  const int64_t* offsets;    // (n_docs + 1,)
  const float* phi;          // (n_words, stride)
  const float* alpha;        // (stride,)
  float* theta;              // (n_docs, n_topics) written
  int64_t first, last;
  int32_t n_topics, stride, n_iterations;
  int32_t* distinct;         // scratch (2, longest document)
  float* scratch;            // (2, stride)
};

struct Kernels {
  const char* name;
  void (*start)(uint16_t* topics, const int64_t* offsets, int64_t n_docs, int32_t n_topics, uint64_t seed);
  void (*gibbs)(const Gibbs<int32_t>&);
  void (*weighted_gibbs)(const Gibbs<float>&);
  void (*pass)(const Pass&);
  void (*metropolis)(const Metropolis&);
  void (*assign_metropolis)(const AssignMetropolis&);
  void (*fold_in)(const FoldIn&);
  // Add the documents [first, last) to the sums; `scratch` holds CHANNEL_SCRATCH_ROWS rows.
  void (*channel_em)(const ChannelProblem&, int64_t first, int64_t last, ChannelSums&, float* scratch);
  void (*report_em)(const ReportProblem&, int64_t first, int64_t last, ChannelSums&, float* scratch);
  // Adds the units [first, last) to the totals; false: one of them is not inside the norm, and all must be thrown away.
  bool (*clipped_sum)(const ClippedProblem&, int64_t first, int64_t last, const ClippedSpace&);
  // One pass over document d, or new topics from its hint words; `counts` are n_topics zeros, and left so.
  void (*private_metropolis)(const PrivateUnits&, const PrivateTopics&, int64_t d, uint16_t* topics,
                             int32_t n_proposals, uint64_t seed, uint32_t sweep, int32_t* counts);
  void (*private_assign)(const PrivateUnits&, const PrivateTopics&, int64_t d, uint16_t* topics, uint64_t seed);
};

// The kernels of the best instruction set here, or of the one named by the environment variable FEDTOPICS_ISA.
const Kernels& kernels();

}  // namespace fedtopics
