"""Copies the notebooks to where Jupyter opens them: python notebooks.py NOTEBOOKS COPIES OPENED.

Prints the paths of new copies. A copy whose code or text a reader has changed stays as it is, and so do the outputs of
one that was only run, until the notebook itself changes. OPENED has what was copied last time. index.ipynb has the table
of notebooks in their order, which a list of files has not.
"""

import json
import re
import sys
from pathlib import Path

notebooks, copies, opened = map(Path, sys.argv[1:])
copies.mkdir(parents=True, exist_ok=True)
opened.mkdir(parents=True, exist_ok=True)


def sources(text):
    return [(cell["cell_type"], "".join(cell["source"])) for cell in json.loads(text)["cells"]]


def copy(name, text):
    to, before = copies / name, opened / name
    if to.exists() and to.read_text() != (before.read_text() if before.exists() else None):
        ours, theirs = sources(text), sources(to.read_text())
        if ours == theirs:
            return
        if not before.exists() or theirs != sources(before.read_text()):
            print(f"notebooks.sh: {to} is yours, and stays as you left it", file=sys.stderr)
            return
    to.write_text(text)
    before.write_text(text)
    print(to)


readme = (notebooks / "README.md").read_text()
headings = {re.sub("[^a-z -]", "", h.lower()).replace(" ", "-"): h for h in re.findall("^## (.*)$", readme, re.M)}


def linked(text):
    """Beside a copy there are only other copies: README is the index, and all else is on GitHub."""
    text = re.sub(r"\(README\.md#([a-z-]+)\)", lambda m: f"(index.ipynb#{headings[m[1]].replace(' ', '-')})", text)
    return text.replace("](../", "](https://github.com/warptime/warptime/blob/main/")


for path in notebooks.glob("*.ipynb"):
    # The kernel does not say by which name highlighters know Go. Jupyter would take the name for a change, and save it.
    copy(path.name, linked(path.read_text()).replace('"pygments_lexer": "go"', '"pygments_lexer": ""'))
index = re.split("^## Running", readme, maxsplit=1, flags=re.M)[0]
cell = {"cell_type": "markdown", "id": "index", "metadata": {}, "source": linked(index)}
kernel = {"kernelspec": {"name": "gonb", "display_name": "Go (gonb)"}}  # else Jupyter asks for one
copy("index.ipynb", json.dumps({"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}, indent=1))
