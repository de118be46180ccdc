#!/usr/bin/env python3
"""Chooses the models of cases/ among those that generate.py made: choose.py FROM TO COUNT

Takes, time and again, the model with the most operations that the chosen ones lack, where an
operation counts with each type of its first result; small files before large ones.
"""

import json
import pathlib
import shutil
import sys
import zipfile


def operations(path):
    with zipfile.ZipFile(path) as archive:
        name = next(n for n in archive.namelist() if n.startswith(f"{path.stem}/models/"))
        graph = json.loads(archive.read(name))["graph_module"]["graph"]
    types = {name: value["dtype"] for name, value in graph["tensor_values"].items()}
    for node in graph["nodes"]:
        first = node["outputs"][0] if node["outputs"] else {}
        of = first.get("as_tensor") or (first.get("as_tensors") or [{}])[0]
        yield node["target"], types.get(of.get("name"))


def main():
    source, target, count = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3])
    models = {path: set(operations(path)) for path in sorted(source.glob("*.pt2"))}
    names = {path: {name for name, _ in found} for path, found in models.items()}
    known, known_names = set(), set()
    for _ in range(min(count, len(models))):
        best = max(models, key=lambda path: (4 * len(names[path] - known_names) +
                                             len(models[path] - known), -path.stat().st_size))
        known |= models.pop(best)
        known_names |= names[best]
        for file in source.glob(f"{best.stem}.*"):
            shutil.copy(file, target)
    print(f"{len(known_names)} operations, {len(known)} with their types")


main()
