"""Prints the first cell of an executed notebook that failed, and why: python3 failure.py NOTEBOOK. It then exits with 1.

GoNB writes what the compiler says into an HTML output, with the code around each place as a hidden part of it.
"""

import html
import json
import re
import sys

NOT_SHOWN = re.compile(r'<style>.*?</style>|<div class="gonb-err-context">.*?</div></div>|</?(?:div|span|pre)\b[^>]*>', re.S)


def said(output):
    kind = output["output_type"]
    if kind == "error":
        return output["evalue"]
    if kind == "stream" and output["name"] == "stderr":
        return "".join(output["text"])
    return html.unescape(NOT_SHOWN.sub("", "".join(output.get("data", {}).get("text/html", ""))))


with open(sys.argv[1], encoding="utf-8") as file:
    cells = json.load(file)["cells"]
failed = [cell for cell in cells if any(o["output_type"] == "error" for o in cell.get("outputs", []))]
if failed:
    print(f"{len(failed)} of {len(cells)} cells failed. The first is In [{failed[0]['execution_count']}]:\n")
    print("".join(failed[0]["source"]), end="\n\n")
    for line in "\n".join(map(said, failed[0]["outputs"])).splitlines():
        if line.strip():
            print(line)
    sys.exit(1)
