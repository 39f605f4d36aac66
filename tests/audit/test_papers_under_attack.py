"""The attacks that break the claims of papers, and that they break no more than is true."""

from math import inf

import numpy as np
import pytest

from fedtopics.audit import claims, last_sweep_noise, papers
from fedtopics.audit.papers import Broken

CLAIMS = (papers.ftm_number, papers.ftm_word, papers.fedlda, papers.lplda, papers.fdptm)


@pytest.mark.parametrize(
    ("attack", "seed"), [*((attack, seed) for attack in CLAIMS for seed in (0, 10**6)), (papers.pctd, 10**6)]
)
def test_every_claim_is_exceeded_and_no_proof_is(attack: type[Broken], seed: int) -> None:
    found = attack(seed)  # type: ignore[call-arg, arg-type]
    assert found.claimed < found.reached < found.proved


def test_where_the_claim_holds_the_attack_does_not_break_it() -> None:
    """PC-TD's proof allows enough where noise is large: then one word in 35 rounds hardly shows."""
    found = papers.pctd(sigma=8.0, n_replays=60)
    assert not found.refuted
    assert found.reached < found.proved


def test_noise_in_the_last_sweep_leaves_the_number_of_every_word_exact() -> None:
    rng = np.random.default_rng(0)
    corpus = last_sweep_noise.planted(rng.random(last_sweep_noise.N_CANARIES) < 0.5, rng)
    phi = last_sweep_noise.trained(corpus, 0.01, 3, seed=1)
    sizes = last_sweep_noise.BETA / phi.min(axis=1)  # n_k + V beta, since a word is in no topic
    counts = (phi * sizes[:, None] - last_sweep_noise.BETA).sum(axis=0)
    assert np.allclose(counts, np.bincount(corpus.words, minlength=corpus.n_words))


def test_the_table_says_what_was_reached_of_five_papers() -> None:
    told = {finding.method.split()[0].strip(",") for finding in claims.audit() if finding.reached}
    assert told == {"FedLDA", "PC-TD", "LP-LDA", "FTM", "FDPTM"}


def test_a_claim_without_a_bound_is_proved_nowhere() -> None:
    assert papers.ftm_number().proved == inf
