"""Documents in several languages: cut by their own rules, words kept apart, tied by a public dictionary."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from fedtopics import Corpus, read, train
from fedtopics.documents.corpus import Document
from fedtopics.errors import InputError
from fedtopics.network.plan.parts import Texts

ROWS = [
    {"text": "The nation's gift. A tax!", "lang": "en", "id": "1"},
    {"text": "Das Gift und die Steuer. Nicht gut.", "lang": "de", "id": "2"},
    {"text": "L'impôt et l'homme", "lang": "fr", "id": "3"},
    {"text": "Tax the gift", "lang": "EN", "id": "4"},
]


def test_words_are_cut_by_their_language_and_kept_apart() -> None:
    corpus = read(ROWS, language_column="lang", max_df=1.0)
    assert corpus.language == "de+en+fr"
    assert corpus.ids == ("1", "2", "3", "4")
    words = [[corpus.vocabulary[w] for w in corpus.words[a:b]] for a, b in pairwise(corpus.offsets)]
    assert words == [
        ["en:nation", "en:gift", "en:tax"],
        ["de:gift", "de:steuer"],
        ["fr:impôt", "fr:homme"],
        ["en:tax", "en:gift"],
    ]
    assert np.diff(corpus.document_sentences).tolist() == [2, 2, 1, 1]


def test_public_lists_of_several_languages() -> None:
    corpus = read(ROWS, language_column="lang", vocabulary="english-5000+german-20000")
    assert corpus.n_words == 25_000
    found = {corpus.vocabulary[word] for word in corpus.words}
    assert found == {"en:nation", "en:gift", "en:tax", "de:gift", "de:steuer"}


def test_every_document_needs_a_language() -> None:
    with pytest.raises(InputError, match="code of a language, as en or de, for every document, got none"):
        read([*ROWS, {"text": "x", "lang": None, "id": "5"}], language_column="lang")
    with pytest.raises(InputError, match="either a tokenizer or languages"):
        Corpus.from_documents([Document("a b", language="en")], tokenizer=str.split)
    with pytest.raises(InputError, match="expected a column 'lang'"):
        read([{"text": "a"}], language_column="lang")
    with pytest.raises(InputError, match=r"language of each document for de\+en, got none"):
        read(ROWS, language="de+en", text_column="text")


def test_no_cell_is_quoted_however_short() -> None:
    """A column of texts taken for that of languages: a text of four characters was in the error."""
    with pytest.raises(InputError, match=r"got 4 characters for document 1") as refused:
        read([{"text": "a", "lang": "en"}, {"text": "HIV+", "lang": "HIV+"}], language_column="lang")
    assert "HIV" not in str(refused.value)


def test_a_list_without_languages_is_told_what_is_missing() -> None:
    for given, options in (("english-1000", {"language_column": "lang"}), ("english-100+german-100", {})):
        with pytest.raises(InputError, match=r"as en:tax \(english-5000\+german-5000"):
            read(ROWS, vocabulary=given, text_column="text", **options)


def test_one_language_is_as_if_nothing_were_said_unless_words_stand_apart() -> None:
    english = [row for row in ROWS if row["lang"].lower() == "en"]
    assert read(english, language_column="lang", max_df=1.0).vocabulary == ("gift", "nation", "tax")
    apart = read(english, language_column="lang", max_df=1.0, language="de+en")
    assert apart.vocabulary == ("en:gift", "en:nation", "en:tax")


THEMES = [
    [
        ("tax", "steuer"),
        ("law", "gesetz"),
        ("court", "gericht"),
        ("judge", "richter"),
        ("wage", "lohn"),
    ],
    [("ship", "schiff"), ("harbor", "hafen"), ("sea", "meer"), ("captain", "kapitän"), ("sailor", "matrose")],
]


def letters() -> list[dict[str, str]]:
    """Letters about one of two themes, in one of two languages."""
    generator = np.random.default_rng(0)
    rows = []
    for number in range(240):
        language, theme = number % 2, number // 2 % 2
        chosen = [theme if generator.random() < 0.9 else 1 - theme for _ in range(20)]
        words = [THEMES[each][generator.integers(5)][language] for each in chosen]
        rows.append({"text": " ".join(words), "lang": ("en", "de")[language]})
    return rows


def together(dictionary: str | None) -> float:
    """The share of translations whose two words are most probable in one topic."""
    run = train(
        letters(),
        "calm",
        n_topics=2,
        n_rounds=40,
        epsilon=60.0,
        n_parties=2,
        language_column="lang",
        max_df=1.0,
        show_progress=False,
        consistency=dictionary,
        consistency_tau=0.5,
    )
    topics = run.model.topic_word.argmax(axis=0)
    place = {word: number for number, word in enumerate(run.model.vocabulary)}
    assert run.model.language == "de+en"
    with pytest.raises(InputError, match="expected documents with their languages"):
        run.model.transform(["ship"])
    if dictionary is not None:  # and both are shown: no document has them together
        shown = sorted(sorted(words) for words in run.model.top_words(10))
        themes = [
            [f"{code}:{pair[n]}" for n, code in enumerate(("en", "de")) for pair in theme] for theme in THEMES
        ]
        assert shown == sorted(map(sorted, themes))
    pairs = [pair for theme in THEMES for pair in theme]
    return float(np.mean([topics[place[f"en:{en}"]] == topics[place[f"de:{de}"]] for en, de in pairs]))


def test_a_dictionary_ties_the_topics_of_two_languages(tmp_path: Path) -> None:
    path = tmp_path / "dictionary.tsv"
    path.write_text("en\tde\n" + "".join(f"{en}\t{de}\n" for theme in THEMES for en, de in theme))
    assert together(None) < 0.5
    assert together(str(path)) == 1.0
    path.write_text("en\tde\nmoon\tmond\n")
    with pytest.raises(InputError, match="expected translations of words of the vocabulary"):
        together(str(path))
    path.write_text("en\tde\ntax\tsteuer\tabgabe\n")
    with pytest.raises(InputError, match=r"expected 2 words with tabs between, got 3 at .*line 2"):
        together(str(path))


def test_a_plan_may_have_several_languages() -> None:
    assert Texts("de+en").language == "de+en"
    with pytest.raises(InputError, match="no stop words"):
        Texts("de+xx")
