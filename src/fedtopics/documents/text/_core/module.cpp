// Words of ASCII text, cut and numbered: what tokens.py does by regular expressions, ten times as fast.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace nb = nanobind;
using namespace nb::literals;

namespace {

// A number for each word, in order of first appearance: a hash table that nobody can aim at, as its key is random.
class Numbering {
 public:
  Numbering() : places_(1 << 12, NONE) {
    std::random_device entropy;
    key_ = ((uint64_t)entropy() << 32 | entropy()) | 1;
  }

  int32_t of(const char* word, size_t size) {
    const uint64_t hash = hashed(word, size);
    size_t at = hash & (places_.size() - 1);
    for (; places_[at] != NONE; at = (at + 1) & (places_.size() - 1)) {
      const int32_t number = places_[at];
      if (hashes_[number] == hash && length(number) == size && !std::memcmp(&letters_[starts_[number]], word, size))
        return number;
    }
    if (hashes_.size() >= INT32_MAX) throw std::length_error("expected fewer than 2^31 different words");
    const int32_t number = places_[at] = (int32_t)hashes_.size();
    hashes_.push_back(hash);
    letters_.insert(letters_.end(), word, word + size);
    starts_.push_back(letters_.size());
    if (hashes_.size() * 2 > places_.size()) grow();
    return number;
  }

  int64_t size() const { return (int64_t)hashes_.size(); }
  nb::str word(int64_t number) const { return nb::str(&letters_[starts_[number]], length(number)); }

 private:
  static constexpr int32_t NONE = -1;

  size_t length(int64_t number) const { return starts_[number + 1] - starts_[number]; }

  uint64_t hashed(const char* word, size_t size) const {
    uint64_t hash = key_ ^ size;
    for (; size > 0; size -= size < 8 ? size : 8) {
      uint64_t chunk = 0;
      std::memcpy(&chunk, word, size < 8 ? size : 8);
      const unsigned __int128 product = (unsigned __int128)(hash ^ chunk) * (key_ ^ 0x9E3779B97F4A7C15u);
      hash = (uint64_t)product ^ (uint64_t)(product >> 64);
      word += 8;
    }
    return hash;
  }

  void grow() {
    std::vector<int32_t> places(places_.size() * 2, NONE);
    for (int32_t number = 0; number < (int32_t)hashes_.size(); number++) {
      size_t at = hashes_[number] & (places.size() - 1);
      while (places[at] != NONE) at = (at + 1) & (places.size() - 1);
      places[at] = number;
    }
    places_.swap(places);
  }

  uint64_t key_;
  std::vector<int32_t> places_;
  std::vector<uint64_t> hashes_;
  std::vector<size_t> starts_{0};
  std::vector<char> letters_;
};

enum Kind : uint8_t { NEITHER, DIGIT, LETTER };

struct Alphabet {
  std::array<Kind, 256> kind{};
  std::array<char, 256> lower{};
  Alphabet() {
    for (int c = 0; c < 256; c++) lower[c] = (char)c;
    for (int c = '0'; c <= '9'; c++) kind[c] = DIGIT;
    for (int c = 'a'; c <= 'z'; c++) {
      kind[c] = kind[c - 'a' + 'A'] = LETTER;
      lower[c - 'a' + 'A'] = (char)c;
    }
  }
};
const Alphabet ALPHABET;

// Numbers of the words of texts; equals tokens.py on ASCII without markup.
class Indexer {
 public:
  // apostrophes: inside a word ("don't"), else they separate; possessive: drop "'s" at the end of a word
  Indexer(bool apostrophes, bool possessive) : apostrophes_(apostrophes), possessive_(possessive) {}

  int64_t add(nb::str given) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
    if (!text) throw nb::python_error();
    for (int64_t i = 0; i < size;) {
      if (address_at(text, size, i)) continue;
      const int64_t begin = i;
      const bool found = word_at(text, size, i);
      if (found) keep(text + begin, i - begin);
    }
    return (int64_t)tokens_.size();
  }

  int64_t number(nb::list words) {
    for (nb::handle word : words) {
      Py_ssize_t size = 0;
      const char* letters = PyUnicode_AsUTF8AndSize(word.ptr(), &size);
      if (!letters) throw nb::python_error();
      tokens_.push_back(numbering_.of(letters, (size_t)size));
    }
    return (int64_t)tokens_.size();
  }

  nb::ndarray<nb::numpy, int32_t> tokens() const {
    auto* held = new std::vector<int32_t>(tokens_);
    nb::capsule owner(held, [](void* pointer) noexcept { delete static_cast<std::vector<int32_t>*>(pointer); });
    return nb::ndarray<nb::numpy, int32_t>(held->data(), {held->size()}, owner);
  }

  nb::list words() const {
    nb::list found;
    for (int64_t number = 0; number < numbering_.size(); number++) found.append(numbering_.word(number));
    return found;
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

  void keep(const char* word, int64_t size) {
    lowered_.resize((size_t)size);
    for (int64_t i = 0; i < size; i++) lowered_[i] = ALPHABET.lower[(uint8_t)word[i]];
    if (possessive_ && lowered_[size - 1] == 's' && lowered_[size - 2] == '\'') {
      if (size == 3) return;
      size -= 2;
    }
    tokens_.push_back(numbering_.of(lowered_.data(), (size_t)size));
  }

  bool apostrophes_, possessive_;
  Numbering numbering_;
  std::vector<int32_t> tokens_;
  std::string lowered_;
};

}  // namespace

NB_MODULE(_words, m) {
  m.doc() = "Native parts of fedtopics.documents.text";
  nb::class_<Indexer>(m, "Indexer")
      .def(nb::init<bool, bool>(), nb::kw_only(), "apostrophes"_a, "possessive"_a)
      .def("add", &Indexer::add, "text"_a, "Cut a text of ASCII without markup and number its words; gives the number of tokens so far.")
      .def("number", &Indexer::number, "words"_a, "Number words that were cut elsewhere; gives the number of tokens so far.")
      .def("tokens", &Indexer::tokens, "The numbers of all words so far, in order.")
      .def("words", &Indexer::words, "The different words, in order of their numbers.");
}
