// Rows of a table of numbers as lines of text.
#pragma once

#include <charconv>
#include <cstddef>
#include <string>

namespace fedtopics {

// The number after a comma, with as few digits as give it back when read.
inline void append(std::string& lines, float number) {
  char digits[64];  // the smallest number above zero takes 55
  const auto end = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::fixed).ptr;
  lines.push_back(',');
  lines.append(digits, end);
}

}  // namespace fedtopics
