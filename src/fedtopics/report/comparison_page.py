"""Several runs as one HTML page: quality against proved privacy, and their topics side by side."""

from collections.abc import Mapping, Sequence
from math import inf
from typing import Any

from fedtopics.model import TopicModel
from fedtopics.privacy.price.cost import RELATIONS
from fedtopics.report.aligned_topics import aligned_topics
from fedtopics.report.rendering import data_block, markup, render
from fedtopics.report.svg import Line, line_chart
from fedtopics.runs.comparison import Group, Record, common_relation, grouped

PANELS = (
    ("perplexity", "Held-out perplexity", "Lower is better."),
    ("coherence_npmi", "Coherence (NPMI)", "Higher is better."),
)
SCORES = ("perplexity", "coherence_npmi", "coherence_umass", "diversity")


def comparison_page(
    records: Sequence[Record], models: Mapping[str, TopicModel] | None = None, *, title: str | None = None
) -> str:
    """The page of runs on the same data, from their `records`, complete in itself.

    models   those whose topics stand side by side, by what to call them
    title    of the page, instead of one that is made up
    """
    groups = grouped(records)
    aligned = aligned_topics(models or {})
    relation = common_relation(groups)
    private = [group for group in groups if group.epsilon is not None]
    return render(
        "comparison.html",
        title=title,
        aligned=aligned,
        aligned_data=data_block(aligned),
        first=records[0],
        groups=groups,
        relation=relation,
        charts=[_chart(groups, relation, *panel) for panel in PANELS] if relation else [],
        unpriced=[g for g in groups if g.epsilon is not None and relation and g.proved(relation) == inf],
        n_seeds=max(len(group.records) for group in groups),
        n_runs=len(records),
        best=_best(private),
        scores={id(group): {name: group.score(name) for name in SCORES} for group in groups},
        identity=id,
    )


def _best(private: Sequence[Group]) -> list[Group]:
    """The private group of least perplexity among those that protect the same: one for each relation."""
    alike = [[group for group in private if group.protects == relation] for relation in RELATIONS]
    return [min(rivals, key=lambda group: group.score("perplexity").mean) for rivals in alike if rivals]


def _chart(groups: Sequence[Group], relation: str, score: str, title: str, note: str) -> dict[str, Any]:
    priced = [g for g in groups if g.epsilon is not None and g.proved(relation) < inf]
    places = sorted({group.proved(relation) for group in priced})
    ends = (places[0], places[-1]) if len(places) > 1 else (0.8 * places[0], 1.2 * places[0])
    names = dict.fromkeys(group.name for group in priced)
    lines = [_line(name, [g for g in priced if g.name == name], relation, score) for name in names]
    flat = [group for group in groups if group.epsilon is None]
    lines += [Line(g.name, ends, [g.score(score).mean] * 2, dashed=True) for g in flat]
    drawn = line_chart(
        lines,
        title=title,
        x_label=f"proved epsilon ({relation})",
        y_label="",
        width=460,
        height=300,
        headed=False,
    )
    return {"title": title, "svg": markup(drawn), "note": note}


def _line(name: str, groups: Sequence[Group], relation: str, score: str) -> Line:
    ordered = sorted(groups, key=lambda group: group.proved(relation))
    found = [group.score(score) for group in ordered]
    return Line(
        name,
        [group.proved(relation) for group in ordered],
        [spread.mean for spread in found],
        [(spread.low, spread.high) for spread in found],
    )
