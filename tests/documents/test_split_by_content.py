"""What is held out by content: no document moves another, which whole documents must not do to each other."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError


def held_out(corpus: Corpus) -> set[str]:
    return set(corpus.split(0.3, seed=1, by_content=True)[1].ids or ())


def corpus_of(numbers: list[int]) -> Corpus:
    texts = [f"word{number} word{number + 1} word{number % 7}" for number in numbers]
    return Corpus.from_texts(texts, ids=list(map(str, numbers)), min_df=1, max_df=1.0)


@given(st.integers(0, 199))
def test_a_document_that_goes_moves_no_other(gone: int) -> None:
    whole, without = corpus_of(list(range(200))), corpus_of([n for n in range(200) if n != gone])
    assert held_out(without) == held_out(whole) - {str(gone)}


def test_an_empty_document_moves_none_and_the_order_neither() -> None:
    whole = corpus_of(list(range(200)))
    assert held_out(whole.select(np.arange(200)[::-1])) == held_out(whole)
    assert 20 < len(held_out(whole)) < 100
    texts = [f"word{number} word{number + 1} word{number % 7}" for number in range(200)]
    more = Corpus.from_texts(["", *texts], ids=["empty", *map(str, range(200))], min_df=1, max_df=1.0)
    assert held_out(more) - {"empty"} == held_out(whole)


def test_nobody_is_moved_to_fill_a_side() -> None:
    few = Corpus.from_texts(["one word", "two words"], persons=["ada", "eve"], min_df=1, max_df=1.0)
    assert all(side.n_docs for side in few.split(1e-9, seed=1))
    with pytest.raises(InputError, match="another seed"):
        few.split(1e-9, seed=1, by_content=True)
