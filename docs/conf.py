"""Sphinx configuration: MyST pages and an API reference from the docstrings."""

import re

from fedtopics import __version__

project = "fedtopics"
author = "the fedtopics authors"
copyright = "the fedtopics authors, Apache-2.0"  # noqa: A001
release = version = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "fedtopics"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
nitpicky = False


def show_as_written(app, what, name, obj, options, lines):
    """Docstrings are plain text: paragraphs laid out in columns or indented are shown as they stand."""
    paragraphs = re.split(r"\n\s*\n", "\n".join(lines))
    shown = []
    for paragraph in paragraphs:
        laid_out = re.search(r"^ |\S {2,}\S|\|", paragraph, re.MULTILINE)
        if laid_out and not paragraph.lstrip().startswith((">>>", ".. ", ":")):
            paragraph = "::\n\n" + "\n".join(f"    {line}" for line in paragraph.split("\n"))
        shown.append(paragraph)
    lines[:] = "\n\n".join(shown).split("\n")


def setup(app):
    app.connect("autodoc-process-docstring", show_as_written)
