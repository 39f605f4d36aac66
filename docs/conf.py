"""Sphinx configuration: MyST pages and an API reference from the docstrings."""

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
