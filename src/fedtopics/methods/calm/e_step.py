"""The E step of each round of CALM: with topics of tokens, or of whole documents.

Where every document is to be of one topic, all are mixtures until the last rounds, under a prior that sums to
EVEN. A short text that must choose a topic while topics form hardly leaves it again, and these stay where
chance and noise began them; mixtures move on. Then documents choose, without momentum, for few rounds: each
one more fits the topics closer to the noise.
"""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from fedtopics.methods.calm.earlier_histograms import Step
from fedtopics.methods.parts import continuing
from fedtopics.protocol.turn import Arrays, Turn
from fedtopics.sampling import channel_em, one_topic
from fedtopics.sampling.channel_em import SizedTopics

AGAIN_STEPS = 3  # in each round of a run that goes on from a model
FORMED, FORMING_STEPS = 20, 2  # the round from which on there are n_steps, and how many there are before it
CHOOSING = 10  # rounds of one topic; half of them in very short runs
EVEN = 10.0  # sum of the prior of such mixtures


@dataclass(frozen=True)
class EStep:
    """How documents are read in each of `n_rounds`: by up to `n_steps` updates, or as of `one_topic` each."""

    n_rounds: int
    n_steps: int
    one_topic: bool

    def is_single(self, number: int) -> bool:
        """Whether each document is of one topic in round `number`.

        >>> [EStep(n_rounds, 10, True).is_single(n_rounds - 10) for n_rounds in (12, 36, 90, 200)]
        [False, True, True, True]
        """
        return self.one_topic and number >= self.n_rounds - min(CHOOSING, self.n_rounds // 2)

    def of_round(self, topics: SizedTopics, alpha: NDArray[np.float32], turn: Turn, told: Arrays) -> Step:
        """The E step of this round, by what is `told` of the `topics`; `alpha` is the prior of mixtures."""
        exclude = turn.round > 1  # before topics have formed, a token is all the evidence there is
        if self.is_single(turn.round):
            single = partial(one_topic.expect, exclude=exclude, typical=float(told["length"]))
            return lambda kept, documents, n_known: single(kept, documents, topics)
        prior = np.full_like(alpha, EVEN / len(alpha)) if self.one_topic else alpha
        n_steps = self.n_steps if turn.round >= FORMED else min(self.n_steps, FORMING_STEPS)
        n_steps = min(self.n_steps, AGAIN_STEPS) if continuing.CONTINUES in told else n_steps
        expect = partial(channel_em.expect, n_steps=n_steps, exclude=exclude, n_threads=turn.n_threads)
        return lambda kept, documents, n_known: expect(kept, documents, topics, prior, n_known=n_known)
