"""Choose among the hypotheses of a speech recognizer with a language model adapted to a run's topics.

HYPOTHESES is an N-best file, one JSON object a line; utterances of a session are each other's context.
Where every line has a reference, word error rates before and after are shown.

[bold]Example[/bold]

  fedtopics rescore runs/talks heard.jsonl --language-model talks.arpa.gz --strength 0.1 --weight 6.5
"""

import logging
from pathlib import Path
from typing import Annotated

import typer

from fedtopics.applications.bootstrap import Score
from fedtopics.applications.speech import arpa, nbest
from fedtopics.applications.speech.adaptation import Adaptation
from fedtopics.applications.speech.rescoring import Setting, errors, rescored, word_error_rate
from fedtopics.commands import options
from fedtopics.runs.run import Run

logger = logging.getLogger(__name__)


def rescore(
    folder: options.RunFolder,
    hypotheses: Annotated[
        Path, typer.Argument(metavar="HYPOTHESES", help="N-best file (.jsonl; also .gz, .xz).")
    ],
    language_model: Annotated[Path, typer.Option(help="N-grams as an ARPA file (also .gz, .xz).")],
    way: Annotated[str, typer.Option(help="interpolation or rescaling.")] = "rescaling",
    strength: Annotated[float, typer.Option(help="Of the topics, 0 to 1.")] = 0.1,
    weight: Annotated[float, typer.Option(help="Of the language model beside the scores.")] = 1.0,
    included: Annotated[
        bool, typer.Option("--included", help="The scores contain this language model already.")
    ] = False,
    unknown: Annotated[
        float | None, typer.Option(help="Probability of words that a model without <unk> does not list.")
    ] = None,
    as_json: options.Json = False,
) -> None:
    setting = Setting(way, strength, weight)
    utterances = nbest.read(hypotheses)
    adaptation = Adaptation(arpa.read(language_model, unknown=unknown), Run.load(folder).model)
    chosen = rescored(utterances, adaptation, setting, included=included)
    texts = {u.name: " ".join(h.words) for u, h in zip(utterances, chosen, strict=True)}
    rates: dict[str, Score] = {}
    if all(utterance.reference for utterance in utterances):
        rates = {
            "first pass": word_error_rate(utterances, errors(utterances, [u.first for u in utterances])),
            "rescored": word_error_rate(utterances, errors(utterances, chosen)),
        }
        rates["difference"] = rates["rescored"].minus(rates["first pass"])
    if as_json:
        shown = {name: {"value": rate.value, "interval": rate.interval} for name, rate in rates.items()}
        options.print_json({"chosen": texts, "word_error_rates": shown})
        return
    for name, text in texts.items():
        options.say(f"{name}\t{text}")
    for name, rate in rates.items():
        logger.warning("word error rate, %s: %s", name, rate)
