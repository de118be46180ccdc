#!/usr/bin/env python3
"""Coefficients of the functions in double_*.mlir: polynomials that meet the function at Chebyshev nodes,
computed with 60 digits and rounded to float64. Needs mpmath. Prints their bits and the largest error
in the result, with the rounded coefficients.

    chebyshev.py [NAME ...]
"""
import struct
import sys

from mpmath import matrix, mp, mpf

mp.dps = 60
LOG2 = mp.log(2)
ATAN_MOST = (mp.sqrt(2) - 1) ** 2 * mpf("1.0001")
QUARTER = (mp.pi / 4 * mpf("1.0001")) ** 2
LOG_MOST = ((mp.sqrt(2) - 1) / (mp.sqrt(2) + 1)) ** 2 * mpf("1.001")
POWER_MOST = (mpf("0.1893") / mpf("2.1893")) ** 2


def series(function, terms, least="1e-12"):
    """The function, or the first terms of its series where the formula cancels."""
    return lambda x: function(x) if abs(x) > mpf(least) else sum(mpf(t) * x**k for k, t in enumerate(terms))


def of_root(function):
    return lambda t: function(mp.sqrt(t), t)


LOG = series(of_root(lambda s, z: (mp.log((1 + s) / (1 - s)) / s - 2) / z), [mpf(2) / 3, mpf(2) / 5])


def erfc_power(centre):
    return lambda v: -mp.log(mp.erfc(v + centre)) / (v + centre) - 1


def erfc_weight(centre):
    return lambda v: mp.erfc(v + centre) * (v + centre)


# name: function, weight of its error in the result, range, number of coefficients
FITS = {
    # exp(r) = 1 + r + r^2 q(r)
    "exp": (series(lambda r: (mp.exp(r) - 1 - r) / r**2, [0.5, mpf(1) / 6]), lambda r: r * r / mp.exp(r),
            -LOG2 * mpf("0.5005"), LOG2 * mpf("0.5005"), 11),
    # the same, where exp(r) - 1 is wanted
    "expm1": (series(lambda r: (mp.expm1(r) - r) / r**2, [0.5, mpf(1) / 6]),
              lambda r: abs(r * r / mp.expm1(r)) if r else 0, -LOG2 * mpf("0.5005"), LOG2 * mpf("0.5005"), 11),
    # log((1 + s) / (1 - s)) = 2 s + s z p(z), z = s^2
    "log": (LOG, lambda z: z / 2, 0, LOG_MOST, 8),
    "powf": (LOG, lambda z: z / 2, 0, POWER_MOST, 6),
    # sin(r) = r + r t s(t), cos(r) = 1 - t / 2 + t^2 c(t), t = r^2
    "sin": (series(of_root(lambda r, t: (mp.sin(r) / r - 1) / t), [-mpf(1) / 6, mpf(1) / 120]), lambda t: t, 0,
            QUARTER, 7),
    "cos": (series(of_root(lambda r, t: (mp.cos(r) - 1 + t / 2) / t**2), [mpf(1) / 24, -mpf(1) / 720], "1e-10"),
            lambda t: t * t * mp.sqrt(2), 0, QUARTER, 6),
    # atan(z) = z + z t a(t), t = z^2
    "atan": (series(of_root(lambda z, t: (mp.atan(z) / z - 1) / t), [-mpf(1) / 3, mpf(1) / 5]), lambda t: t, 0,
             ATAN_MOST, 12),
    # erf(x) = x + x s(x^2) near 0, else 1 - exp(-(x + x r(x - centre)))
    "erf_near": (series(of_root(lambda x, t: mp.erf(x) / x - 1),
                        [2 / mp.sqrt(mp.pi) - 1, -2 / (3 * mp.sqrt(mp.pi))], "1e-14"), lambda t: 1, 0,
                 mpf("0.9375") ** 2, 13),
    "erf_middle": (erfc_power(mpf("1.5")), erfc_weight(mpf("1.5")), mpf("-0.5625"), mpf("0.75"), 15),
    "erf_far": (erfc_power(mpf(4)), erfc_weight(mpf(4)), mpf("-1.75"), mpf("1.95"), 17),
}


def fit(name):
    function, weight, low, high, count = FITS[name]
    nodes = [(low + high) / 2 + (high - low) / 2 * mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    powers = matrix(count, count)
    for i, x in enumerate(nodes):
        for k in range(count):
            powers[i, k] = x**k
    exact = mp.lu_solve(powers, matrix([function(x) for x in nodes]))
    rounded = [float(c) for c in exact]
    worst = mpf(0)
    for i in range(401):
        x = low + (high - low) * i / 400
        worst = max(worst, abs((mp.polyval([mpf(c) for c in reversed(rounded)], x) - function(x)) * weight(x)))
    print(f"{name}: largest error 2^{float(mp.log(worst, 2)):.1f}")
    for k, c in enumerate(rounded):
        print(f"  x^{k}: 0x{struct.unpack('<Q', struct.pack('<d', c))[0]:016X}  {c!r}")


if __name__ == "__main__":
    for chosen in sys.argv[1:] or FITS:
        fit(chosen)
