#!/usr/bin/env python3
"""Coefficients of math.mlir: minimax polynomials on a fine grid, by linear programming.

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
    result = linprog([0] * n + [1], A_ub=a, b_ub=b, bounds=[(None, None)] * n + [(0, None)],
                     method="highs", options={"primal_feasibility_tolerance": 1e-10,
                                              "dual_feasibility_tolerance": 1e-10})
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


for d in (5, 6):
    FITS[f"exp{d}"] = lambda d=d: exp_fit(d)
for d in (8, 9, 10):
    FITS[f"log{d}"] = lambda d=d: log_fit(d)

if __name__ == "__main__":
    for chosen in sys.argv[1:] or FITS:
        FITS[chosen]()
