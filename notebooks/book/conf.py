"""How Sphinx makes the book; stage.py says what is in it."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes

project = author = "warptime"
extensions = ["myst_nb"]
root_doc = "index"
exclude_patterns = ["extra"]
html_extra_path = ["extra"]
html_use_index = False
html_domain_indices = False
html_show_search_summary = False  # it would fetch the pages, which a browser refuses for files

# Notebooks are shown with the outputs that they were committed with.
nb_execution_mode = "off"
nb_code_prompt_show = "Show the code"
nb_code_prompt_hide = "Hide the code"
nb_render_markdown_format = "gfm"
# An SVG is as sharp on every screen.
nb_mime_priority_overrides = [("html", "image/svg+xml", 1)]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
myst_disable_syntax = ["myst_line_comment"]  # a line may begin with %, as it does in Jupyter and on GitHub
suppress_warnings = ["myst.header"]  # GitHub's pages may begin below a title of their own

html_theme = "sphinx_book_theme"
html_title = "Can recurrent neural networks warp time?"
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_js_files = ["book.js"]
html_theme_options = {
    "use_download_button": False,
    "use_fullscreen_button": False,
    "show_navbar_depth": 1,
    "home_page_in_toc": True,
    "footer_content_items": [],
    # The theme's own bar has all this once more.
    "navbar_start": [], "navbar_center": [], "navbar_persistent": [], "navbar_end": [],
}
html_context = {"default_mode": "auto"}
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_last_updated_fmt = None
mathjax_path = "mathjax/tex-svg.js"
# What the browser does not offer, it should not load.
mathjax3_config = {"options": {"enableMenu": False}}

# What a link leads to that is in the repository and not in the book.
repository = "https://github.com/warptime/warptime/blob/main/"


verdicts = re.compile(r"reproduced|not reproduced|undecided|not run")


def colours(app, doctree):
    """Marks the verdicts, so that they can have colours, and tables that a phone shows row by row."""
    for table in doctree.findall(nodes.table):
        if re.match(r"claim\s|Your case", table.astext().strip()):
            table["classes"].append("findings")
    for strong in doctree.findall(nodes.strong):
        if verdict := verdicts.match(strong.astext()):
            strong["classes"] += ["answer", verdict[0].replace(" ", "-")]


def cards(app, doctree):
    """Marks the entries of claims, which begin with a letter, the claim and its name, by their verdicts."""
    for entry in doctree.findall(nodes.paragraph):
        if not re.match(r"[a-z]\. ", entry.astext()) or not any(entry.findall(nodes.literal)):
            continue
        answers = [strong["classes"][1] for strong in entry.findall(nodes.strong) if "answer" in strong["classes"]]
        entry["classes"] += ["card-of-claim", (answers or ["not-run"])[0]]


def headless(app, doctree):
    """Removes the head of a table that has nothing in it."""
    for head in list(doctree.findall(nodes.thead)):
        if not head.astext().strip():
            head.parent.remove(head)


def unbroken(app, doctree):
    """Keeps a number and its percent sign in one line."""
    for text in list(doctree.findall(nodes.Text)):
        if re.search(r"\d %", text) and not isinstance(text.parent, (nodes.literal, nodes.FixedTextElement, nodes.math)):
            text.parent.replace(text, nodes.Text(re.sub(r"(?<=\d) %", "\N{NO-BREAK SPACE}%", text)))


def alternatives(app, doctree):
    """Gives pictures the words that their SVG has for those who cannot see it."""
    for image in doctree.findall(nodes.image):
        picture = Path(app.srcdir, image["uri"])
        if not image.get("alt") and picture.suffix == ".svg":
            image["alt"] = ElementTree.parse(picture).getroot().get("aria-label", "")


# A link, or code, in which what looks like one is none.
code_or_link = re.compile(r"```.*?```|`[^`\n]*`|(?<!!)(\[[^]]*\])\(([^)\s]+)\)", re.S)


def links(app, docname, source):
    """Makes links to what is not in the book lead to the repository."""
    folder = Path(docname).parent

    def target(match):
        path = match[2]
        if path is None or re.match(r"[a-z]+:|#", path):
            return match[0]
        path = re.sub(r"(figures/[\w-]+/[\w-]+)\.(png|svg)$", r"\1.md", path)
        there = (Path(app.srcdir) / folder / path.split("#")[0]).resolve()
        if not there.is_file():
            path = repository + str(there.relative_to(Path(app.srcdir).resolve()))
        return f"{match[1]}({path})"

    def led(lines):
        return code_or_link.sub(target, "".join(lines))

    if Path(app.env.doc2path(docname)).suffix != ".ipynb":
        source[0] = led(source[0])
        return
    notebook = json.loads(source[0])
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            cell["source"] = led(cell["source"])
        for output in cell.get("outputs", []):
            if written := output.get("data", {}).get("text/markdown"):
                output["data"]["text/markdown"] = led(written)
    source[0] = json.dumps(notebook)


def setup(app):
    app.connect("source-read", links)
    app.connect("doctree-read", headless)
    app.connect("doctree-read", colours)
    app.connect("doctree-read", cards)
    app.connect("doctree-read", unbroken)
    app.connect("doctree-read", alternatives)
