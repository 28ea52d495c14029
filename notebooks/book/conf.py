"""How Sphinx makes the book; stage.py says what is in it."""

import json
import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes

project = author = "warptime"
extensions = ["myst_nb"]
root_doc = "README"

# Notebooks are shown with the outputs that they were committed with.
nb_execution_mode = "off"
nb_code_prompt_show = "Show the imports"
nb_code_prompt_hide = "Hide the imports"
nb_render_markdown_format = "gfm"
# An SVG is as sharp on every screen.
nb_mime_priority_overrides = [("html", "image/svg+xml", 1)]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 3
suppress_warnings = ["myst.header"]  # GitHub's pages may begin below a title of their own

html_theme = "sphinx_book_theme"
html_title = "Can recurrent neural networks warp time?"
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_theme_options = {
    "use_download_button": False,
    "use_fullscreen_button": False,
    "show_navbar_depth": 2,
    "home_page_in_toc": True,
    "footer_content_items": [],
    # The theme's own bar has all this once more.
    "navbar_start": [], "navbar_center": [], "navbar_persistent": [], "navbar_end": [],
}
html_copy_source = False
html_show_copyright = False
html_show_sphinx = False
html_last_updated_fmt = None
mathjax_path = "mathjax/tex-svg.js"
# What the browser does not offer, it should not load.
mathjax3_config = {"options": {"enableMenu": False}}

# What a link leads to that is in the repository and not in the book.
repository = "https://github.com/warptime/warptime/blob/main/"


def alternatives(app, doctree):
    """Gives a picture without a text the one that its SVG has for those who cannot see it."""
    for image in doctree.findall(nodes.image):
        path = Path(app.srcdir) / image["uri"].lstrip("/")
        if not image.get("alt") and path.suffix == ".svg":
            image["alt"] = ElementTree.parse(path).getroot().get("aria-label", "")


def cards(app, doctree):
    """Turns the tables of claims, whose cells hold sentences, into cards: a row's first cell, and below it the others,
    each with its heading."""
    for table in list(doctree.findall(nodes.table)):
        rows = [list(row.findall(nodes.entry)) for row in table.findall(nodes.row)]
        if not rows or rows[0][0].astext() != "Claim":
            continue
        heads, made = [entry.astext() for entry in rows[0]], []
        for row in rows[1:]:
            card = nodes.container(classes=["card-of-claim"])
            for head, entry in zip(heads, row):
                body = nodes.paragraph(classes=[head.lower().replace(" ", "-")])
                if head != "Claim":
                    body += [nodes.inline("", head, classes=["head"]), nodes.Text(" ")]
                for part in entry.children:
                    body += part.children if isinstance(part, nodes.paragraph) else [part]
                card += body
            made.append(card)
        table.replace_self(made)


# A link, or code, in which what looks like one is none.
code_or_link = re.compile(r"```.*?```|`[^`\n]*`|(?<!!)(\[[^]]*\])\(([^)\s]+)\)", re.S)


def links(app, docname, source):
    """Makes links to what is not in the book lead to the repository."""
    folder = Path(docname).parent

    def target(match):
        path = match[2]
        if path is None or re.match(r"[a-z]+:|#", path):
            return match[0]
        if figure := re.fullmatch(r"figures/(\w+)/(\w+)\.(png|svg)", path):
            return f"{match[1]}(figures/README.md#{figure[1]}-{figure[2]})"
        there = (Path(app.srcdir) / folder / path.split("#")[0]).resolve()
        if there.is_file():
            return match[0]
        return f"{match[1]}({repository}{there.relative_to(Path(app.srcdir).resolve())})"

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


def front(app, exception):
    """Makes the README the page that a folder opens with, and adds the page that trains."""
    if exception is None:
        shutil.copy(Path(app.outdir) / "README.html", Path(app.outdir) / "index.html")
        shutil.copytree(Path(app.srcdir) / "live", Path(app.outdir) / "live", dirs_exist_ok=True)


def setup(app):
    app.connect("build-finished", front)
    app.connect("source-read", links)
    app.connect("doctree-read", alternatives)
    app.connect("doctree-read", cards)
