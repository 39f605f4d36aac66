// Which instruction set runs.
#include <cstdlib>
#include <stdexcept>
#include <string>

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
  const char* variable = std::getenv("FEDTOPICS_ISA");
  const std::string wanted = variable ? variable : "";
  const auto allowed = [&](const Kernels& table) { return wanted.empty() || wanted == table.name; };
#if defined(__x86_64__)
  if (allowed(avx512::table) && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
    return avx512::table;
  if (allowed(avx2::table) && __builtin_cpu_supports("avx2")) return avx2::table;
#endif
  if (allowed(plain::table)) return plain::table;
  throw std::invalid_argument("FEDTOPICS_ISA must be plain, avx2 or avx512 as far as this machine has it, got " + wanted);
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& chosen = choose();
  return chosen;
}

}  // namespace fedtopics
