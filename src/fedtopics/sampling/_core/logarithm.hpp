// Natural logarithms from IEEE operations alone: the same bits everywhere.
#pragma once
#include "vector.hpp"

namespace fedtopics::FEDTOPICS_ISA {

// log(x) of positive normal floats: x = m 2^e with m near 1, log m = 2 atanh((m - 1) / (m + 1)).
INLINE Floats logarithm(Floats x) {
  Ints bits;
  std::memcpy(&bits, &x, sizeof bits);
  const Ints exponent = (bits - all(0x3f3504f3)) >> 23;  // 0x3f3504f3 is sqrt(1/2)
  bits = bits - (exponent << 23);
  Floats m;
  std::memcpy(&m, &bits, sizeof m);
  const Floats z = (m - all(1.0f)) / (m + all(1.0f)), zz = z * z;
  Floats series = all(1.0f / 9);
  for (int i = 7; i > 0; i -= 2) series = series * zz + all(1.0f / i);
  return 2.0f * z * series + 0.693147181f * to_floats(exponent);
}

// log(x) in double precision.
INLINE double logarithm(double x) {
  int64_t bits;
  std::memcpy(&bits, &x, sizeof bits);
  const int64_t exponent = (bits - 0x3fe6a09e667f3bcd) >> 52;  // sqrt(1/2)
  bits -= exponent * (int64_t{1} << 52);
  std::memcpy(&x, &bits, sizeof x);
  const double z = (x - 1.0) / (x + 1.0), zz = z * z;
  double series = 0.0;
  for (int i = 21; i > 0; i -= 2) series = series * zz + 1.0 / i;
  return 2.0 * z * series + static_cast<double>(exponent) * 0.693147180559945309;
}

}  // namespace fedtopics::FEDTOPICS_ISA
