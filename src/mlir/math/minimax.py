#!/usr/bin/env python3
"""Coefficients of the functions here: minimax polynomials on a fine grid, by linear programming.

A fit approximates target(x) by the sum of c[k] * x**powers[k] so that the largest weight(x) *
|error| over the grid is least. Coefficients are rounded to float32 one after the other, from the first on, and
the others are fitted again after each, so that rounding costs little.
Needs numpy, scipy and mpmath. Prints the coefficients' float32 bits and the largest error.

    minimax.py [NAME ...]
"""
import sys
import numpy as np
from mpmath import mp, mpf
from scipy.optimize import linprog

mp.dps = 40
GRID = 1200


def grid(low, high):
    nodes = (1 - np.cos(np.pi * (np.arange(GRID) + 0.5) / GRID)) / 2
    return [mpf(low) + (mpf(high) - mpf(low)) * mpf(n) for n in nodes]


def fit(name, target, weight, powers, low, high):
    x = grid(low, high)
    w = np.array([float(weight(v)) for v in x])
    rest = np.array([float(mpf(weight(v)) * target(v)) for v in x])
    columns = np.array([[float(v**p) for p in powers] for v in x]) * w[:, None]
    scale = np.abs(columns).max(axis=0)
    columns /= scale
    fixed = np.zeros(len(powers))
    for k in range(len(powers)):
        c = minimax(columns[:, k:], rest, np.abs(rest).max() + 1e-300)
        fixed[k] = np.float32(c[0] / scale[k])
        rest = rest - columns[:, k] * (fixed[k] * scale[k])
    worst = np.abs(rest).max()
    print(f"{name}: largest error {worst:.3g} = 2^{np.log2(worst):.2f}")
    for p, v in zip(powers, fixed):
        print(f"  x^{p}: 0x{np.float32(v).view(np.uint32):08X}  {np.float32(v)!r}")


def minimax(columns, target, size):
    """Least e with |columns @ c - target| <= e, all scaled by `size`."""
    n = columns.shape[1]
    ones = np.ones((columns.shape[0], 1))
    a = np.block([[columns, -ones], [-columns, -ones]])
    b = np.concatenate([target, -target]) / size
    for tolerance in (1e-10, 1e-9, 1e-8, 1e-7):
        result = linprog([0] * n + [1], A_ub=a, b_ub=b, bounds=[(None, None)] * n + [(0, None)],
                         method="highs", options={"primal_feasibility_tolerance": tolerance,
                                                  "dual_feasibility_tolerance": tolerance})
        if result.x is not None:
            break
    return result.x[:n] * size


def near_zero(f, x, terms):
    """f(x), or its series where the formula cancels."""
    return f(x) if abs(x) > mpf("1e-5") else sum(mpf(t) * x**k for k, t in enumerate(terms))


LN2 = mp.log(2)
FITS = {}


def exp_fit(degree):
    # exp(r) = 1 + r + r^2 q(r) on |r| <= ln(2)/2, relative to exp(r)
    fit(f"exp{degree}",
        lambda r: near_zero(lambda y: (mp.exp(y) - 1 - y) / y**2, r, [0.5, mpf(1) / 6, mpf(1) / 24]),
        lambda r: r * r / mp.exp(r), range(degree - 1), -LN2 * 0.501, LN2 * 0.501)


def log_fit(degree):
    # log(1+f) = f - f^2/2 + f^3 q(f), relative to log(1+f)
    fit(f"log{degree}",
        lambda f: near_zero(lambda y: (mp.log1p(y) - y + y * y / 2) / y**3, f,
                            [mpf(1) / 3, -mpf(1) / 4, mpf(1) / 5]),
        lambda f: abs(f**3 / mp.log1p(f)), range(degree - 2), mp.sqrt(0.5) - 1, mp.sqrt(2) - 1)


def erf_small(terms):
    # erf(x) = x + x r(x^2) for |x| <= 0.93
    high = mpf("0.9375") ** 2
    ratio = lambda t: near_zero(lambda v: mp.erf(mp.sqrt(v)) / mp.sqrt(v), t,
                                [2 / mp.sqrt(mp.pi), -2 / (3 * mp.sqrt(mp.pi))])
    fit(f"erf_small{terms}", lambda t: ratio(t) - 1, lambda t: 1 / ratio(t), range(terms), 0, high)


def erf_large(terms):
    # 1 - erf(x) = exp(-(x + x r(x))) for larger x; the error counts in erf(x)
    fit(f"erf_large{terms}", lambda x: -mp.log(mp.erfc(x)) / x - 1, lambda x: mp.erfc(x) * x,
        range(terms), mpf("0.9375"), mpf("3.93"))


def expm1_fit(degree):
    # expm1(r) = r + r^2 q(r) on |r| <= ln(2)/2, relative to expm1(r)
    fit(f"expm1_{degree}",
        lambda r: near_zero(lambda y: (mp.expm1(y) - y) / y**2, r, [0.5, mpf(1) / 6, mpf(1) / 24]),
        lambda r: abs(r * r / mp.expm1(r)), range(degree - 1), -LN2 * 0.501, LN2 * 0.501)


QUARTER = (mp.pi / 4 * mpf("1.0001")) ** 2


def sin_fit(terms):
    # sin(r) = r + r^3 s(r^2) on |r| <= pi/4
    fit(f"sin{terms}", lambda t: near_zero(lambda v: (mp.sin(mp.sqrt(v)) / mp.sqrt(v) - 1) / v, t,
                                           [-mpf(1) / 6, mpf(1) / 120]),
        lambda t: t * mp.sqrt(t) / mp.sin(mp.sqrt(t)), range(terms), 0, QUARTER)


def cos_fit(terms):
    # cos(r) = 1 - r^2/2 + r^4 c(r^2) on |r| <= pi/4
    fit(f"cos{terms}", lambda t: near_zero(lambda v: (mp.cos(mp.sqrt(v)) - 1 + v / 2) / v**2, t,
                                           [mpf(1) / 24, -mpf(1) / 720]),
        lambda t: t * t / mp.cos(mp.sqrt(t)), range(terms), 0, QUARTER)


def atan_fit(terms):
    # atan(z) = z + z^3 a(z^2) on 0 <= z <= 1
    fit(f"atan{terms}", lambda t: near_zero(lambda v: (mp.atan(mp.sqrt(v)) / mp.sqrt(v) - 1) / v, t,
                                            [-mpf(1) / 3, mpf(1) / 5]),
        lambda t: t * mp.sqrt(t) / mp.atan(mp.sqrt(t)), range(terms), 0, 1)


for d in (3, 4):
    FITS[f"sin{d}"] = lambda d=d: sin_fit(d)
    FITS[f"cos{d}"] = lambda d=d: cos_fit(d)
for d in (7, 8, 9):
    FITS[f"atan{d}"] = lambda d=d: atan_fit(d)
for d in (5, 6, 7):
    FITS[f"expm1_{d}"] = lambda d=d: expm1_fit(d)
for d in (5, 6, 7):
    FITS[f"erf_small{d}"] = lambda d=d: erf_small(d)
    FITS[f"erf_large{d}"] = lambda d=d: erf_large(d)
for d in (5, 6):
    FITS[f"exp{d}"] = lambda d=d: exp_fit(d)
def log_narrow(degree):
    # as log_fit, on the range of powf
    fit(f"log_narrow{degree}",
        lambda f: near_zero(lambda y: (mp.log1p(y) - y + y * y / 2) / y**3, f,
                            [mpf(1) / 3, -mpf(1) / 4, mpf(1) / 5]),
        lambda f: abs(f**3 / mp.log1p(f)), range(degree - 2), -0.1592, 0.1893)


for d in (7, 8, 9):
    FITS[f"log_narrow{d}"] = lambda d=d: log_narrow(d)
for d in (8, 9, 10):
    FITS[f"log{d}"] = lambda d=d: log_fit(d)

if __name__ == "__main__":
    for chosen in sys.argv[1:] or FITS:
        FITS[chosen]()
