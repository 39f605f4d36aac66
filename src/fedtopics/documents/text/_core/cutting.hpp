// Texts cut into words: equals tokens.py on what `readable` takes.
#pragma once
#include <cstdint>
#include <string>

#include "latin.hpp"

namespace fedtopics {

class Cutter {
 public:
  // apostrophes: inside a word ("don't"), else they separate; possessive: drop "'s" at the end of a word
  Cutter(bool apostrophes, bool possessive) : apostrophes_(apostrophes), possessive_(possessive) {}

  // Calls keep(word, size) for each word of a text in UTF-8; false where it cannot be cut here.
  template <class Keep>
  bool cut(const char* text, int64_t size, bool markup, const Keep& keep) {
    const Readable how = readable(text, size, markup, latin_);
    if (how == NOT_HERE) return false;
    if (how == IN_LATIN) text = latin_.data(), size = (int64_t)latin_.size();
    for (int64_t i = 0; i < size;) {
      if (address_at(text, size, i)) continue;
      const int64_t begin = i;
      if (word_at(text, size, i)) finish(text + begin, i - begin, how == IN_LATIN, keep);
    }
    return true;
  }

 private:
  static Kind kind(char c) { return ALPHABET.kind[(uint8_t)c]; }

  // Whether the address of a page starts at i, where no word runs; moves i behind it. Equals _ADDRESS of tokens.py.
  static bool address_at(const char* text, int64_t size, int64_t& i) {
    const char first = ALPHABET.lower[(uint8_t)text[i]];
    if (first != 'h' && first != 'f' && first != 'w') return false;
    if (i > 0 && (text[i - 1] == '_' || text[i - 1] == '\'' || kind(text[i - 1]) != NEITHER)) return false;
    for (const char* start : {"http://", "https://", "ftp://", "www."}) {
      int64_t at = i;
      while (*start && at < size && ALPHABET.lower[(uint8_t)text[at]] == *start) at++, start++;
      if (*start || at == size || !in_address(text[at])) continue;
      for (i = at; i < size && in_address(text[i]);) i++;
      return true;
    }
    return false;
  }

  static bool in_address(char c) { return c > ' ' && c < 127 && c != '"' && c != '<' && c != '>'; }

  // Whether a word starts at i, where none runs; moves i behind what was read.
  bool word_at(const char* text, int64_t size, int64_t& i) const {
    bool found = false;
    if (kind(text[i]) == NEITHER) {
      i++;
      return false;
    }
    if (kind(text[i]) == DIGIT) {
      while (i < size && kind(text[i]) == DIGIT) i++;
      found = i < size && kind(text[i]) == LETTER;
    } else if (++i < size && kind(text[i]) != NEITHER) {
      found = true;
    } else if (joins(text, size, i)) {
      found = true;
      i += 2;
    }
    while (i < size && kind(text[i]) != NEITHER) i++;
    while (found && joins(text, size, i))
      for (i += 2; i < size && kind(text[i]) != NEITHER;) i++;
    return found;
  }

  bool joins(const char* text, int64_t size, int64_t i) const {
    return apostrophes_ && i + 1 < size && text[i] == '\'' && kind(text[i + 1]) == LETTER;
  }

  template <class Keep>
  void finish(const char* word, int64_t size, bool latin, const Keep& keep) {
    lowered_.resize((size_t)size);
    for (int64_t i = 0; i < size; i++) lowered_[i] = ALPHABET.lower[(uint8_t)word[i]];
    if (possessive_ && lowered_[size - 1] == 's' && lowered_[size - 2] == '\'') {
      if (size == 3) return;
      lowered_.resize((size_t)size - 2);
    }
    if (!latin) return keep(lowered_.data(), lowered_.size());
    to_utf8(lowered_, utf8_);
    keep(utf8_.data(), utf8_.size());
  }

  bool apostrophes_, possessive_;
  std::string latin_, lowered_, utf8_;
};

}  // namespace fedtopics
