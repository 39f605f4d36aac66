"""FTM and iFTM: federated topic modeling with heterogeneous parties, LDA and SentenceLDA.

Di Jiang et al., Federated topic modeling, CIKM 2019 (FTM); Industrial federated topic modeling, ACM TIST 2021
(iFTM).

    party, once    paper: x_i = one-hot vector of token i + Laplace noise of scale 1/epsilon, where it exceeds tau
                   sound: Y_d = word counts of document (sentence) d + discrete Laplace noise, where >= 1
    round t        server:  t > 0: send each party its topics with each replaced by the global one it went into
                   party:   n_local iterations on x (Y) alone, from those topics;
                            send its topics, normalized, and the amount of data behind each
                   server:  fold the parties' topics into the global model (`integration.py`): matched ones are
                            merged as (sum w_i z_i) / (sum w_i), the others stand for themselves

    variant   paper                                        sound
    local     Metropolis-Hastings, likelihood              lda: channel-aware EM;  sentence: the same chain with
              exp(sum_w x_w log phi_kw), phi drawn         the likelihood of Y under the law of its noise
    starts    anew from the topics received                where the last round ended; the topics' counts at
              (meta-learning)                              other parties stay in every estimate of phi
    matching  weighted Jaccard on top_words, xi = 0.3      one-to-one, Bhattacharyya, xi = 0.65; no smoothing
                                                           base in what is compared

Guarantee: epsilon for a word added or removed, 2 epsilon for a word replaced, n epsilon for a document of at
most n = max_length tokens. Vectors are drawn once and remembered, and all that leaves is computed from them:
the number of rounds costs nothing. Public: vocabulary, settings, n_topics of each party, its number of
documents (and sentences); with `paper` the length of every document too.

Corrections to the printed algorithms, in both variants. The acceptance ratio (FTM 12, 15; iFTM 21, 26) has the
proposal upside down, and even the right form (FTM 13; iFTM 19, 27) is biased, as the proposal contains the
token itself: here it never does. A sentence moves as a whole (iFTM Alg. 2, 17-19 moves its words). phi is
drawn in log space, as small gamma draws underflow. The first round has local iterations too (Alg. 1). A
global topic is taken out of the composition only when it was used (Alg. 3). Counts and proposals come from
privatized vectors, as with raw ones there is no finite epsilon. Topic-wise normalization is kept as a format:
it encrypts nothing (`integration.normalize`).
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from fedtopics import integration
from fedtopics.errors import InputError
from fedtopics.federation import private_topics
from fedtopics.federation.private_topics import Training
from fedtopics.federation.private_units import Releasing
from fedtopics.federation.protocol import About, Arrays, Party, Turn
from fedtopics.integration import Matching, Topics
from fedtopics.model import TopicModel
from fedtopics.privacy.contribution import Bounds
from fedtopics.privacy.release import Cost, Release

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ftm:
    epsilon: float = 8.0  # word add/remove
    n_topics: int = 50
    topics_per_party: Mapping[str, int] | None = None  # by party name; the others have n_topics
    n_rounds: int = 5
    n_local: int = 30  # iterations of a party in a round
    model_kind: str = "lda"  # or "sentence": all words of a sentence share a topic
    variant: str = "sound"  # or "paper"
    tau: float = 0.2  # threshold of `paper`
    matching: str | None = None  # assignment or jaccard, where not the variant's own
    xi: float | None = None  # least similarity of topics that are merged
    top_words: int = 50  # of each topic, compared by jaccard
    alpha: float = 0.1
    beta: float = 0.05
    max_length: int | None = None  # public bound on the tokens of a document; prices whole documents

    about: ClassVar[About] = About(
        summary="few rounds, parties with different numbers of topics",
        guarantee="epsilon for a word added or removed, whatever the number of rounds",
        citation="Jiang et al., CIKM 2019 and ACM TIST 2021",
    )
