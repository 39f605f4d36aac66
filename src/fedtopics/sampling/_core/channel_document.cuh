// A document of channel_em.cu, in a half-warp: its mixture, and what its entries tell.
#pragma once
#include "posterior.cuh"
#include "vectors.cuh"

constexpr float FLOOR = 0.02f;  // least factor that leaving a token out may apply
constexpr float SMALLEST = 1e-30f;
constexpr int ROWS = 4;         // of a document, where they are not in registers
constexpr int TILE = LANES * (LANES + 1);  // sums of each lane for sixteen entries, apart enough for the banks

#define UNROLLED _Pragma("unroll 2")  // rows of phi that are asked for side by side

// What is known of an entry: its weight, the parts of the evidence of its document and of its word that are its own. While
// its document is worked on, a large entry has the bits of its likelihood in place of the document.
struct alignas(16) Told {
  float weight, of_document, of_word;
  int document;
};

__device__ inline float responsibility(float theta, float share, float phi, float of_document, float of_word) {
  const float without_document = fmaxf(1.0f - of_document * phi, FLOOR);
  const float without_word = fmaxf(1.0f - of_word * share, FLOOR);
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
  Told* told;
  const float *phi, *inverse_sizes, *alpha, *coverage;
  Law law;
  double absence, silence, hidden, alpha_sum;
  int n_topics, n_vectors, exclude;
};

// Up to sixteen entries, one of them in each lane.
struct Batch {
  int count, word;
  float weight, of_document, of_word, likelihood;

  __device__ Told told(int document) const { return {weight, of_document, of_word, document}; }
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

  __device__ Posterior tokens(float value, float mu, bool want_evidence, bool known) const {
    if (p.law.growth > 0.0) return gaussian(p.law, value, mu, want_evidence, known);
    if (p.law.decay > 0.0f) return geometric(p.law, value, mu, want_evidence, known);
    return {value, want_evidence ? value * logarithm(larger(mu / intensity, SMALLEST)) : value};
  }

  // What the entries `large` tell, whose sums are long. Side by side sixteen take as long as one, and in the order of the
  // document most would be alone.
  __device__ void weigh_large(const int* large, int n, bool want_evidence) {
    for (int first = 0; first < n; first += LANES) {
      const int count = n - first < LANES ? n - first : LANES;
      const Long entry = lane() < count ? large[first + lane()] : 0;
      const Batch batch = weigh<true>(entry, count, want_evidence, false);
      if (lane() < count) p.told[entry] = batch.told(__float_as_int(batch.likelihood));
    }
    meet();
  }

  // Responsibilities of `count` entries, each token left out of its own document and its own word. Unless these are LARGE,
  // what large ones tell is known from `weigh_large`. Where this is `fresh`, what no entry covers is found on the way. Lanes
  // without an entry work on word 0 and count for nothing.
  template <bool LARGE>
  __device__ Batch weigh(Long entry, int count, bool want_evidence, bool fresh) {
    Batch batch;
    batch.count = count;
    const bool here = lane() < count;
    batch.word = here ? p.words[entry] : 0;
    const float value = here ? (float)p.values[entry] : 0.0f;
    const bool known = !LARGE && value > p.law.most;
    meet();
    UNROLLED
    for (int i = 0; i < LANES; i++) {
      const float* const phi = row(from(i, batch.word));
      float running = 0.0f;
      EACH(j) {
        running = running + theta[j] * phi[j * LANES];
        if (fresh) rest[j] = rest[j] - (i < count ? phi[j * LANES] : 0.0f);
      }
      tile[i * (LANES + 1) + lane()] = running;
    }
    meet();
    const float density = larger(here ? sum_row(tile) : 0.0f, SMALLEST), mu = intensity * density;
    const Posterior whole = tokens(value, mu, want_evidence, known);
    const Told told = known ? p.told[entry] : Told{};
    batch.likelihood = known ? __int_as_float(told.document) : whole.log_evidence - (float)p.absence * mu;
    const float mass = intensity + (float)p.alpha_sum;
    batch.of_document = p.exclude ? smaller(whole.expected, 1.0f) / (mass * density) : 0.0f;
    batch.of_word = p.exclude ? whole.expected / density : 0.0f;
    if (known) batch.of_document = told.of_document, batch.of_word = told.of_word;
    meet();
    UNROLLED
    for (int i = 0; i < LANES; i++) {
      const float* const phi = row(from(i, batch.word));
      const float of_document = from(i, batch.of_document), of_word = from(i, batch.of_word);
      float running = 0.0f;
      EACH(j) running = running + responsibility(theta[j], shares[j], phi[j * LANES], of_document, of_word);
      tile[i * (LANES + 1) + lane()] = running;
    }
    meet();
    const float scale = larger(here ? sum_row(tile) : 0.0f, SMALLEST);
    const float expected = tokens(value, intensity * scale, false, known).expected;
    batch.weight = known ? told.weight : here ? expected / scale : 0.0f;
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
