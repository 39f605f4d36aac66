#include <algorithm>

#include "kernels.hpp"
#include "lda.hpp"
#include "memory.hpp"
#include "threads.hpp"

namespace fedtopics {

void run_fold_in(const Documents& c, const double* topic_word, const double* alpha, int32_t n_topics,
                 int32_t n_iterations, int n_threads, float* theta) {
  const int32_t stride = padded(n_topics);
  const int64_t longest = c.longest();
  Aligned<float> phi(c.n_words * stride), prior(stride);
  std::copy(alpha, alpha + n_topics, prior.get());
  for (int32_t k = 0; k < n_topics; k++)
    for (int64_t w = 0; w < c.n_words; w++) phi[w * stride + k] = (float)topic_word[k * c.n_words + w];
  share_rows(c.n_docs, DOCUMENTS_AT_ONCE, n_threads, [&](int, int64_t first, int64_t last) {
    Aligned<int32_t> distinct(2 * longest);
    Aligned<float> scratch(2 * (int64_t)stride);
    kernels().fold_in({c.words, c.offsets, phi.get(), prior.get(), theta, first, last, n_topics, stride, n_iterations,
                       distinct.get(), scratch.get()});
  });
}

}  // namespace fedtopics
