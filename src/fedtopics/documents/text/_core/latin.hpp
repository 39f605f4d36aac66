// Text in letters of Western Europe: one byte for each character, as in Latin-1, whose classes and lower case are known here.
#pragma once
#include <array>
#include <cstdint>
#include <string>

namespace fedtopics {

enum Kind : uint8_t { NEITHER, DIGIT, LETTER };

struct Alphabet {
  std::array<Kind, 256> kind{};
  std::array<char, 256> lower{};
  std::array<bool, 256> separates{};  // of the characters from 128 to 191, those that are no part of a word for sure
  Alphabet() {
    for (int c = 0; c < 256; c++) lower[c] = (char)c;
    for (int c = '0'; c <= '9'; c++) kind[c] = DIGIT;
    for (int c = 'a'; c <= 'z'; c++) {
      kind[c] = kind[c - 'a' + 'A'] = LETTER;
      lower[c - 'a' + 'A'] = (char)c;
    }
    for (int c = 0xC0; c < 0x100; c++) kind[c] = c == 0xD7 || c == 0xF7 ? NEITHER : LETTER;  // multiplied, divided
    for (int c = 0xC0; c < 0xDF; c++)
      if (c != 0xD7) lower[c] = (char)(c + 0x20);
    for (int c : {0xA0, 0xA1, 0xA2, 0xA3, 0xA5, 0xA7, 0xA9, 0xAB, 0xAE, 0xB0, 0xB1, 0xB6, 0xB7, 0xBB, 0xBF})
      separates[c] = true;
  }
};
inline const Alphabet ALPHABET;

// Whether text from i on, where it has '<' or '&', could be a tag or an entity of HTML.
inline bool may_be_markup(const char* text, int64_t size, int64_t i) {
  if (text[i] == '<') return i + 1 < size && (text[i + 1] == '/' || ALPHABET.kind[(uint8_t)text[i + 1]] == LETTER);
  for (int64_t j = i + 1; j < size && j < i + 35; j++)
    if (text[j] == ';') return true;
  return false;
}

enum Readable { AS_IT_IS, IN_LATIN, NOT_HERE };

// Whether a text in UTF-8 can be read byte by byte, or as `latin`, or only where all of Unicode is known.
inline Readable readable(const char* text, int64_t size, bool markup, std::string& latin) {
  int64_t i = 0;
  for (; i < size && (uint8_t)text[i] < 0x80; i++)
    if (markup && (text[i] == '<' || text[i] == '&') && may_be_markup(text, size, i)) return NOT_HERE;
  if (i == size) return AS_IT_IS;
  latin.assign(text, (size_t)i);
  while (i < size) {
    const uint8_t first = (uint8_t)text[i], second = i + 1 < size ? (uint8_t)text[i + 1] : 0;
    const uint8_t third = i + 2 < size ? (uint8_t)text[i + 2] : 0;
    if (first < 0x80) {
      if (markup && (first == '<' || first == '&') && may_be_markup(text, size, i)) return NOT_HERE;
      latin.push_back((char)first);
      i++;
    } else if (first == 0xC3) {  // letters with accents
      latin.push_back((char)(second | 0x40));
      i += 2;
    } else if (first == 0xC2 && ALPHABET.separates[second]) {
      latin.push_back((char)second);
      i += 2;
    } else if (first == 0xE2 && second == 0x80 && third >= 0x90 && third <= 0xA7) {  // dashes, quotation marks
      latin.push_back(third == 0x99 ? '\'' : (char)0xA0);
      i += 3;
    } else if (first == 0xE2 && second == 0x82 && third == 0xAC) {  // the euro
      latin.push_back((char)0xA0);
      i += 3;
    } else {
      return NOT_HERE;
    }
  }
  return IN_LATIN;
}

// The same characters in UTF-8.
inline void to_utf8(const std::string& latin, std::string& utf8) {
  utf8.clear();
  for (const char c : latin) {
    if ((uint8_t)c < 0x80) {
      utf8.push_back(c);
    } else {
      utf8.push_back((char)(0xC0 | (uint8_t)c >> 6));
      utf8.push_back((char)(0x80 | ((uint8_t)c & 0x3F)));
    }
  }
}

}  // namespace fedtopics
