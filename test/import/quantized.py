"""Graphs as PT2E quantization exports them: operations between quantizations, with what exact
arithmetic on the stated scales gives. What PyTorch's float32 operations give is at most one step
away, which is checked here, too."""

import numpy as np

from archive import Dtype
from reference import (convolve_transposed_wide, convolve_wide, draw, f32, pool_average_wide, pool_max,
                       rng, wide)

LOW = {"int8": -128, "uint8": 0}
HIGH = {"int8": 127, "uint8": 255}


def scale_of(number):
    """A scale as observers store it: a float32."""
    return float(np.float32(number))


def nearest(steps):
    """The nearest integer; what is halfway within 2^-15 goes to the even one, as docs/numerics.md says."""
    below = np.floor(steps)
    halfway = np.abs(steps - below - 0.5) < 2.0**-15
    return np.where(halfway, below + below % 2, np.rint(steps))


class Real:
    """A tensor of the graph and its exact numbers: those of Value are rounded to float32."""

    def __init__(self, value, exact):
        self.value, self.exact = value, exact


def quantize(m, real, scale, zero, dtype="int8"):
    """Quantizes and dequantizes, as every tensor between two operations is."""
    scale = scale_of(scale)
    low, high = LOW[dtype], HIGH[dtype]
    exact = np.clip(nearest(real.exact / scale) + zero, low, high)
    in_floats = np.rint(real.value.array * np.float32(1 / scale)) + np.float32(zero)
    assert np.abs(np.clip(in_floats, low, high) - exact).max() <= 1
    settings = {
        "scale": scale, "zero_point": zero, "quant_min": low, "quant_max": high, "dtype":
        Dtype(dtype)
    }
    integers = m.op("quantized_decomposed.quantize_per_tensor.default", exact.astype(dtype),
                    input=real.value, **settings)
    numbers = f32((exact - zero).astype(np.float32) * np.float32(scale))
    value = m.op("quantized_decomposed.dequantize_per_tensor.default", numbers, input=integers,
                 **settings)
    return Real(value, (exact - zero) * scale)


def observed(m, value, scale, zero, dtype="int8"):
    """An input of the model: quantized by float32 operations."""
    scale = scale_of(scale)
    steps = np.rint(value.array * np.float32(1 / scale)).astype(np.float64) * scale
    return quantize(m, Real(value, steps), scale, zero, dtype)


def weight(m, *shape, axis=None):
    """A weight of int8 with one scale, or one for each place along an axis."""
    integers = rng.integers(-127, 128, shape).astype(np.int8)
    common = {"quant_min": -127, "quant_max": 127, "dtype": Dtype("int8")}
    if axis is None:
        scale = scale_of(rng.uniform(0.002, 0.01))
        value = m.op("quantized_decomposed.dequantize_per_tensor.default",
                     f32(integers.astype(np.float32) * np.float32(scale)), input=m.weight(integers),
                     scale=scale, zero_point=0, **common)
        return Real(value, integers * scale)
    scales = rng.uniform(0.002, 0.01, shape[axis]).astype(np.float32)
    zeros = rng.integers(-3, 4, shape[axis])
    along = [-1 if i == axis else 1 for i in range(len(shape))]
    moved = integers.astype(np.float64) - zeros.reshape(along)
    value = m.op("quantized_decomposed.dequantize_per_channel.default",
                 f32(moved.astype(np.float32) * scales.reshape(along)), input=m.weight(integers),
                 scales=m.weight(scales), zero_points=m.weight(zeros), axis=axis, **common)
    return Real(value, moved * scales.astype(np.float64).reshape(along))


def convolution(m, x, w, bias, stride=None, low=None, dilation=None, groups=1):
    spatial = w.exact.ndim - 2
    exact = convolve_wide(x.exact, w.exact, bias and bias.array, stride, low, None, dilation, groups)
    value = m.op(f"aten.conv{spatial}d.default", f32(exact), input=x.value, weight=w.value, bias=bias,
                 stride=stride or [1] * spatial, padding=low or [0] * spatial,
                 dilation=dilation or [1] * spatial, groups=groups)
    return Real(value, exact)


def linear(m, x, w, bias=None):
    exact = x.exact @ w.exact.T + (wide(bias) if bias else 0)
    return Real(m.op("aten.linear.default", f32(exact), input=x.value, weight=w.value, bias=bias),
                exact)


def same(m, target, function, x, **arguments):
    """An operation that is exact in itself: a move, a clamp, a maximum."""
    return Real(m.op(target, f32(function(x.exact)), self=x.value, **arguments), function(x.exact))


def quantized_convolutions(m):
    x = observed(m, m.input(draw(2, 6, 7, 5)), 0.021, -11)
    bias = m.weight(draw(6))
    plain = weight(m, 6, 6, 3, 3, axis=0)
    for real, scale, zero in (
        (convolution(m, x, plain, bias, low=[1, 1]), 0.11, 5),
        (convolution(m, x, plain, None, stride=[2, 1], low=[2, 0], dilation=[1, 2]), 0.13, -7),
        (convolution(m, x, weight(m, 6, 2, 3, 2), bias, groups=3, low=[1, 1]), 0.07, 127),
        (convolution(m, x, weight(m, 6, 1, 3, 3, axis=0), bias, groups=6, low=[1, 1]), 0.05, 0),
        (convolution(m, x, weight(m, 6, 6, 1, 1), bias), 0.04, -128)):
        m.output(quantize(m, real, scale, zero).value)
    # Without a quantization after it the result is float32.
    m.output(convolution(m, x, plain, bias).value)


def quantized_ranks(m):
    line = observed(m, m.input(draw(1, 3, 11)), 0.02, 3, "uint8")
    cube = observed(m, m.input(draw(1, 2, 3, 4, 3)), 0.02, 140, "uint8")
    flat = observed(m, m.input(draw(1, 4, 5, 4)), 0.02, 9)
    deep = m.weight(draw(3))
    w = weight(m, 4, 3, 3, 2, axis=1)
    settings = ([2, 3], [1, 0], [1, 2], 1, [1, 1])
    turned = convolve_transposed_wide(flat.exact, w.exact, deep, *settings)
    names = ("stride", "padding", "output_padding", "groups", "dilation")
    back = Real(
        m.op("aten.conv_transpose2d.input", f32(turned), input=flat.value, weight=w.value, bias=deep,
             **dict(zip(names, settings))), turned)
    m.output(
        quantize(m, convolution(m, line, weight(m, 5, 3, 4, axis=0), None, low=[2]), 0.05, 100,
                 "uint8").value,
        quantize(m, convolution(m, cube, weight(m, 4, 2, 2, 2, 2), m.weight(draw(4))), 0.05, 20).value,
        quantize(m, back, 0.06, -2).value)


def quantized_linear(m):
    x = observed(m, m.input(draw(3, 2, 17)), 0.025, 30)
    hidden = linear(m, x, weight(m, 9, 17, axis=0), m.weight(draw(9)))
    hidden = quantize(m, same(m, "aten.relu.default", lambda v: np.maximum(v, 0), hidden), 0.02, -128)
    last = quantize(m, linear(m, hidden, weight(m, 4, 9)), 0.03, 1)
    flat = same(m, "aten.reshape.default", lambda v: v.reshape(6, 4), last, shape=[-1, 4])
    turned = same(m, "aten.permute.default", lambda v: v.T, flat, dims=[1, 0])
    low = same(m, "aten.hardtanh.default", lambda v: np.clip(v, 0, 6),
               linear(m, x, weight(m, 2, 17)), min_val=0.0, max_val=6.0)
    w = weight(m, 17, 5)
    exact = x.exact @ w.exact
    matmul = Real(m.op("aten.matmul.default", f32(exact), self=x.value, other=w.value), exact)
    m.output(last.value, turned.value, quantize(m, low, 0.03, -100).value,
             quantize(m, matmul, 0.03, 4).value)


def quantized_sums(m):
    x = observed(m, m.input(draw(1, 4, 6, 6)), 0.02, 7)
    y = observed(m, m.input(draw(1, 4, 6, 6)), 0.035, -20)
    total = Real(m.op("aten.add.Tensor", f32(x.exact + y.exact), self=x.value, other=y.value),
                 x.exact + y.exact)
    summed = quantize(m, same(m, "aten.relu.default", lambda v: np.maximum(v, 0), total), 0.04, -128)
    less = Real(
        m.op("aten.sub.Tensor", f32(x.exact - 0.5 * y.exact), self=x.value, other=y.value, alpha=0.5),
        x.exact - 0.5 * y.exact)
    times = Real(m.op("aten.mul.Tensor", f32(x.exact * y.exact), self=x.value, other=y.value),
                 x.exact * y.exact)
    # The same scale before and after: sums of halves are rounded to even.
    doubled = Real(m.op("aten.add.Tensor", f32(2 * x.exact), self=x.value, other=x.value), 2 * x.exact)
    joined = Real(
        m.op("aten.cat.default", f32(np.concatenate([x.exact, x.exact], 1)), tensors=[x.value, x.value],
             dim=1), np.concatenate([x.exact, x.exact], 1))
    m.output(summed.value, quantize(m, less, 0.03, 2).value, quantize(m, times, 0.06, -3).value,
             quantize(m, doubled, 0.08, 7).value, quantize(m, joined, 0.02, 7).value)


def quantized_pools(m):
    for zero, dtype in ((13, "int8"), (100, "uint8")):
        x = observed(m, m.input(draw(1, 3, 8, 7)), 0.02, zero, dtype)
        averages = [({"kernel_size": [2, 2]}, ([2, 2],)),
                    ({"kernel_size": [3, 3], "stride": [2, 1], "padding": [1, 1]},
                     ([3, 3], [2, 1], (1, 1))),
                    ({"kernel_size": [3, 2], "stride": [2, 2], "padding": [1, 1],
                      "count_include_pad": False}, ([3, 2], [2, 2], (1, 1), False, False))]
        for arguments, settings in averages:
            exact = pool_average_wide(x.exact, *settings)
            real = Real(m.op("aten.avg_pool2d.default", f32(exact), self=x.value, **arguments), exact)
            # Windows of different sizes are averaged in floats, which do not keep halves.
            scale = 0.02 if arguments.get("count_include_pad", True) else 0.0173
            m.output(quantize(m, real, scale, zero, dtype).value)
        exact = x.exact.mean(axis=(2, 3), keepdims=True)
        mean = Real(m.op("aten.mean.dim", f32(exact), self=x.value, dim=[2, 3], keepdim=True), exact)
        pooled = Real(
            m.op("aten.adaptive_avg_pool2d.default", f32(exact), self=x.value, output_size=[1, 1]),
            exact)
        largest = pool_max(x.exact, [3, 3], [2, 2], (1, 1)).astype(np.float64)
        largest = np.rint(largest / scale_of(0.02)) * scale_of(0.02)
        largest = Real(
            m.op("aten.max_pool2d.default", f32(largest), self=x.value, kernel_size=[3, 3],
                 stride=[2, 2], padding=[1, 1]), largest)
        m.output(quantize(m, mean, 0.01, zero, dtype).value,
                 quantize(m, pooled, 0.02, zero, dtype).value,
                 quantize(m, largest, 0.02, zero, dtype).value)


quantized = [
    quantized_convolutions, quantized_ranks, quantized_linear, quantized_sums, quantized_pools
]
