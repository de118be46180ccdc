#!/usr/bin/env python3
"""Makes the .npy files of this folder: inputs with corner cases, and the results that IEEE 754 and exact arithmetic give.

The operations are done in double precision and rounded once, which is exact for the narrower formats: the double has
more than twice their digits.
"""
import itertools
import math
import os
import struct

folder = os.path.dirname(os.path.abspath(__file__))


def npy(name, descr, shape, data):
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({''.join(f'{d}, ' for d in shape)}), }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    with open(os.path.join(folder, name + ".npy"), "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode("ascii") + data)


def integers(name, shape, values):
    npy(name, "<i4", shape, struct.pack(f"<{len(values)}i", *values))


def floats(name, shape, values):
    npy(name, "<f4", shape, struct.pack(f"<{len(values)}f", *values))


class Format:
    """A float format: bits to value and back, rounding to nearest even."""

    def __init__(self, name, width, exponent, descr):
        self.name, self.width, self.exponent, self.descr = name, width, exponent, descr
        self.fraction = width - exponent - 1
        self.bias = (1 << (exponent - 1)) - 1
        self.infinity = ((1 << exponent) - 1) << self.fraction
        self.nan = self.infinity | 1 << (self.fraction - 1)
        self.sign = 1 << (width - 1)

    def value(self, bits):
        sign = -1.0 if bits & self.sign else 1.0
        field, rest = bits >> self.fraction & ((1 << self.exponent) - 1), bits & ((1 << self.fraction) - 1)
        if field == (1 << self.exponent) - 1:
            return math.nan if rest else sign * math.inf
        if field == 0:
            return sign * math.ldexp(rest, 1 - self.bias - self.fraction)
        return sign * math.ldexp(rest | 1 << self.fraction, field - self.bias - self.fraction)

    def bits(self, value):
        if math.isnan(value):
            return self.nan
        sign = self.sign if math.copysign(1, value) < 0 else 0
        value = abs(value)
        if math.isinf(value):
            return sign | self.infinity
        if value == 0:
            return sign
        power = max(math.frexp(value)[1] - 1, 1 - self.bias)
        units = round(math.ldexp(value, self.fraction - power))  # half to even, as it is exact
        # A carry goes from the fraction into the exponent.
        return sign | min(units + (power + self.bias - 1 << self.fraction), self.infinity)

    def pack(self, bits):
        code = {16: "H", 32: "I", 64: "Q"}[self.width]
        return struct.pack(f"<{len(bits)}{code}", *bits)


def divide(a, b):
    if math.isnan(a) or math.isnan(b) or a == b == 0 or (math.isinf(a) and math.isinf(b)):
        return math.nan
    return a / b if b != 0 else math.copysign(math.inf, a) * math.copysign(1, b)


def extremum(a, b, largest):
    if math.isnan(a) or math.isnan(b):
        return math.nan
    if a == b:
        negative = [math.copysign(1, v) < 0 for v in (a, b)]
        chosen = (not negative[0]) if largest else negative[0]
        return a if chosen else b
    return max(a, b) if largest else min(a, b)


def product(a, b):
    return math.nan if (math.isinf(a) and b == 0) or (a == 0 and math.isinf(b)) else a * b


def pairs(form):
    one = form.bits(1.0)
    most = form.infinity - 1
    values = [0, form.infinity, form.nan, most, 1 << form.fraction, 1, one, one + 1, one - 1,
              (1 << form.fraction) - 1, form.bits(3.0), most - (3 << form.fraction)]
    values += [v | form.sign for v in values if v != form.nan]
    both = list(itertools.product(values, values))
    count = [len(both)]
    npy(f"pairs.{form.name}.in0", form.descr, count, form.pack([a for a, _ in both]))
    npy(f"pairs.{form.name}.in1", form.descr, count, form.pack([b for _, b in both]))
    both = [(form.value(a), form.value(b)) for a, b in both]
    operations = [lambda a, b: a + b, lambda a, b: a - b, product, divide, lambda a, b: extremum(a, b, True),
                  lambda a, b: extremum(a, b, False),
                  # x * c + x, with the product rounded
                  lambda a, b: form.value(form.bits(product(a, b))) + a]
    for i, operation in enumerate(operations):
        results = [form.bits(operation(a, b)) for a, b in both]
        npy(f"pairs.{form.name}.out{i}", f"<i{form.width // 8}", count, form.pack(results))
    orders = [(a < b) + 2 * (a == b) + 4 * (math.isnan(a) or math.isnan(b)) for a, b in both]
    npy(f"pairs.{form.name}.out7", "|i1", count, bytes(orders))


def bf16_of_integer(n):
    """The nearest bf16 of an integer of any size, ties to even."""
    spare = max(abs(n).bit_length() - 8, 0)
    units, rest = abs(n) >> spare, abs(n) & (1 << spare) - 1
    units += 2 * rest + (units & 1) > 1 << spare
    return Format("bf16", 16, 8, "<u2").bits(math.copysign(math.ldexp(units, spare), n))


def bf16_integers():
    wide = [1 << 62 | 1 << 54 | 1, 1 << 60 | 1 << 52, -(1 << 60 | 1 << 52 | 1), 257 << 20 | 1, -1, -1 << 63,
            (1 << 63) - 1, 3]
    narrow = [1 << 30 | 1 << 22 | 1, 1 << 30 | 1 << 22, 1 << 30 | 3 << 22, -(1 << 28 | 1 << 20 | 1), (1 << 31) - 1,
              -1 << 31, 257, 1]
    npy("bf16_integers.in0", "<i8", [8], struct.pack("<8q", *wide))
    integers("bf16_integers.in1", [8], narrow)
    for i, values in enumerate((wide, [n % (1 << 64) for n in wide], narrow)):
        npy(f"bf16_integers.out{i}", "<u2", [8], struct.pack("<8H", *map(bf16_of_integer, values)))


def main():
    for form in (Format("f32", 32, 8, "<f4"), Format("f64", 64, 11, "<f8"), Format("f16", 16, 5, "<f2"),
                 Format("bf16", 16, 8, "<u2")):
        pairs(form)
    bf16_integers()

    # ReLU of n - 150.
    values = [n - 150.0 for n in range(300)]
    floats("relu.in0", [1, 3, 10, 10], values)
    floats("relu.out0", [1, 3, 10, 10], [max(v, 0.0) for v in values])

    # Matrix product of distinct primes.
    primes = [n for n in range(2, 140) if all(n % d for d in range(2, n))][:32]
    a, b = primes[:16], primes[16:]
    floats("matmul.in0", [4, 4], a)
    floats("matmul.in1", [4, 4], b)
    floats("matmul.out0", [4, 4],
           [sum(a[4 * i + k] * b[4 * k + j] for k in range(4)) for i in range(4) for j in range(4)])

    # Quotients of integers with all signs, one after the other; x / 0 and MIN / -1 too.
    numerators = [7, -7, 7, -7, 2147483647, -2147483648, -2147483648, 0, 1, -1, 100, -100, 99, 12345, -12345, 6]
    divisors = [2, 2, -2, -2, 1, 1, 3, 5, 7, 7, -9, -9, 100, 11, 11, -6]
    quotients = [int(math.copysign(abs(n) // abs(d), n * d)) if n else 0 for n, d in zip(numerators, divisors)]
    integers("divide.in0", [16], numerators)
    integers("divide.in1", [16], divisors)
    integers("divide.out0", [16], quotients)
    integers("divide.out1", [16], [n - q * d for n, q, d in zip(numerators, quotients, divisors)])

    # Max pool of -5: no padding may win.
    floats("pool.in0", [1, 1, 5, 3], [-5.0] * 15)
    floats("pool.out0", [1, 1, 3, 2], [-5.0] * 6)
    # Average pool of ones, kernel 3, stride 2, padding 1: the counts of what is inside, over 9 and over themselves.
    inside = [[2, 3, 2][i] * [2, 2][j] for i in range(3) for j in range(2)]
    floats("pool.out1", [1, 1, 3, 2], [-5.0 * n / 9 for n in inside])
    floats("pool.out2", [1, 1, 3, 2], [-5.0] * 6)

    # Softmax of rows.
    inf, nan = math.inf, math.nan
    rows = [[100, 101, 102], [-100, -101, -102], [7, 7, 7], [1, inf, 2], [1, -inf, 2], [1, nan, 2],
            [-inf, -inf, -inf], [3e38, -3e38, 0], [1e-45, 0, -1e-45], [88.7, 0, -103.9]]
    results = []
    for row in rows:
        largest = max(row) if not any(map(math.isnan, row)) else nan
        if math.isnan(largest) or math.isinf(largest):
            results += [nan] * 3
            continue
        powers = [math.exp(x - largest) for x in row]
        results += [p / sum(powers) for p in powers]
    floats("softmax.in0", [len(rows), 3], [x for row in rows for x in row])
    floats("softmax.out0", [len(rows), 3], results)


if __name__ == "__main__":
    main()
