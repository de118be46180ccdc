"""What PyTorch documents for its operations, in numpy and float64: written from the formulas, to be
compared with."""

import itertools
import math

import numpy as np

from archive import Value

rng = np.random.default_rng(7)
erf = np.vectorize(math.erf)


def draw(*shape):
    return rng.standard_normal(shape).astype(np.float32)


def f32(array):
    return np.asarray(array, dtype=np.float64).astype(np.float32)


def wide(value):
    return (value.array if isinstance(value, Value) else np.asarray(value)).astype(np.float64)


def pad_spatial(x, low, high, fill=0.0):
    lead = x.ndim - len(low)
    return np.pad(x, [(0, 0)] * lead + list(zip(low, high)), constant_values=fill)


def convolve(x, w, *arguments, **settings):
    return f32(convolve_wide(x, w, *arguments, **settings))


def convolve_wide(x, w, b=None, stride=None, low=None, high=None, dilation=None, groups=1):
    spatial = w.ndim - 2
    stride, dilation = stride or [1] * spatial, dilation or [1] * spatial
    low = low or [0] * spatial
    x = pad_spatial(wide(x), low, high or low)
    w = wide(w)
    size = [(x.shape[2 + i] - dilation[i] * (w.shape[2 + i] - 1) - 1) // stride[i] + 1
            for i in range(spatial)]
    y = np.zeros((x.shape[0], w.shape[0], *size))
    each_in, each_out = x.shape[1] // groups, w.shape[0] // groups
    for place in itertools.product(*map(range, size)):
        for tap in itertools.product(*map(range, w.shape[2:])):
            at = tuple(place[i] * stride[i] + tap[i] * dilation[i] for i in range(spatial))
            for g in range(groups):
                outs = slice(g * each_out, (g + 1) * each_out)
                column = x[(slice(None), slice(g * each_in, (g + 1) * each_in), *at)]
                y[(slice(None), outs, *place)] += column @ w[(outs, slice(None), *tap)].T
    if b is not None:
        y += wide(b).reshape([1, -1] + [1] * spatial)
    return y


def convolve_transposed(*arguments):
    return f32(convolve_transposed_wide(*arguments))


def convolve_transposed_wide(x, w, b, stride, padding, output_padding, groups, dilation):
    spatial = w.ndim - 2
    x, w = wide(x), wide(w)
    size = [(x.shape[2 + i] - 1) * stride[i] - 2 * padding[i] + dilation[i] * (w.shape[2 + i] - 1) +
            output_padding[i] + 1 for i in range(spatial)]
    each_in, each_out = x.shape[1] // groups, w.shape[1]
    y = np.zeros((x.shape[0], each_out * groups, *size))
    for place in itertools.product(*map(range, x.shape[2:])):
        for tap in itertools.product(*map(range, w.shape[2:])):
            at = tuple(place[i] * stride[i] - padding[i] + tap[i] * dilation[i]
                       for i in range(spatial))
            if any(a < 0 or a >= n for a, n in zip(at, size)):
                continue
            for g in range(groups):
                ins = slice(g * each_in, (g + 1) * each_in)
                outs = slice(g * each_out, (g + 1) * each_out)
                y[(slice(None), outs,
                   *at)] += (x[(slice(None), ins, *place)] @ w[(ins, slice(None), *tap)])
    return y + wide(b).reshape([1, -1] + [1] * spatial)


def windows(x, kernel, stride, padding, dilation=None, ceil=False):
    """Yields the place of each window and the cells of the padded input that it covers."""
    n = len(kernel)
    dilation = dilation or [1] * n
    size = []
    for i in range(n):
        room = x.shape[-n + i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1
        count = (-(-room // stride[i]) if ceil else room // stride[i]) + 1
        if ceil and (count - 1) * stride[i] >= x.shape[-n + i] + padding[i]:
            count -= 1
        size.append(count)
    return size, [(place,
                   [[place[i] * stride[i] - padding[i] + t * dilation[i] for t in range(kernel[i])]
                    for i in range(n)]) for place in itertools.product(*map(range, size))]


def pool_max(x, kernel, stride=None, padding=(0, 0), dilation=None, ceil=False):
    x = wide(x)
    size, all_windows = windows(x, kernel, stride or kernel, padding, dilation, ceil)
    y = np.zeros((*x.shape[:-len(kernel)], *size))
    for place, cells in all_windows:
        inside = [[c for c in line if 0 <= c < x.shape[-len(kernel) + i]]
                  for i, line in enumerate(cells)]
        picked = x[(..., *np.ix_(*inside))]
        y[(..., *place)] = picked.max(axis=tuple(range(-len(kernel), 0)))
    return f32(y)


def pool_average(x, kernel, *arguments, **settings):
    return f32(pool_average_wide(x, kernel, *arguments, **settings))


def pool_average_wide(x, kernel, stride=None, padding=(0, 0), ceil=False, include=True, divisor=None):
    x = wide(x)
    n = len(kernel)
    size, all_windows = windows(x, kernel, stride or kernel, padding, None, ceil)
    y = np.zeros((*x.shape[:-n], *size))
    for place, cells in all_windows:
        inside = [[c for c in line if 0 <= c < x.shape[-n + i]] for i, line in enumerate(cells)]
        bounds = [[c for c in line if c < x.shape[-n + i] + padding[i]]
                  for i, line in enumerate(cells)]
        counted = bounds if include else inside
        by = divisor or math.prod(map(len, counted))
        y[(..., *place)] = x[(..., *np.ix_(*inside))].sum(axis=tuple(range(-n, 0))) / by
    return y


def softmax_of(x, axis):
    x = x.astype(np.float64)
    with np.errstate(invalid="ignore"):
        e = np.exp(x - x.max(axis, keepdims=True))
        return e / e.sum(axis, keepdims=True)


def standard(v, axes, eps):
    return (v - v.mean(axes, keepdims=True)) / np.sqrt(v.var(axes, keepdims=True) + eps)


def logistic(v):
    return 1 / (1 + np.exp(-v))


def lstm_step(x, h, c, p):
    g = x @ wide(p[0]).T + wide(p[2]) + h @ wide(p[1]).T + wide(p[3])
    i, f, n, o = np.split(g, 4, -1)
    c = logistic(f) * c + logistic(i) * np.tanh(n)
    return logistic(o) * np.tanh(c), c


def gru_step(x, h, p):
    a, b = x @ wide(p[0]).T + wide(p[2]), h @ wide(p[1]).T + wide(p[3])
    (ir, iz, n), (hr, hz, hn) = np.split(a, 3, -1), np.split(b, 3, -1)
    new = np.tanh(n + logistic(ir + hr) * hn)
    z = logistic(iz + hz)
    return (1 - z) * new + z * h
