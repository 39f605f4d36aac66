// channel_em.cpp on a GPU, bit for bit. First the documents, a half-warp each: their mixtures, and what each entry tells.
// Then the words: what the entries of a word add to its expected counts, block by block of documents in the order in which
// the processor adds them. Nothing is summed in an order that chance decides.
#include "channel_document.cuh"

constexpr int AT_ONCE = 4;  // entries of a word
constexpr int BLOCK = 128;  // threads

// Documents `numbers`, those that take longest first; large[large_offsets[d]:] are the entries of document d with large
// counts. `told` has what each entry tells; `terms` the parts of each document's log-likelihood, which begin at term_offsets.
// Shared: a tile, and ROWS rows where they are not in registers, a half-warp.
extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS) documents(
    const int* numbers, int n_docs, const Long* offsets, const int* words, const int* values, const int* large,
    const int* large_offsets, const float* phi, const float* inverse_sizes, const float* alpha, const float* coverage, float* theta, double* intensity,
    const float* inside, const float* outside, const float* first_ratios, const double* reciprocals, double growth, double decay, double fade,
    double burstiness, double most, double absence, double silence, double hidden, double alpha_sum, int n_topics, int n_vectors,
    int n_steps, int exclude, Told* told, const Long* term_offsets, double* terms) {
  SHARED(shared);
  const Problem p{words, values, told, phi, inverse_sizes, alpha, coverage,
                  {growth, burstiness, (float)decay, (float)fade, (float)most, inside, outside, first_ratios, reciprocals},
                  absence, silence, hidden, alpha_sum, n_topics, n_vectors, exclude};
  const int own = TILE + (VECTORS > 0 ? 0 : ROWS * n_vectors * LANES);
  Document document(p, reinterpret_cast<float*>(shared) + team() * own);
  for (int r = blockIdx.x * n_teams() + team(); r < n_docs; r += gridDim.x * n_teams()) {
    const int d = numbers[r];
    const Long first = offsets[d], last = offsets[d + 1];
    document.intensity = (float)intensity[d];
    EACH(j) {
      const int k = j * LANES + lane();
      document.theta[j] = k < n_topics ? theta[(Long)d * n_topics + k] : 0.0f;
      document.rest[j] = coverage[k];
    }
    document.share();
    double* term = terms + term_offsets[d];
    for (int step = 0; step <= n_steps; step++) {
      const bool at_end = step == n_steps;
      EACH(j) document.gained[j] = 0.0f;
      document.weigh_large(large + large_offsets[d], large_offsets[d + 1] - large_offsets[d], at_end);
      for (Long entry = first; entry < last; entry += LANES) {
        const int count = last - entry < LANES ? (int)(last - entry) : LANES;
        const Batch batch = document.weigh<false>(entry + lane(), count, at_end, step == 0);
        if (!at_end) {
          document.gain(batch);
          continue;
        }
        const double likelihood = sum_lanes(batch.likelihood);
        if (lane() == 0) *term = likelihood;
        term++;
        if (lane() < count) told[entry + lane()] = batch.told(d);
      }
      if (step == 0) EACH(j) document.rest[j] = larger(document.rest[j], 0.0f);
      if (!at_end) document.update();
    }
    float missed = 0.0f;
    EACH(j) missed = missed + document.theta[j] * document.rest[j];
    const double wide = sum_lanes(missed);
    if (lane() == 0) {
      *term = -(silence * document.intensity * wide);
      intensity[d] = document.intensity;
    }
    EACH(j) if (j * LANES + lane() < n_topics) theta[(Long)d * n_topics + j * LANES + lane()] = document.theta[j];
    meet();
  }
}

// What the documents of each block add to the likelihood, and to the words that did not survive: a half-warp a block, and
// in y a vector of topics.
extern "C" __global__ void blocks(const int* bounds, const float* theta, const double* intensity, const Long* term_offsets,
                                  const double* terms, double hidden, int n_topics, double* background,
                                  double* likelihoods) {
  const int b = blockIdx.x, k = blockIdx.y * LANES + lane();
  double total = 0.0;
  for (int d = bounds[b]; d < bounds[b + 1]; d++) {
    const float own = (float)hidden * (float)intensity[d];
    if (k < n_topics) total += own * theta[(Long)d * n_topics + k];
  }
  if (k < n_topics) background[(Long)b * n_topics + k] = total;
  if (blockIdx.y > 0) return;
  double likelihood = 0.0;
  const Long end = term_offsets[bounds[b + 1]];
  for (Long first = term_offsets[bounds[b]]; first < end; first += LANES) {
    const double mine = first + lane() < end ? terms[first + lane()] : 0.0;
    for (int i = 0; i < LANES && first + i < end; i++) likelihood += from(i, mine);
  }
  if (lane() == 0) likelihoods[b] = likelihood;
}

// The sums of all blocks, in their order.
extern "C" __global__ void add_blocks(const double* background, int n_blocks, int n_topics, double* total) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x;
  if (k >= n_topics) return;
  double sum = 0.0;
  for (int b = 0; b < n_blocks; b++) sum += background[(Long)b * n_topics + k];
  total[k] = sum;
}

// Entries order[first[i]:last[i]] of a word, a half-warp each, WORD_VECTORS vectors of topics in y. A word of many entries
// has an item for each block, whose sums go to `parts`; others are done here.
extern "C" __global__ void words(const int* items, const Long* first, const Long* last, const int* part, int n_items,
                                 const int* order, const Told* told, const int* block_of, const float* phi,
                                 const float* inverse_sizes, const float* theta, const double* intensity, double hidden,
                                 const double* background, int n_topics, int width, float* parts, float* counts) {
  const int item = blockIdx.x * n_teams() + team(), from_topic = blockIdx.y * WORD_VECTORS * LANES + lane();
  if (item >= n_items) return;
  const int word = items[item];
  float own_phi[WORD_VECTORS], inverse[WORD_VECTORS], sum[WORD_VECTORS];
  double total[WORD_VECTORS];
#pragma unroll
  for (int j = 0; j < WORD_VECTORS; j++) {
    const int k = from_topic + j * LANES;
    own_phi[j] = k < n_topics ? phi[(Long)word * width + k] : 0.0f;
    inverse[j] = k < n_topics ? inverse_sizes[k] : 0.0f;
    sum[j] = 0.0f;
    total[j] = 0.0;
  }
  int current = -1;
  for (Long q = first[item]; q < last[item]; q += LANES) {
    const int here = last[item] - q < LANES ? (int)(last[item] - q) : LANES;
    Told mine = {};
    float mine_hidden = 0.0f;
    int mine_block = 0;
    if (lane() < here) {
      mine = told[order[q + lane()]];
      mine_hidden = (float)hidden * (float)intensity[mine.document];
      mine_block = block_of[mine.document];
    }
    for (int start = 0; start < here; start += AT_ONCE) {
      // Their rows are asked for together: each is a long way off.
      float known[AT_ONCE][WORD_VECTORS];
#pragma unroll
      for (int i = 0; i < AT_ONCE; i++) {
        const float* const row = theta + (Long)from(start + i, mine.document) * n_topics + from_topic;
#pragma unroll
        for (int j = 0; j < WORD_VECTORS; j++)
          known[i][j] = from_topic + j * LANES < n_topics ? row[j * LANES] : 0.0f;
      }
#pragma unroll
      for (int i = 0; i < AT_ONCE; i++) {
        const int block = from(start + i, mine_block);
        const bool counts = start + i < here;
        if (counts && block != current) {
#pragma unroll
          for (int j = 0; j < WORD_VECTORS; j++) {
            total[j] += sum[j];
            sum[j] = 0.0f;
          }
          current = block;
        }
        const float weight = from(start + i, mine.weight), hidden_part = from(start + i, mine_hidden);
        const float of_document = from(start + i, mine.of_document), of_word = from(start + i, mine.of_word);
#pragma unroll
        for (int j = 0; j < WORD_VECTORS; j++) {
          const float own =
              weight * responsibility(known[i][j], known[i][j] * inverse[j], own_phi[j], of_document, of_word);
          const float counted = hidden_part * known[i][j] * own_phi[j];
          if (counts) sum[j] = sum[j] + (own - counted);
        }
      }
    }
  }
#pragma unroll
  for (int j = 0; j < WORD_VECTORS; j++) {
    const int k = from_topic + j * LANES;
    if (k >= n_topics) continue;
    if (part[item] >= 0) {
      parts[(Long)part[item] * n_topics + k] = sum[j];
      continue;
    }
    const double all = total[j] + sum[j] + background[k] * own_phi[j];
    counts[(Long)word * n_topics + k] = (float)(all > 0.0 ? all : 0.0);
  }
}

// Words of many entries: the parts first[i] to last[i], in their order.
extern "C" __global__ void add_parts(const int* items, const int* first, const int* last, int n_items, const float* parts,
                                     const double* background, const float* phi, int n_topics, int width, float* counts) {
  const int item = blockIdx.x * n_teams() + team(), k = blockIdx.y * LANES + lane();
  if (item >= n_items || k >= n_topics) return;
  double total = 0.0;
  for (int i = first[item]; i < last[item]; i++) total += parts[(Long)i * n_topics + k];
  const double all = total + background[k] * phi[(Long)items[item] * width + k];
  counts[(Long)items[item] * n_topics + k] = (float)(all > 0.0 ? all : 0.0);
}
