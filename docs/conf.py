"""How Sphinx builds this documentation: python -m sphinx -W docs docs/_build/html."""

import sys
from importlib import metadata
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "kcmab_abm"
version = metadata.version("kcmab-abm")
extensions = [
    "myst_nb",
    "examples",
    "formulas",
]
exclude_patterns = ["_build", "joss", "**.ipynb_checkpoints"]
nitpicky = True

myst_enable_extensions = ["dollarmath", "attrs_inline"]
myst_heading_anchors = 4
nb_execution_mode = "off"  # notebooks are kept with their output, which tests compare

smartquotes = False  # two hyphens are an option

html_theme = "furo"
html_title = "kcmab_abm"
html_math_renderer = "drawings"
html_static_path = ["assets/site.css"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
