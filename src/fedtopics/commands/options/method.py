"""The method, its settings and its price."""

import json
from dataclasses import dataclass
from typing import Annotated, Any

import typer

from fedtopics.commands.options.panels import of_method, of_privacy
from fedtopics.errors import InputError
from fedtopics.protocol.method import Method
from fedtopics.protocol.summed import checked
from fedtopics.protocol.summing import Summing
from fedtopics.related_words import TAU

MethodName = Annotated[str, of_method("--method", help="See `fedtopics methods`.")]
TopicCount = Annotated[int, of_method("--topics", "-k", help="Number of topics.")]
Epsilon = Annotated[
    float | None,
    of_privacy(
        help="Privacy price of the methods that have one; its relation is printed.", show_default=False
    ),
]
Variant = Annotated[str | None, of_method(help="paper (as printed) or sound (repaired).", show_default=False)]
Unit = Annotated[
    str | None,
    of_privacy(
        help="What is protected or released as a whole, where the method has a choice, as hush: document or "
        "person.",
        show_default=False,
    ),
]
Rounds = Annotated[int | None, of_method(help="Rounds of training, where not the method's own number.")]
VocabularySize = Annotated[int, of_method(help="Number of words of the vocabulary.")]
Delta = Annotated[float, of_privacy(help="Chance that the promise may fail, well below 1 / documents.")]
Setting = Annotated[
    list[str] | None,
    of_method(
        "--set",
        metavar="NAME=VALUE",
        help="Any other setting of the method, as `fedtopics methods NAME` lists them; may be repeated.",
    ),
]
Consistency = Annotated[
    str | None,
    of_method(
        metavar="RELATION",
        help="Public word relation that the server draws topics towards: default, wordllama, wordnet, or a "
        "file of word vectors. Never one trained on the parties' documents.",
        show_default=False,
    ),
]
ConsistencyTau = Annotated[
    float | None,
    of_method(help=f"How strongly; 0: not at all; {TAU:g} if not given.", show_default=False),
]
Secure = Annotated[
    bool,
    of_privacy(
        "--secure-noise",
        help="Privacy noise from the operating system instead of the seed: for models to be published.",
    ),
]
Keep = Annotated[
    bool,
    typer.Option("--keep", help="Keep what a later `fedtopics update` may use again, for its owner alone."),
]
Audited = Annotated[
    bool,
    of_privacy("--audit", help="Attack the method too, with canaries in copies of some documents."),
]
SecureSum = Annotated[
    int | None,
    of_privacy(
        help="The server sees totals of parties alone, of whom so many may work together with it.",
        metavar="THRESHOLD",
    ),
]
NoiseOf = Annotated[
    str | None,
    of_privacy(help="With --secure-sum: noise by each party (each), or shares of it (together)."),
]

Repeats = Annotated[
    int | None, of_privacy(help="With --secure-sum: rounds that may be lost and played again.")
]


@dataclass(frozen=True)
class Settings:
    """How a method is set, where not as it is by default."""

    variant: Variant = None
    epsilon: Epsilon = None
    rounds: Rounds = None
    unit: Unit = None
    settings: Setting = None

    def given(self) -> dict[str, Any]:
        """The hyper-parameters that were given, by their names in the method."""
        known = {"variant": self.variant, "epsilon": self.epsilon, "n_rounds": self.rounds, "unit": self.unit}
        given = {name: value for name, value in known.items() if value is not None}
        for item in self.settings or []:
            name, equals, value = item.partition("=")
            if not equals:
                raise InputError(f"--set expects NAME=VALUE, got {item!r}")
            if name.strip() == "n_topics":
                raise InputError("the number of topics is set with --topics, got --set n_topics")
            if name.strip() in given:
                raise InputError(
                    f"expected {name.strip()} once, got it twice: by --set, or an option of its own"
                )
            given[name.strip()] = _value(value.strip())
        return given


def summing(
    threshold: int | None, noise: str | None, repeats: int | None = None, method: Method | None = None
) -> Summing | None:
    """How parties are added up, where that was asked for, if the `method` can be."""
    if threshold is None:
        for name, given in (("--noise", noise), ("--repeats", repeats)):
            if given is not None:
                raise InputError(f"{name} needs --secure-sum, got {given} without it")
        return None
    found = Summing(threshold, noise or "each", repeats or 0)
    return found if method is None else checked(method, found)


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return text
