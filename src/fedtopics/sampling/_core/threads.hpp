// Blocks of rows shared among threads. What a block computes must not depend on when or where it runs.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace fedtopics {

// Calls work(thread, block) once for every block in [0, n_blocks).
template <class Work>
void share(int64_t n_blocks, int n_threads, const Work& work) {
  n_threads = (int)std::max<int64_t>(1, std::min<int64_t>(n_threads, n_blocks));
  std::atomic<int64_t> next{0};
  std::exception_ptr failure;
  std::mutex guard;
  const auto loop = [&](int thread) {
    try {
      for (int64_t block; (block = next.fetch_add(1)) < n_blocks;) work(thread, block);
    } catch (...) {
      std::lock_guard<std::mutex> lock(guard);
      failure = std::current_exception();
    }
  };
  std::vector<std::thread> others;
  for (int t = 1; t < n_threads; t++) others.emplace_back(loop, t);
  loop(0);
  for (auto& thread : others) thread.join();
  if (failure) std::rethrow_exception(failure);
}

constexpr int64_t DOCUMENTS_AT_ONCE = 32;

// Calls work(thread, first, last) for blocks of rows.
template <class Work>
void share_rows(int64_t n_rows, int64_t block_size, int n_threads, const Work& work) {
  share((n_rows + block_size - 1) / block_size, n_threads, [&](int thread, int64_t block) {
    work(thread, block * block_size, std::min(n_rows, (block + 1) * block_size));
  });
}

}  // namespace fedtopics
