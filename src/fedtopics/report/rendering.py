"""Templates, style and script joined into one HTML file that asks the network for nothing."""

import json
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from importlib.resources import files
from typing import Any

TEMPLATES = files("fedtopics") / "report" / "templates"
# A file for each idea; pages have the script of their parts, and one style.
STYLES = tuple(
    f"style/{name}.css"
    for name in (
        "colors",
        "type",
        "page",
        "tables",
        "explorer",
        "topics",
        "parties",
        "privacy",
        "aligned",
        "print",
    )
)
EVERYWHERE = ("theme", "folding")
SCRIPTS = {
    name: tuple(f"script/{part}.js" for part in (*EVERYWHERE, *parts))
    for name, parts in {
        "run.html": (
            *("packed", "state", "labels", "map", "topic", "search", "list", "parties", "outlook"),
            *("fold_in", "try_a_text", "run"),
        ),
        "comparison.html": ("aligned",),
        "statement.html": (),
    }.items()
}


def render(template: str, **content: Any) -> str:
    """The page of a template in `templates/`; all text is escaped, SVG is passed with `markup`."""
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_text),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": number, "percent": percent, "size": size, "epsilon": epsilon}
    script = joined(SCRIPTS[template])
    digest = b64encode(sha256(script.encode()).digest()).decode()
    page: str = environment.get_template(template).render(
        style=markup(joined(STYLES)), script=markup(script), script_digest=digest, **content
    )
    # A word may hold half of a surrogate pair, which no file can.
    return page.encode("utf-8", "replace").decode("utf-8")


def markup(text: str) -> Any:
    """Text that is HTML already."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704 (only our own templates and drawings come here, which escape what they show)


def data_block(value: object) -> Any:
    """JSON that can stand inside a `<script>` element, whatever its strings hold."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return markup(text)


def joined(names: Sequence[str]) -> str:
    """Style sheets or scripts as one text."""
    return "\n".join(_text(name) for name in names)


def _text(name: str) -> str:
    return (TEMPLATES / name).read_text(encoding="utf-8")


def number(value: float | None, digits: int = 0) -> str:
    """A number with thousands separators; a dash where there is none.

    >>> number(12345.6), number(None), number(0.1234, 2)
    ('12,346', '–', '0.12')
    """
    return "–" if value is None else f"{value:,.{digits}f}"


def percent(value: float | None) -> str:
    """A share in percent.

    >>> percent(0.1234), percent(None)
    ('12.3 %', '–')
    """
    return "–" if value is None else f"{100 * value:.1f} %"


def size(n_bytes: float) -> str:
    """Bytes in the unit that suits them.

    >>> size(812), size(3_808_104), size(2e9)
    ('812 B', '3.8 MB', '2.0 GB')
    """
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= factor:
            return f"{n_bytes / factor:.1f} {unit}"
    return f"{n_bytes:.0f} B"


def epsilon(value: float | str) -> str:
    """An epsilon as it is printed; infinity is in words.

    >>> epsilon(6.0), epsilon("inf")
    ('6', 'no bound')
    """
    value = float(value)
    return "no bound" if value == float("inf") else f"{value:.4g}"
