"""Latent Dirichlet allocation by sampling: the one face of the native kernels.

`start` makes a state, `sweep` returns the next one, `word_topic_counts` reads a model off it, and `fold_in`
gives the topic mixtures of new documents. Sampling takes at least one token and two topics. Notation: z topic
of a token, n_dk tokens of document d in topic k, n_wk tokens of word w in topic k, n_k tokens in topic k, V
words, K topics.

Samplers of `sweep`:

gibbs       exact collapsed Gibbs, one token after the other: the reference. Time per token grows with K.
metropolis  exact Metropolis-Hastings (the cycle of LightLDA with unbiased proposals). Time per token does not
            depend on K, but memory is touched at random.
warp        Metropolis-Hastings with delayed counts (WarpLDA). The rows of a pass are independent: it is the
            fastest by far, runs on several threads and needs no K x V counts. Its topics end as good as those
            of the exact samplers, to within half a percent of perplexity after 1000 sweeps of each, but a
            sweep moves less far: after 200 it is up to 2 % behind. Twice as many make up for that.
auto        gibbs for weighted tokens, and where it takes no time: up to 8 topics and a million tokens. Else
            warp, which is 4 times as fast as gibbs at K = 5 and 9 times at K = 100.

Random numbers are addressed by (seed, sweep, row): the same seed gives the same bits whatever the number of
threads and whatever the instruction set. The environment variable FEDTOPICS_ISA (plain, avx2, avx512) forces
an instruction set; a GPU (`gpu.using`) gives the same bits too: it runs warp without counts of others, and
`fold_in`. Two calls of one sweep equal one call of two. Gibbs sampling of all topics and metropolis
run on one thread.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fedtopics.documents import mapped
from fedtopics.documents.corpus import Corpus
from fedtopics.errors import InputError
from fedtopics.sampling import _native, arguments, word_order
from fedtopics.sampling.arguments import State
from fedtopics.sampling.gpu import fold_in as on_gpu
from fedtopics.sampling.gpu import using, warp
from fedtopics.sampling.priors import Priors, optimize_alpha, optimize_beta

__all__ = [
    "SAMPLERS",
    "Priors",
    "State",
    "assign",
    "fold_in",
    "optimize_alpha",
    "optimize_beta",
    "start",
    "sweep",
    "word_topic_counts",
]

SAMPLERS = ("auto", "gibbs", "warp", "metropolis")
FEW_TOPICS, FEW_TOKENS = 8, 1_000_000


def start(corpus: Corpus, n_topics: int, seed: int) -> State:
    """Every token of the `corpus` in one of `n_topics`, drawn uniformly by `seed`."""
    arguments.check_choice(corpus, n_topics)
    topics = np.empty(corpus.n_tokens, np.uint16)
    _native.start(topics, corpus.offsets, n_topics, arguments.seed_number(seed))
    return State(topics, 0)


def sweep(
    corpus: Corpus,
    state: State,
    priors: Priors,
    *,
    seed: int,
    n_sweeps: int = 1,
    sampler: str = "auto",
    n_proposals: int = 3,
    n_threads: int = 1,
    others: ArrayLike | None = None,
    weights: ArrayLike | None = None,
) -> State:
    """The state after `n_sweeps` more sweeps of the `corpus`; the given `state` is left as it was.

    priors       alpha and beta; `seed` and `n_threads`: see above
    sampler      one of SAMPLERS, see above
    n_proposals  how often warp (1 to 3) and metropolis propose per token and side: more mix better, fewer
                 are faster
    others       word-topic counts (V, K) added to our own and left unchanged
    weights      how much each token counts, shape (n_tokens,); 1 by default; gibbs only
    """
    arguments.check_choice(corpus, priors.n_topics)
    arguments.check_state(corpus, state, priors.n_topics)
    chosen = chosen_sampler(sampler, priors.n_topics, corpus.n_tokens, weights is not None)
    topics = np.empty_like(state.topics) if chosen == "warp" else state.topics.copy()
    options = for_kernel(corpus, state, priors, topics, seed=seed, n_sweeps=n_sweeps, others=others)
    n_threads = arguments.natural_number("n_threads", n_threads, least=1)
    n_proposals = arguments.natural_number("n_proposals", n_proposals, least=1)
    gpu = using.current(corpus.n_tokens) if chosen == "warp" and others is None else None
    if gpu is not None and n_sweeps:
        given: dict[str, Any] = {"seed": seed, "n_sweeps": n_sweeps, "n_proposals": n_proposals}
        return warp.sweep(gpu, corpus, state, priors, **given)
    if chosen == "gibbs":
        weights = arguments.token_weights(weights, corpus.n_tokens)
        _native.gibbs(**options, n_words=corpus.n_words, weights=weights)
        return State(topics, state.n_sweeps + n_sweeps)
    by_word = word_order.of(corpus)
    options |= {"word_offsets": by_word.offsets, "order": by_word.order, "slots": by_word.slots}
    options["n_proposals"] = n_proposals
    if chosen == "warp":
        given = {"topics": state.topics, "out": topics, "n_threads": n_threads, "on_disk": by_word.on_disk}
        _native.warp(**options | given)
    else:
        _native.metropolis(**options)
    return State(topics, state.n_sweeps + n_sweeps)


def for_kernel(
    corpus: Corpus,
    state: State,
    priors: Priors,
    topics: NDArray[np.uint16],
    *,
    seed: int,
    n_sweeps: int,
    others: ArrayLike | None = None,
) -> dict[str, Any]:
    """What every kernel of `n_sweeps` takes: `corpus`, `state`, `priors`, `seed`, the counts of `others`.

    The kernel changes `topics`.
    """
    return {
        "words": corpus.words,
        "offsets": corpus.offsets,
        "topics": topics,
        "alpha": priors.alpha,
        "beta": priors.beta,
        "others": arguments.other_counts(others, corpus.n_words, priors.n_topics),
        "seed": arguments.seed_number(seed),
        "first_sweep": state.n_sweeps,
        "n_sweeps": arguments.natural_number("n_sweeps", n_sweeps),
    }


def assign(
    corpus: Corpus,
    state: State,
    topic_word: ArrayLike,
    alpha: ArrayLike,
    *,
    seed: int,
    n_sweeps: int = 1,
    sampler: str = "gibbs",
    n_proposals: int = 1,
    n_threads: int = 1,
) -> State:
    """The `state` after `n_sweeps` sweeps of a `corpus` under fixed topics `topic_word` (K, V).

    The documents are independent: each token's topic is drawn with probability ~ (n_dk + `alpha`_k) * phi_kw.
    The `sampler` is gibbs or metropolis, which proposes `n_proposals` topics from the document and as many
    from the word's alias table. `seed` and `n_threads`: see above.
    """
    arguments.one_of("sampler", sampler, ("gibbs", "metropolis"))
    alpha = arguments.positive_vector("alpha", alpha)
    arguments.check_choice(corpus, len(alpha))
    arguments.check_state(corpus, state, len(alpha))
    topics = state.topics.copy()
    options: dict[str, Any] = {
        "words": corpus.words,
        "offsets": corpus.offsets,
        "topics": topics,
        "topic_word": arguments.topic_word_matrix(topic_word, len(alpha), corpus.n_words),
        "alpha": alpha,
        "seed": arguments.seed_number(seed),
        "first_sweep": state.n_sweeps,
        "n_sweeps": arguments.natural_number("n_sweeps", n_sweeps),
        "n_threads": arguments.natural_number("n_threads", n_threads, least=1),
    }
    n_proposals = arguments.natural_number("n_proposals", n_proposals, least=1)
    if sampler == "gibbs":
        _native.assign(**options)
    else:
        _native.assign_metropolis(**options, n_proposals=n_proposals)
    return State(topics, state.n_sweeps + n_sweeps)


def word_topic_counts(corpus: Corpus, topics: NDArray[np.uint16], n_topics: int) -> NDArray[np.int32]:
    """Tokens of each word of the `corpus` in each of `n_topics`, shape (V, K), where they are in `topics`.

    Equals `np.add.at(np.zeros((V, K), np.int32), (corpus.words, topics), 1)`.
    """
    arguments.check_corpus(corpus)
    arguments.check_topics("topics", topics, corpus, n_topics)
    known = warp.word_topic_counts(corpus, topics, n_topics)
    if known is not None:
        return known
    counts = np.zeros((corpus.n_words, n_topics), np.int32)
    _native.word_topic_counts(corpus.words, corpus.offsets, topics, counts)
    mapped.forget(corpus.words)
    return counts


def fold_in(
    corpus: Corpus,
    topic_word: ArrayLike,
    alpha: ArrayLike,
    *,
    n_iterations: int = 40,
    n_threads: int = 1,
) -> NDArray[np.float32]:
    """Mixtures (n_docs, K) of the `corpus` given `topic_word` (K, V), on `n_threads`; nothing is random.

    Every document starts uniform and repeats `n_iterations` times, with `alpha` and n_w the count of word w,

        theta = alpha + sum(n_w * theta * phi[:, w] / (theta @ phi[:, w]) for w in document)
        theta /= theta.sum()
    """
    arguments.check_corpus(corpus)
    alpha = arguments.positive_vector("alpha", alpha)
    topic_word = arguments.topic_word_matrix(topic_word, len(alpha), corpus.n_words)
    theta = np.empty((corpus.n_docs, len(alpha)), np.float32)
    n_iterations = arguments.natural_number("n_iterations", n_iterations, least=1)
    n_threads = arguments.natural_number("n_threads", n_threads, least=1)
    gpu = using.current(corpus.n_tokens)
    if gpu is not None:
        return on_gpu.fold_in(gpu, corpus, topic_word, alpha, n_iterations)
    _native.fold_in(corpus.words, corpus.offsets, topic_word, alpha, n_iterations, n_threads, theta)
    mapped.forget(corpus.words)
    return theta


def chosen_sampler(sampler: str, n_topics: int, n_tokens: int, weighted: bool) -> str:
    """What `sweep` takes for `sampler`, with `n_topics` and `n_tokens`, which may be `weighted`."""
    arguments.one_of("sampler", sampler, SAMPLERS)
    if weighted and sampler not in ("auto", "gibbs"):
        raise InputError(f"weights need the sampler gibbs, got {sampler}; choose gibbs or auto")
    if sampler != "auto":
        return sampler
    small = n_topics <= FEW_TOPICS and n_tokens <= FEW_TOKENS
    return "gibbs" if weighted or small else "warp"
