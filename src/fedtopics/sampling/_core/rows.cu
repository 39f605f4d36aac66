// Where the records of tokens lie: word by word within a block of documents (gpu/records.py).
#include "lanes.cuh"

// places[order[q]] = q
extern "C" __global__ void find_places(const int* order, Bits* places, Long n) {
  const Long q = (Long)blockIdx.x * blockDim.x + threadIdx.x;
  if (q < n) places[order[q]] = (Bits)q;
}

// Where the tokens of a word lie whose records came in pieces, block by block of documents: starts (n_blocks, n_words + 1)
// says where each piece begins, and the next one of its block.
extern "C" __global__ void find_pieces(const Bits* starts, const Long* offsets, Bits* places, int n_blocks, int n_words) {
  const int w = blockIdx.x * n_teams() + team();
  if (w >= n_words) return;
  Long to = offsets[w];
  for (int b = 0; b < n_blocks; b++) {
    const Bits* const start = starts + (Long)b * (n_words + 1) + w;
    for (Bits q = start[0] + lane(); q < start[1]; q += LANES) places[to + (q - start[0])] = q;
    to += start[1] - start[0];
  }
}
