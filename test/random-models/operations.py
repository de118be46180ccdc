"""The operations of random models: each function gives a statement of a model, or None.

`operation(weight, functions=...)` registers it; `functions` marks those that need functions (exp and
such), which there are none of in f64.
"""

import torch

from model import FLOATS, SIGNED

operations = []


def operation(weight=1.0, functions=False):

    def register(make):
        operations.append((make, weight, functions))
        return make

    return register


def ints(values):
    values = list(values)
    return values[0] if len(values) == 1 else tuple(values)


def largest_group(m, *channels):
    return m.choose(*[g for g in range(1, 8) if all(c % g == 0 for c in channels)])


def is_tame(value):
    """Neither infinite nor so small that PyTorch's products in f64 differ from those in f32."""
    if not value.is_float:
        return True
    size = value.tensor[value.tensor != 0].abs()
    return bool(((size > 1e-3) & (size < 1e3)).all())


# --- products -------------------------------------------------------------------------------------
@operation(3)
def convolution(m):
    value = m.pick_float()
    if not value:
        return None
    n = m.choose(1, 1, 2, 2, 2, 3)
    text, shape = m.of_rank(value, n + 2)
    groups = largest_group(m, shape[1])
    out = groups * m.choose(1, 2, 3)
    same = m.flip(0.15)
    stride = [1 if same else m.choose(1, 1, 1, 2, 3) for _ in range(n)]
    dilation = [m.choose(1, 1, 1, 2) for _ in range(n)]
    kernel = [m.choose(1, 2, 3, 3, 5) for _ in range(n)]
    padding = "'same'" if same else ints(m.choose(0, 0, 1, 2) for _ in range(n))
    mode = f", padding_mode='{m.choose('circular', 'replicate', 'reflect')}'" if m.flip(0.1) else ""
    layer = m.layer(f"nn.Conv{n}d({shape[1]}, {out}, {ints(kernel)}, stride={ints(stride)}, "
                    f"padding={padding}, dilation={ints(dilation)}, groups={groups}, "
                    f"bias={m.flip(0.7)}{mode})", value.dtype)
    return f"{layer}({text})", [value]


@operation(1.5)
def transposed_convolution(m):
    value = m.pick_float()
    if not value:
        return None
    n = m.choose(1, 2, 2, 3)
    text, shape = m.of_rank(value, n + 2)
    groups = largest_group(m, shape[1])
    stride = [m.choose(1, 2, 3) for _ in range(n)]
    layer = m.layer(f"nn.ConvTranspose{n}d({shape[1]}, {groups * m.choose(1, 2)}, "
                    f"{ints(m.choose(1, 2, 3) for _ in range(n))}, stride={ints(stride)}, "
                    f"padding={ints(m.choose(0, 0, 1) for _ in range(n))}, "
                    f"output_padding={ints(m.choose(0, 0, s - 1) for s in stride)}, "
                    f"groups={groups}, bias={m.flip()}, "
                    f"dilation={ints(m.choose(1, 1, 2) for _ in range(n))})", value.dtype)
    return f"{layer}({text})", [value]


@operation(3)
def linear(m):
    value = m.pick(lambda v: v.is_float and v.rank > 0)
    if not value:
        return None
    layer = m.layer(f"nn.Linear({value.shape[-1]}, {m.choose(1, 2, 3, 5, 7, 9)}, bias={m.flip(0.7)})",
                    value.dtype)
    return f"{layer}({value})", [value]


@operation(2)
def matmul(m):
    value = m.pick(lambda v: v.rank > 0 and v.dtype != torch.bool)
    if not value:
        return None
    k, columns = value.shape[-1], m.choose(1, 2, 3, 5)
    kind = m.choose("matmul", "matmul", "bmm", "mm", "addmm", "mv", "self")
    if kind == "self" and value.rank >= 2:
        return f"{value} @ {value}.transpose(-1, -2)", [value]
    if kind == "bmm":
        text, shape = m.of_rank(value, 3)
        return f"torch.bmm({text}, {m.weight([shape[0], shape[2], columns], value.dtype)})", [value]
    if kind in ("mm", "addmm", "mv"):
        text, shape = m.of_rank(value, 2)
        if kind == "mv":
            return f"{text} @ {m.weight([shape[1]], value.dtype)}", [value]
        weight = m.weight([shape[1], columns], value.dtype)
        if kind == "mm":
            return f"torch.mm({text}, {weight})", [value]
        bias = m.weight(m.broadcastable([shape[0], columns]), value.dtype)
        scale = "" if not value.is_float else f", beta={m.number()}, alpha={m.number()}"
        return f"torch.addmm({bias}, {text}, {weight}{scale})", [value]
    batch = value.shape[:-2] if m.flip() else []
    other = m.other(value, [*m.broadcastable(batch), k, columns]) if m.flip() else \
        m.weight([*m.broadcastable(batch), k, columns], value.dtype)
    return f"torch.matmul({value}, {other})", [value]


@operation(1)
def einsum(m):
    value = m.pick(lambda v: v.is_float and v.rank == 2 or v.rank == 3 and v.is_float)
    if not value:
        return None
    a, b, c = (value.shape + [m.choose(2, 3)])[:3]
    if value.rank == 3:
        equation, shape = m.choose(("abc,acd->abd", [a, c, 3]), ("abc,cd->dab", [c, 2]),
                                   ("abc,abc->a", [a, b, c]), ("abc,dbc->ad", [5, b, c]),
                                   ("abc,b->ca", [b]), ("...c,c->...", [c]))
    else:
        equation, shape = m.choose(("ab,bd->ad", [b, 3]), ("ab,ab->b", [a, b]), ("ab,cb->abc", [3, b]),
                                   ("ab,d->dba", [2]), ("ab,ba->", [b, a]))
    return f"torch.einsum('{equation}', {value}, {m.weight(shape, value.dtype)})", [value]


@operation(1, functions=True)
def attention(m):
    value = m.pick(lambda v: v.is_float and bool(v.tensor.isfinite().all()))
    if not value:
        return None
    if m.flip(0.3):
        text, shape = m.of_rank(value, 3)
        heads = largest_group(m, shape[2])
        layer = m.layer(f"nn.MultiheadAttention({shape[2]}, {heads}, batch_first=True, "
                        f"bias={m.flip()})", value.dtype)
        return f"{layer}({text}, {text}, {text}, need_weights={m.flip()})[0]", [value]
    text, shape = m.of_rank(value, m.choose(3, 4))
    keys = [*shape[:-2], m.choose(2, 3, shape[-2]), shape[-1]]
    key, content = m.weight(keys, value.dtype), m.weight([*keys[:-1], 3], value.dtype)
    extra = m.choose("", ", is_causal=True", ", scale=0.3",
                     f", attn_mask={m.weight([shape[-2], keys[-2]], value.dtype)}")
    return f"F.scaled_dot_product_attention({text}, {key}, {content}{extra})", [value]


@operation(1.2, functions=True)
def recurrent(m):
    value = m.pick(lambda v: v.is_float and v.dtype == torch.float32)
    if not value:
        return None
    kind = m.choose("LSTM", "GRU", "LSTMCell", "GRUCell")
    if kind.endswith("Cell"):
        text, shape = m.of_rank(value, 2)
        hidden = m.choose(2, 3, 5)
        layer = m.layer(f"nn.{kind}({shape[1]}, {hidden}, bias={m.flip(0.7)})", value.dtype)
        return f"{layer}({text})", [value]
    text, shape = m.of_rank(value, m.choose(2, 3, 3))
    if max(shape[:-1]) > 7:
        return None  # each step is unrolled
    layer = m.layer(
        f"nn.{kind}({shape[-1]}, {m.choose(1, 2, 3)}, num_layers={m.choose(1, 1, 2)}, "
        f"bidirectional={m.flip(0.3)}, batch_first={m.flip()}, bias={m.flip(0.8)})", value.dtype)
    call = f"{layer}({text})"
    return f"{call}[0]" if m.flip() else f"torch.utils._pytree.tree_leaves({call})", [value]


# --- elements -------------------------------------------------------------------------------------
UNARY = ["relu", "abs", "neg", "square", "sign", "ceil", "floor", "trunc", "round", "frac"]
FUNCTIONS = ["exp", "exp2", "expm1", "sin", "cos", "atan", "tanh", "erf", "erfc",
             "sigmoid", "log", "log2", "log10", "log1p", "rsqrt"]


@operation(3)
def unary(m):
    value = m.pick(lambda v: v.dtype != torch.bool)
    if not value:
        return None
    name = m.choose(*(UNARY if value.is_float else ["abs", "neg", "sign", "square", "relu", "bitwise_not"]))
    if name == "neg" and m.flip():
        return f"-{value}", [value]
    return f"torch.{name}({value})", [value]


@operation(2.5, functions=True)
def function(m):
    value = m.pick(lambda v: v.is_float or v.dtype in (torch.int32, torch.bool, torch.uint8))
    if not value:
        return None
    return f"torch.{m.choose(*FUNCTIONS)}({value})", [value]


@operation(1)
def square_root(m):
    value = m.pick_float()
    if not value:
        return None
    return m.choose(f"torch.sqrt({value})", f"torch.sqrt({value}.abs())",
                    f"torch.reciprocal({value})"), [value]


@operation(3, functions=True)
def activation(m):
    value = m.pick_float()
    if not value:
        return None
    names = ["GELU()", "GELU(approximate='tanh')", "SiLU()", "Mish()", "ELU(0.7)", "SELU()", "CELU(1.3)",
             "Softplus()", "Softplus(2, 1)", "LogSigmoid()", "Sigmoid()", "Tanh()", "Softsign()", "Tanhshrink()"]
    return f"{m.layer('nn.' + m.choose(*names))}({value})", [value]


@operation(2)
def piecewise(m):
    value = m.pick_float()
    if not value:
        return None
    names = ["ReLU6()", "Hardtanh(-0.5, 1.5)", "Hardsigmoid()", "Hardswish()", "LeakyReLU(0.2)",
             "Softshrink(0.3)", "Hardshrink(0.4)", "Threshold(0.1, 2.0)", "PReLU()", "ReLU(inplace=True)"]
    name = m.choose(*names)
    if "inplace" in name:
        return f"{m.layer('nn.' + name)}({value} * 1)", [value]
    return f"{m.layer('nn.' + name, value.dtype)}({value})", [value]


@operation(0.5, functions=True)
def gated(m):
    value = m.pick(lambda v: v.is_float and any(size % 2 == 0 for size in v.shape))
    if not value:
        return None
    dim = m.choose(*[d for d, size in enumerate(value.shape) if size % 2 == 0])
    return f"F.glu({value}, {dim})", [value]


@operation(4)
def binary(m):
    value = m.pick()
    if value.dtype == torch.bool:
        name = m.choose("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_xor")
    elif value.is_float:
        name = m.choose("add", "sub", "mul", "mul", "div", "maximum", "minimum", "copysign", "fmod",
                        "remainder")
        if name in ("fmod", "remainder") and value.dtype == torch.float64:
            return None
    else:
        name = m.choose("add", "sub", "mul", "maximum", "minimum", "bitwise_and", "bitwise_or",
                        "bitwise_xor", "div")
    other = m.other(value)
    if name == "copysign" and bool(m.scope_value(other).isnan().any()):
        return None  # the sign of a NaN is not known
    operands = [value.name, other] if name == "copysign" or m.flip(0.7) else [other, value.name]
    extra = f", alpha={m.choose(2, -1, 3)}" if name in ("add", "sub") and m.flip(0.2) else ""
    return f"torch.{name}({operands[0]}, {operands[1]}{extra})", [value]


@operation(1)
def residual(m):
    value = m.pick_float()
    if not value:
        return None
    same = m.pick(lambda v: v is not value and v.shape == value.shape and v.dtype == value.dtype)
    return (f"{value} + {same}", [value, same]) if same else None


@operation(1)
def mixed(m):
    """Two values of different types: type promotion."""
    value = m.pick()
    other = m.pick(lambda v: v.dtype != value.dtype)
    if not other:
        return None
    return f"{value} {m.choose('+', '-', '*')} {other}", [value, other]


@operation(2)
def with_number(m):
    value = m.pick(lambda v: v.dtype != torch.bool)
    if not value:
        return None
    number = m.number() if value.is_float or m.flip(0.2) else m.choose(1, 2, 3, -4, 7)
    if value.dtype == torch.float64:
        return m.choose(f"{value} + {number}", f"{number} - {value}", f"{number} / {value}"), [value]
    return m.choose(f"{value} + {number}", f"{value} * {number}", f"{number} - {value}",
                    f"{value} / {number}", f"{number} / {value}", f"{value} % {m.choose(2, 3, -3)}",
                    f"{value}.clamp({-abs(number)}, {abs(number)})", f"{value}.clamp(max={number})",
                    f"torch.clamp_min({value}, {number})",
                    f"torch.fmod({value}, {m.choose(2, 3, -3)})"), [value]


@operation(0.7)
def power(m):
    value = m.pick_float()
    if not value:
        return None
    return f"{value} ** {m.choose(2, 3, -1, 0.5, 4, 0, 1, -2)}", [value]


@operation(0.5, functions=True)
def functions_of_two(m):
    value = m.pick_float()
    if not value:
        return None
    other = m.other(value)
    return m.choose(f"torch.atan2({value}, {other})", f"torch.pow({value}.abs() + 0.1, {other})",
                    f"torch.pow(2, {value})", f"{value} ** 1.7"), [value]


@operation(0.7)
def of_three(m):
    value = m.pick_float()
    if not value:
        return None
    a, b = m.other(value), m.other(value)
    return m.choose(f"torch.lerp({value}, {value} * {m.number()}, 0.3)",
                    f"torch.addcmul({value}, {a}, {b}, value={m.number()})",
                    f"torch.addcdiv({value}, {a}, {b}.abs() + 1)", f"torch.clamp({value}, {a} - 1, {b} + 2)",
                    f"torch.lerp({value}, {value}.abs(), {value} * 0.25)"), [value]


@operation(1.5)
def integer(m):
    value = m.pick(lambda v: not v.is_float and v.dtype != torch.bool)
    if not value:
        return None
    n = m.choose(1, 2, 3, 7)
    return m.choose(f"{value} // {m.choose(2, 3, -4, 7)}",
                    f"torch.div({value}, {m.choose(2, 3, 5)}, rounding_mode='trunc')", f"{value} << {n}",
                    f"{value} >> {n}", f"{value} & {m.choose(3, 12, 85)}", f"{value} | {n}", f"{value} ^ {n}",
                    f"torch.remainder({value}, {m.choose(2, 3, 5, -3)})", f"~{value}"), [value]


@operation(1)
def rounded_quotient(m):
    value = m.pick(lambda v: v.is_float and v.dtype != torch.float64)
    if not value:
        return None
    return f"torch.div({value}, {m.choose(0.7, 2.5, -1.3)}, rounding_mode='{m.choose('floor', 'trunc')}')", [value]


@operation(1.5)
def comparison(m):
    value = m.pick()
    other = m.other(value) if m.flip() else str(m.choose(0, 1, -2, 0.5))
    if value.dtype == torch.bool and not other.startswith("v"):
        return f"torch.logical_not({value})", [value]
    return f"{value} {m.choose('<', '<=', '>', '>=', '==', '!=')} {other}", [value]


@operation(0.5)
def predicate(m):
    value = m.pick_float()
    if not value:
        return None
    return m.choose(f"torch.isnan({value})", f"torch.isinf({value})"), [value]


@operation(2)
def where(m):
    value = m.pick(lambda v: v.rank > 0)
    if not value:
        return None
    mask = m.pick(lambda v: v.dtype == torch.bool and v.shape == value.shape)
    condition = mask.name if mask else f"{value} > {m.choose(0, 1)}"
    number = m.choose(0, 1, 2)
    return m.choose(f"torch.where({condition}, {value}, {m.other(value)})",
                    f"torch.where({condition}, {value}, {number})",
                    f"{value}.masked_fill({condition}, {number})"), [value] + ([mask] if mask else [])


@operation(1.5)
def conversion(m):
    value = m.pick()
    target = m.choose(*FLOATS, *SIGNED, torch.bool, torch.uint8, torch.float32)
    if value.is_float and target not in FLOATS and not bool((value.tensor.abs() < 120).all()):
        return None  # what is out of range has no defined result
    if target == torch.uint8 and value.is_float:
        return f"{value}.abs().to({target})", [value]
    return f"{value}.to({target})", [value]


# --- normalization and softmax --------------------------------------------------------------------
@operation(2)
def norm(m):
    value = m.pick_float()
    if not value:
        return None
    kind = m.choose("batch", "layer", "group", "instance", "rms", "vector", "normalize")
    if kind == "batch":
        n = m.choose(1, 2, 3)
        text, shape = m.of_rank(value, n + 2)
        return f"{m.layer(f'nn.BatchNorm{n}d({shape[1]}, affine={m.flip()})', value.dtype)}({text})", [value]
    if kind in ("group", "instance"):
        n = m.choose(1, 2)
        text, shape = m.of_rank(value, n + 2)
        make = f"nn.GroupNorm({largest_group(m, shape[1])}, {shape[1]})" if kind == "group" else \
            f"nn.InstanceNorm{n}d({shape[1]}, affine={m.flip()})"
        return f"{m.layer(make, value.dtype)}({text})", [value]
    if not value.rank:
        return None
    if kind in ("vector", "normalize"):
        if kind == "vector":
            return (f"torch.linalg.vector_norm({value}, {m.choose(2, 1, float('inf'))!r}, dim={m.dim(value)})"
                    .replace("inf,", "float('inf'),"), [value])
        return f"F.normalize({value}, dim={m.dim(value)})", [value]
    tail = value.shape[m.rng.randrange(value.rank):]
    make = f"nn.LayerNorm({tail}, elementwise_affine={m.flip()})" if kind == "layer" else f"nn.RMSNorm({tail})"
    return f"{m.layer(make, value.dtype)}({value})", [value]


@operation(1.5, functions=True)
def softmax(m):
    value = m.pick(lambda v: v.is_float and v.rank > 0)
    if not value:
        return None
    name = m.choose("softmax", "softmax", "log_softmax", "logsumexp")
    return f"torch.{name}({value}, dim={m.dim(value)})", [value]


# --- reductions -----------------------------------------------------------------------------------
@operation(3)
def reduction(m):
    value = m.pick(lambda v: v.rank > 0)
    if not value:
        return None
    keep = f", keepdim={m.flip()}"
    dims = sorted(m.rng.sample(range(value.rank), m.rng.randint(1, value.rank)))
    names = ["sum", "amax", "amin", "any", "all"]
    if value.is_float:
        names += ["mean", "var", "std", "sum", "mean"]
    elif value.dtype == torch.bool:
        names = ["any", "all", "sum"]
    name = m.choose(*names)
    if m.flip(0.2) and name not in ("amax", "amin"):
        return f"{value}.{name}()", [value]
    if name in ("any", "all"):
        return f"{value}.{name}({m.dim(value)}{keep})", [value]
    if name in ("var", "std"):
        return f"{value}.{name}({dims}, correction={m.choose(0, 1)}{keep})", [value]
    return f"{value}.{name}({dims}{keep})", [value]


@operation(1.5)
def extremum(m):
    value = m.pick(lambda v: v.rank > 0 and v.dtype != torch.bool)
    if not value:
        return None
    name = m.choose("max", "min", "argmax", "argmin")
    keep = f", keepdim={m.flip()}"
    if name.startswith("arg"):
        return (f"{value}.{name}()" if m.flip(0.3) else f"{value}.{name}({m.dim(value)}{keep})"), [value]
    if m.flip(0.3):
        return f"{value}.{name}()", [value]
    call = f"{value}.{name}({m.dim(value)}{keep})"
    return (call if m.flip() else call + f"[{m.choose(0, 1)}]"), [value]


@operation(1)
def running(m):
    value = m.pick(lambda v: v.rank > 0 and v.dtype != torch.bool)
    if not value:
        return None
    name = m.choose("cumsum", "cumsum", "cumprod")
    if name == "cumprod" and not is_tame(value):
        return None
    return f"{value}.{name}({m.dim(value)})", [value]


@operation(0.5)
def product(m):
    value = m.pick(lambda v: v.rank > 0 and is_tame(v))
    if not value:
        return None
    return (f"{value}.prod()" if m.flip(0.2) else f"{value}.prod({m.dim(value)}, keepdim={m.flip()})"), [value]


@operation(0.7)
def order(m):
    value = m.pick(lambda v: v.rank > 0 and v.dtype != torch.bool)
    if not value:
        return None
    dim = m.dim(value)
    if m.flip():
        return f"torch.sort({value}, dim={dim}, stable=True, descending={m.flip()})", [value]
    if value.tensor.unique().numel() < value.tensor.numel():
        return None  # which of equal ones comes first is not defined
    k = m.rng.randint(1, value.shape[dim])
    return f"torch.topk({value}, {k}, dim={dim}, largest={m.flip()})", [value]


# --- windows --------------------------------------------------------------------------------------
@operation(2)
def pool(m):
    value = m.pick_float()
    if not value:
        return None
    n = m.choose(1, 2, 2, 3)
    text, shape = m.of_rank(value, m.choose(n + 1, n + 2, n + 2))
    kernel = [m.choose(1, 2, 3) for _ in range(n)]
    kind = m.choose("max", "avg", "adaptive_avg", "adaptive_max", "lp")
    if kind.startswith("adaptive"):
        sizes = ints(m.choose(1, 2, 3) for _ in range(n))
        return f"F.{kind}_pool{n}d({text}, {sizes})", [value]
    stride = ints(m.choose(1, 2, 3) for _ in range(n))
    padding = ints(m.rng.randint(0, k // 2) for k in kernel)
    common = f"{ints(kernel)}, stride={stride}, padding={padding}, ceil_mode={m.flip(0.3)}"
    if kind == "max":
        return f"F.max_pool{n}d({text}, {common}, dilation={ints(m.choose(1, 1, 2) for _ in range(n))})", [value]
    return f"F.avg_pool{n}d({text}, {common}, count_include_pad={m.flip()})", [value]


@operation(1)
def upsample(m):
    value = m.pick_float()
    if not value:
        return None
    n = m.choose(1, 2, 2, 3)
    text, shape = m.of_rank(value, n + 2)
    mode = m.choose("nearest", "bilinear") if n == 2 else "nearest"
    corners = f", align_corners={m.flip()}" if mode == "bilinear" else ""
    size = f"scale_factor={m.choose(2, 3, 1.5)}" if m.flip() else \
        f"size={ints([max(1, s + m.choose(-1, 0, 1, 3)) for s in shape[2:]])}"
    return f"F.interpolate({text}, {size}, mode='{mode}'{corners})", [value]


@operation(1)
def padding(m):
    value = m.pick(lambda v: v.rank > 0)
    if not value:
        return None
    mode = m.choose("constant", "constant", "reflect", "replicate")
    n = m.rng.randint(1, min(value.rank, 3))
    text = value.name
    if mode != "constant":
        text, _ = m.of_rank(value, n + m.choose(1, 2))
    low = -1 if mode == "constant" else 0
    pads = [m.rng.randint(low, 2) for _ in range(2 * n)]
    number = f", value={m.choose(0, 1, -2)}" if mode == "constant" and value.dtype != torch.bool else ""
    return f"F.pad({text}, {pads}, mode='{mode}'{number})", [value]


# --- shapes ---------------------------------------------------------------------------------------
@operation(2)
def reshape(m):
    value = m.pick()
    if m.flip(0.3) and value.rank:
        return f"{value}.flatten({m.rng.randrange(value.rank)})", [value]
    text, _ = m.of_rank(value, m.rng.randint(1, 5))
    return (text, [value]) if text != value.name else None


@operation(2)
def permute(m):
    value = m.pick(lambda v: v.rank > 1)
    if not value:
        return None
    dims = list(range(value.rank))
    m.rng.shuffle(dims)
    return m.choose(f"{value}.permute({dims})", f"{value}.transpose({m.dim(value)}, {m.dim(value)})",
                    f"{value}.mT", f"{value}.permute({dims}).contiguous()"), [value]


@operation(1)
def size_one(m):
    value = m.pick()
    ones = [d for d, size in enumerate(value.shape) if size == 1]
    if ones and m.flip():
        return m.choose(f"{value}.squeeze()", f"{value}.squeeze({m.choose(*ones)})"), [value]
    return f"{value}.unsqueeze({m.rng.randrange(value.rank + 1)})", [value]


@operation(1)
def expand(m):
    value = m.pick()
    if m.flip():
        sizes = [m.choose(2, 3) if size == 1 else size for size in value.shape]
        return f"{value}.expand({[m.choose(1, 2), *sizes]})", [value]
    return f"{value}.repeat({[m.choose(1, 2) for _ in range(value.rank)] or [2]})", [value]


@operation(2)
def join(m):
    value = m.pick(lambda v: v.rank > 0)
    if not value:
        return None
    dim = m.rng.randrange(value.rank)
    others = [v for v in m.values
              if v.dtype == value.dtype and v.rank == value.rank and v is not value and
              all(i == dim or a == b for i, (a, b) in enumerate(zip(v.shape, value.shape)))]
    other = m.rng.choice(others) if others else value
    more = [f"{value} * 2" if value.dtype != torch.bool else f"~{value}"] if m.flip() else []
    if m.flip(0.3) and other.shape == value.shape:
        return f"torch.stack([{', '.join([value.name, other.name, *more])}], {dim})", [value, other]
    return f"torch.cat([{', '.join([value.name, *more, other.name])}], {dim})", [value, other]


@operation(2.5)
def part(m):
    value = m.pick(lambda v: v.rank > 0)
    if not value:
        return None
    dim = m.rng.randrange(value.rank)
    size = value.shape[dim]
    start = m.rng.randrange(size)
    before = ":, " * dim
    return m.choose(f"{value}[{before}{start}:{size + m.choose(0, 2)}:{m.choose(1, 2, 3)}]",
                    f"{value}[{before}{start - size}]", f"{value}.narrow({dim}, {start}, {size - start})",
                    f"{value}[..., :{start + 1}]" if dim == value.rank - 1 else f"{value}.select({dim}, {start})",
                    f"torch.chunk({value}, {m.choose(2, 3)}, {dim})",
                    f"torch.split({value}, {m.choose(1, 2, 3)}, {dim})",
                    f"torch.unbind({value}, {dim})"), [value]


@operation(1)
def turn(m):
    value = m.pick(lambda v: v.rank > 0)
    if not value:
        return None
    return m.choose(f"{value}.flip([{m.dim(value)}])", f"torch.roll({value}, {m.choose(1, -2, 3)}, {m.dim(value)})",
                    f"torch.roll({value}, {m.choose(1, 2)})",
                    f"{value}.repeat_interleave(2, {m.dim(value)})"), [value]


@operation(1)
def triangle(m):
    value = m.pick(lambda v: v.rank > 1)
    if not value:
        return None
    at = m.choose(0, 1, -1)
    return m.choose(f"torch.tril({value}, {at})", f"torch.triu({value}, {at})",
                    f"torch.diagonal({value}, {at}, -2, -1)"), [value]


@operation(0.3)
def shuffle_pixels(m):
    value = m.pick(lambda v: v.rank >= 3 and v.shape[-3] % 4 == 0)
    return (f"F.pixel_shuffle({value}, 2)", [value]) if value else None


# --- indices --------------------------------------------------------------------------------------
def indices(m, size, count):
    """An index of elements of a dimension, as a stored tensor or computed from a value."""
    numbers = [m.rng.randrange(size) for _ in range(count)]
    if m.flip(0.2):
        numbers[0] -= size
    return f"torch.tensor({numbers})"


@operation(1.5)
def indexing(m):
    value = m.pick(lambda v: v.rank > 0)
    if not value:
        return None
    dim = m.rng.randrange(value.rank)
    size = value.shape[dim]
    count = m.choose(1, 2, 3)
    names = [v for v in m.values if not v.is_float and v.dtype == torch.int64 and 0 < v.tensor.numel() <= 20 and
             v.rank == 1]
    if names and m.flip(0.6):
        chosen = m.rng.choice(names)
        index, uses = f"({chosen} % {size})", [value, chosen]
    else:
        index, uses = m.buffer(f"{indices(m, size, count)} % {size}"), [value]
    return m.choose(f"torch.index_select({value}, {dim}, {index})", f"{value}[{':, ' * dim}{index}]",
                    f"{value}[{':, ' * dim}{index}]"), uses


@operation(0.7)
def gather(m):
    value = m.pick(lambda v: v.rank > 0)
    if not value:
        return None
    dim = m.rng.randrange(value.rank)
    shape = [m.rng.randint(1, size) for size in value.shape]
    index = m.buffer(f"torch.randint(0, {value.shape[dim]}, {tuple(shape)})")
    if m.flip() or value.dtype == torch.bool:
        return f"torch.gather({value}, {dim}, {index})", [value]
    return m.choose(f"torch.scatter_add({value}, {dim}, {index}, {m.weight(shape, value.dtype)})",
                    f"torch.scatter({value}, {dim}, {index}, {m.choose(0, 2)})"), [value]


@operation(0.8)
def embedding(m):
    value = m.pick(lambda v: v.dtype in (torch.int64, torch.int32))
    if not value:
        return None
    layer = m.layer(f"nn.Embedding({m.choose(5, 7)}, {m.choose(1, 3)})")
    return f"{layer}({value}.abs() % 5)", [value]


@operation(0.7)
def replacement(m):
    value = m.pick(lambda v: v.rank > 0)
    if not value:
        return None
    dim = m.rng.randrange(value.rank)
    at = m.rng.randrange(value.shape[dim])
    shape = value.shape[:dim] + value.shape[dim + 1:]
    if m.flip():
        return f"torch.select_scatter({value}, {m.weight(shape, value.dtype)}, {dim}, {at})", [value]
    shape = value.shape[:dim] + [value.shape[dim] - at] + value.shape[dim + 1:]
    return f"torch.slice_scatter({value}, {m.weight(shape, value.dtype)}, {dim}, {at})", [value]


@operation(1)
def written(m):
    """A copy of a value, written to in place through a view."""
    value = m.pick(lambda v: v.rank > 0 and v.dtype != torch.bool)
    if not value:
        return None
    dim = m.rng.randrange(value.rank)
    at = m.rng.randrange(value.shape[dim])
    part = m.choose(f"t[{':, ' * dim}{at}]", f"t[{':, ' * dim}{at}:]", f"t.select({dim}, {at})",
                    f"t.transpose(0, -1)[{m.rng.randrange(value.shape[-1])}]", "t.view(-1)[::2]", "t")
    number = m.choose(1, 2, -3)
    change = m.choose(f"add_({number})", f"mul_({number})", "zero_()", f"fill_({number})", "neg_()",
                      f"clamp_({-abs(number)}, {abs(number)})")
    return f"(t := {value}.clone(), {part}.{change}, t)[-1]", [value]


# --- constants ------------------------------------------------------------------------------------
@operation(0.5)
def creation(m):
    value = m.pick(lambda v: v.rank > 0 and v.dtype != torch.bool)
    if not value:
        return None
    n = value.shape[-1]
    return m.choose(f"{value} + torch.arange({n}, dtype={value.dtype})", f"{value} * torch.ones_like({value})",
                    f"{value} + torch.full(({n},), 2, dtype={value.dtype})",
                    f"torch.zeros_like({value}) - {value}",
                    f"{value} + torch.eye({n}, dtype={value.dtype})"), [value]
