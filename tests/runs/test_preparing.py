"""Documents become parties and a test set, over words that are public or agreed on."""

from __future__ import annotations

from pathlib import Path

import pytest
from planted import drawn_corpus, planted_topics

from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.runs.experiment import train
from fedtopics.runs.preparing import prepare
from fedtopics.runs.run import Run


def test_documents_are_dealt_to_parties_and_a_test_set() -> None:
    corpus = drawn_corpus(planted_topics(3, 8), 90, 30, 0)
    dealt = prepare(corpus, n_parties=3, test_fraction=0.2, seed=1)
    assert len(dealt.parties) == 3
    assert dealt.test.n_docs == 18
    assert dealt.train.n_docs == 72
    named = Corpus(corpus.words, corpus.offsets, corpus.vocabulary, parties=("x", "y") * 45)
    assert set(prepare(named).parties) == {"x", "y"}


def test_a_record_says_how_many_persons_there_are_where_known(tmp_path: Path) -> None:
    texts = [f"{number % 7},{'tax law court' if number % 7 < 4 else 'port ship sea'}" for number in range(70)]
    source = tmp_path / "letters.csv"
    source.write_text("author,text\n" + "\n".join(texts))
    run = train(str(source), "shared", n_topics=2, n_rounds=2, n_parties=2, person_column="author")
    n_persons = [party["n_persons"] for party in run.record["parties"]]
    assert 2 <= sum(n_persons) <= 6
    assert [party["n_docs"] for party in run.record["parties"]] == [10 * number for number in n_persons]
    run.save(tmp_path / "run")
    assert Run.load(tmp_path / "run").record["parties"] == run.record["parties"]
    unknown = train(str(source), "shared", n_topics=2, n_rounds=2, n_parties=2, text_column="text")
    assert all("n_persons" not in party for party in unknown.record["parties"])


def test_parties_agree_on_words_of_documents_not_of_a_filtered_corpus(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source = tmp_path / "letters.csv"
    source.write_text("text,party\n" + "tax law court,a\ntax law port,b\n" * 300 + "secret,a\n")
    dealt = prepare(str(source), party_column="party", vocabulary_epsilon=8.0)
    assert dealt.vocabulary == "agreed privately"
    assert "words; a public list has more and costs nothing, see --vocabulary" in caplog.text
    assert "secret" not in dealt.test.vocabulary
    assert [entry.round for entry in dealt.ledger.entries] == [-2, -2, -1, -1]
    run = train(dealt, "calm", n_topics=2, n_rounds=2)
    assert run.ledger.entries[:4] == dealt.ledger.entries
    assert len(dealt.ledger.entries) == 4
    with pytest.raises(InputError, match="chosen already"):
        prepare(dealt.train, vocabulary_epsilon=8.0)
    with pytest.raises(InputError, match="either max_words or vocabulary_epsilon"):
        prepare(str(source), vocabulary_epsilon=8.0, max_words=10)
