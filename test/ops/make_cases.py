#!/usr/bin/env python3
"""Exports small models with PyTorch itself, one for each family of operators, with its results.

    make_cases.py FOLDER [NAME...]     writes NAME.pt2, NAME.inK.npy, NAME.outK.npy

Needs torch; the files that it wrote are stored in test/ops/cases. Shapes are odd, 1 and primes;
arguments hold negative numbers, NaN, infinities and -0 where the operator says what they give.
"""

import pathlib
import sys
import zipfile

import numpy as np
import torch
from torch import nn

cases = {}


def case(*inputs, name=None):
    """A function of tensors becomes a model; what it returns are its results."""

    def keep(function):
        cases[name or function.__name__] = (function, inputs)
        return function

    return keep


class Model(nn.Module):

    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, *inputs):
        return self.function(*inputs)


torch.manual_seed(1)
randn, randint, arange, tensor = torch.randn, torch.randint, torch.arange, torch.tensor
nan, inf = float("nan"), float("inf")
special = tensor([nan, inf, -inf, 0.0, -0.0, 1.5, -2.5, 3.25, -7.0, 1e-40, 3e38])


# --- replaced elements ----------------------------------------------------------------------------
@case(randn(5, 7), randint(0, 5, (3, 7)), randn(4, 7))
def scatters(x, index, src):
    unique = (arange(3)[:, None] + arange(7)) % 5
    return (x.scatter(0, unique, src), x.scatter(0, unique, 2.5), x.scatter_add(0, index, src),
            x.scatter(0, index, src, reduce="add"), x.scatter(0, index, 1.5, reduce="multiply"))


@case(randn(3, 5), randint(0, 5, (3, 4)), randn(3, 4))
def scatter_reductions(x, index, src):
    return [
        x.scatter_reduce(1, index, src, mode, include_self=own)
        for mode in ("sum", "prod", "mean", "amax", "amin") for own in (True, False)
    ]


@case(randn(3, 5, 7), tensor([2, 0, -1]), tensor([4, -5, 1]), randn(3, 7), randn(3, 2))
def index_puts(x, i, j, rows, corners):
    mask = x > 0.5
    return (x.index_put((i, j), rows), x.index_put((i, ), rows[0]),
            torch.ops.aten.index_put(x, [None, j], tensor(1.25)),
            x.index_put((i, j), rows, accumulate=True), x.index_put((mask, ), tensor(-1.0)),
            x.index_put((i[:, None], j[None, :], tensor(3)), tensor(9.0)),
            torch.ops.aten.index_put(x, [i, None, tensor([0, 6, 3])], torch.ones(3, 5)))


@case(randn(5, 3), tensor([0, 4, 2, 4]), randn(4, 3))
def along_an_index(x, index, source):
    return (x.index_add(0, index, source), x.index_add(0, index, source, alpha=-2),
            x.index_copy(0, index[:3], source[:3]), x.index_fill(1, tensor([2, -3]), 7.5))


@case(randn(4, 7), randn(7), randn(2, 7), randn(4, 3))
def scatters_of_parts(x, row, rows, columns):
    return (x.select_scatter(row, 0, -2), x.slice_scatter(rows, 0, 1, 3),
            x.slice_scatter(columns, 1, 1, 6, 2))


@case(randn(3, 5), randn(3, 5) > 0, randn(17))
def masked_scatters(x, mask, source):
    return x.masked_scatter(mask, source), x.masked_scatter(mask[0], source)


# --- order ----------------------------------------------------------------------------------------
@case(randn(3, 7), special, randint(-3, 3, (11, )))
def sorts(x, odd, whole):
    results = []
    for descending in (False, True):
        results += torch.sort(x, 1, descending=descending)
        results += torch.sort(x, 0, descending=descending)
        results += torch.sort(odd, descending=descending, stable=True)
        results += torch.sort(whole, descending=descending, stable=True)
    return results + [torch.argsort(x, dim=-1)]


@case(randn(3, 7), randn(1, 13))
def topks(x, y):
    return [
        *torch.topk(x, 3), *torch.topk(x, 1, largest=False), *torch.topk(x, 2, dim=0),
        *torch.topk(y, 13)
    ]


@case(randn(3, 5, 2), randint(-5, 5, (7, )), randn(1, 1))
def running(x, whole, one):
    return (x.cumsum(0), x.cumsum(1), x.cumsum(-1), x.cumprod(1), whole.cumsum(0),
            whole.cumprod(0), one.cumsum(1), (x > 0).cumsum(1), whole.to(torch.int32).cumsum(0))


# --- writing --------------------------------------------------------------------------------------
def rewritten(path):
    """Without what differs from run to run, compressed: small files that stay the same."""
    with zipfile.ZipFile(path) as archive:
        entries = [(name, archive.read(name)) for name in archive.namelist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in entries:
            if "sample_inputs" in name:
                continue
            archive.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), content,
                             compress_type=zipfile.ZIP_DEFLATED)


def array(value):
    if value.dtype == torch.bfloat16:
        return value.contiguous().view(torch.int16).numpy().view(np.uint16)
    return value.detach().contiguous().numpy()


def flat(value):
    if isinstance(value, torch.Tensor):
        return [value]
    items = value.values() if isinstance(value, dict) else value
    return [leaf for item in items for leaf in flat(item)]


def write(folder, name, function, inputs):
    model = function if isinstance(function, nn.Module) else Model(function)
    model.eval()
    program = torch.export.export(model, inputs)
    path = folder / f"{name}.pt2"
    torch.export.save(program, path)
    rewritten(path)
    for k, value in enumerate(inputs):
        np.save(folder / f"{name}.in{k}.npy", array(value))
    with torch.no_grad():
        for k, value in enumerate(flat(model(*inputs))):
            np.save(folder / f"{name}.out{k}.npy", array(value))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, (function, inputs) in cases.items():
        if not sys.argv[2:] or name in sys.argv[2:]:
            write(folder, name, function, inputs)


main()
