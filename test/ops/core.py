#!/usr/bin/env python3
"""Compares the table of docs/ops.md with what the importer has: core.py TEPAL OPS.md

A row says yes (it is in the importer's table), no (it is not), or folded (the shapes' arithmetic).
"""

import subprocess
import sys

tepal, page = sys.argv[1:]
listed = subprocess.run([tepal, "info", "--operations"], capture_output=True, text=True, check=True)
there = {line.split("(")[0] for line in listed.stdout.splitlines()}
with open(page, encoding="utf-8") as text:
    rows = [[cell.strip() for cell in line.split("|")[1:4]] for line in text
            if line.startswith("| aten.")]
wrong = [
    f"{name}: '{said}' in the page, {'' if name in there else 'not '}in the importer's table"
    for name, said, _ in rows if said not in ("yes", "no", "folded") or
    (said == "yes") != (name in there)
]
wrong += [f"{name}: no reason given" for name, said, why in rows if said == "no" and not why]
print("\n".join(wrong) if wrong else f"{len(rows)} operators as the page says")
sys.exit(1 if wrong or not rows else 0)
