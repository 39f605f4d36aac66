"""The page of a live view and its files, as texts."""

from collections.abc import Sequence

from fedtopics.report.rendering import TEMPLATES

STYLES = (*(f"style/{name}.css" for name in ("colors", "type", "page", "tables")), "live/live.css")
SCRIPTS = ("live/drawing.js", "live/parts.js", "live/live.js")
FILES = {
    "style.css": ("text/css", STYLES),
    "script.js": ("text/javascript", SCRIPTS),
    "icon.svg": ("image/svg+xml", ("live/icon.svg",)),
}


def text_of(names: Sequence[str]) -> str:
    """Files of templates as one text."""
    return "\n".join((TEMPLATES / name).read_text(encoding="utf-8") for name in names)


def page(title: str, views: Sequence[tuple[str, str]], here: str) -> str:
    """The page of this title, with links to all `views` where there are several; its script fills it."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(
        autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    template = environment.from_string(text_of(["live/live.html"]))
    return template.render(title=title, views=views, here=here)
