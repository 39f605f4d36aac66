// clipped_sum.cpp on a GPU: a half-warp for each unit, integers for the sum, so the same bits.
#include "vectors.cuh"

constexpr float SMALLEST = 1e-28f;      // least sum of topics: no count divided by it overflows
constexpr double MARGIN = 1.0 - 1e-12;  // rounding of a norm must not carry a unit over it
constexpr int ROWS = 2;

__device__ inline double sum_of_lanes(double x) {
  double total = 0.0;
  for (int l = 0; l < LANES; l++) total += from(l, x);
  return total;
}

// Units `numbers`, those of most entries first. `slots` has the row of each entry's word among the words of its unit, in the
// order in which they come; `row_words` the words of the rows, of which a unit's begin at row_offsets. Each half-warp has
// room for the shares of the longest document and for the rows of a unit. Shared: ROWS rows for each half-warp where they
// are not in registers. `outside` is set where a unit is not inside the norm: then the sum is worth nothing.
extern "C" __global__ void __launch_bounds__(128, BLOCKS) add_units(const int* numbers, int n_units, const Long* units, const Long* offsets, const int* words,
                                     const float* counts, const int* slots, const Long* row_offsets, const int* row_words,
                                     const float* phi, const float* expected, const float* weights, float alpha,
                                     int n_steps, double cap, double clip, double resolution, int n_vectors, Long longest,
                                     Long most_rows, float* all_shares, double* all_rows, unsigned long long* totals,
                                     int* outside) {
  SHARED(shared);
  const int width = N_VECTORS * LANES, me = blockIdx.x * n_teams() + team();
  float* const own_shared = reinterpret_cast<float*>(shared) + team() * ROWS * width;
  Numbers known = room(own_shared, 0, n_vectors), gained = room(own_shared, 1, n_vectors);
  float* const shares = all_shares + me * longest * width + lane();
  double* const rows = all_rows + me * most_rows * width + lane();

  for (int r = me; r < n_units; r += gridDim.x * n_teams()) {
    const int u = numbers[r], n_rows = (int)(row_offsets[u + 1] - row_offsets[u]);
    const int* const own_words = row_words + row_offsets[u];
    int seen = 0;
    for (Long d = units[u]; d < units[u + 1]; d++) {
      const Long first = offsets[d], last = offsets[d + 1];
      // Responsibilities of the document's entries, each left out of its own evidence, times their counts.
      EACH(j) gained[j] = alpha;
      for (int step = 0; step <= n_steps; step++) {
        EACH(j) {
          known[j] = gained[j];
          if (step > 0) gained[j] = alpha;
        }
        for (Long e = first; e < last; e++) {
          const float* const likely = phi + (Long)words[e] * width + lane();
          float* const share = shares + (e - first) * width;
          float running = 0.0f;
          EACH(j) {
            float next = likely[j * LANES];
            if (step > 0) next = next * larger(known[j] - share[j * LANES], alpha);
            share[j * LANES] = next;
            running = running + next;
          }
          const float total = sum(running), scale = counts[e] / (total > SMALLEST ? total : SMALLEST);
          EACH(j) {
            const float own = scale * share[j * LANES];
            share[j * LANES] = own;
            gained[j] = gained[j] + own;
          }
        }
      }
      // min(c, cap) (r - expected), added to the rows of the document's words.
      for (Long e = first; e < last; e++) {
        const bool is_new = slots[e] == seen;
        double* const row = rows + (Long)slots[e] * width;
        const float* const share = shares + (e - first) * width;
        const float* const usual = expected + (Long)words[e] * width + lane();
        const double count = counts[e], most = count < cap ? count : cap, part = most / count;
        EACH(j) {
          const double before = is_new ? 0.0 : row[j * LANES];
          row[j * LANES] = before + (part * share[j * LANES] - most * usual[j * LANES]);
        }
        seen += is_new;
      }
    }

    double squares = 0.0;
    for (int i = 0; i < n_rows; i++) {
      double* const row = rows + (Long)i * width;
      const float* const weight = weights + (Long)own_words[i] * width + lane();
      double own = 0.0;
      EACH(j) {
        const double x = row[j * LANES] * weight[j * LANES];
        row[j * LANES] = x;
        own += x * x;
      }
      squares += own;
    }
    const double norm = sqrt(sum_of_lanes(squares)), scale = resolution / (norm > clip ? norm : clip) * MARGIN;
    squares = 0.0;
    for (int i = 0; i < n_rows; i++) EACH(j) {
        double& x = rows[(Long)i * width + j * LANES];
        x = trunc(x * scale);
        squares += x * x;
      }
    const double length = sum_of_lanes(squares);
    if (!(norm <= 1e300 && length <= resolution * resolution)) {
      if (lane() == 0) atomicExch(outside, 1);
      continue;
    }
    for (int i = 0; i < n_rows; i++) EACH(j) {
        const int steps = (int)rows[(Long)i * width + j * LANES];
        unsigned long long* const total = totals + (Long)own_words[i] * width + j * LANES + lane();
        if (steps != 0) atomicAdd(total, (unsigned long long)(Long)steps);
      }
  }
}
