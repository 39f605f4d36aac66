"""Sphinx configuration: MyST pages, a notebook, the command line and an API reference from the docstrings.

Nothing is fetched from a network, neither while building nor while reading: formulas are MathML.
"""

import sys
from pathlib import Path

from fedtopics import __version__

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

project = "fedtopics"
author = "the fedtopics authors"
copyright = "the fedtopics authors, Apache-2.0"  # noqa: A001
release = version = __version__
extensions = [
    "myst_nb",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "extensions.command_line",
    "extensions.docstrings",
    "extensions.mathml",
]
myst_enable_extensions = ["attrs_block", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"
exclude_patterns = ["_build", "extensions"]
html_theme = "furo"
html_title = "fedtopics"
html_static_path = ["_static"]
html_css_files = ["doors.css"]
html_math_renderer = "mathml"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
autodoc_member_order = "bysource"
autodoc_typehints = "description"
nitpicky = False
smartquotes = False  # two hyphens are those of an option
