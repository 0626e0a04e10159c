"""How Sphinx builds the documentation: ``make docs``. Nothing is loaded from elsewhere."""

project = "Palmares"
author = "the Palmares contributors"
copyright = "the Palmares contributors, Apache-2.0"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["*.py"]

myst_heading_anchors = 4
nitpicky = True

html_theme = "furo"
html_title = "Palmares"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "light_css_variables": {"font-stack": "system-ui, sans-serif"},
    "dark_css_variables": {"font-stack": "system-ui, sans-serif"},
}
