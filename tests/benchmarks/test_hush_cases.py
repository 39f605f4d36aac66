"""What the cases of hush stand on: blogs read by person, and baselines that keep their budget."""

from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from benchmarks import corpora, persons
from benchmarks.cases.hush_baselines import Setting, dp_em, sampled_multiplier, vips
from benchmarks.cases.hush_others import CHOSEN, LENGTHS, TRIED
from benchmarks.cases.hush_tables import OTHERS
from fedtopics.documents.corpus import Corpus
from fedtopics.privacy.price.gaussian import noise_multiplier

BUDGET = (8.0, 1e-6)


def test_posts_are_read_by_author_though_the_files_are_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = " ".join(f"{word} " * 2 for word in ("garden", "roses", "spring", "rain", "soil", "tulips"))
    posts = f"<Blog>\n<date>1,May,2004</date>\n<post>\n {words} & caf\xe9 urlLink &nbsp;\n</post>\n"
    (tmp_path / "12.female.37.indUnk.Leo.xml").write_bytes(
        f"{posts}{posts}<post> short </post>".encode("latin-1")
    )
    (tmp_path / "7.male.23.Arts.Leo.xml").write_bytes(posts.encode("latin-1"))
    monkeypatch.setitem(corpora.PATHS, "blogs", str(tmp_path))
    corpus = persons.blogs(max_words=20)
    assert corpus.persons == ("12", "12", "7")
    assert not {"urllink", "nbsp"} & set(corpus.vocabulary)


@pytest.mark.parametrize(("chance", "n_rounds"), [(1.0, 5), (0.5, 10)])
def test_samples_get_the_noise_that_renyi_accounting_asks_for(chance: float, n_rounds: int) -> None:
    exact = noise_multiplier(*BUDGET) * sqrt(n_rounds)
    found = sampled_multiplier(*BUDGET, chance, n_rounds)
    assert found > exact if chance == 1 else found < exact


def test_baselines_find_two_topics_where_there_is_hardly_noise() -> None:
    generator = np.random.default_rng(0)
    texts = [" ".join(generator.choice([f"{side}{i}" for i in range(5)], 20)) for side in "ab" * 150]
    corpus = Corpus.from_texts(texts, tokenizer=str.split)
    for topics, setting in ((dp_em, Setting(20, 10.0)), (vips, Setting(20, 10.0, 0.5))):
        model = topics(corpus, 2, 1e4, 1e-3, 1, setting)
        sides = model.topic_word[:, [word.startswith("a") for word in model.vocabulary]].sum(axis=1)
        assert sorted(sides.round(1)) == [0.0, 1.0]


def test_what_was_chosen_was_tried_and_is_shown() -> None:
    assert all(setting in TRIED[name] for name, setting in CHOSEN.items())
    assert OTHERS.keys() == {"hush", *CHOSEN, *LENGTHS}
