// fold_in.cpp on a GPU: topic mixtures of new documents, each by a half-warp, bit for bit those of the processor.
#include "vectors.cuh"

constexpr int ROWS = 2;
constexpr int AT_ONCE = VECTORS == 0 ? 1 : VECTORS <= 8 ? 4 : VECTORS <= 16 ? 2 : 1;  // words, whose sums wait for each other

// Sorts a document's words where they lie: bitonic, with numbers larger than all behind its end, which never move.
__device__ inline void sort(int* words, int n) {
  for (int size = 2; size / 2 < n; size *= 2)
    for (int distance = size / 2; distance > 0; distance /= 2) {
      const int flip = distance == size / 2 ? size - 1 : distance;
      for (int i = lane(); i < n; i += LANES) {
        const int other = i ^ flip;
        if (other <= i || other >= n || words[i] <= words[other]) continue;
        const int larger = words[i];
        words[i] = words[other];
        words[other] = larger;
      }
      meet();
    }
}

// Where each distinct word of the sorted ones begins, and their end; returns how many there are.
__device__ inline int tally(const int* words, int n, int* heads) {
  int found = 0;
  for (int first = 0; first < n; first += LANES) {
    const int i = first + lane();
    const bool is_head = i < n && (i == 0 || words[i] != words[i - 1]);
    const Bits before = lanes_where(is_head) & ((1u << lane()) - 1), all = lanes_where(is_head);
    if (is_head) heads[found + __popc(before)] = i;
    found += __popc(all);
  }
  if (lane() == 0) heads[found] = n;
  meet();
  return found;
}

// Documents `rows`, the longest first. `words` are sorted document by document; `heads` is room for as many and one more
// for each document. Shared: ROWS rows for each half-warp where they are not in registers.
extern "C" __global__ void __launch_bounds__(128, BLOCKS) fold_in(const int* rows, int n_rows, const Long* offsets, int* words, int* heads, const float* phi,
                                   const float* alpha, float* theta_out, int n_topics, int n_vectors, int n_iterations) {
  SHARED(shared);
  float* const own = reinterpret_cast<float*>(shared) + team() * ROWS * n_vectors * LANES;
  Numbers theta = room(own, 0, n_vectors), gain = room(own, 1, n_vectors);
  for (int r = blockIdx.x * n_teams() + team(); r < n_rows; r += gridDim.x * n_teams()) {
    const int d = rows[r];
    const Long begin = offsets[d];
    const int n = (int)(offsets[d + 1] - begin);
    int* const mine = words + begin;
    int* const starts = heads + begin + d;
    sort(mine, n);
    const int n_distinct = tally(mine, n, starts);
    const auto normalize = [&] {
      float running = 0.0f;
      EACH(j) running = running + theta[j];
      const float scale = 1.0f / sum(running);
      EACH(j) theta[j] = theta[j] * scale;
    };
    EACH(j) theta[j] = j * LANES + lane() < n_topics ? 1.0f : 0.0f;
    normalize();
    for (int t = 0; t < n_iterations || t == 0; t++) {
      EACH(j) gain[j] = 0.0f;
      for (int w = 0; w < n_distinct; w += AT_ONCE) {
        const float* row[AT_ONCE];
        float running[AT_ONCE], count[AT_ONCE];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
          const int known = w + i < n_distinct ? w + i : w, start = starts[known];
          row[i] = phi + (Long)mine[start] * N_VECTORS * LANES + lane();
          count[i] = w + i < n_distinct ? (float)(starts[known + 1] - start) : 0.0f;
          running[i] = 0.0f;
        }
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) EACH(j) running[i] = running[i] + theta[j] * row[i][j * LANES];
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) running[i] = sum(running[i]);
#pragma unroll
        for (int i = 0; i < AT_ONCE; i++) {
          if (!(running[i] > 0.0f) || count[i] == 0.0f) continue;
          const float share = count[i] / running[i];
          EACH(j) gain[j] = gain[j] + row[i][j * LANES] * share;
        }
      }
      EACH(j) theta[j] = (j * LANES + lane() < n_topics ? alpha[j * LANES + lane()] : 0.0f) + theta[j] * gain[j];
      normalize();
    }
    EACH(j) if (j * LANES + lane() < n_topics) theta_out[(Long)d * n_topics + j * LANES + lane()] = theta[j];
    meet();
  }
}
