"""The documentation site: `make docs` gathers its pages (build.py) and runs Sphinx with this."""

import re
from pathlib import Path

project = "stablevar"
author = "the stablevar authors"
copyright = "the stablevar authors. MIT or Apache-2.0"
release = re.search(r'^version = "([^"]+)"', Path(__file__).with_name("Cargo.toml").read_text(), re.MULTILINE)[1]

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "sphinx.ext.napoleon"]
# Blocks of commands and what they print are not guessed at.
highlight_language = "none"
# Quotes are mostly those of values.
smartquotes = False

# The anchors of headings are those that code hosts make, so that one link serves both.
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]

# Notebooks are stored without outputs; here they run, and one that fails fails the build.
nb_execution_mode = "auto"
nb_execution_timeout = 180
nb_execution_in_temp = True
nb_execution_raise_on_error = True
nb_merge_streams = True

autosummary_generate = True
templates_path = ["_templates"]
autodoc_default_options = {"members": True, "inherited-members": True}
python_maximum_signature_line_length = 80
autodoc_member_order = "bysource"
# Docstrings have the types in words.
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
# A list like that of the parameters: attributes that are properties have an entry of their own already.
napoleon_custom_sections = [("Attributes", "params_style")]

# What other packages define has no page here to lead to.
nitpick_ignore_regex = [(r"py:.*", r"(?!stablevar\.).*")]

html_theme = "furo"
html_title = f"stablevar {release}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sourcelink = False


def shapes(app, what, name, thing, options, lines):
    """In "ndarray of shape (n_features_in_,)" the underscore is part of the name, not a reference."""
    lines[:] = [re.sub(r"(?<=\()(\w+)_(?=[,)])", r"\1\\_", line) if " : " in line else line for line in lines]


def not_ours(app, what, name, thing, skip, options):
    """What scikit-learn's base classes bring is in its own documentation."""
    module = getattr(thing, "__module__", None)
    return True if isinstance(module, str) and not module.startswith("stablevar") else None


def setup(app):
    app.connect("autodoc-skip-member", not_ours)
    # Before napoleon reads the lines.
    app.connect("autodoc-process-docstring", shapes, priority=400)
