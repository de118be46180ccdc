#!/usr/bin/env python3
"""Writes small models that each hold one operation in several variants, with the results that
PyTorch documents for them, computed here by numpy in float64.

    make_cases.py FOLDER      writes NAME.pt2, NAME.inK.npy, NAME.outK.npy, and refused.tsv

The models of a group differ only in an attribute: an importer that drops it gives a wrong result.
Those in refused.tsv (name, options, a part of the message) cannot be built and must say so.
"""

import itertools
import math
import sys

import numpy as np

from archive import Dtype, Model
from quantized import quantized
from refused import dynamic, refused
from reference import (convolve, convolve_transposed, draw, erf, f32, gru_step, lstm_step,
                       pool_average, pool_max, rng, softmax_of, standard, wide)

cases = []


def case(function):
    cases.append(function)
    return function


# --- convolutions ---------------------------------------------------------------------------------
@case
def conv_attributes(m):
    x = m.input(draw(1, 6, 7, 8))
    w, b = m.weight(draw(6, 6, 3, 2)), m.weight(draw(6))
    grouped, deep = m.weight(draw(6, 2, 3, 2)), m.weight(draw(6, 1, 3, 2))
    double = m.weight(draw(12, 1, 2, 2))
    conv = "aten.conv2d.default"
    m.output(
        m.op(conv, convolve(x, w.array, b), input=x, weight=w, bias=b),
        m.op(conv, convolve(x, w.array), input=x, weight=w),
        m.op(conv, convolve(x, w.array, b, dilation=[2, 1]), input=x, weight=w, bias=b,
             stride=[1, 1], padding=[0, 0], dilation=[2, 1]),
        m.op(conv, convolve(x, w.array, b, stride=[2, 3], low=[1, 0]), input=x, weight=w, bias=b,
             stride=[2, 3], padding=[1, 0]),
        m.op(conv, convolve(x, grouped.array, b, groups=3), input=x, weight=grouped, bias=b,
             stride=[1], padding=[0], dilation=[1], groups=3),
        m.op(conv, convolve(x, deep.array, b, groups=6, low=[1, 1], stride=[2, 2]), input=x,
             weight=deep, bias=b, stride=[2, 2], padding=[1, 1], dilation=[1, 1], groups=6),
        m.op(conv, convolve(x, double.array, groups=6), input=x, weight=double, groups=6))


@case
def conv_same(m):
    x = m.input(draw(1, 2, 9, 8))
    for k, d in ((2, 1), (4, 1), (5, 1), (3, 2)):
        w = m.weight(draw(3, 2, k, k))
        total = d * (k - 1)
        result = convolve(x, w.array, low=[total // 2] * 2, high=[total - total // 2] * 2,
                          dilation=[d, d])
        m.output(
            m.op("aten.conv2d.padding", result, input=x, weight=w, bias=None, stride=[1, 1],
                 padding="same", dilation=[d, d]))
    w = m.weight(draw(3, 2, 3, 3))
    m.output(m.op("aten.conv2d.padding", convolve(x, w.array), input=x, weight=w, padding="valid"))


@case
def conv_other_ranks(m):
    line, cube = m.input(draw(2, 3, 11)), m.input(draw(1, 2, 4, 5, 6))
    flat = m.input(draw(2, 6, 5))
    w1, b = m.weight(draw(4, 3, 3)), m.weight(draw(4))
    w3, w2 = m.weight(draw(4, 2, 2, 3, 2)), m.weight(draw(4, 2, 3, 3))
    unbatched = convolve(flat.array[None], w2.array, b, low=[1, 1])[0]
    m.output(
        m.op("aten.conv1d.default", convolve(line, w1.array, b, stride=[2], low=[2], dilation=[2]),
             input=line, weight=w1, bias=b, stride=[2], padding=[2], dilation=[2]),
        m.op("aten.conv3d.default", convolve(cube, w3.array, b, low=[1, 0, 1]), input=cube,
             weight=w3, bias=b, stride=[1, 1, 1], padding=[1, 0, 1]),
        m.op("aten.conv2d.default", unbatched, input=flat, weight=w2, bias=b, stride=[1, 1],
             padding=[1, 1]))


@case
def conv_transposed(m):
    x = m.input(draw(2, 4, 5, 4))
    w, g, b = m.weight(draw(4, 3, 3, 2)), m.weight(draw(4, 3, 3, 2)), m.weight(draw(3))
    wide_bias = m.weight(draw(6))
    settings = [([1, 1], [0, 0], [0, 0], [1, 1]), ([2, 3], [1, 0], [1, 2], [1, 1]),
                ([2, 1], [0, 1], [0, 0], [1, 2])]
    for stride, padding, extra, dilation in settings:
        m.output(
            m.op("aten.conv_transpose2d.input",
                 convolve_transposed(x, w.array, b, stride, padding, extra, 1,
                                     dilation), input=x, weight=w, bias=b, stride=stride,
                 padding=padding, output_padding=extra, groups=1, dilation=dilation))
    m.output(
        m.op("aten.convolution.default",
             convolve_transposed(x, g.array, wide_bias, [2, 2], [1, 1], [0, 0], 2,
                                 [1, 1]), input=x, weight=g, bias=wide_bias, stride=[2, 2],
             padding=[1, 1], dilation=[1, 1], transposed=True, output_padding=[0, 0], groups=2))


@case
def layout(m):
    """A product whose weight says where each element came from."""
    x = m.input(np.arange(48, dtype=np.float32).reshape(1, 3, 4, 4))
    moved = m.op("aten.permute.default", x.array.transpose(0, 2, 3, 1), self=x, dims=[0, 2, 3, 1])
    packed = m.op("aten.contiguous.default", moved.array, self=moved)
    flat = m.op("aten.view.default", packed.array.reshape(1, 48), self=packed, size=[1, -1])
    w = m.weight(np.arange(96, dtype=np.float32).reshape(2, 48) / 96)
    cube = m.input(draw(2, 3, 4))
    m.output(m.op("aten.linear.default", f32(wide(flat) @ wide(w).T), input=flat, weight=w),
             m.op("aten.transpose.int", cube.array.swapaxes(0, 2), self=cube, dim0=0, dim1=-1))


# --- poolings -------------------------------------------------------------------------------------
@case
def pool_max_borders(m):
    five = m.input(np.full((1, 1, 5, 3), -5, np.float32))
    x = m.input(draw(2, 3, 7, 8))
    pool = "aten.max_pool2d.default"
    m.output(
        m.op(pool, pool_max(five, [3, 3], [2, 2], [1, 1], ceil=True), self=five, kernel_size=[3, 3],
             stride=[2, 2], padding=[1, 1], dilation=[1, 1], ceil_mode=True),
        m.op(pool, pool_max(x, [2, 3]), self=x, kernel_size=[2, 3]),
        m.op(pool, pool_max(x, [3, 3], [2, 2], ceil=True), self=x, kernel_size=[3], stride=[2],
             padding=[0], dilation=[1], ceil_mode=True),
        m.op(pool, pool_max(x, [3, 3], [2, 2]), self=x, kernel_size=[3, 3], stride=[2, 2]),
        m.op(pool, pool_max(x, [2, 2], [1, 1], [1, 1], [2, 3]), self=x, kernel_size=[2, 2],
             stride=[1, 1], padding=[1, 1], dilation=[2, 3]))


@case
def pool_average_borders(m):
    x = m.input(draw(2, 3, 7, 6))
    pool = "aten.avg_pool2d.default"
    for ceil, include, divisor in itertools.product((False, True), (True, False), (None, 5)):
        m.output(
            m.op(pool, pool_average(x, [3, 3], [2, 2], [1, 1], ceil, include, divisor), self=x,
                 kernel_size=[3, 3], stride=[2, 2], padding=[1, 1], ceil_mode=ceil,
                 count_include_pad=include, divisor_override=divisor))
    m.output(m.op(pool, pool_average(x, [2, 2]), self=x, kernel_size=[2, 2]))


@case
def pool_other(m):
    line, cube, x = m.input(draw(2, 3, 9)), m.input(draw(1, 2, 4, 4, 6)), m.input(draw(1, 4, 6, 8))
    whole = np.arange(24, dtype=np.int32).reshape(1, 1, 4, 6) - 12
    counts = m.input(whole)
    m.output(
        m.op("aten.max_pool1d.default", pool_max(line, [3], [2], [1]), self=line, kernel_size=[3],
             stride=[2], padding=[1]),
        m.op("aten.avg_pool1d.default", pool_average(line, [4], [3], [2], include=False), self=line,
             kernel_size=[4], stride=[3], padding=[2], ceil_mode=False, count_include_pad=False),
        m.op("aten.max_pool3d.default", pool_max(cube, [2, 2, 2], padding=[0, 0, 0]), self=cube,
             kernel_size=[2, 2, 2]),
        m.op("aten.avg_pool3d.default", pool_average(cube, [2, 2, 3], padding=[0, 0, 0]), self=cube,
             kernel_size=[2, 2, 3]),
        m.op("aten.adaptive_avg_pool2d.default", pool_average(x, [2, 4]), self=x,
             output_size=[3, 2]),
        m.op("aten._adaptive_avg_pool2d.default", pool_average(x, [6, 8]), self=x,
             output_size=[1, 1]),
        m.op("aten.max_pool2d.default",
             pool_max(counts, [2, 2]).astype(np.int32), self=counts, kernel_size=[2, 2]))


@case
def pool_adaptive(m):
    x = m.input(draw(2, 3, 7, 10))

    def windows_of(size, count):
        return [(n * size // count, -(-(n + 1) * size // count)) for n in range(count)]

    def adaptive(rows, columns, combine):
        return np.stack([
            np.stack([combine(wide(x)[:, :, a:b, c:d]) for c, d in windows_of(10, columns)], -1)
            for a, b in windows_of(7, rows)
        ], -2)

    mean, most = (lambda part: part.mean((2, 3))), (lambda part: part.max((2, 3)))
    m.output(
        m.op("aten.adaptive_avg_pool2d.default", f32(adaptive(3, 4, mean)), self=x,
             output_size=[3, 4]),
        m.op("aten._adaptive_avg_pool2d.default", f32(adaptive(9, 5, mean)), self=x,
             output_size=[9, 5]),
        m.op(
            "aten.adaptive_max_pool2d.default",
            [f32(adaptive(2, 3, most)), np.zeros(
                (2, 3, 2, 3), np.int64)], self=x, output_size=[2, 3])[0])


# --- elementwise ----------------------------------------------------------------------------------
@case
def activations(m):
    x = m.input(np.concatenate([draw(40) * 3, np.float32([0, -0.0, 6, -6, 3, -3, 30, -30])]))
    v = wide(x)

    def put(name, result, **arguments):
        m.output(m.op(f"aten.{name}.default", f32(result), self=x, **arguments))

    put("relu", np.maximum(v, 0))
    put("relu6", np.clip(v, 0, 6))
    put("hardtanh", np.clip(v, -1, 1))
    put("hardtanh", np.clip(v, -2, 0.5), min_val=-2, max_val=0.5)
    put("leaky_relu", np.where(v > 0, v, v * 0.01))
    put("leaky_relu", np.where(v > 0, v, v * 0.3), negative_slope=0.3)
    put("gelu", 0.5 * v * (1 + erf(v / math.sqrt(2))))
    put("gelu", 0.5 * v * (1 + np.tanh(math.sqrt(2 / math.pi) * (v + 0.044715 * v**3))),
        approximate="tanh")
    put("silu", v / (1 + np.exp(-v)))
    put("hardsigmoid", np.clip(v + 3, 0, 6) / 6)
    put("hardswish", v * np.clip(v + 3, 0, 6) / 6)
    put("sigmoid", 1 / (1 + np.exp(-v)))
    put("softplus", np.where(v > 20, v, np.log1p(np.exp(np.minimum(v, 20)))))
    put("softplus", np.where(v * 2 > 5, v,
                             np.log1p(np.exp(np.minimum(v, 5) * 2)) / 2), beta=2, threshold=5)
    put("elu", np.where(v > 0, v, np.expm1(v)))
    put("elu", np.where(v > 0, v, 0.7 * np.expm1(v)), alpha=0.7)
    put("mish", v * np.tanh(np.log1p(np.exp(v))))
    put("log_sigmoid", np.minimum(v, 0) - np.log1p(np.exp(-abs(v))))
    put("threshold", np.where(v <= 0.5, -7, v), threshold=0.5, value=-7)


@case
def scalars_and_types(m):
    """Type promotion: Python numbers and 0-d tensors do not raise the type of a tensor."""
    i, f = m.input(np.array([[-7, 5, 3]], np.int32)), m.input(draw(2, 1))
    half, b = m.input(draw(3).astype(np.float16)), m.input(np.array([True, False, True]))
    zero_d, long = m.input(np.array(2.5, np.float64)), m.input(np.array([1, -2, 9], np.int64))
    byte = m.input(np.array([200, 3, 100], np.uint8))
    iv, fv, hv = i.array, f.array, half.array
    m.output(
        m.op("aten.add.Tensor", iv + 2, self=i, other=2),
        m.op("aten.add.Tensor", f32(iv + 2.5), self=i, other=2.5),
        m.op("aten.add.Tensor", f32(iv + wide(f)), self=i, other=f),
        m.op("aten.add.Tensor", f32(iv + 2 * wide(f)), self=i, other=f, alpha=2),
        m.op("aten.sub.Tensor", f32(wide(f) - 0.5 * iv), self=f, other=i, alpha=0.5),
        m.op("aten.rsub.Scalar", f32(3 - wide(f)), self=f, other=3),
        m.op("aten.mul.Tensor", (wide(half) * 0.5).astype(np.float16), self=half, other=0.5),
        m.op("aten.mul.Tensor", f32(hv.astype(np.float64) * fv), self=half, other=f),
        m.op("aten.add.Tensor", f32(wide(f) + 2.5), self=f, other=zero_d),
        m.op("aten.add.Tensor", (iv + wide(zero_d)).astype(np.float64), self=i, other=zero_d),
        m.op("aten.add.Tensor", long.array + b.array, self=long, other=b),
        m.op("aten.mul.Tensor", iv * long.array, self=i, other=long),
        m.op("aten.add.Tensor", (byte.array.astype(int) + 100).astype(np.uint8), self=byte,
             other=100),
        m.op("aten.add.Tensor", (byte.array.astype(np.int32) + iv), self=byte, other=i),
        m.op("aten.div.Tensor", f32(iv / 2), self=i, other=2),
        m.op("aten.gt.Scalar", byte.array > 100, self=byte, other=100),
        m.op("aten.maximum.default", np.maximum(byte.array, 150), self=byte,
             other=m.weight(np.array([150], np.uint8))),
        m.op("aten.logical_and.default", np.logical_and(iv, b.array), self=i, other=b),
        m.op("aten.clamp.default", f32(np.clip(iv, 0.5, 4)), self=i, min=0.5, max=4),
        m.op("aten.clamp.default", np.clip(iv, -5, 4), self=i, min=-5, max=4),
        m.op("aten.where.ScalarOther", np.where(b.array, fv, np.float32(9)), condition=b, self=f,
             other=9))


@case
def integer_division(m):
    a = m.input(np.array([-7, 7, -8, 8, 7, 0], np.int32))
    b = m.input(np.array([2, -2, 3, 4, 9, -5], np.int32))
    x, y = a.array.astype(np.int64), b.array.astype(np.int64)
    trunc = np.trunc(x / y).astype(np.int32)
    m.output(
        m.op("aten.div.Tensor_mode", (x // y).astype(np.int32), self=a, other=b,
             rounding_mode="floor"),
        m.op("aten.div.Tensor_mode", trunc, self=a, other=b, rounding_mode="trunc"),
        m.op("aten.div.Tensor_mode", f32(x / y), self=a, other=b, rounding_mode=None),
        m.op("aten.remainder.Tensor", (x % y).astype(np.int32), self=a, other=b),
        m.op("aten.fmod.Tensor",
             np.fmod(x, y).astype(np.int32), self=a, other=b),
        m.op("aten.floor_divide.default", (x // y).astype(np.int32), self=a, other=b),
        m.op("aten.pow.Tensor_Scalar", (x**3).astype(np.int32), self=a, exponent=3),
        m.op("aten.__lshift__.Scalar", (x << 3).astype(np.int32), self=a, other=3),
        m.op("aten.__rshift__.Scalar", (x >> 1).astype(np.int32), self=a, other=1),
        m.op("aten.bitwise_xor.Tensor", (x ^ y).astype(np.int32), self=a, other=b))


@case
def conversions(m):
    x = m.input(np.float32([-3.7, 0.2, 2.5, 127.9, 0]))
    i = m.input(np.array([-1, 0, 300, 65, 7], np.int32))
    m.output(
        m.op("aten.to.dtype",
             np.trunc(x.array).astype(np.int64), self=x, dtype=Dtype("int64")),
        m.op("aten.to.dtype", x.array != 0, self=x, dtype=Dtype("bool")),
        m.op("aten.to.dtype", i.array.astype(np.int8), self=i, dtype=Dtype("int8")),
        m.op("aten.to.dtype", i.array.astype(np.uint8), self=i, dtype=Dtype("uint8")),
        m.op("aten._to_copy.default", i.array.astype(np.float16), self=i, dtype=Dtype("float16")),
        m.op("aten.to.dtype", x.array.astype(np.float64), self=x, dtype=Dtype("float64")))


# --- reductions and normalizations ----------------------------------------------------------------
@case
def softmax_extremes(m):
    inf, nan = np.inf, np.nan
    rows = np.float32([[100, 101, 102], [-100, -101, -102], [7, 7, 7], [1, inf, 2], [1, -inf, 2],
                       [1, nan, 2]])
    x, cube = m.input(rows), m.input(draw(2, 3, 4))
    m.output(m.op("aten.softmax.int", f32(softmax_of(rows, 1)), self=x, dim=1),
             m.op("aten.softmax.int", f32(softmax_of(cube.array, 1)), self=cube, dim=1),
             m.op("aten.softmax.int", f32(softmax_of(cube.array, -1)), self=cube, dim=-1),
             m.op("aten.log_softmax.int", f32(np.log(softmax_of(cube.array, 0))), self=cube, dim=0))


@case
def reductions(m):
    x = m.input(draw(3, 4, 5))
    i, b = m.input(np.arange(12, dtype=np.int32).reshape(3, 4) - 5), m.input(draw(3, 4) > 0)
    n = m.input(np.float32([[1, np.nan, 3], [4, 2, 4]]))
    v = wide(x)
    with np.errstate(invalid="ignore"):
        nan_max = np.float32([np.nan, 4])
    m.output(
        m.op("aten.sum.default", f32(v.sum()), self=x),
        m.op("aten.sum.dim_IntList", f32(v.sum((0, 2))), self=x, dim=[0, -1]),
        m.op("aten.sum.dim_IntList", f32(v.sum(1, keepdims=True)), self=x, dim=[1], keepdim=True),
        m.op("aten.sum.dim_IntList",
             i.array.sum(0).astype(np.int64), self=i, dim=[0]),
        m.op("aten.sum.default", f32(i.array.sum()), self=i, dtype=Dtype("float32")),
        m.op("aten.sum.default", np.int64(b.array.sum()), self=b),
        m.op("aten.mean.dim", f32(v.mean(2)), self=x, dim=[2]),
        m.op("aten.mean.dim", f32(v.mean(1, keepdims=True)), self=x, dim=[1], keepdim=True),
        m.op("aten.prod.dim_int",
             i.array.prod(0).astype(np.int64), self=i, dim=0),
        m.op("aten.var.correction", f32(v.var(1)), self=x, dim=[1], correction=0),
        m.op("aten.var.correction", f32(v.var(1, ddof=1)), self=x, dim=[1]),
        m.op("aten.std.dim", f32(v.std((0, 1))), self=x, dim=[0, 1], unbiased=False),
        m.op("aten.amax.default",
             v.max((1, 2)).astype(np.float32), self=x, dim=[1, 2]),
        m.op("aten.amin.default", f32(v.min()), self=x),
        m.op("aten.amax.default", nan_max, self=n, dim=[1]),
        *m.op("aten.max.dim", [nan_max, np.int64([1, 0])], self=n, dim=1),
        *m.op("aten.min.dim",
              [v.min(0, keepdims=True).astype(np.float32),
               v.argmin(0)[None].astype(np.int64)], self=x, dim=0, keepdim=True),
        m.op("aten.argmax.default", np.int64(v.argmax()), self=x, dim=None),
        m.op("aten.argmin.default",
             v.argmin(1)[:, None].astype(np.int64), self=x, dim=1, keepdim=True),
        m.op("aten.any.dim", i.array.any(1), self=i, dim=1),
        m.op("aten.all.default", np.bool_(i.array.all()), self=i),
        m.op("aten.any.dims", b.array.any(0), self=b, dim=[0]),
        m.op("aten.linalg_vector_norm.default", f32(abs(v).sum(2)), self=x, ord=1, dim=[2]),
        m.op("aten.linalg_vector_norm.default", f32(abs(v).max(2)), self=x, ord=math.inf, dim=[2]),
        m.op("aten.linalg_vector_norm.default", f32(np.sqrt((v * v).sum())), self=x),
        m.op("aten.logsumexp.default", f32(np.log(np.exp(v).sum(1))), self=x, dim=[1]))


@case
def normalizations(m):
    x = m.input(draw(2, 6, 4, 3))
    v = wide(x)
    w, b = m.weight(draw(6)), m.weight(draw(6))
    mean, var = m.weight(draw(6)), m.weight(abs(draw(6)) + np.float32(0.5))
    lw, lb = m.weight(draw(4, 3)), m.weight(draw(4, 3))
    per = lambda value: wide(value).reshape(1, 6, 1, 1)
    bare = (v - per(mean)) / np.sqrt(per(var) + 1e-5)
    slack = (v - per(mean)) / np.sqrt(per(var) + 1e-2)
    batch = "aten.batch_norm.default"
    flags = dict(training=False, momentum=0.1, eps=1e-5, cudnn_enabled=True)
    groups = standard(v.reshape(2, 3, -1), 2, 1e-5).reshape(v.shape)
    rms = v / np.sqrt((v * v).mean((2, 3), keepdims=True) + 1e-6)
    m.output(
        m.op(batch, f32(bare * per(w) + per(b)), input=x, weight=w, bias=b, running_mean=mean,
             running_var=var, **flags),
        m.op(batch, f32(bare), input=x, weight=None, bias=None, running_mean=mean, running_var=var,
             **flags),
        m.op(batch, f32(slack * per(w) + per(b)), input=x, weight=w, bias=b, running_mean=mean,
             running_var=var, **{**flags, "eps": 1e-2}),
        m.op("aten.layer_norm.default", f32(standard(v, (2, 3), 1e-5) * wide(lw) + wide(lb)),
             input=x, normalized_shape=[4, 3], weight=lw, bias=lb),
        m.op("aten.layer_norm.default", f32(standard(v, (2, 3), 1e-3)), input=x,
             normalized_shape=[4, 3], weight=None, bias=None, eps=1e-3),
        m.op("aten.group_norm.default", f32(groups * per(w) + per(b)), input=x, num_groups=3,
             weight=w, bias=b),
        m.op("aten.instance_norm.default", f32(standard(v, (2, 3), 1e-5) * per(w) + per(b)),
             input=x, weight=w, bias=b, running_mean=None, running_var=None, use_input_stats=True,
             momentum=0.1, eps=1e-5, cudnn_enabled=True),
        m.op("aten.rms_norm.default", f32(rms * wide(lw)), input=x, normalized_shape=[4, 3],
             weight=lw, eps=1e-6))


@case
def batch_norm_computed(m):
    """Statistics that are no constants."""
    x, mean, var = m.input(draw(4, 3)), m.input(draw(3)), m.input(abs(draw(3)) + np.float32(0.1))
    result = (wide(x) - wide(mean)) / np.sqrt(wide(var) + 1e-5)
    m.output(
        m.op("aten.batch_norm.default", f32(result), input=x, weight=None, bias=None,
             running_mean=mean, running_var=var, training=False, momentum=0.1, eps=1e-5,
             cudnn_enabled=True))


# --- products -------------------------------------------------------------------------------------
@case
def products(m):
    a, b = m.input(draw(2, 1, 3, 4)), m.input(draw(5, 4, 2))
    v, w = m.input(draw(4)), m.input(draw(3, 4))
    bias, full = m.input(draw(3)), m.input(draw(3, 3))
    left, right = m.input(draw(2, 3, 4)), m.input(draw(2, 4, 5))
    add, many = m.input(draw(2, 1, 5)), m.input(draw(2, 3, 4))
    ints = m.input(np.arange(12, dtype=np.int64).reshape(3, 4) - 6)
    square = f32(wide(w) @ wide(w).T)
    turned = m.op("aten.t.default", w.array.T, self=w)
    batched = wide(left) @ wide(right)
    m.output(
        m.op("aten.matmul.default", f32(wide(a) @ wide(b)), self=a, other=b),
        m.op("aten.matmul.default", f32(wide(w) @ wide(v)), self=w, other=v),
        m.op("aten.matmul.default", f32(wide(v) @ wide(v)), self=v, other=v),
        m.op("aten.matmul.default", f32(wide(v) @ wide(b)), self=v, other=b),
        m.op("aten.mv.default", f32(wide(w) @ wide(v)), self=w, vec=v),
        m.op("aten.addmm.default", f32(wide(bias) + square), self=bias, mat1=w, mat2=turned),
        m.op("aten.addmm.default", f32(0.5 * wide(full) + 2 * wide(square)), self=full, mat1=w,
             mat2=turned, beta=0.5, alpha=2),
        m.op("aten.bmm.default", f32(batched), self=left, mat2=right),
        m.op("aten.baddbmm.default", f32(wide(add) + batched), self=add, batch1=left, batch2=right),
        m.op("aten.linear.default", f32(wide(many) @ wide(w).T + wide(bias)), input=many, weight=w,
             bias=bias), m.op("aten.linear.default", f32(wide(v) @ wide(w).T), input=v, weight=w),
        m.op("aten.matmul.default", ints.array @ ints.array.T, self=ints,
             other=m.op("aten.t.default", ints.array.T, self=ints)))


@case
def half_product(m):
    """16-bit floats are summed in float32 and rounded once."""
    x, w = m.input((draw(2, 64)).astype(np.float16)), m.weight(draw(3, 64).astype(np.float16))
    m.output(
        m.op("aten.linear.default", (wide(x) @ wide(w).T).astype(np.float16), input=x, weight=w))


@case
def attention(m):
    q, k, v = m.input(draw(1, 2, 4, 8)), m.input(draw(1, 2, 5, 8)), m.input(draw(1, 2, 5, 6))
    mask = m.input(rng.random((4, 5)) > 0.4)
    mask.array[0] = False
    offset = m.input(draw(4, 5))
    scores = wide(q) @ wide(k).swapaxes(-1, -2)
    root = 1 / math.sqrt(8)
    op = "aten.scaled_dot_product_attention.default"
    hidden = np.where(mask.array, scores * root, -np.inf)
    seen = np.nan_to_num(softmax_of(hidden, -1)) @ wide(v)
    causal = np.where(np.tri(4, 5, dtype=bool), scores * root, -np.inf)
    m.output(
        m.op(op, f32(softmax_of(scores * root, -1) @ wide(v)), query=q, key=k, value=v),
        m.op(op, f32(softmax_of(scores * 0.5, -1) @ wide(v)), query=q, key=k, value=v, scale=0.5),
        m.op(op, f32(softmax_of(scores * root + wide(offset), -1) @ wide(v)), query=q,
             key=k, value=v, attn_mask=offset),
        m.op(op, f32(seen), query=q, key=k, value=v, attn_mask=mask),
        m.op(op, f32(softmax_of(causal, -1) @ wide(v)), query=q, key=k, value=v, attn_mask=None,
             dropout_p=0.0, is_causal=True))


# --- recurrent ------------------------------------------------------------------------------------
def parameters(m, gates, size, hidden):
    return [
        m.weight(draw(gates * hidden, size) * np.float32(0.4)),
        m.weight(draw(gates * hidden, hidden) * np.float32(0.4)),
        m.weight(draw(gates * hidden)),
        m.weight(draw(gates * hidden))
    ]


@case
def recurrent(m):
    x, h0, c0 = m.input(draw(3, 2, 4)), m.input(draw(4, 2, 5)), m.input(draw(4, 2, 5))
    sets = [
        parameters(m, 4, 4, 5),
        parameters(m, 4, 4, 5),
        parameters(m, 4, 10, 5),
        parameters(m, 4, 10, 5)
    ]
    layer, last_h, last_c = wide(x), [], []
    for number in range(2):
        outs = []
        for direction in range(2):
            slot = 2 * number + direction
            h, c, steps = wide(h0)[slot], wide(c0)[slot], []
            order = range(2, -1, -1) if direction else range(3)
            for t in order:
                h, c = lstm_step(layer[t], h, c, sets[slot])
                steps.append(h)
            last_h.append(h)
            last_c.append(c)
            outs.append(np.stack(steps[::-1] if direction else steps))
        layer = np.concatenate(outs, -1)
    m.output(*m.op("aten.lstm.input", [f32(
        layer), f32(np.stack(last_h)), f32(np.stack(last_c))], input=x, hx=[h0, c0], params=sum(
            sets, []), has_biases=True, num_layers=2, dropout=0.0, train=False, bidirectional=True,
                   batch_first=False))
    own, start = parameters(m, 3, 4, 5), m.input(draw(1, 3, 5))
    h, steps = wide(start)[0], []
    for t in range(2):
        h = gru_step(wide(x)[:, t], h, own)
        steps.append(h)
    m.output(*m.op("aten.gru.input", [f32(np.stack(steps, 1)),
                                      f32(h[None])], input=x, hx=start, params=own, has_biases=True,
                   num_layers=1, dropout=0.0, train=False, bidirectional=False, batch_first=True))
    m.output(
        m.op("aten.gru_cell.default", f32(gru_step(wide(x)[0],
                                                   wide(h0)[0], own)),
             input=m.op("aten.select.int", x.array[0], self=x, dim=0,
                        index=0), hx=m.op("aten.select.int", h0.array[0], self=h0, dim=0, index=-4),
             w_ih=own[0], w_hh=own[1], b_ih=own[2], b_hh=own[3]))


# --- shapes ---------------------------------------------------------------------------------------
@case
def paddings(m):
    x, flat = m.input(draw(1, 2, 4, 5)), m.input(draw(2, 3, 6))

    def put(pads, mode, **more):
        widths = [(0, 0)] * (4 - len(pads) // 2) + list(zip(pads[::2], pads[1::2]))[::-1]
        name = {"replicate": "edge", "circular": "wrap"}.get(mode, mode)
        options = {"constant_values": more.get("value", 0)} if mode == "constant" else {}
        m.output(
            m.op("aten.pad.default", np.pad(x.array, widths, name, **options), self=x, pad=pads,
                 mode=mode, **more))

    put([1, 2], "constant")
    put([1, 2, 3, 0], "constant", value=-1.5)
    put([2, 1, 1, 3], "reflect")
    put([2, 1, 1, 3], "replicate")
    put([5, 1, 1, 2], "circular")
    m.output(
        m.op("aten.constant_pad_nd.default", np.pad(x.array[:, :, 1:], [(0, 0)] * 3 + [(1, 0)]),
             self=x, pad=[1, 0, -1, 0]))
    m.output(
        m.op("aten.reflection_pad1d.default", np.pad(flat.array, [(0, 0)] * 2 + [(2, 3)],
                                                     "reflect"), self=flat, padding=[2, 3]))
    m.output(
        m.op("aten.replication_pad2d.default", np.pad(flat.array, [(0, 0), (1, 0), (2, 3)], "edge"),
             self=flat, padding=[2, 3, 1, 0]))


@case
def parts_and_joins(m):
    x, y = m.input(draw(2, 5, 3)), m.input(draw(2, 2, 3))
    big = 9223372036854775807
    halves = m.op("aten.split.Tensor", [x.array[:, :2], x.array[:, 2:4], x.array[:, 4:]], self=x,
                  split_size=2, dim=1, as_list=True)
    chunks = m.op("aten.chunk.default", [x.array[:, :3], x.array[:, 3:]], self=x, chunks=2, dim=-2,
                  as_list=True)
    rows = m.op("aten.unbind.int", [x.array[0], x.array[1]], self=x, as_list=True)
    m.output(
        *halves, *chunks, *rows,
        m.op("aten.slice.Tensor", x.array[:, 1::2], self=x, dim=1, start=1, end=big, step=2),
        m.op("aten.slice.Tensor", x.array[:, -3:-1], self=x, dim=1, start=-3, end=-1),
        m.op("aten.slice.Tensor", x.array, self=x),
        m.op("aten.select.int", x.array[:, -2], self=x, dim=1, index=-2),
        m.op("aten.cat.default", np.concatenate([x.array, y.array], 1), tensors=[x, y], dim=-2),
        m.op("aten.stack.default", np.stack([y.array, y.array], 3), tensors=[y, y], dim=-1),
        m.op("aten.repeat.default", np.tile(y.array, (2, 1, 3, 1)), self=y, repeats=[2, 1, 3, 1]),
        m.op("aten.flip.default", x.array[::-1, :, ::-1].copy(), self=x, dims=[0, -1]),
        m.op("aten.roll.default", np.roll(x.array, (1, -2), (1, 2)), self=x, shifts=[1, -2],
             dims=[1, 2]), m.op("aten.roll.default", np.roll(x.array, 4), self=x, shifts=[4]),
        m.op("aten.expand.default",
             np.broadcast_to(y.array[None], (3, 2, 2, 3)).copy(), self=y, size=[3, -1, -1, -1]),
        m.op("aten.movedim.int",
             np.moveaxis(x.array, 0, 2).copy(), self=x, source=0, destination=-1),
        m.op("aten.unflatten.int", x.array.reshape(2, 5, 3, 1), self=x, dim=2, sizes=[3, -1]))


@case
def pixel_shuffle(m):
    x = m.input(draw(1, 8, 2, 3))
    result = x.array.reshape(1, 2, 2, 2, 2, 3).transpose(0, 1, 4, 2, 5, 3).reshape(1, 2, 4, 6)
    m.output(m.op("aten.pixel_shuffle.default", result, self=x, upscale_factor=2))


@case
def resizes(m):
    x = m.input(draw(1, 2, 3, 4))
    v = wide(x)

    def nearest(rows, columns):
        return x.array[:, :, [n * 3 // rows
                              for n in range(rows)]][...,
                                                     [n * 4 // columns for n in range(columns)]]

    def line(size, count, corners):
        places = (np.arange(count) * (size - 1) / (count - 1) if corners else np.maximum(
            (np.arange(count) + 0.5) * size / count - 0.5, 0))
        low = places.astype(int)
        weights = np.zeros((count, size))
        for n, (a, p) in enumerate(zip(low, places)):
            weights[n, a] += 1 - (p - a)
            weights[n, min(a + 1, size - 1)] += p - a
        return weights

    def bilinear(rows, columns, corners):
        return f32(
            np.einsum("ri,bcij,sj->bcrs", line(3, rows, corners), v, line(4, columns, corners)))

    two = {"as_floats": [2.0, 2.0]}
    m.output(
        m.op("aten.upsample_nearest2d.vec", nearest(6, 8), input=x, output_size=None,
             scale_factors=two),
        m.op("aten.upsample_nearest2d.vec", nearest(7, 5), input=x, output_size=[7, 5],
             scale_factors=None),
        m.op("aten.upsample_bilinear2d.vec", bilinear(6, 8, False), input=x, output_size=None,
             align_corners=False, scale_factors=two),
        m.op("aten.upsample_bilinear2d.default", bilinear(7, 2, True), self=x, output_size=[7, 2],
             align_corners=True),
        m.op("aten.repeat_interleave.self_int", np.repeat(x.array, 3, 2), self=x, repeats=3, dim=2))


@case
def einsums(m):
    a, b, c = m.input(draw(2, 3, 4)), m.input(draw(2, 4, 5)), m.input(draw(3))
    square = m.input(draw(4, 4))

    def put(equation, *values):
        result = np.einsum(equation, *map(wide, values))
        m.output(m.op("aten.einsum.default", f32(result), equation=equation, tensors=list(values)))

    put("bij,bjk->bik", a, b)
    put("bij, bjk, i -> kb", a, b, c)
    put("bij->jb", a)
    put("bij,i", a, c)
    put("ii->i", square)
    put("ij->", square)


@case
def running_sums(m):
    x, i = m.input(draw(2, 5)), m.input(np.arange(6, dtype=np.int32).reshape(2, 3))
    half = draw(2, 4)
    h = m.input(half)
    m.output(
        m.op("aten.cumsum.default", f32(wide(x).cumsum(1)), self=x, dim=1),
        m.op("aten.cumsum.default",
             i.array.cumsum(0).astype(np.int64), self=i, dim=0),
        m.op("aten.glu.default", f32(wide(h)[:, :2] * (1 / (1 + np.exp(-wide(h)[:, 2:])))), self=h),
        *m.op("aten.var_mean.correction",
              [f32(wide(x).var(1, ddof=1)), f32(wide(x).mean(1))], self=x, dim=[1]),
        m.op("aten.clamp_min.default", np.maximum(x.array, np.float32(0.25)), self=x, min=0.25))


@case
def indices(m):
    x = m.input(draw(4, 5, 3))
    i, j = m.input(np.array([[0, 3], [2, -1]], np.int64)), m.input(np.array([1, 4], np.int64))
    near = m.input(np.array([2, 0, 2], np.int32))
    g = m.input(rng.integers(0, 5, (4, 2, 3)))
    table = m.weight(draw(7, 4))
    words = m.input(np.array([[0, 6, 2], [5, 5, 1]], np.int64))
    square = m.input(draw(2, 4, 5))
    m.output(
        m.op("aten.index.Tensor", x.array[i.array], self=x, indices=[i]),
        m.op("aten.index.Tensor", x.array[:, j.array], self=x, indices=[None, j]),
        m.op("aten.index.Tensor", x.array[i.array, j.array], self=x, indices=[i, j]),
        m.op(
            "aten.index.Tensor", x.array[i.array, :, near.array[:2]], self=x, indices=[
                i, None,
                m.op("aten.slice.Tensor", near.array[:2], self=near, dim=0, start=0, end=2)
            ]), m.op("aten.index_select.default", x.array[:, j.array], self=x, dim=1, index=j),
        m.op("aten.gather.default", np.take_along_axis(x.array, g.array, 1), self=x, dim=1,
             index=g),
        m.op("aten.embedding.default", table.array[words.array], weight=table, indices=words,
             padding_idx=0),
        m.op("aten.tril.default", np.tril(square.array, -1), self=square, diagonal=-1),
        m.op("aten.triu.default", np.triu(square.array, 1), self=square, diagonal=1),
        m.op("aten.diagonal.default",
             np.diagonal(square.array, 1, 1, 2).copy(), self=square, offset=1, dim1=1, dim2=2),
        m.op("aten.diagonal.default",
             np.diagonal(square.array, -1, 2, 1).copy(), self=square, offset=-1, dim1=2, dim2=1))


@case
def constants(m):
    x = m.input(draw(2, 3))
    numbers = m.op("aten.arange.start_step", np.float32([1, 1.5, 2]), start=1, end=2.5, step=0.5)
    eye = m.op("aten.eye.default", np.eye(3, dtype=np.float32), n=3)
    whole = m.op("aten.arange.default", np.arange(3, dtype=np.int64), end=3)
    ones = m.op("aten.full.default", np.full((2, 1), 4, np.float32), size=[2, 1], fill_value=4.0)
    like = m.op("aten.zeros_like.default", np.zeros((2, 3), np.int32), self=x, dtype=Dtype("int32"))
    number = m.op("aten.scalar_tensor.default", np.float32(2.5), s=2.5)
    m.output(m.op("aten.mul.Tensor", f32(wide(x) * wide(numbers)), self=x, other=numbers),
             m.op("aten.matmul.default", x.array, self=x, other=eye),
             m.op("aten.add.Tensor", f32(wide(x) + wide(whole)), self=x, other=whole),
             m.op("aten.add.Tensor", f32(wide(x) + 4), self=x, other=ones),
             m.op("aten.add.Tensor", f32(wide(x) + 2.5), self=x, other=number), like)


# --- in place -------------------------------------------------------------------------------------
@case
def in_place(m):
    x = m.input(draw(3, 4))
    y = m.op("aten.mul.Tensor", f32(wide(x) * 2), self=x, other=2)
    relu = m.op("aten.relu_.default", np.maximum(y.array, 0), self=y)
    # From here on both names mean the new value.
    y.array = relu.array
    more = m.op("aten.add_.Tensor", f32(wide(relu) + 1), self=relu, other=1)
    m.output(m.op("aten.add.Tensor", f32(2 * wide(more)), self=y, other=more))
    z = m.op("aten.zeros.default", np.zeros((3, 4), np.float32), size=[3, 4])
    filled = m.op("aten.copy_.default",
                  np.broadcast_to(x.array[0], (3, 4)).copy(), self=z,
                  src=m.op("aten.select.int", x.array[0], self=x, dim=0, index=0))
    m.output(m.op("aten.fill_.Scalar", np.full((3, 4), 3, np.float32), self=filled, value=3))


def main():
    folder = sys.argv[1]
    for function in cases:
        model = Model(function.__name__)
        function(model)
        model.save(folder)
    lines = []
    for function, options, messages in refused:
        model = Model(function.__name__)
        model.save(folder, function(model))
        lines += [f"{model.name}\t{options}\t{message}\n" for message in messages]
    model = Model("dynamic")
    model.save(folder, dynamic(model))
    for options, message in (("", "not known yet: x dimension 0 (s0, 7 at the export)"),
                             ("--shape x=1x2", "s0 cannot be 1, it was exported for 2 to 9"),
                             ("--shape x=4x3", "--shape: x has the shape [4, 2] in this model"),
                             ("--shape x=4", "--shape: input x has 2 dimensions, not 1"),
                             ("--shape y=4x2", "--shape: no input y")):
        lines.append(f"dynamic\t{options}\t{message}\n")
    for function in quantized:
        model = Model(function.__name__)
        function(model)
        model.save(folder)
    with open(f"{folder}/refused.tsv", "w") as table:
        table.writelines(lines)


if __name__ == "__main__":
    main()
