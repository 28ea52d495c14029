"""Gathers what the book is made of: python stage.py CHECKOUT FOLDER [PROGRAM GLUE].

PROGRAM is notebooks/book/live compiled to WebAssembly, GLUE the script of Go that runs it: with them the book has the
page that trains, and notebooks have its panels. The notebooks stand in the order of the table in notebooks/README.md, which names every one of them. Figures are those
that are committed; each is described by the text that its SVG has for those who cannot see it.
"""

import base64
import gzip
import json
import re
import shutil
import sys
from importlib import metadata
from pathlib import Path

checkout, folder, *live = map(Path, sys.argv[1:])


def copy(name):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(checkout / name, folder / name)


# The panel of a notebook stands below the heading of the cell that trains.
training = re.compile(r"^## Live training$", re.M)
panels = {
    "fig1_warping.ipynb": 'task="warp" longest="10"',
    "fig3_copy.ipynb": 'task="copy" steps="20"',
    "fig4_adding.ipynb": 'task="adding" steps="60"',
}


def panel(name):
    """A cell with the panel that trains a notebook's task in the reader's browser."""
    html = f"""<p>Or train it here, smaller, in your browser; <a href="../live/index.html">a page of its own</a> has more.</p>
<link rel="stylesheet" href="../live/live.css">
<warptime-train {panels[name]}></warptime-train>
<script src="../live/live.js"></script>"""
    return {"cell_type": "markdown", "id": "train-it-here", "metadata": {}, "source": html}


def contents(caption, names):
    lines = ["```{toctree}", ":hidden:", f":caption: {caption}", "", *names, "```"]
    return "\n".join(lines) + "\n\n"


shutil.rmtree(folder, ignore_errors=True)
copy("README.md")
copy("CLAIMS.md")
copy("CONTRIBUTING.md")
copy("notebooks/README.md")

listed = re.findall(r"\| \[\w+\]\((\w+\.ipynb)\)", (checkout / "notebooks/README.md").read_text())
there = {path.name for path in (checkout / "notebooks").glob("*.ipynb")}
if set(listed) != there:
    sys.exit(f"stage.py: the table in notebooks/README.md and the notebooks differ in {sorted(set(listed) ^ there)}")
for name in listed:
    copy(f"notebooks/{name}")
    notebook = json.loads((folder / "notebooks" / name).read_text())
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code" and "".join(cell["source"]).startswith("%noautoget"):
            cell["metadata"]["tags"] = ["hide-input"]  # the imports
    if live and name in panels:
        places = [i for i, cell in enumerate(notebook["cells"]) if training.search("".join(cell["source"]))]
        if len(places) != 1:
            sys.exit(f"stage.py: {name} has {len(places)} headings “Live training”, want 1")
        notebook["cells"].insert(places[0] + 1, panel(name))
    (folder / "notebooks" / name).write_text(json.dumps(notebook))

for png in checkout.glob("figures/*/*.png"):  # the README shows one
    copy(png.relative_to(checkout))
claims = (checkout / "CLAIMS.md").read_text()
figures = [svg.relative_to(checkout) for svg in checkout.glob("figures/*/*.svg")]
figures.sort(key=lambda svg: (claims.find(f"`{svg.parent.name}/"), svg.name))  # papers as CLAIMS.md has them
pages = ["# Figures\n\nAs the committed records have them. Their captions say at which scale.\n"]
for svg in figures:
    copy(svg)
    paper, figure = svg.parent.name, svg.stem
    titles = re.findall(r"^### (.*)$", claims[: max(0, claims.find(f"`{paper}/{figure}."))], re.M)
    title = titles[-1] if titles else f"Figure {figure.removeprefix('fig')}"
    pages.append(f"({paper}-{figure})=\n## {title} ({paper}/{figure})\n\n![]({svg.relative_to('figures')})\n")
    about = [n for n in listed if f'"{paper}/{figure}"' in (checkout / "notebooks" / n).read_text().replace("\\", "")]
    if about:
        pages.append("More in " + ", ".join(f"[{Path(n).stem}](../notebooks/{n})" for n in about) + ".\n")
(folder / "figures/README.md").write_text("\n".join(pages))

readme = (folder / "README.md").read_text()
readme = readme.replace("notebooks/book/live/", "live/").replace('"figures/live.svg"', '"live/live.svg"')
(folder / "README.md").write_text(readme)
with open(folder / "README.md", "a") as root:
    root.write("\n" + contents("The reading", ["notebooks/README"] + [f"notebooks/{n[:-6]}" for n in listed]))
    root.write(contents("The evidence", ["figures/README", "CLAIMS"]))
    root.write(contents("Going on", ["CONTRIBUTING"]))

static = folder / "_static"
(static / "mathjax").mkdir(parents=True)
shutil.copy(checkout / "notebooks/book/conf.py", folder)
shutil.copy(checkout / "notebooks/book/book.css", static)
mathjax = next(f for f in metadata.files("sphinx-mathjax-offline") if f.name == "tex-svg.js")
shutil.copy(mathjax.locate(), static / "mathjax")

page = folder / "live"
page.mkdir()
shutil.copy(checkout / "figures/live.svg", page)
if live:
    program, glue = live
    for name in ["index.html", "live.css", "live.js", "recorded.js"]:
        shutil.copy(checkout / "notebooks/book/live" / name, page)
    shutil.copy(program, page / "live.wasm")
    # A page that is opened from a disk can load scripts, and nothing else.
    packed = base64.b64encode(gzip.compress(program.read_bytes(), mtime=0)).decode()
    (page / "packed.js").write_text(f'self.warptimePacked = "{packed}";\n')
    (page / "glue.js").write_text(f"self.warptimeGlue = {json.dumps(glue.read_text())};\n")
