"""What all random programs are made of: names, types, constants, formulas. See generate.py."""

FLOATS = ["f32", "f16", "f64", "bf16"]
INTEGERS = ["i32", "i8", "i16", "i64"]
SIZES = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17]
MOST_ELEMENTS = 600
MOST_WORK = 6000  # iterations of one operation


def is_float(kind):
    return kind in FLOATS


def width(kind):
    return {"bf16": 16, "i1": 1}.get(kind) or int(kind[1:])


def product(values):
    result = 1
    for value in values:
        result *= value
    return result


def text_of(values):
    return ", ".join(str(v) for v in values)


class Writer:
    """What both kinds of programs need: names, constants, formulas."""

    def __init__(self, rng):
        self.rng = rng
        self.lines = []
        self.count = 0
        self.depth = 1

    def name(self):
        self.count += 1
        return f"%v{self.count}"

    def put(self, text):
        self.lines.append("  " * self.depth + text)

    def shape(self, rank=None, most=MOST_ELEMENTS):
        if rank is None:
            rank = self.rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6])
        while True:
            shape = [self.rng.choice(SIZES) for _ in range(rank)]
            if product(shape) <= most:
                return shape

    def kind(self):
        return self.rng.choice(["f32"] * 8 + ["f16", "f64", "bf16", "i32", "i32", "i8", "i16", "i64", "i1"])

    def number(self, kind):
        """The text of a constant."""
        if kind == "i1":
            return self.rng.choice(["true", "false"])
        if not is_float(kind):
            return str(self.rng.choice([0, 1, -1, 2, 3, 7, -5, 100, -128]))
        return self.rng.choice(["0.0", "-0.0", "1.0", "-1.0", "0.5", "2.0", "-3.25", "0.1", "1.0e-3"])

    def constant(self, kind):
        name = self.name()
        value = self.number(kind)
        self.put(f"{name} = arith.constant {value}" + ("" if kind == "i1" else f" : {kind}"))
        return name

    def binary(self, kind, a, b, operation=None):
        name = self.name()
        if operation is None:
            if kind == "i1":
                operation = self.rng.choice(["andi", "ori", "xori"])
            elif is_float(kind):
                operation = self.rng.choice(["addf", "addf", "subf", "mulf", "mulf", "maximumf", "minimumf", "maxnumf",
                                             "divf"])
            else:
                operation = self.rng.choice(["addi", "subi", "muli", "andi", "ori", "xori", "maxsi", "minui", "shli",
                                             "shrsi", "shrui", "divsi", "remsi", "divui"])
        self.put(f"{name} = arith.{operation} {a}, {b} : {kind}")
        return name

    def compare(self, kind, a, b):
        name = self.name()
        if is_float(kind):
            condition = self.rng.choice(["olt", "oge", "une", "ugt", "oeq", "uno"])
            self.put(f"{name} = arith.cmpf {condition}, {a}, {b} : {kind}")
        else:
            condition = self.rng.choice(["slt", "sge", "eq", "ne", "ult", "ugt"])
            self.put(f"{name} = arith.cmpi {condition}, {a}, {b} : {kind}")
        return name

    def select(self, kind, condition, a, b):
        name = self.name()
        self.put(f"{name} = arith.select {condition}, {a}, {b} : {kind}")
        return name

    def convert(self, value, source, target):
        if source == target:
            return value
        name = self.name()
        a, b = width(source), width(target)
        if is_float(source) and is_float(target):
            if a == b:  # f16 and bf16
                return self.convert(self.convert(value, source, "f32"), "f32", target)
            operation = "extf" if a < b else "truncf"
        elif is_float(source):
            if target == "i1":
                zero = self.name()
                self.put(f"{zero} = arith.constant 0.0 : {source}")
                return self.compare(source, value, zero)
            operation = "fptosi"
        elif is_float(target):
            operation = "uitofp" if source == "i1" else "sitofp"
        else:
            operation = "trunci" if a > b else "extui" if source == "i1" else self.rng.choice(["extsi", "extui"])
        self.put(f"{name} = arith.{operation} {value} : {source} to {target}")
        return name

    def formula(self, kind, values):
        """A value of type `kind` from [(name, type)], all of which it uses."""
        values = [self.convert(name, source, kind) for name, source in values]
        result = values[0]
        for value in values[1:]:
            result = self.binary(kind, result, value)
        for _ in range(self.rng.choice([0, 0, 1, 1, 2])):
            other = self.rng.choice(values + [self.constant(kind)])
            if self.rng.random() < 0.3:
                result = self.select(kind, self.compare(kind, result, other), result, self.rng.choice(values))
            else:
                result = self.binary(kind, result, other)
        return result


class Value:
    def __init__(self, name, shape, kind):
        self.name, self.shape, self.kind = name, list(shape), kind

    @property
    def type(self):
        return "tensor<" + "".join(f"{d}x" for d in self.shape) + self.kind + ">"
