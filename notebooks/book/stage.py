"""Gathers what the book is made of: python stage.py CHECKOUT FOLDER FIGURES PROGRAM GLUE.

FIGURES is what scripts/figures -web wrote, PROGRAM is notebooks/book/live compiled to WebAssembly, GLUE the script of Go
that runs it. The notebooks stand in the order of the table in notebooks/README.md, which names every one of them, and
figures in that of their papers.
"""

import base64
import gzip
import html
import json
import re
import shutil
import sys
from importlib import metadata
from pathlib import Path

checkout, folder, drawn, program, glue = map(Path, sys.argv[1:])
figures = json.loads((drawn / "figures.json").read_text())


def copy(name):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(checkout / name, folder / name)


def write(name, text):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text)


def contents(caption, names):
    return "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *names, "```"]) + "\n\n"


def to_page(text):
    """Leads to the page that trains, which is none of Sphinx's."""
    return re.sub(r"\[([^]]*)\]\(notebooks/book/live/index\.html\)", r'<a href="live/index.html">\1</a>', text)


def figure_of(about):
    """A figure as HTML, before its caption and after it. Where the pointer is, its points say their values."""
    pictures = ""
    for name in ["", ".narrow"]:
        path = drawn / f"{about['id']}{name}.svg"
        if path.exists():
            svg = re.sub(r' width="[\d.]+pt" height="[\d.]+pt"', "", path.read_text(), count=1)  # as wide as the page
            pictures += svg.replace("\n", " ").replace("<svg ", f'<svg class="{name[1:] or "wide"}" ', 1)
    head, *rows = about.get("conditions") or [[]]
    lines = ["".join(f'<th scope="col">{html.escape(cell)}</th>' for cell in head)]
    lines += ["".join(f"<td>{html.escape(cell)}</td>" for cell in row) for row in rows]
    table = "".join(f"<tr>{line}</tr>" for line in lines)
    table = f'<div class="conditions"><table>{table}</table></div>\n' if rows else ""
    return f'<figure class="drawn">{pictures}<figcaption>\n', f"{table}</figcaption></figure>\n"


# The panel of a notebook stands below the heading of the cell that trains.
training = re.compile(r"^## .*\blive\b.*$", re.M | re.I)
panels = {
    "fig1_warping.ipynb": '<warptime-text></warptime-text>\n<warptime-train task="warp"></warptime-train>',
    "fig3_copy.ipynb": '<warptime-train task="copy"></warptime-train>',
    "fig4_adding.ipynb": '<warptime-train task="adding"></warptime-train>',
}


def panel(name):
    """A cell that says what a reader of the book sees of a training, and a panel that trains in the browser."""
    text = "*This page shows the training as it ran when the notebook was executed.* In Jupyter you can run it again."
    if name in panels:
        text += f"""
Or train a smaller one here, in your browser; <a href="../live/index.html">a page of its own</a> has more.

<link rel="stylesheet" href="../live/live.css">
{panels[name]}
<script src="../live/live.js"></script>"""
    return {"cell_type": "markdown", "id": "as-it-ran", "metadata": {}, "source": text}


shutil.rmtree(folder, ignore_errors=True)
for name in ["CLAIMS.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "chrono/README.md", "notebooks/README.md"]:
    copy(name)

listed = re.findall(r"\| \[\w+\]\((\w+\.ipynb)\)", (checkout / "notebooks/README.md").read_text())
there = {path.name for path in (checkout / "notebooks").glob("*.ipynb")}
if set(listed) != there:
    sys.exit(f"stage.py: the table in notebooks/README.md and the notebooks differ in {sorted(set(listed) ^ there)}")
shown = {}  # the notebooks that show a figure
for name in listed:
    notebook = json.loads((checkout / "notebooks" / name).read_text())
    trains = None
    for i, cell in enumerate(notebook["cells"]):
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown" and training.search(source):
            trains = i
        if cell["cell_type"] != "code":
            continue
        if source.startswith("%noautoget"):
            cell["metadata"]["tags"] = ["hide-input"]  # the imports
        for about in figures:
            if f'show.Figure("{about["id"]}")' in source:
                shown.setdefault(about["id"], []).append(name)
                before, after = figure_of(about)
                page = before + html.escape(about["caption"]) + after
                for output in cell["outputs"]:
                    if "image/svg+xml" in output.get("data", {}):
                        output["data"], output["metadata"] = {"text/html": page}, {}
    if trains is not None:
        notebook["cells"].insert(trains + 1, panel(name))
    elif name in panels:
        sys.exit(f"stage.py: {name} has no heading with “live”, below which its panel belongs")
    write(f"notebooks/{name}", json.dumps(notebook))

# A page for each figure, and one with all of them. What stands in extra is copied into the book as it is.
claims = (checkout / "CLAIMS.md").read_text()
places, papers, heading = {}, {}, ""  # of a figure's claims; headings of the papers
for level, text in re.findall(r"^(#+) (.*)$", claims, re.M):
    if about := re.search(r"\(`((\w+)/[\w-]+)`\)$", text):
        places[about[1]] = re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-")
        papers.setdefault(about[2], heading)
    else:
        heading = text
shelves = {}  # by heading, in the papers' order: (figure, title)
for about in figures:
    paper, name = about["id"].split("/")
    number = re.fullmatch(r"fig(\d+)", name)
    of = "" if papers[paper] == [*papers.values()][0] else " of the second paper"
    title = f"Figure {number[1]}{of}: {about['title']}" if number else about["title"]
    shelves.setdefault(papers[paper] if number else "Our own experiments", []).append((about["id"], title))
    (folder / "extra/figures" / paper).mkdir(parents=True, exist_ok=True)
    for path in drawn.glob(f"{about['id']}.*"):
        shutil.copy(path, folder / "extra/figures" / paper)
    before, after = figure_of(about)
    caption = re.sub(r"([\\`*_\[\]<>$#|~])", r"\\\1", about["caption"])
    more = [f"[{Path(n).stem}](../../notebooks/{n})" for n in shown.get(about["id"], [])]
    if place := places.get(about["id"]):
        more.append(f"[what the paper says, and our verdicts](../../CLAIMS.md#{place})")
    if (drawn / f"{about['id']}.csv").exists():
        more.append(f'<a href="{name}.csv" download>all points as CSV</a>')
    text = f"# {title}\n\n```{{raw}} html\n{before}```\n\n{caption}\n\n```{{raw}} html\n{after}```\n"
    write(f"figures/{about['id']}.md", text + ("\nMore: " + "; ".join(more) + ".\n" if more else ""))
page = "# Figures\n\nDrawn from the committed records. On a figure's page, point at a line to see its values.\n\n"
shelves["Our own experiments"] = shelves.pop("Our own experiments")  # last
for heading, shelf in shelves.items():
    links = [f'<a href="{id}.html"><img src="{id}.svg" alt="" loading="lazy">{html.escape(title)}</a>' for id, title in shelf]
    page += f"## {heading}\n\n" + '<div class="gallery">\n' + "\n".join(links) + "\n</div>\n\n"
ordered = [id for shelf in shelves.values() for id, _ in shelf]
write("figures/README.md", page + contents("Figures", ordered))

write("FINDINGS.md", to_page((checkout / "FINDINGS.md").read_text()))

# The front page has the README's findings.
readme = (checkout / "README.md").read_text()
five = re.search(r"^In short.*?\n\n(- .*?)\n\n(?!- )", readme, re.S | re.M)[1]
front = (checkout / "notebooks/book/front.md").read_text()
front = to_page(front.replace("{findings}", re.sub(r"\s*<!--.*?-->", "", five, flags=re.S)))
front += "\n" + contents("The reading", ["FINDINGS", "notebooks/README"] + [f"notebooks/{n[:-6]}" for n in listed])
front += contents("The evidence", ["figures/README", "CLAIMS"])
front += contents("Going on", ["chrono/README", "CONTRIBUTING", "ARCHITECTURE"])
write("index.md", front)

static = folder / "_static"
(static / "mathjax").mkdir(parents=True)
shutil.copy(checkout / "notebooks/book/conf.py", folder)
shutil.copy(checkout / "notebooks/book/book.css", static)
shutil.copy(checkout / "notebooks/book/book.js", static)
mathjax = next(f for f in metadata.files("sphinx-mathjax-offline") if f.name == "tex-svg.js")
shutil.copy(mathjax.locate(), static / "mathjax")

page = folder / "extra/live"
page.mkdir()
for picture in (checkout / "figures").glob("live*.svg"):
    shutil.copy(picture, page)
for path in (checkout / "notebooks/book/live").iterdir():
    if path.suffix in (".html", ".css", ".js"):
        shutil.copy(path, page)
shutil.copy(program, page / "live.wasm")
# A page that is opened from a disk can load scripts, and nothing else.
packed = base64.b64encode(gzip.compress(program.read_bytes(), mtime=0)).decode()
(page / "packed.js").write_text(f'self.warptimePacked = "{packed}";\n')
(page / "glue.js").write_text(f"self.warptimeGlue = {json.dumps(glue.read_text())};\n")
