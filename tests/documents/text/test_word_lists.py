"""The word lists that come with the package hold words as its tokenizers cut them, and no stop word."""

import pytest

from fedtopics import Corpus
from fedtopics.documents.text import word_lists
from fedtopics.documents.text.stop_words import stop_words_for
from fedtopics.documents.text.tokens import tokenizer_for
from fedtopics.documents.text.words import check_words
from fedtopics.errors import InputError


@pytest.mark.parametrize("name", word_lists.CODES)
def test_a_list_has_words_of_its_language(name: str) -> None:
    found = word_lists.words(f"{name}-{word_lists.MOST}")
    assert len(set(found)) == word_lists.MOST
    check_words(found, name)
    assert not stop_words_for(word_lists.CODES[name]) & set(found)
    cut = tokenizer_for(word_lists.CODES[name])
    assert all(cut(word) == [word] for word in found[::50])
    assert found[:5000] == word_lists.words(f"{name}-5000")


def test_a_list_is_a_vocabulary_by_its_name() -> None:
    corpus = Corpus.from_texts(["The government raised a tax on wheat."], vocabulary="english-20000")
    assert corpus.n_words == 20_000
    assert [corpus.vocabulary[word] for word in corpus.words] == ["government", "raised", "tax", "wheat"]
    for wrong in ("english-0", "english-50001", "english-1"):
        with pytest.raises(InputError, match="such as english-20000"):
            Corpus.from_texts(["tax"], vocabulary=wrong)


def test_a_list_of_another_language_than_the_texts_is_spoken_of(caplog: pytest.LogCaptureFixture) -> None:
    """Topics of the few words that two languages share looked like topics, without a word."""
    Corpus.from_texts(["The Regierung of wheat"], vocabulary="german-5000")
    assert "german-5000 is for texts in de, and they are cut as en" in caplog.text
    caplog.clear()
    Corpus.from_texts(["Die Regierung"], vocabulary="german-5000", language="de")
    Corpus.from_texts(
        ["Die Regierung"], vocabulary="german-5000", tokenizer=lambda text: text.lower().split()
    )
    assert not caplog.text
