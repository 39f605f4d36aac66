"""The membership attack of a peer, beside ours, on LDA without privacy and on the peer's own texts.

The public code of N. Manzonelli, W. Zhang and S. Vadhan (Membership inference attacks and privacy in topic
modeling, TMLR 2024; github.com/nicomanzonelli/topic_model_attacks) is run from the folder that
FEDTOPICS_PEER_ATTACKS names, on its tweets about rumors; ours is written from the paper. Both attack models
of scikit-learn's variational LDA with the paper's priors, trained on random halves of the same documents.
"""

from __future__ import annotations

import json
import os
import sys
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import stored
from benchmarks.case import Steps, case
from benchmarks.markdown_tables import table
from fedtopics.audit import membership
from fedtopics.audit.guesses import Scored, area
from fedtopics.audit.membership import Shadows, best_likelihoods, lira
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.model import TopicModel
from fedtopics.sampling import lda

N_DOCUMENTS, N_SHADOWS, N_TOPICS, SEEDS = 600, 32, 5, (0, 1, 2)


def texts(seed: int) -> Corpus:
    """Some of the peer's tweets, over all their words."""
    chosen = np.random.default_rng(seed).permutation(_tweets())[:N_DOCUMENTS].tolist()
    return Corpus.from_texts(chosen, stop_words=False, min_df=1, max_df=1.0, sentences=False)


def _folder() -> Path:
    if "FEDTOPICS_PEER_ATTACKS" not in os.environ:
        raise InputError("expected the folder of topic_model_attacks in FEDTOPICS_PEER_ATTACKS, got none")
    return Path(os.environ["FEDTOPICS_PEER_ATTACKS"])


def _tweets() -> list[str]:
    return list(json.loads((_folder() / "data" / "pheme_clean.json").read_text(encoding="utf-8"))["text"])


def halves(n_documents: int, seed: int) -> NDArray[np.bool_]:
    """Which documents each model has, the target first; every second shadow has what the one before lacks."""
    rng = np.random.default_rng(seed)
    drawn = [rng.permutation(n_documents) < n_documents // 2 for _ in range(1 + N_SHADOWS // 2)]
    return np.array([drawn[0], *(each for half in drawn[1:] for each in (half, ~half))])


def variational(corpus: Corpus, seed: int) -> NDArray[np.float64]:
    """phi, as scikit-learn learns it."""
    from sklearn.decomposition import LatentDirichletAllocation

    found = LatentDirichletAllocation(n_components=N_TOPICS, random_state=seed).fit(corpus.to_sparse())
    return np.asarray(found.components_ / found.components_.sum(axis=1, keepdims=True))


def gibbs(corpus: Corpus, seed: int) -> NDArray[np.float64]:
    """phi, by collapsed Gibbs sampling with the same priors."""
    priors = lda.Priors.symmetric(N_TOPICS, 1 / N_TOPICS, 1 / N_TOPICS)
    state = lda.sweep(corpus, lda.start(corpus, N_TOPICS, seed), priors, seed=seed, n_sweeps=200)
    counts = lda.word_topic_counts(corpus, state.topics, N_TOPICS).T + 1 / N_TOPICS
    return np.asarray(counts / counts.sum(axis=1, keepdims=True))


def ours(seed: int, by_gibbs: bool) -> dict[str, float]:
    """AUC of our attack, online and offline."""
    corpus = texts(seed)
    there = halves(corpus.n_docs, seed)
    train = gibbs if by_gibbs else variational
    models = [train(corpus.select(half), seed + number) for number, half in enumerate(there)]
    statistics = np.array([_statistics(phi, corpus) for phi in models])
    known, target = Shadows(statistics[1:], there[1:]), Shadows(statistics[:1], there[:1])
    return {name: area(lira(known, target, online=name == "online")) for name in ("online", "offline")}


def _statistics(phi: NDArray[np.float64], corpus: Corpus) -> NDArray[np.float64]:
    return best_likelihoods(TopicModel(phi, np.full(N_TOPICS, 1 / N_TOPICS), corpus.vocabulary), corpus)


def theirs(seed: int) -> dict[str, float]:
    """AUC of the public code on the same documents, halves and models; its offline score is turned round.

    Its statistic is minus the likelihood, so its offline score is small where a document was there.
    """
    sys.path.insert(0, str(_folder()))
    from model_stats import max_lda_logll  # type: ignore[import-not-found]
    from topic_mia import TopicLiRA  # type: ignore[import-not-found]

    corpus = texts(seed)
    there = halves(corpus.n_docs, seed)
    models = [variational(corpus.select(half), seed + number) for number, half in enumerate(there)]
    attack = TopicLiRA(models[0], np.array(corpus.vocabulary))
    documents = [" ".join(corpus.vocabulary[word] for word in words) for words in _words(corpus)]
    shadows = [np.flatnonzero(half) for half in there[1:]]
    offline, online = attack.fit(
        documents, np.stack(models[1:], axis=2), shadows, [max_lda_logll], enable_mp=False
    )
    scores: dict[str, Any] = {"online": np.asarray(online), "offline": -np.asarray(offline)}
    return {name: area(Scored(np.nan_to_num(found), there[0])) for name, found in scores.items()}


def _words(corpus: Corpus) -> list[NDArray[np.int32]]:
    return np.split(corpus.words, corpus.offsets[1:-1])


def shown() -> str:
    """AUC of each, mean and range over the draws."""
    found = stored.values("audit_peer")
    rows = []
    for name, told in (
        ("the public code", "theirs"),
        ("ours, on the same models", "ours"),
        ("ours, on models of collapsed Gibbs sampling", "gibbs"),
    ):
        cells = [[found[told][str(seed)][kind] for seed in SEEDS] for kind in ("online", "offline")]
        rows.append([name, *(f"{fmean(cell):.3f} ({min(cell):.3f} to {max(cell):.3f})" for cell in cells)])
    return table(["attack", "AUC online", "AUC offline"], rows)


@case(
    "audit_peer",
    measures=(membership,),
    minutes=5,
    seeds=SEEDS,
    pages=("docs/evidence/audit.md",),
    shows={"audit-peer": shown},
)
def steps() -> Steps:
    """Membership by likelihood ratios on LDA without privacy: the public code of a peer, and ours."""
    made: Steps = {}
    for seed in SEEDS:
        made[f"ours/{seed}"] = partial(ours, seed, by_gibbs=False)
        made[f"gibbs/{seed}"] = partial(ours, seed, by_gibbs=True)
        made[f"theirs/{seed}"] = partial(theirs, seed)
    return made
