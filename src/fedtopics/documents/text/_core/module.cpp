// Words of texts, cut and numbered: what tokens.py does by regular expressions, ten times as fast.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cutting.hpp"
#include "numbering.hpp"
#include "rows.hpp"

namespace nb = nanobind;
using namespace nb::literals;
using namespace fedtopics;

namespace {

template <class Number>
nb::ndarray<nb::numpy, Number> array_of(std::vector<Number>&& values) {
  auto* held = new std::vector<Number>(std::move(values));
  nb::capsule owner(held, [](void* pointer) noexcept { delete static_cast<std::vector<Number>*>(pointer); });
  return nb::ndarray<nb::numpy, Number>(held->data(), {held->size()}, owner);
}

// Numbers of the words of texts, in order of first appearance.
class Indexer {
 public:
  Indexer(bool apostrophes, bool possessive) : cutter_(apostrophes, possessive) {}

  int64_t add(nb::str given, bool markup) {
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(given.ptr(), &size);
    if (!text) throw nb::python_error();
    const auto keep = [&](const char* word, size_t length) { tokens_.push_back(numbering_.of(word, length)); };
    return cutter_.cut(text, size, markup, keep) ? (int64_t)tokens_.size() : -1;
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

  nb::ndarray<nb::numpy, int32_t> tokens() const { return array_of(std::vector<int32_t>(tokens_)); }

  nb::list words() const {
    nb::list found;
    for (int64_t number = 0; number < numbering_.size(); number++)
      found.append(nb::str(numbering_.letters(number), numbering_.length(number)));
    return found;
  }

 private:
  Cutter cutter_;
  Numbering numbering_;
  std::vector<int32_t> tokens_;
};

// Numbers of those words of texts that one list has.
class KnownWords {
 public:
  KnownWords(nb::list words, bool apostrophes, bool possessive) : cutter_(apostrophes, possessive) {
    for (nb::handle word : words) {
      Py_ssize_t size = 0;
      const char* letters = PyUnicode_AsUTF8AndSize(word.ptr(), &size);
      if (!letters) throw nb::python_error();
      numbering_.of(letters, (size_t)size);
    }
  }

  nb::tuple read(nb::list texts, bool markup) const {
    std::vector<std::pair<const char*, Py_ssize_t>> given;
    for (nb::handle text : texts) {
      Py_ssize_t size = 0;
      const char* letters = PyUnicode_AsUTF8AndSize(text.ptr(), &size);
      if (!letters) throw nb::python_error();
      given.emplace_back(letters, size);
    }
    std::vector<int32_t> words;
    std::vector<int64_t> known, tokens;
    {
      nb::gil_scoped_release released;
      Cutter cutter = cutter_;
      for (const auto& [text, size] : given) {
        const size_t before = words.size();
        int64_t n_tokens = 0;
        const auto keep = [&](const char* word, size_t length) {
          n_tokens++;
          const int32_t number = numbering_.find(word, length);
          if (number != Numbering::NONE) words.push_back(number);
        };
        const bool done = cutter.cut(text, size, markup, keep);
        known.push_back((int64_t)(words.size() - before));
        tokens.push_back(done ? n_tokens : -1);
      }
    }
    return nb::make_tuple(array_of(std::move(words)), array_of(std::move(known)), array_of(std::move(tokens)));
  }

 private:
  Cutter cutter_;
  Numbering numbering_;
};

using Numbers = nb::ndarray<const float, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::str lines_of(nb::list names, Numbers numbers) {
  std::string lines;
  const float* number = numbers.data();
  if (nb::len(names) != numbers.shape(0)) throw nb::value_error("expected a name for each row");
  for (nb::handle name : names) {
    Py_ssize_t size = 0;
    const char* letters = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
    if (!letters) throw nb::python_error();
    lines.append(letters, (size_t)size);
    for (size_t column = 0; column < numbers.shape(1); column++) append(lines, *number++);
    lines.append("\r\n");
  }
  return nb::str(lines.data(), lines.size());
}

}  // namespace

NB_MODULE(_words, m) {
  m.doc() = "Native parts of fedtopics.documents.text";
  nb::class_<Indexer>(m, "Indexer")
      .def(nb::init<bool, bool>(), nb::kw_only(), "apostrophes"_a, "possessive"_a)
      .def("add", &Indexer::add, "text"_a, "markup"_a,
           "Cut a text, which may have markup, and number its words; gives the number of tokens so far, below 0 if it cannot.")
      .def("number", &Indexer::number, "words"_a, "Number words that were cut elsewhere; gives the number of tokens so far.")
      .def("tokens", &Indexer::tokens, "The numbers of all words so far, in order.")
      .def("words", &Indexer::words, "The different words, in order of their numbers.");
  m.def("lines_of", &lines_of, "names"_a, "numbers"_a,
        "Lines of CSV: a name as it is and a row of finite numbers each, in the fewest digits that give them back.");
  nb::class_<KnownWords>(m, "KnownWords")
      .def(nb::init<nb::list, bool, bool>(), "words"_a, nb::kw_only(), "apostrophes"_a, "possessive"_a)
      .def("read", &KnownWords::read, "texts"_a, "markup"_a,
           "The numbers of the known words of all texts, how many each has, and how many words in all: below 0 if it cannot be cut.");
}
