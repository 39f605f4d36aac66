"""Topic mixtures of new documents on a GPU: `lda.fold_in`, bit for bit."""

import numpy as np
from numpy.typing import NDArray

from fedtopics.documents.corpus import Corpus
from fedtopics.sampling.gpu import launches, rows
from fedtopics.sampling.gpu.device import Buffer, Device
from fedtopics.sampling.gpu.kept import Kept

NEED = rows.Need(2, (64, 64, 80))
_topics: Kept[Buffer] = Kept()  # of a model that reads one batch of texts after the other
SHARE = 0.9  # of the memory left beside the topics; the rest is for fragments


def fold_in(
    device: Device,
    corpus: Corpus,
    topic_word: NDArray[np.float64],
    alpha: NDArray[np.float64],
    n_iterations: int,
) -> NDArray[np.float32]:
    """Mixtures (n_docs, K) of the `corpus` given `topic_word` (K, V) and `alpha`.

    As many documents at a time as the card has memory for.
    """
    n_topics = len(alpha)
    mixtures = np.empty((corpus.n_docs, n_topics), np.float32)
    phi = _topics.of((topic_word,), lambda: device.put(rows.padded(topic_word.T)))
    prior = device.put(rows.padded(alpha[None])[0])
    costs = 8 * corpus.lengths + 4 * n_topics + 16  # words, where they begin, and the mixture
    for first, last in launches.parts(
        costs, int(SHARE * (device.card.memory - phi.nbytes)), "document", "bytes"
    ):
        offsets = corpus.offsets[first : last + 1]
        begin, end = int(offsets[0]), int(offsets[-1])
        found = device.empty((last - first, n_topics), np.float32)
        launch = rows.launch(device.card, last - first, n_topics, NEED)
        given = (
            *(device.put(rows.longest_first(np.diff(offsets))), np.int32(last - first)),
            *(device.put(offsets - begin), device.put(corpus.words[begin:end])),
            *(device.empty((end - begin + last - first,), np.int32), phi, prior, found),
            *(np.int32(n_topics), np.int32(rows.n_vectors(n_topics)), np.int32(n_iterations)),
        )
        rows.run(device, "fold_in.cu", "fold_in", launch, given, **NEED.constants(n_topics))
        device.get(found, mixtures[first:last])
    return mixtures
