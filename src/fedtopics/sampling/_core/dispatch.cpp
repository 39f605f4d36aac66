// Which instruction set runs.
#include <cstdlib>
#include <cstring>

#include "kernels.hpp"

namespace fedtopics {

namespace plain {
extern const Kernels table;
}
#if defined(__x86_64__)
namespace avx2 {
extern const Kernels table;
}
namespace avx512 {
extern const Kernels table;
}
#endif

namespace {

const Kernels& choose() {
  const char* wanted = std::getenv("FEDTOPICS_ISA");
  const auto allowed = [wanted](const char* name) { return !wanted || !*wanted || std::strcmp(wanted, name) == 0; };
#if defined(__x86_64__)
  if (allowed("avx512") && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return avx512::table;
  if (allowed("avx2") && __builtin_cpu_supports("avx2")) return avx2::table;
#endif
  (void)allowed;
  return plain::table;
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace fedtopics
