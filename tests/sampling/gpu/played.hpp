// Plays CUDA kernels on a processor: the threads of a block take turns, each until it waits for others.
//
// A kernel's source is included after this file, and `played::run` is called for each launch. Threads are played in the
// order of their numbers or, where FEDTOPICS_PLAYED_BACKWARD is set, against it: what depends on the order is a race.
#pragma once
#include <setjmp.h>
#include <ucontext.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

#define __device__
#define __global__
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__
#define __noinline__
#define SHARED(name) Bits* const name = reinterpret_cast<Bits*>(played::shared.data())

struct Place {
  unsigned x = 0, y = 0, z = 0;
};
static Place threadIdx, blockIdx, blockDim, gridDim;

namespace played {

constexpr int HALF = 16, STACK = 1 << 17;
static std::vector<uint64_t> shared;

struct Group {
  unsigned arrived = 0, generation = 0;
};

struct Thread {
  ucontext_t context;  // where it begins
  jmp_buf now;         // where it has got to: jumping there asks the system for nothing
  bool begun = false;
  std::unique_ptr<char[]> stack{new char[STACK]};
  bool done = false;
};

static std::vector<std::unique_ptr<Thread>> threads;
static ucontext_t first_scheduler;
static jmp_buf scheduler;
static std::function<void()> body;
static Group whole;
static std::vector<Group> halves;
static std::vector<uint64_t> told;
static long progress = 0;

static void yield() {
  if (!_setjmp(threads[threadIdx.x]->now)) _longjmp(scheduler, 1);
}

static void wait(Group& group, unsigned members) {
  progress++;
  const unsigned generation = group.generation;
  if (++group.arrived == members) {
    group.arrived = 0;
    group.generation++;
    return;
  }
  while (group.generation == generation) yield();
}

static void wait_half(unsigned mask) {
  if (mask != 0xFFFFu << (threadIdx.x & HALF)) {
    std::fprintf(stderr, "a mask that is not this half-warp: %x\n", mask);
    std::abort();
  }
  wait(halves[threadIdx.x / HALF], HALF);
}

static void enter() {
  body();
  progress++;
  threads[threadIdx.x]->done = true;
  yield();
}

// Lets a thread go on until it waits or is done.
static void resume(Thread& thread) {
  if (_setjmp(scheduler)) return;
  if (thread.begun) _longjmp(thread.now, 1);
  thread.begun = true;
  swapcontext(&first_scheduler, &thread.context);
}

static void play_block(unsigned n_threads, bool backward) {
  halves.assign((n_threads + HALF - 1) / HALF, Group{});
  told.assign(n_threads, 0);
  whole = Group{};
  for (unsigned t = 0; t < n_threads; t++) {
    if (threads.size() <= t) threads.push_back(std::make_unique<Thread>());
    Thread& thread = *threads[t];
    thread.done = thread.begun = false;
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack.get();
    thread.context.uc_stack.ss_size = STACK;
    thread.context.uc_link = nullptr;
    makecontext(&thread.context, enter, 0);
  }
  for (unsigned left = n_threads; left > 0;) {
    const long before = progress;
    left = 0;
    for (unsigned i = 0; i < n_threads; i++) {
      const unsigned t = backward ? n_threads - 1 - i : i;
      if (threads[t]->done) continue;
      threadIdx.x = t;
      resume(*threads[t]);
      left += !threads[t]->done;
    }
    if (left > 0 && progress == before) {
      std::fprintf(stderr, "%u threads wait for each other for ever\n", left);
      std::abort();
    }
  }
}

static void run(unsigned wide, unsigned high, unsigned block, size_t shared_bytes, const std::function<void()>& kernel) {
  body = kernel;
  blockDim.x = block;
  gridDim.x = wide;
  gridDim.y = high;
  const bool backward = std::getenv("FEDTOPICS_PLAYED_BACKWARD") != nullptr;
  for (unsigned b = 0; b < wide * high; b++) {
    blockIdx.x = b % wide;
    blockIdx.y = b / wide;
    shared.assign(shared_bytes / sizeof(uint64_t) + 1, 0xA5A5A5A5A5A5A5A5u);  // not zeros: nobody promises them
    play_block(block, backward);
  }
}

template <class T>
uint64_t packed(T x) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  uint64_t wide = 0;
  std::memcpy(&wide, &x, sizeof x);
  return wide;
}

template <class T>
T exchanged(unsigned mask, T x, unsigned other) {
  told[threadIdx.x] = packed(x);
  wait_half(mask);
  const uint64_t wide = told[threadIdx.x / HALF * HALF + other % HALF];
  wait_half(mask);
  T answer;
  std::memcpy(&answer, &wide, sizeof answer);
  return answer;
}

}  // namespace played

static void __syncthreads() { played::wait(played::whole, blockDim.x); }
static void __syncwarp(unsigned mask) { played::wait_half(mask); }
template <class T>
T __shfl_sync(unsigned mask, T x, int other, int = 32) {
  return played::exchanged(mask, x, (unsigned)other);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T x, int distance, int = 32) {
  return played::exchanged(mask, x, threadIdx.x % played::HALF ^ (unsigned)distance);
}
static unsigned __ballot_sync(unsigned mask, bool mine) {
  unsigned votes = 0;
  played::told[threadIdx.x] = mine;
  played::wait_half(mask);
  const unsigned first = threadIdx.x / played::HALF * played::HALF;
  for (unsigned l = 0; l < played::HALF; l++) votes |= (unsigned)played::told[first + l] << (first % 32 + l);
  played::wait_half(mask);
  return votes;
}
template <class T, class U>
T atomicAdd(T* to, U more) {
  const T before = *to;
  *to = before + (T)more;
  return before;
}
template <class T, class U>
T atomicExch(T* to, U value) {
  const T before = *to;
  *to = (T)value;
  return before;
}
static unsigned __umulhi(unsigned a, unsigned b) { return (unsigned)((uint64_t)a * b >> 32); }
static int __popc(unsigned x) { return __builtin_popcount(x); }
static int __ffs(int x) { return __builtin_ffs(x); }
static double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
static int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned)x); }
template <class T>
T __ldg(const T* from) {
  return *from;
}
static float __int_as_float(int bits) {
  float x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
static int __float_as_int(float x) {
  int bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
static long long __double_as_longlong(double x) {
  long long bits;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}
static double __longlong_as_double(long long bits) {
  double x;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}
