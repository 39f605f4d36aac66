"""The E step of PC-TD as printed: on counts with noise of their own, drawn for this step and forgotten.

Every count of every unit is noisy, zeros too; the units are read block by block.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.methods.pctd.semantic_units import SemanticUnits
from fedtopics.privacy.mechanisms.gaussian_counts import GaussianCounts
from fedtopics.privacy.mechanisms.histogram import Histogram
from fedtopics.privacy.mechanisms.mechanism import counts_of
from fedtopics.privacy.mechanisms.noise import Noise
from fedtopics.privacy.price.release import Release, side_by_side
from fedtopics.protocol.turn import Arrays
from fedtopics.sampling import unit_em

CELLS_AT_ONCE = 1 << 22


def fresh_counts(
    mechanism: GaussianCounts | Histogram,
    corpus: Corpus,
    units: SemanticUnits,
    theta: NDArray[np.float32],
    phi: NDArray[np.float32],
    noise: Noise,
) -> Release[Arrays]:
    """M (Eq. 10) and the mixtures of documents."""
    document = np.repeat(np.arange(corpus.n_docs), np.diff(units.documents))
    log_phi = np.log(phi)

    def e_step(first: int, last: int) -> Release[Arrays]:
        rows = units.offsets[first : last + 1]
        counts = counts_of(corpus.words[rows[0] : rows[-1]], rows, corpus.n_words)
        released = _noisy(mechanism, counts, noise)
        chances = unit_em.responsibilities(
            unit_em.plug_in(released.value, log_phi), theta[document[first:last]]
        )
        upload = unit_em.plug_in_counts(released.value, chances)
        return released.map(lambda _: {"counts": upload, "chances": chances})

    n_rows = max(1, CELLS_AT_ONCE // corpus.n_words)
    bounds = [*range(0, max(len(document), 1), n_rows), len(document)]
    parts = (e_step(first, last) for first, last in pairwise(bounds))
    return side_by_side(parts, _added).map(
        lambda found: {
            "counts": found["counts"].astype(np.float32),
            "theta": unit_em.mixtures(found["chances"], units.documents, 0.0),
        }
    )


def _noisy(
    mechanism: GaussianCounts | Histogram, counts: NDArray[np.int64], noise: Noise
) -> Release[NDArray[np.float64]]:
    if isinstance(mechanism, Histogram):  # which releases nothing
        silent = mechanism(np.zeros(0, np.int32), np.zeros(1, np.int64), noise)
        return silent.map(lambda _: np.zeros(counts.shape))
    return mechanism.add_to(counts, noise).map(lambda drawn: drawn / mechanism.grid)


def _added(one: Arrays, other: Arrays) -> Arrays:
    counts, chances = one["counts"] + other["counts"], np.concatenate([one["chances"], other["chances"]])
    return {"counts": counts, "chances": chances}
