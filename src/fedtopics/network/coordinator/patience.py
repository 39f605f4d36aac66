"""For whom a coordinator waits: a party may keep the others waiting in vain a few times, not in every round.

Of n questions, a party may leave about log4(n) unanswered and is waited for all the same: the first two, one
more of the first 8, of the first 32, and so on. In between it is asked like the others, and counts where it
answers in about the time that they take. No answer forgives a silence, or every second round could be kept
waiting.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from fedtopics.network.coordinator.answers import Silence


@dataclass
class Patience:
    """How often each party was asked, and was waited for in vain."""

    _asked: Counter[str] = field(default_factory=Counter, init=False)
    _silences: Counter[str] = field(default_factory=Counter, init=False)

    def unwaited(self, present: Collection[str], min_parties: int) -> frozenset[str]:
        """Those whose next answer is not waited for; nobody, where too few would be left to go on."""
        late = {name for name in self._asked if self._asked[name] + 1 < 2 ** (2 * self._silences[name] - 1)}
        return frozenset(late) if len(set(present) - late) >= min_parties else frozenset()

    def note(self, answers: Mapping[str, bytes | Silence], unwaited: frozenset[str]) -> None:
        """Count what has come of a question to these parties."""
        self._asked.update(answers.keys())
        self._silences.update(
            name for name, answer in answers.items() if isinstance(answer, Silence) and name not in unwaited
        )
