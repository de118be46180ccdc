#!/usr/bin/env python3
"""Makes a random PyTorch model from the operations that Tepal compiles, exports it, and runs it.

    generate.py FOLDER SEED [COUNT]     writes SEED.py (its source), SEED.pt2, SEED.inK.npy, SEED.outK.npy
                                and SEED.options (`tepal build`'s at a random N) to FOLDER

Needs torch. Shapes are small and odd (1, primes), so that unroll factors and banks do not divide
them; inputs hold NaN, infinities, -0 and subnormals in some models. A model with state is run
several times in a row.
"""

import copy
import linecache
import pathlib
import random
import sys
import warnings
import zipfile

import numpy as np
import torch
from torch.utils._pytree import tree_leaves

from model import FLOATS, Model, Perturbed, close
from operations import operations

SIZES = [1, 1, 2, 3, 3, 4, 5, 5, 6, 7, 8, 9, 11, 13]
SPECIALS = [float("nan"), float("inf"), float("-inf"), -0.0, 0.0, 1e-40, 6e-8]


def shape_of_input(rng):
    rank = rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5])
    while True:
        shape = [rng.choice(SIZES) for _ in range(rank)]
        if np.prod(shape, dtype=int) <= 150:
            return shape


def random_tensor(rng, shape, dtype):
    if dtype == torch.bool:
        return torch.rand(shape) > 0.5
    if dtype not in FLOATS:
        return torch.randint(0 if dtype == torch.uint8 else -9, 10, shape, dtype=dtype)
    return torch.randn(shape).to(dtype)


def add_specials(rng, tensor):
    flat = tensor.view(-1)
    for _ in range(1 + flat.numel() // 5):
        flat[rng.randrange(flat.numel())] = rng.choice(SPECIALS)


def add_inputs(m):
    count = m.choose(1, 1, 1, 2, 2, 3)
    has_specials = m.flip(0.25)
    shapes = []
    for k in range(count):
        shape = m.rng.choice(shapes) if shapes and m.flip(0.4) else shape_of_input(m.rng)
        shapes.append(shape)
        dtype = m.dtype
        if (k > 0 and m.flip(0.4)) or m.flip(0.08):
            dtype = m.choose(torch.int32, torch.int64, torch.int64, torch.bool, torch.uint8, torch.int8, torch.int16)
        tensor = random_tensor(m.rng, shape, dtype)
        if has_specials and dtype in FLOATS:
            add_specials(m.rng, tensor)
        m.add_input(tensor)


def add_statements(m, count):
    usable = [row for row in operations if not (row[2] and m.dtype == torch.float64)]
    tries = 0
    while len(m.body) < count and tries < 40 * count:
        tries += 1
        make, _, needs_functions = m.rng.choices(usable, [row[1] for row in usable])[0]
        m.pending = []
        statement = make(m)
        if not statement:
            continue
        if needs_functions and any(value.dtype == torch.float64 for value in statement[1]):
            continue
        m.add(*statement)


def add_state(m):
    """A buffer that each run changes, and a result that depends on it."""
    value = m.pick_float()
    if not value or not value.tensor.isfinite().all():
        return
    m.pending = []
    dtype = "" if value.dtype == torch.float32 else f", dtype={value.dtype}"
    m.setup.append(f"self.register_buffer('state', torch.ones({value.shape}{dtype}))")
    exec(m.setup[-1], m.scope)
    m.body.append(m.choose(f"self.state.mul_(0.5).add_({value})", f"self.state.copy_(self.state * 0.25 + {value})",
                           f"self.state += {value}"))
    m.scope["state"] = m.noisy_scope["state"] = m.module.state.clone()
    exec(m.body[-1], {**m.scope})
    m.add(m.choose("self.state * 2", "self.state.clone()", f"{value} - self.state"), [value])


def returned(m):
    """The text of what forward returns, in some nesting."""
    leaves = [value for value in m.values if value.uses == 0 and value.name.startswith("v")]
    more = [value for value in m.values if value not in leaves and m.flip(0.12)]
    names = [value.name for value in leaves + more] or [m.values[-1].name]
    m.rng.shuffle(names)
    if m.flip(0.1):
        names.append(m.rng.choice(names))
    if len(names) == 1 and m.flip(0.7):
        return names[0]
    kind = m.choose("tuple", "tuple", "list", "dict", "nested")
    if kind == "dict":
        return "{" + ", ".join(f"'r{i}': {name}" for i, name in enumerate(names)) + "}"
    if kind == "nested":
        cut = m.rng.randrange(len(names))
        return f"({', '.join(names[:cut] + ['{}'])}, )".replace(
            "{}", "{'a': [" + ", ".join(names[cut:]) + "]}")
    inside = ", ".join(names)
    return f"[{inside}]" if kind == "list" else f"({inside}, )"


def source(seed, m, result):
    lines = [f'"""Random model {seed}."""', "import torch", "from torch import nn", "from torch.nn import functional as F",
             "", "", "class Random(nn.Module):", "", "    def __init__(self):", "        super().__init__()"]
    lines += ["        " + line for line in m.setup]
    lines += ["", f"    def forward(self, {', '.join(name for name, _ in m.inputs)}):"]
    lines += ["        " + line for line in m.body]
    lines += [f"        return {result}"]
    return "\n".join(lines) + "\n"


# --- writing --------------------------------------------------------------------------------------
def rewritten(path):
    """Without what differs from run to run and between machines, compressed: small files that stay
    the same."""
    packages = str(pathlib.Path(torch.__file__).parent.parent).encode()
    with zipfile.ZipFile(path) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in entries:
            if "sample_inputs" not in name:
                archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)),
                                 content.replace(packages, b"site-packages")
                                 if name.endswith(".json") else content,
                                 compress_type=zipfile.ZIP_DEFLATED)


def array(value):
    value = value.detach().contiguous()
    if value.dtype == torch.bfloat16:
        return value.view(torch.int16).numpy().view(np.uint16)
    return value.numpy()


def attempt(seed, folder, number):
    """Writes the source of a model and gives it with its inputs; None if it is ill-conditioned."""
    rng = random.Random(f"{seed}.{number}")
    torch.manual_seed(seed)
    dtype = rng.choice([torch.float32] * 7 + [torch.float16, torch.bfloat16, torch.float64])
    m = Model(rng, dtype)
    add_inputs(m)
    add_statements(m, rng.randint(2, 9))
    if rng.random() < 0.1:
        add_state(m)
    text = source(seed, m, returned(m))
    path = folder / f"{seed}.py"
    path.write_text(text, encoding="utf-8")
    scope = {}
    linecache.cache[path.name] = len(text), None, text.splitlines(True), path.name
    exec(compile(text, path.name, "exec"), scope)
    torch.manual_seed(seed)
    model = scope["Random"]().eval()
    return model, tuple(tensor for _, tensor in m.inputs), rng


def run(model, inputs):
    """The results of all runs, of a copy of the model; with state there are three."""
    model = copy.deepcopy(model)
    runs = 3 if hasattr(model, "state") else 1
    with torch.no_grad():
        return [leaf.clone() for _ in range(runs) for leaf in tree_leaves(model(*inputs))], runs


def is_stable(model, inputs, results):
    with Perturbed(torch.Generator().manual_seed(1)):
        noisy, _ = run(model, inputs)
    return all(close(a, b) for a, b in zip(results, noisy))


def make(seed, folder):
    for number in range(20):
        model, inputs, rng = attempt(seed, folder, number)
        results, runs = run(model, inputs)
        if results and is_stable(model, inputs, results):
            break
    else:
        raise RuntimeError("no model found")
    torch.export.save(torch.export.export(model, inputs), folder / f"{seed}.pt2")
    rewritten(folder / f"{seed}.pt2")
    for kind, values in (("in", inputs * runs), ("out", results)):
        for k, value in enumerate(values):
            np.save(folder / f"{seed}.{kind}{k}.npy", array(value))
    parallel = rng.choice([2, 3, 4, 5, 7, 8, 8, 11, 16, 16, 32, 64])
    (folder / f"{seed}.options").write_text(f"--parallel {parallel}\n", encoding="utf-8")


def main():
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    first = int(sys.argv[2])
    for seed in range(first, first + int(sys.argv[3] if sys.argv[3:] else 1)):
        try:
            make(seed, folder)
        except Exception as fault:
            print(f"seed {seed}: {type(fault).__name__}: {str(fault)[:500]}")
            continue


main()
