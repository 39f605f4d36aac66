// channel_em.cpp on a GPU, bit for bit. First the documents, a half-warp each: their mixtures, and what each entry tells.
// Then the words: what the entries of a word add to its expected counts, block by block of documents in the order in which
// the processor adds them. Nothing is summed in an order that chance decides.
#include "posterior.cuh"
#include "vectors.cuh"

constexpr float FLOOR = 0.02f;  // least factor that leaving a token out may apply
constexpr float SMALLEST = 1e-30f;
constexpr int AT_ONCE = 4;      // entries of a word
constexpr int ROWS = 4;         // of a document, where they are not in registers
constexpr int BLOCK = 128;      // threads
constexpr int TILE = LANES * (LANES + 1);  // sums of each lane for sixteen entries, apart enough for the banks

#define UNROLLED _Pragma("unroll 2")  // rows of phi that are asked for side by side

// What is known of an entry: its weight, the parts of the evidence of its document and of its word that are its own.
struct alignas(16) Told {
  float weight, of_document, of_word;
  int document;
};

__device__ inline float responsibility(float theta, float share, float phi, float of_document, float of_word) {
  const float without_document = larger(1.0f - of_document * phi, FLOOR);
  const float without_word = larger(1.0f - of_word * share, FLOOR);
  return theta * phi * without_document * without_word;
}

// Lane i gets the sum of row i of the tile, in the order of `sum`.
__device__ inline float sum_row(const float* tile) {
  const float* const x = tile + lane() * (LANES + 1);
  float four[4];
#pragma unroll
  for (int i = 0; i < 4; i++) four[i] = (x[i] + x[i + 8]) + (x[i + 4] + x[i + 12]);
  return (four[0] + four[2]) + (four[1] + four[3]);
}

struct Problem {
  const int *words, *values;
  const float *phi, *inverse_sizes, *alpha, *coverage;
  Law law;
  double absence, silence, hidden, alpha_sum;
  int n_topics, n_vectors, exclude;
};

// Up to sixteen entries, one of them in each lane.
struct Batch {
  int count, word;
  float weight, of_document, of_word, likelihood;
};

struct Document {
  const Problem& p;
  const int n_vectors;
  float* const tile;
  Numbers theta, shares, gained, rest;
  float intensity = 0.0f;

  __device__ Document(const Problem& problem, float* shared)
      : p(problem), n_vectors(problem.n_vectors), tile(shared), theta(room(shared + TILE, 0, n_vectors)),
        shares(room(shared + TILE, 1, n_vectors)), gained(room(shared + TILE, 2, n_vectors)),
        rest(room(shared + TILE, 3, n_vectors)) {}

  __device__ const float* row(int word) const { return p.phi + (Long)word * N_VECTORS * LANES + lane(); }

  __device__ void share() { EACH(j) shares[j] = theta[j] * p.inverse_sizes[j * LANES + lane()]; }

  __device__ Posterior tokens(float value, float mu, bool want_evidence) const {
    if (p.law.growth > 0.0) return gaussian(p.law, value, mu, want_evidence);
    if (p.law.decay > 0.0f) return geometric(p.law, value, mu, want_evidence);
    return {value, want_evidence ? value * logarithm(larger(mu / intensity, SMALLEST)) : value};
  }

  // Responsibilities of up to sixteen entries, each token left out of its own document and its own word. Where this is
  // `fresh`, what no entry covers is found on the way. Lanes without an entry work on word 0 and count for nothing.
  __device__ Batch weigh(Long first, Long last, bool want_evidence, bool fresh) {
    Batch batch;
    batch.count = last - first < LANES ? (int)(last - first) : LANES;
    const bool here = lane() < batch.count;
    batch.word = here ? p.words[first + lane()] : 0;
    const float value = here ? (float)p.values[first + lane()] : 0.0f;
    meet();
    UNROLLED
    for (int i = 0; i < LANES; i++) {
      const float* const phi = row(from(i, batch.word));
      const bool counts = i < batch.count;
      float running = 0.0f;
      EACH(j) {
        running = running + theta[j] * phi[j * LANES];
        if (fresh) rest[j] = rest[j] - (counts ? phi[j * LANES] : 0.0f);
      }
      tile[i * (LANES + 1) + lane()] = counts ? running : 0.0f;
    }
    meet();
    const float density = larger(sum_row(tile), SMALLEST), mu = intensity * density;
    const Posterior whole = tokens(value, mu, want_evidence);
    batch.likelihood = whole.log_evidence - (float)p.absence * mu;
    const float mass = intensity + (float)p.alpha_sum;
    batch.of_document = p.exclude ? smaller(whole.expected, 1.0f) / (mass * density) : 0.0f;
    batch.of_word = p.exclude ? whole.expected / density : 0.0f;
    meet();
    UNROLLED
    for (int i = 0; i < LANES; i++) {
      const float* const phi = row(from(i, batch.word));
      const float of_document = from(i, batch.of_document), of_word = from(i, batch.of_word);
      float running = 0.0f;
      EACH(j) running = running + responsibility(theta[j], shares[j], phi[j * LANES], of_document, of_word);
      tile[i * (LANES + 1) + lane()] = i < batch.count ? running : 0.0f;
    }
    meet();
    const float scale = larger(sum_row(tile), SMALLEST);
    const float expected = tokens(value, intensity * scale, false).expected;
    batch.weight = here ? expected / scale : 0.0f;
    return batch;
  }

  __device__ void gain(const Batch& batch) {
    UNROLLED
    for (int i = 0; i < LANES; i++) {
      const float* const phi = row(from(i, batch.word));
      const float weight = from(i, batch.weight);
      const float of_document = from(i, batch.of_document), of_word = from(i, batch.of_word);
      EACH(j) gained[j] =
          gained[j] + weight * responsibility(theta[j], shares[j], phi[j * LANES], of_document, of_word);
    }
  }

  // theta and lambda from the expected counts: the survivors', and `hidden` mu of every word that did not survive.
  __device__ void update() {
    const float background = (float)p.hidden * intensity;
    float total = 0.0f, covered = 0.0f;
    EACH(j) {
      gained[j] = gained[j] + background * theta[j] * rest[j];
      total = total + gained[j];
    }
    const double mass = sum_lanes(total);
    const float inverse = (float)(1.0 / (mass + p.alpha_sum));
    EACH(j) {
      theta[j] = inverse * (gained[j] + p.alpha[j * LANES + lane()]);
      covered = covered + theta[j] * p.coverage[j * LANES + lane()];
    }
    share();
    const double reach = sum_lanes(covered), length = mass / (reach > 0.05 ? reach : 0.05);
    intensity = (float)(length > 1.0 ? length : 1.0);
  }
};

// Documents `numbers`, the longest first. `told` has what each entry tells; `terms` the parts of each document's
// log-likelihood, which begin at term_offsets. Shared: a tile, and ROWS rows where they are not in registers, a half-warp.
extern "C" __global__ void __launch_bounds__(BLOCK, BLOCKS) documents(
    const int* numbers, int n_docs, const Long* offsets, const int* words, const int* values, const float* phi,
    const float* inverse_sizes, const float* alpha, const float* coverage, float* theta, double* intensity,
    const float* inside, const float* outside, const float* first_ratios, const double* reciprocals, double growth, double decay, double fade,
    double burstiness, double absence, double silence, double hidden, double alpha_sum, int n_topics, int n_vectors,
    int n_steps, int exclude, Told* told, const Long* term_offsets, double* terms) {
  SHARED(shared);
  const Problem p{words, values, phi, inverse_sizes, alpha, coverage,
                  {growth, burstiness, (float)decay, (float)fade, inside, outside, first_ratios, reciprocals},
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
      for (Long entry = first; entry < last; entry += LANES) {
        const Batch batch = document.weigh(entry, last, at_end, step == 0);
        if (!at_end) {
          document.gain(batch);
          continue;
        }
        const double likelihood = sum_lanes(batch.likelihood);
        if (lane() == 0) *term = likelihood;
        term++;
        if (lane() < batch.count) told[entry + lane()] = {batch.weight, batch.of_document, batch.of_word, d};
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
