"""Models that cannot be built, with what the messages must say, and one with dynamic shapes."""
import numpy as np

from archive import Dtype
from reference import draw

refused = []


def refuse(*messages, options=""):

    def register(function):
        refused.append((function, options, messages))
        return function

    return register


@refuse("unsupported operation 'torch.ops.aten.fft_fft.default'",
        "model.py:1: aten.fft_fft.default", "unsupported operation 'torch.ops.mine.spin.default'",
        "model.py:2: mine.spin.default", "instead: a custom operation: write it with torch's own",
        "unsupported operation 'torch.ops.aten.relu.other'",
        "instead: aten.relu.default is supported", "and at node v3_0:",
        "model.py:4: aten.fft_fft.default", "arguments: self=float32[2, 3], n=7, dim=-1, norm=None",
        "arguments: tensors=[float32[2, 3], float32[2, 3]], dim=0, scale=2.5",
        "instead: complex numbers are not supported", "4 operations of this model are not "
        "supported, in 5 nodes", "node v5_0: error: aten.relu.default: unknown argument much",
        "model.py:6: aten.relu.default", "aten.to.dtype: dtype complex64 is not supported")
def refused_operations(m):
    x = m.input(draw(2, 3))
    a = m.op("aten.fft_fft.default", x.array, self=x)
    b = m.op("mine.spin.default", x.array, self=a)
    c = m.op("aten.relu.other", x.array, self=b)
    d = m.op("aten.fft_fft.default", x.array, self=c, n=7, dim=-1, norm=None)
    e = m.op("aten.no_such.default", x.array, tensors=[c, d], dim=0, scale=2.5)
    f = m.op("aten.relu.default", x.array, self=e, much=1)
    g = m.op("aten.to.dtype", x.array.astype(np.complex64), self=f, dtype=Dtype("complex64"))
    m.output(m.op("aten.abs.default", x.array, self=g))


@refuse("unsupported operation 'torch.ops.aten.nonzero.default'",
        "the size of its result depends on data",
        "argument size depends on data (u0): it must be known when the design is built",
        "arguments: self=int64[?, 2], dim=0, index=0")
def refused_open_size(m):
    """torch.nonzero has a result whose size is the symbol u0."""
    size = {"as_expr": {"expr_str": "Symbol('u0', integer=True)", "hint": None}}
    x = m.input(np.ones((2, 3), np.float32))
    places = m.op("aten.nonzero.default", np.argwhere(x.array > 0), self=x)
    m.types[places.name]["sizes"] = [size, {"as_int": 2}]
    row = m.op("aten.not_there.int", np.zeros(2, np.int64), self=places, dim=0, index=0)
    filled = m.op("aten.zeros.default", np.zeros(4, np.float32),
                  size={"as_sym_ints": [{"as_name": "u0"}]})
    m.output(row, filled)
    program = m.program()
    program["graph_module"]["graph"]["sym_int_values"] = {"u0": size}
    return program


@refuse("it writes in place to memory that v2_0 also shows, in a way that cannot be followed")
def refused_alias(m):
    """reshape of what is not contiguous: whether it copies depends on the strides."""
    x = m.input(draw(2, 3))
    y = m.op("aten.mul.Tensor", x.array * 2, self=x, other=2)
    turned = m.op("aten.t.default", y.array.T, self=y)
    m.types[turned.name]["strides"] = [{"as_int": 1}, {"as_int": 3}]
    view = m.op("aten.reshape.default", turned.array.reshape(6), self=turned, shape=[6])
    m.op("aten.relu_.default", view.array, self=view)
    m.output(m.op("aten.add.Tensor", y.array, self=y, other=1))


@refuse("training mode is not supported")
def refused_training(m):
    x, w = m.input(draw(2, 3)), m.weight(draw(3))
    m.output(
        m.op("aten.batch_norm.default", x.array, input=x, weight=w, bias=w, running_mean=w,
             running_var=w, training=True, momentum=0.1, eps=1e-5, cudnn_enabled=True))


@refuse("padding 2 is more than half of the kernel size 2", "arguments: self=float32[1, 1, 4, 4], "
        "kernel_size=[2, 2], stride=[2, 2], padding=[2, 2]")
def refused_padding(m):
    x = m.input(draw(1, 1, 4, 4))
    m.output(
        m.op("aten.max_pool2d.default", np.zeros((1, 1, 4, 4), np.float32), self=x,
             kernel_size=[2, 2], stride=[2, 2], padding=[2, 2]))


@refuse("negative padding takes all of dimension 1 away")
def refused_cut(m):
    x = m.input(np.ones((2, 1), np.float32))
    m.output(m.op("aten.pad.default", np.ones((2, 3), np.float32), self=x, pad=[-1, 3]))


@refuse("the model says float32[2, 4]: the shapes or types do not fit")
def refused_shape(m):
    x = m.input(draw(2, 3))
    m.output(m.op("aten.relu.default", draw(2, 4), self=x))


@refuse("the size of the result would depend on data")
def refused_mask(m):
    x, mask = m.input(draw(4)), m.input(np.array([True, False, True, True]))
    m.output(m.op("aten.index.Tensor", x.array[mask.array], self=x, indices=[mask]))


def dynamic(m):
    """Exported for any batch size s0; the result is [2 * s0]."""
    batch = {
        "as_expr": {"expr_str": "Symbol('s0', positive=True, integer=True)", "hint": {"as_int": 7}}
    }
    twice = {
        "as_expr": {
            "expr_str": "Mul(Integer(2), Symbol('s0', positive=True, integer=True))", "hint":
            {"as_int": 14}
        }
    }
    x = m.input(draw(5, 2), "x", [batch, {"as_int": 2}])
    y = m.op("aten.relu.default", np.maximum(x.array, 0), self=x)
    z = m.op("aten.view.default", y.array.reshape(10), self=y,
             size={"as_sym_ints": [{"as_name": "mul"}]})
    m.types[y.name]["sizes"] = [batch, {"as_int": 2}]
    m.types[z.name]["sizes"] = [twice]
    m.output(z)
    program = m.program()
    program["graph_module"]["graph"]["sym_int_values"] = {"mul": twice}
    program["range_constraints"] = {"s0": {"min_val": 2, "max_val": 9}}
    return program
