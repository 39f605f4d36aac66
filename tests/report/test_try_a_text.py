"""A text that a reader types has the topics that the model gives it, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from reported import many_topics_run, small_run
from visits import Visit

from fedtopics.documents.text.tokens import tokenizer_for

TOLERANCE = 0.02  # of a share of a text, between this page and `TopicModel.transform`


TEXTS = (
    "{0} {1} {2} {0}, {3}; and WORD7's word12 un-known <b>word3</b>",
    "{4}’s {5}\u00ad {6} &amp; {7} {7} {8} 1990 x",
    "nothing of this is known",
)


@pytest.mark.parametrize("page", ["run", "many"])
def test_a_text_has_the_mixture_that_transform_gives_it(
    browser: Any, files: dict[str, Path], page: str
) -> None:
    model = (small_run() if page == "run" else many_topics_run()).model
    words = [row[0] for row in model.top_words(1)] * 9
    with Visit(browser, files[page]) as visit:
        for text in (text.format(*words) for text in TEXTS):
            found = visit.evaluate("text => mixtureOf(text)", text)
            exact = model.transform([text], tokenizer=tokenizer_for("en"))[0]
            assert np.abs(np.array(found["mixture"]) - exact).max() < TOLERANCE
            assert found["known"] == model.read([text], tokenizer=tokenizer_for("en")).n_tokens
        visit.page.fill("#text", TEXTS[0].format(*words))
        best = int(model.transform([TEXTS[0].format(*words)], tokenizer=tokenizer_for("en"))[0].argmax())
        visit.page.wait_for_selector("#mixture li")
        assert visit.page.locator("#mixture a").first.get_attribute("href") == f"#topic-{best}"
        visit.page.fill("#text", "nothing of this")
        visit.page.wait_for_function("() => !document.querySelector('#mixture li')")
        assert "None of its words" in visit.page.locator("#text-status").inner_text()
        assert visit.trouble == []  # nothing was asked of the network


def test_words_are_cut_as_the_model_cuts_them(browser: Any, files: dict[str, Path]) -> None:
    text = (
        "The Nation's 13 colonies don't re-unite; COVID19 in Málaga, l’homme d'Italia 1990s Cafe\u0301 "
        "_under_score it’s O'Neill's x &lt;b&gt; <br/>שָׁלוֹם नमस्ते А.Б. 3D co\u00adoperate '90s rock'n'roll"
    )
    with Visit(browser, files["run"]) as visit:
        for language in ("en", "de", "fr"):
            cut = visit.evaluate("([text, language]) => tokens(text, language)", [text, language])
            assert cut == tokenizer_for(language)(text), language
