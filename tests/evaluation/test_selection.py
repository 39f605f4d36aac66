"""Choosing K finds the number of topics that was planted, and says so in a table and a picture."""

from xml.etree import ElementTree

import numpy as np
import pytest
from planted import drawn_corpus, planted_topics

from fedtopics.errors import InputError
from fedtopics.evaluation.selection import select_topics
from fedtopics.report.selection_plot import PANELS, selection_plot

CORPUS = drawn_corpus(planted_topics(6, 12, noise=0.01), 300, 60, seed=3)


@pytest.fixture(scope="module")
def selection():
    return select_topics(CORPUS, [12, 2, 4, 6, 6], n_sweeps=60)


def test_the_planted_number_is_best(selection):
    assert [candidate.n_topics for candidate in selection.candidates] == [2, 4, 6, 12]
    assert selection.best == 6


def test_the_table_marks_the_best(selection):
    header, *rows = str(selection).splitlines()
    assert "perplexity" in header
    assert [row.split()[0] for row in rows] == ["2", "4", "6", "12"]
    assert [row.endswith("<- best") for row in rows] == [False, False, True, False]


def test_even_the_best_number_of_topics_may_be_of_no_use(selection):
    """Words by chance have no topics, and one number of them comes out best nevertheless."""
    assert selection.warnings == []
    chance = drawn_corpus(np.full((2, 60), 1 / 60), 60, 20, seed=1)
    found = select_topics(chance, [5, 20], n_sweeps=20)
    assert "no better than word frequencies" in found.warnings[0]
    assert str(found).splitlines()[3].startswith(f"{found.best} topics: these topics are no better")


def test_the_picture_has_a_point_for_each_candidate_and_score(selection):
    root = ElementTree.fromstring(selection_plot(selection))
    assert len(root.findall(".//{http://www.w3.org/2000/svg}circle")) == 4 * len(PANELS)


def test_bad_candidates_are_named():
    for candidates in ([], [1, 5]):
        with pytest.raises(InputError, match="2 or more"):
            select_topics(CORPUS, candidates)
