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
import torch.nn.functional as F
from torch import nn
from torch.nn import functional as F

cases = {}


def case(*inputs, runs=1, open_batch=False):
    """A function of tensors, or a class of modules, becomes a model; what it returns are its
    results. With several runs, which see what the ones before left, the inputs of the later ones
    are those of the first, turned around. An open batch is exported as a symbol, from other inputs
    than these; options.tsv then fixes it."""

    def keep(function):
        cases[function.__name__] = (function, inputs, runs, open_batch)
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


@case(randn(3, 5), randn(2, 3, 4), randn(5))
def written_views(x, y, row):
    """What is written through one view is seen through all others."""
    a, b, c = x.clone(), y * 2, x.exp()
    first, turned = a[0], a.T
    a[:, 1] = 7
    a[1:, ::2] += 1.5
    a[-1, -1].fill_(tensor(-2.0))
    turned[3].mul_(first[0])
    flat = b.view(-1)
    flat[3:20:5] = 0
    lower, upper = b.unbind(0)
    lower.copy_(upper.flip(0))
    b.permute(2, 0, 1)[1, 1].relu_()
    c.view(15)[2] = row[0]
    c.unsqueeze(0).squeeze(0)[1] = row
    c[2].view(5, 1)[1:3].zero_()
    kept = x.to(torch.float32)
    other = x.to(torch.float64)
    other.add_(1)
    return a, first, turned, b, flat, upper, c, kept + 1, other


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


@case(randn(3, 5))
def without_training(x):
    kept, mask = torch.ops.aten.native_dropout(x, 0.5, False)
    return kept * 2, mask & (x > 0), torch.ops.aten.empty_strided([3], [1]).shape[0] + x


@case(randn(3, 4, 5), randn(3, 2, 5), randn(3, 4, 5))
def parts(x, y, z):
    """Concatenations and insertions whose reader looks at each element once."""
    return (torch.cat([x, y], 1) + 1, torch.cat([y, z, x], 1) * 2, torch.stack([x, z]) - 1,
            torch.stack([x, z], -1) + 3, x.slice_scatter(y, 1, 1, 3) * z,
            x.select_scatter(y[:, 0], 1, 2) + z, torch.cat([x.mT, y.mT * 2], 2).relu())


# --- windows --------------------------------------------------------------------------------------
@case(randn(2, 3, 7, 5), randn(2, 5, 6, 4), tensor([[[nan, 1, 2, -inf, nan], [3, nan, -inf, -inf,
                                                                               -inf]]]))
def maxima_with_places(x, y, odd):
    return (*F.max_pool2d(x, 3, 2, 1, return_indices=True),
            *F.max_pool2d(x[0], (2, 3), (1, 2), dilation=(2, 1), ceil_mode=True,
                          return_indices=True),
            *F.max_pool3d(y, 2, (2, 3, 1), (1, 0, 1), return_indices=True),
            *F.max_pool1d(x[0], 3, 1, 1, return_indices=True),
            *F.max_pool2d(odd, 2, 1, 1, return_indices=True),
            *F.adaptive_max_pool2d(x, (3, 2), return_indices=True),
            *F.adaptive_max_pool2d(odd, 2, return_indices=True),
            *F.adaptive_max_pool1d(x[0], 5, return_indices=True),
            *F.adaptive_max_pool3d(y, (2, 3, 1), return_indices=True))


@case(randn(2, 3, 7, 5), randn(2, 12, 20), randn(6, 9))
def blocks(x, columns, few):
    return (F.unfold(x, (2, 3), dilation=(2, 1), padding=(1, 2), stride=(3, 1)),
            F.unfold(x[0], 1), F.fold(columns, (6, 5), 2, stride=1),
            F.fold(columns, (9, 5), (4, 1), padding=(1, 0), stride=(2, 1)),
            F.fold(few, (5, 5), (2, 3), dilation=(2, 1), padding=0), x.unfold(3, 3, 2),
            x.unfold(1, 2, 1).unfold(2, 7, 1))


@case(randn(3, 5), randn(2, 7))
def by_strides(x, y):
    return (x.as_strided((3, 2), (5, 2)), x.as_strided((2, 3, 2), (1, 2, 1), 4) * 2,
            y.as_strided((7, 2), (1, 7)), (x + 1).as_strided((), ()),
            y.as_strided((2, 2, 2), (0, 3, 1), 1) + 1)


@case(randn(2, 4, 3, 5), randn(4, 3, 3, 2), randn(4, 3, 5), randn(3, 2, 3))
def computed_transposed_weights(x, w, line, v):
    return (F.conv_transpose2d(x, w, stride=2, padding=1, output_padding=1),
            F.conv_transpose2d(x, w * 2, groups=2, dilation=(1, 2)),
            F.conv_transpose1d(line, v.tanh(), torch.ones(2), stride=3))


# --- interpolation --------------------------------------------------------------------------------
@case(randn(1, 2, 4, 5), randn(2, 1, 7), randn(1, 1, 3, 2, 4))
def resized(x, line, volume):
    up = F.interpolate
    return (up(x, (7, 3), mode="bicubic"), up(x, scale_factor=1.7, mode="bicubic"),
            up(x, (8, 5), mode="bicubic", align_corners=True), up(line, 5, mode="linear"),
            up(line, 13, mode="linear", align_corners=True),
            up(volume, (5, 3, 4), mode="trilinear"), up(x, (6, 9), mode="nearest-exact"),
            up(line, 3, mode="nearest-exact"), up(volume, (3, 5, 7), mode="nearest-exact"))


@case(randn(1, 2, 5, 4), randn(1, 3, 2, 2) * 1.5)
def sampled(x, grid):
    return [
        F.grid_sample(x, grid, mode, padding, corners) for mode, padding, corners in (
            ("bilinear", "zeros", False), ("bilinear", "border", True),
            ("bilinear", "reflection", False), ("nearest", "zeros", True),
            ("nearest", "reflection", True), ("bicubic", "zeros", False),
            ("bicubic", "border", False), ("bicubic", "reflection", True))
    ]


# --- other names ----------------------------------------------------------------------------------
@case(special, special.flip(0), randn(3, 4))
def other_names(x, y, z):
    return (torch.fmax(x, y), torch.fmin(x, y), torch.logaddexp(x, y), torch.xlogy(x, y),
            torch.heaviside(x, y), torch.nan_to_num(x, 1.5), torch.nan_to_num(y, posinf=7.0),
            torch.isfinite(x), torch.isposinf(x), torch.isneginf(x), torch.sinc(z),
            torch.logit(z.sigmoid()), torch.logit(z, 0.25), torch.rad2deg(z), torch.deg2rad(z),
            torch.absolute(x), torch.clip(z, -0.5, 0.5), torch.subtract(x, z[0, 0], alpha=2),
            torch.greater_equal(x, y), torch.arctan2(z, z.flip(0)), *torch.std_mean(z, 1),
            *torch.var_mean(z, unbiased=False), torch.ops.aten.permute_copy(z, [1, 0]) + 1)


# --- distances and bags ---------------------------------------------------------------------------
@case(randn(2, 3, 5), randn(2, 4, 5), randn(5, 3))
def distances(x, y, points):
    return (torch.cdist(x, y), torch.cdist(x, y, 1.0), torch.cdist(x[0], y[1], inf),
            torch.cdist(x, y[0], 3.0), torch.cdist(x, y, 0.0), torch.pdist(points),
            torch.pdist(points, 1.0))


@case(randn(7, 3), randint(0, 7, (11, )), tensor([0, 3, 3, 8]), randn(11), randint(0, 7, (3, 5)))
def bags(table, indices, offsets, weights, rows):
    bag = F.embedding_bag
    fixed = tensor([0, 5, 11])
    return (bag(indices, table, offsets), bag(indices, table, offsets, mode="sum"),
            bag(indices, table, offsets, mode="max"),
            bag(indices, table, offsets, mode="sum", per_sample_weights=weights),
            bag(indices, table, offsets, mode="mean", padding_idx=int(2)),
            bag(indices, table, offsets, mode="max", padding_idx=2),
            bag(indices, table, fixed, include_last_offset=True), bag(rows, table, mode="sum"))


# --- functions in float64 -------------------------------------------------------------------------
@case(torch.cat([special[:-2], randn(4) * 5]).double())
def doubles(x):
    return (x.exp(), torch.expm1(x), x.abs().log(), torch.log1p(x), torch.log2(x.abs()),
            torch.sigmoid(x), x.tanh(), torch.erf(x), x**2.5, torch.pow(x.abs(), x), 3.0**x)


@case((randn(7) * 5).double(), tensor([nan, -inf, 1e300, -0.0, 3.0, 1e22, -7.5]).double())
def double_angles(x, y):
    return (x.sin(), x.cos(), y.sin(), y.cos(), torch.atan2(x, y), x.tan(), torch.softmax(x, 0),
            F.gelu(x), F.softplus(x))


@case(torch.cat([special[:-2], randn(5)]), tensor([2.0, 90.0, -89.2, 0.999, 1e-20]).double())
def hyperbolic(x, y):
    return [
        f(value) for value in (x, y) for f in (torch.tan, torch.sinh, torch.cosh, torch.asinh,
                                               torch.acosh, torch.atanh, torch.asin, torch.acos)
    ]


# --- recurrent ------------------------------------------------------------------------------------
@case(randn(2, 5, 3), randn(1, 3))
class PlainRecurrent(nn.Module):

    def __init__(self):
        super().__init__()
        self.tanh = nn.RNN(3, 4, num_layers=2, batch_first=True)
        self.relu = nn.RNN(3, 2, nonlinearity="relu", bidirectional=True, bias=False)
        self.cells = nn.ModuleList([nn.RNNCell(3, 5), nn.RNNCell(3, 5, nonlinearity="relu")])

    def forward(self, x, one):
        return *self.tanh(x), *self.relu(x), self.cells[0](one), self.cells[1](one)


# --- statistics -----------------------------------------------------------------------------------
@case(randn(3, 2, 5), randn(2))
def batch_statistics(x, weight):
    return torch.ops.aten._native_batch_norm_legit.no_stats(x, weight, None, True, 0.1, 1e-3)


# --- state ----------------------------------------------------------------------------------------
@case(randn(1, 5), runs=4)
class RunningMean(nn.Module):

    def __init__(self):
        super().__init__()
        self.register_buffer("mean", torch.linspace(-1, 1, 5)[None])
        self.register_buffer("count", torch.zeros((), dtype=torch.int64))

    def forward(self, x):
        self.count += 1
        self.mean.mul_(0.75).add_(x, alpha=0.25)
        return x - self.mean, self.count.clone()


@case(randn(3, 2), runs=4)
class Window(nn.Module):
    """The last 5 rows: part of the buffer moves up, part is new."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.zeros(5, 2), persistent=False)

    def forward(self, x):
        rows = torch.cat([self.rows[3:], x])
        self.rows.copy_(rows)
        return rows.sum(0), rows


@case(randn(2), runs=4)
class Ring(nn.Module):
    """Parts of buffers that are written through views."""

    def __init__(self):
        super().__init__()
        self.register_buffer("rows", torch.zeros(3, 2))
        self.register_buffer("sums", torch.ones(4))

    def forward(self, x):
        self.rows[1:] = self.rows[:2].clone()
        self.rows[0] = x
        self.sums.view(2, 2)[:, 1].add_(x)
        return self.rows.sum(), self.sums * 2


@case(randn(1, 3), randint(0, 7, (1, )), runs=5)
class Cache(nn.Module):
    """A key cache: one row is written at a computed place, then all are read."""

    def __init__(self):
        super().__init__()
        self.register_buffer("keys", torch.randn(7, 3))

    def forward(self, x, place):
        self.keys.index_copy_(0, place, x)
        return torch.softmax(x @ self.keys.T, 1)


@case(randn(2, 3), runs=3)
class Recurrent(nn.Module):

    def __init__(self):
        super().__init__()
        self.cell = nn.GRUCell(3, 5)
        self.register_buffer("hidden", torch.zeros(2, 5))

    def forward(self, x):
        hidden = self.cell(x, self.hidden)
        self.hidden.copy_(hidden)
        return hidden


# --- weights and windows --------------------------------------------------------------------------
@case(randn(1, 2, 4, 5))
class Cropped(nn.Module):
    """Transposed convolutions whose padding is larger than the kernel; and a weight in nn.Buffer."""

    def __init__(self):
        super().__init__()
        self.first = nn.ConvTranspose2d(2, 3, (1, 2), stride=(2, 3), padding=(1, 3), output_padding=1)
        self.second = nn.ConvTranspose2d(2, 4, 1, padding=1, groups=2, bias=False)
        self.scale = nn.Buffer(torch.randn(3, 1, 1))

    def forward(self, x):
        return self.first(x) * self.scale, self.second(x)


# --- no elements ----------------------------------------------------------------------------------
@case(torch.empty(0, 3), randn(2, 3), torch.empty(4, 0, dtype=torch.int32))
def empty_inputs(none, x, whole):
    return (torch.cat([none, x]), none, none * 2, torch.cat([x, none, x, none + x[0]]).sum(0),
            none.sum(0), none.prod(0), none.mean(), none.sum(), whole.sum(1), whole.any(),
            whole.to(torch.bool).all(1), (none > 0).any(0), none @ x.T, none.T @ none,
            torch.linalg.vector_norm(none, dim=0), F.pad(none, (1, 1, 2, 0), value=1.5), whole)


@case(randn(3, 5), torch.tensor([1, -1]))
def empty_parts(x, index):
    none = x[3:]
    return (x[:, 5:], torch.cat([none, x, x[:0]]), x[2:1].sum(), torch.diagonal(x, 5),
            torch.matmul(x[:, :0], x.T[:0, :2]),
            F.linear(x[:, 2:2], torch.empty(4, 0), torch.arange(4.0)),
            torch.addmm(x[:, :2], x[:, :0], x.T[:0, :2]),
            torch.bmm(x[:, None, :0], x[:, :0, None]),
            torch.einsum("ab,cb->ac", x[:, :0], x[:2, :0]), x.index_select(0, index[:0]),
            x.scatter(0, index[None, :0], 1.0), torch.stack([none, none]), none.reshape(5, 0),
            none.permute(1, 0), x.new_zeros(0), *x.split([0, 2, 1]), torch.relu(none), none.flatten(),
            none.repeat(2, 1), torch.softmax(none, 0), none.cumsum(0), F.layer_norm(none, (5, )),
            torch.where(none > 0, none, 1.0), none.to(torch.int64), *torch.sort(none, 1),
            *torch.topk(x, 0, 1), x.index_put((index[:0], ), none))


@case(torch.empty(0, 3, 8, 8))
class EmptyBatch(nn.Module):
    """All layers of a network, on a batch of nothing."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(nn.Conv2d(3, 4, 3, padding=1), nn.BatchNorm2d(4), nn.ReLU(),
                                    nn.MaxPool2d(2), nn.ConvTranspose2d(4, 2, 2, groups=2),
                                    nn.Upsample(scale_factor=2), nn.AdaptiveAvgPool2d(1),
                                    nn.Flatten(), nn.Linear(2, 5), nn.GELU(), nn.Softmax(1))

    def forward(self, x):
        y = self.layers(x)
        return y, y.sum(0)


@case(torch.empty(3, 0))
def only_empty(none):
    return torch.relu(none).mT


# --- products -------------------------------------------------------------------------------------
@case(randn(2, 3, 4), randn(4, 5), randn(3, 4), randn(1, 4, 1))
def dots(x, y, z, one):
    return (torch.einsum("...a,ab->...b", x, y), torch.einsum("...ij,...ij->...i", x, z),
            torch.einsum("i...,...->...i", x, z), torch.einsum("...ab,bc", x, y),
            torch.einsum("ij...,...kl->l...ik", x, one), torch.einsum("...->...", x),
            torch.einsum("a...b->b", x), torch.einsum("abc,dbe->ade", x, one[:, :1]),
            torch.einsum("...,...", y[0], x[0, 0, :1]))


@case(randn(2, 1, 3), tensor([0.4, -0.4, 0.3, -0.3, 0.1, 2.0]).to(torch.bfloat16))
def edges(x, half):
    """Norms over dimensions of size 1, and thresholds that the type does not have."""
    return (torch.linalg.vector_norm(x, 1, dim=1), torch.linalg.vector_norm(x, dim=[1]),
            torch.linalg.vector_norm(x, dim=1, keepdim=True), torch.linalg.vector_norm(x, dim=[0, 1]),
            F.hardshrink(half, 0.4), F.softshrink(half, 0.3), F.threshold(half, 0.1, 9.0),
            F.hardtanh(half, -0.3, 0.4))


# --- what a model takes and gives -----------------------------------------------------------------
@case(randn(2, 3), randn(5), tensor(1.5), tensor(7), tensor(True))
def handed_on(x, unused, half, whole, truth):
    """Inputs as results, one result under several names and shapes, tensors of rank 0, nesting."""
    y = x * half
    return {
        "same": x,
        "twice": (y, y, y.view(6), y.T),
        "numbers": [half, whole, truth, half + whole, whole // 2, ~truth, y.sum()],
        "inner": {"deep": [{"again": x}, (y[0], )], "none": None},
        "constants": (tensor(2.5), torch.ones(3, dtype=torch.int8)),
    }


@case({"left": randn(2, 3), "right": [randn(2, 3), randn(3)]}, (randn(2, 1), ))
def nested_inputs(both, one):
    return both["left"] - both["right"][0] * both["right"][1] + one[0]


@case(randn(1, 3, 5, 4), randint(0, 7, (1, 4)))
class Layouts(nn.Module):
    """Weights with strides of their own, weights that two layers share, and tensors in
    channels-last order."""

    def __init__(self):
        super().__init__()
        self.convolution = nn.Conv2d(3, 4, 3, padding=1).to(memory_format=torch.channels_last)
        self.again = nn.Conv2d(3, 4, 3)
        self.again.weight = self.convolution.weight
        self.table = nn.Embedding(7, 5)
        self.head = nn.Linear(5, 7, bias=False)
        self.head.weight = self.table.weight
        self.turned = nn.Parameter(torch.randn(6, 5).T)
        self.register_buffer("part", torch.randn(4, 10)[1:3, 1::3])
        self.register_buffer("spread", torch.randn(1, 3).expand(2, 3))

    def forward(self, x, words):
        x = x.to(memory_format=torch.channels_last)
        y = self.table(words)
        return (self.convolution(x).relu(), self.again(x), self.head(y), y @ self.turned,
                self.part * self.spread, x.permute(0, 2, 3, 1).contiguous())


@case(randn(3, 5), randn(3, 2), open_batch=True)
class OpenBatch(nn.Module):

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(7, 4)

    def forward(self, x, y):
        z = self.layer(torch.cat([x, y], 1)).relu()
        return z, z.mean(0), z.reshape(-1), x.new_zeros(x.shape[0] + 1) + z.shape[0]


# --- control that data decides --------------------------------------------------------------------
@case(randn(3, 5), tensor([True, False, False]), runs=4)
class Branches(nn.Module):
    """Layers of their own in each branch, a branch in a branch, and a number of results."""

    def __init__(self):
        super().__init__()
        self.left, self.right = nn.Linear(5, 2), nn.Linear(5, 2, bias=False)

    def forward(self, x, flags):

        def left(x):
            return self.left(x).relu(), x.sum(0)

        def right(x):
            y = torch.cond(flags[1], torch.sin, lambda z: z * 3, (self.right(x), ))
            return y, x[0] * 1

        y, z = torch.cond(flags[0], left, right, (x, ))
        return y + 1, z


@case(randint(0, 7, (5, )), randn(5, 3), runs=4)
def turns(count, x):

    def more(i, x):
        return (i < count.abs().sum() % 7) & (x.abs().max() < 100)

    def step(i, x):
        return i + 1, x * 1.5 + i

    return torch._higher_order_ops.while_loop(more, step, (tensor(0), x))


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
    if value is None:
        return []
    items = value.values() if isinstance(value, dict) else value
    return [leaf for item in items for leaf in flat(item)]


def exported(model, inputs, open_batch):
    if not open_batch:
        return torch.export.export(model, inputs)
    batch = torch.export.Dim("batch", min=2, max=64)
    samples = tuple(torch.cat([value, value]) for value in inputs)
    return torch.export.export(model, samples, dynamic_shapes=tuple({0: batch} for _ in inputs))


def write(folder, name, function, inputs, runs, open_batch):
    model = function() if isinstance(function, type) else Model(function)
    model.eval()
    program = exported(model, inputs, open_batch)
    path = folder / f"{name}.pt2"
    torch.export.save(program, path)
    rewritten(path)
    arguments, results = [], []
    with torch.no_grad():
        for _ in range(runs):
            arguments += flat(inputs)
            results += [leaf.clone() for leaf in flat(model(*inputs))]
            if runs > 1:
                inputs = tuple(value.roll(1).flip(0) for value in inputs)
    for kind, values in (("in", arguments), ("out", results)):
        for k, value in enumerate(values):
            np.save(folder / f"{name}.{kind}{k}.npy", array(value))


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, case_of in cases.items():
        if not sys.argv[2:] or name in sys.argv[2:]:
            write(folder, name, *case_of)


main()
