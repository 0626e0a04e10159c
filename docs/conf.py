"""How Sphinx builds the documentation: ``make docs``. Nothing is loaded from elsewhere."""

from palmares.core import errors

project = "Palmares"
author = "the Palmares contributors"
copyright = "the Palmares contributors, Apache-2.0"
extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",  # a page for each name that docs/reference/python.md lists
    "sphinx.ext.intersphinx",
    "sphinx.ext.napoleon",
]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["*.py", "_templates"]
templates_path = ["_templates"]

myst_heading_anchors = 4
nitpicky = True
nitpick_ignore = [  # a type variable and a helper have no page
    ("py:class", "palmares.facts.schema.T"),
    ("py:class", "palmares.facts.schema.Encoded"),
]
nitpick_ignore_regex = [  # types of fields and arguments that nobody has to name
    ("py:class", rf"palmares\.{module}\..*")
    for module in ("engines", "formats", "lists", "points", "regulations")
]
default_role = "py:obj"  # `rank` in a docstring is a link

autodoc_typehints_format = "short"
autodoc_class_signature = "separated"
autodoc_default_options = {"exclude-members": "__init__, __new__", "member-order": "bysource"}
python_maximum_signature_line_length = 80
napoleon_preprocess_types = True
napoleon_type_aliases = {  # "Raises: Refused" is a link
    name: f"{errors.__name__}.{name}" for name in vars(errors) if name[0].isupper()
}
intersphinx_mapping = {  # names that ours speak of; read from files here, never fetched
    "python": ("https://docs.python.org/3/", "inventories/python.txt"),
    "polars": ("https://docs.pola.rs/api/python/stable/reference/", "inventories/polars.txt"),
}

html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["docs.css"]
html_title = "Palmares"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"font-stack": "system-ui, sans-serif"},
    "dark_css_variables": {"font-stack": "system-ui, sans-serif"},
}
