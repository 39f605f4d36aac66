"""A run as one HTML page: topics to explore, parties, privacy, a text of one's own, quality, details."""

from fedtopics import methods
from fedtopics.audit.telling import sentences
from fedtopics.errors import InputError
from fedtopics.evaluation.usefulness import unsure
from fedtopics.privacy.explain import SAYS_NOTHING, words_add_up
from fedtopics.privacy.grades import scale
from fedtopics.protocol.method import About
from fedtopics.report import privacy_shown, quality_shown, topics_shown, training_shown
from fedtopics.report.explorer import explorer
from fedtopics.report.first_sentence import first_sentence
from fedtopics.report.parties_shown import parties_shown
from fedtopics.report.rendering import data_block, markup, render
from fedtopics.report.tree_drawn import drawn_tree
from fedtopics.runs.run import Run


def run_page(run: Run, *, public: bool = False, title: str | None = None) -> str:
    """The page of a `run`, complete in itself, under a `title` (else its own, else one that is made up).

    A `public` one shows what anybody may know, or is refused.
    """
    run = run.public if public else run
    alike = topics_shown.similarity(run.model)
    cards = topics_shown.cards(run.model, alike)
    about = _about(run.record["method"], run.record.get("variant"))
    spent = privacy_shown.spendings(run)
    headline = privacy_shown.headline(run, spent)
    parties = parties_shown(run)
    tree = drawn_tree(run.model.tree(), run.model.n_topics)
    outlook = privacy_shown.outlook(run, headline)
    data = explorer(run.model, cards, alike, parties) | {"outlook": outlook}
    return render(
        "run.html",
        run=run,
        record=run.record,
        title=title or run.record.get("title"),
        sentence=first_sentence(run, headline),
        about=about,
        unsure=[note for note in unsure(run.scores) if note in run.record.get("notes", [])],
        cards=cards,
        became=topics_shown.became(run),
        by_number={card.number: card for card in cards},
        tree_order=tree.order,
        tree=markup(tree.svg),
        data=data_block(data),
        n_indexed=data["packed"]["words"].count("\n") + 1,
        parties=parties,
        n_more_parties=len(run.record.get("party_topics", {})) - len(parties),
        charts=training_shown.charts(run),
        quality=quality_shown.rows(run),
        cost=quality_shown.cost(run),
        spendings=spent,
        headline=headline,
        outlook=outlook,
        counts_shown=privacy_shown.counts_shown(run),
        questions=privacy_shown.questions(run, spent, about.guarantee),
        says_nothing=SAYS_NOTHING,
        words_add_up=words_add_up(spent[0].guarantees) if spent else None,
        scale=scale(run.record["n_words"]),
        public=public,
        sizes_known=training_shown.knows_sizes(run),
        audited=sentences(run.record["audit"]) if "audit" in run.record else None,
        bytes_up=sum(entry.get("bytes_up", 0) for entry in run.record["rounds"]),
        bytes_down=sum(entry.get("bytes_down", 0) for entry in run.record["rounds"]),
    )


def _about(method: str, variant: str | None) -> About:
    """What the method says of itself; a run of a method that is not installed here still has a page."""
    try:
        return methods.find(method, variant).about
    except InputError:
        return About(method, "not known here: the method is not installed", "")
