// Checks every floating-point unit against the host's own arithmetic.
//
// usage: bench [PAIRS] [SEED]
// All pairs of special values, then PAIRS random pairs, are sent through all units at once, a new pair
// of each format per clock cycle. The table of units (units.inc) is made by units.py. f32 and f64
// are compared with float and double; the small formats are computed in double and rounded once to
// the format, which is exact: double has more than twice their digits, so that the double
// rounding of a sum, product, quotient or root cannot differ from a single one (Figueroa 1995).
#include <algorithm>
#include <cinttypes>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "Vunits.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

namespace {

struct Format {
    int width, exponent;  // exponent 0: an integer
    bool is_signed;
    int slot;  // of the operands
    int fraction() const { return width - exponent - 1; }
    int bias() const { return (1 << (exponent - 1)) - 1; }
    uint64_t mask() const { return ~uint64_t{0} >> (64 - width); }
    uint64_t sign() const { return uint64_t{1} << (width - 1); }
    uint64_t infinity() const { return ((uint64_t{1} << exponent) - 1) << fraction(); }
    uint64_t nan() const { return infinity() | uint64_t{1} << (fraction() - 1); }
    bool is(int w, int e) const { return width == w && exponent == e; }
};

template <class To, class From> To bits(From from) {
    static_assert(sizeof(To) == sizeof(From));
    To to;
    memcpy(&to, &from, sizeof to);
    return to;
}

// ---- A number of any format from and to the host's double ----

double decode(const Format& f, uint64_t x) {
    if (f.is(64, 11)) return bits<double>(x);
    uint64_t magnitude = x & ~f.sign();
    double value;
    if (magnitude > f.infinity()) return NAN;
    if (magnitude == f.infinity()) {
        value = INFINITY;
    } else {
        int field = int(magnitude >> f.fraction());
        uint64_t significand = magnitude & ((uint64_t{1} << f.fraction()) - 1);
        if (field > 0) significand |= uint64_t{1} << f.fraction();
        value = std::ldexp(double(significand), std::max(field, 1) - f.bias() - f.fraction());
    }
    return x & f.sign() ? -value : value;
}

// magnitude * 2**exponent, rounded to nearest even
uint64_t encode_exact(const Format& f, bool negative, uint64_t magnitude, int exponent) {
    uint64_t sign = negative ? f.sign() : 0;
    if (magnitude == 0) return sign;
    int top = 63 - __builtin_clzll(magnitude) + exponent;
    int last = std::max(top, 1 - f.bias()) - f.fraction();  // exponent of the last place
    int drop = last - exponent;
    uint64_t kept;
    if (drop <= 0) {
        kept = magnitude << -drop;
    } else if (drop > 64) {
        kept = 0;
    } else {
        unsigned __int128 wide = magnitude, half = (unsigned __int128){1} << (drop - 1);
        kept = uint64_t(wide >> drop);
        unsigned __int128 rest = wide & (2 * half - 1);
        if (rest > half || (rest == half && (kept & 1))) kept++;
    }
    uint64_t hidden = uint64_t{1} << f.fraction();
    if (kept < hidden) return sign | kept;
    uint64_t field = uint64_t(last + f.fraction() + f.bias());
    return field >= (uint64_t{1} << f.exponent) ? sign | f.infinity()
           : sign | std::min((field << f.fraction()) + (kept - hidden), f.infinity());
}

uint64_t encode(const Format& f, double value) {
    if (std::isnan(value)) return f.nan();
    if (std::isinf(value)) return (value < 0 ? f.sign() : 0) | f.infinity();
    int exponent;
    double magnitude = std::frexp(std::fabs(value), &exponent);
    return encode_exact(f, std::signbit(value), uint64_t(std::ldexp(magnitude, 53)), exponent - 53);
}

// ---- What the units must give ----

struct Unit {
    const char *module, *label;
    uint64_t (*reference)(const Unit&, uint64_t left, uint64_t right);
    Format in, out;
    int latency;
    int period;  // cycles between two operands; 1 if pipelined
};

template <class Operation>
uint64_t arithmetic(const Format& f, uint64_t left, uint64_t right, Operation operation) {
    if (f.is(32, 8)) {
        volatile float a = bits<float>(uint32_t(left)), b = bits<float>(uint32_t(right));
        volatile float result = operation(float(a), float(b));
        return std::isnan(result) ? f.nan() : bits<uint32_t>(float(result));
    }
    volatile double a = decode(f, left), b = decode(f, right);
    volatile double result = operation(double(a), double(b));
    if (f.is(64, 11)) return std::isnan(result) ? f.nan() : bits<uint64_t>(double(result));
    return encode(f, result);
}

uint64_t add(const Unit& unit, uint64_t left, uint64_t right) {
    return arithmetic(unit.in, left, right, [](auto a, auto b) { return a + b; });
}
uint64_t multiply(const Unit& unit, uint64_t left, uint64_t right) {
    return arithmetic(unit.in, left, right, [](auto a, auto b) { return a * b; });
}
uint64_t divide(const Unit& unit, uint64_t left, uint64_t right) {
    return arithmetic(unit.in, left, right, [](auto a, auto b) { return a / b; });
}
uint64_t square_root(const Unit& unit, uint64_t left, uint64_t) {
    return arithmetic(unit.in, left, left, [](auto a, auto) { return std::sqrt(a); });
}

uint64_t extremum(const Unit& unit, uint64_t left, uint64_t right, bool maximum) {
    double a = decode(unit.in, left), b = decode(unit.in, right);
    if (std::isnan(a) || std::isnan(b)) return unit.in.nan();
    bool left_first = a < b || (a == b && std::signbit(a) > std::signbit(b));
    return left_first != maximum ? left : right;
}
uint64_t minimum(const Unit& unit, uint64_t left, uint64_t right) {
    return extremum(unit, left, right, false);
}
uint64_t maximum(const Unit& unit, uint64_t left, uint64_t right) {
    return extremum(unit, left, right, true);
}
uint64_t compare(const Unit& unit, uint64_t left, uint64_t right) {
    double a = decode(unit.in, left), b = decode(unit.in, right);
    return (std::isunordered(a, b) ? 4 : 0) | (a == b ? 2 : 0) | (a < b ? 1 : 0);
}

uint64_t from_integer(const Unit& unit, uint64_t left, uint64_t) {
    bool negative = unit.in.is_signed && (left & unit.in.sign());
    uint64_t value = negative ? left | ~unit.in.mask() : left;
    if (unit.out.is(32, 8))
        return bits<uint32_t>(unit.in.is_signed ? float(int64_t(value)) : float(value));
    if (unit.out.is(64, 11))
        return bits<uint64_t>(unit.in.is_signed ? double(int64_t(value)) : double(value));
    return encode_exact(unit.out, negative, negative ? -value : value, 0);
}
uint64_t to_integer(const Unit& unit, uint64_t left, uint64_t) {
    double value = std::trunc(decode(unit.in, left));
    uint64_t largest = unit.out.is_signed ? unit.out.mask() >> 1 : unit.out.mask();
    double beyond = std::ldexp(1.0, unit.out.width - (unit.out.is_signed ? 1 : 0));
    double least = unit.out.is_signed ? -beyond : 0;
    if (std::isnan(value)) return 0;
    if (value >= beyond) return largest;
    if (value <= least) return unit.out.is_signed ? unit.out.sign() : 0;
    return (value < 0 ? -uint64_t(-value) : uint64_t(value)) & unit.out.mask();
}
uint64_t convert(const Unit& unit, uint64_t left, uint64_t) {
    double value = decode(unit.in, left);
    if (unit.out.is(32, 8) && !std::isnan(value)) return bits<uint32_t>(float(value));
    return encode(unit.out, value);
}

const Format formats[] = {
#include "formats.inc"
};
const Unit units[] = {
#include "units.inc"
};
constexpr int FORMATS = int(sizeof formats / sizeof *formats);
constexpr int SLOTS = FORMATS + 1;  // the last slot holds integers
constexpr int UNITS = int(sizeof units / sizeof *units);

// ---- Operands ----

uint64_t state;
uint64_t next_random() {  // xorshift64*
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 2685821657736338717u;
}

// A prime: a unit that takes only each n-th pair also meets all of them in n rounds.
constexpr int SPECIALS = 83;

std::vector<uint64_t> special_floats(const Format& f) {
    uint64_t fraction = uint64_t{1} << f.fraction(), one = uint64_t(f.bias()) << f.fraction();
    uint64_t infinity = f.infinity(), far = uint64_t(f.fraction()) << f.fraction();
    uint64_t magnitudes[] = {
        0, 1, 2, 3, fraction / 2 - 1, fraction / 2, fraction / 2 + 1, fraction - 1,  // subnormal
        fraction, fraction + 1, 2 * fraction - 1, 2 * fraction, 3 * fraction,        // smallest
        one, one + 1, one - 1, one + fraction, one + fraction / 2, one - fraction,   // about 1
        one + far, one + far + fraction, one + far + fraction - 1, one - far, one - far - fraction,
        one / 2, one / 2 + 1, one + one / 2, one + one / 2 - 1, one / 3, one + fraction / 3,
        infinity - 1, infinity - 2, infinity - fraction, infinity - 2 * fraction - 1,  // largest
        infinity, infinity + 1, f.nan(), infinity + fraction - 1};
    std::vector<uint64_t> list;
    for (uint64_t magnitude : magnitudes)
        for (uint64_t sign : {uint64_t{0}, f.sign()}) list.push_back((magnitude & ~f.sign()) | sign);
    while (list.size() < SPECIALS) list.push_back(next_random() & f.mask());
    return list;
}
std::vector<uint64_t> special_integers() {
    std::vector<uint64_t> list = {0};
    for (int i : {0, 1, 2, 7, 8, 15, 16, 23, 24, 25, 30, 31, 32, 33, 52, 53, 54, 62, 63})
        for (int offset : {-1, 0, 1, 3}) list.push_back((uint64_t{1} << i) + uint64_t(int64_t(offset)));
    while (list.size() < SPECIALS) list.push_back(next_random());
    return list;
}

uint64_t with_field(const Format& f, uint64_t x, int64_t field) {
    int64_t largest = (int64_t{1} << f.exponent) - 1;
    return (x & ~f.infinity()) | uint64_t(std::clamp<int64_t>(field, 0, largest)) << f.fraction();
}

void random_floats(const Format& f, uint64_t& left, uint64_t& right) {
    left = next_random() & f.mask();
    right = next_random() & f.mask();
    uint64_t choice = next_random();
    auto draw = [&choice](int count) {  // 0 .. count-1
        uint64_t drawn = choice % unsigned(count);
        choice /= unsigned(count);
        return int(drawn);
    };
    int kind = draw(8), digits = f.fraction();
    int64_t field = int64_t((left & f.infinity()) >> digits), largest = (int64_t{1} << f.exponent) - 1;
    uint64_t tail = (uint64_t{1} << draw(digits + 1)) - 1;
    switch (kind) {
    case 0: case 1: break;                                               // uniform bits
    case 2: right = with_field(f, right, field + draw(2 * digits + 7) - digits - 3); break;  // near
    case 3: right = ((left ^ f.sign()) + (right & tail) - tail / 2) & f.mask(); break;  // cancelling
    case 4:                                                              // few significant digits
        left &= ~tail;
        right = with_field(f, right & ~((uint64_t{1} << draw(digits + 1)) - 1),
                           field + draw(digits + 4));
        break;
    case 5:                                                              // subnormal operand
        left = with_field(f, left, draw(3)) & ~(draw(2) ? tail : 0);
        right = with_field(f, right, draw(2) ? draw(3) : f.bias() + draw(2 * digits + 4) - digits);
        if (draw(2)) std::swap(left, right);
        break;
    case 6:                                                              // product near a limit
        right = with_field(f, right, f.bias() - field + (draw(2) ? largest : 1) + draw(digits + 8) -
                                         digits - 4);
        break;
    default:                                                             // quotient near a limit
        right = with_field(f, right, field + f.bias() - (draw(2) ? largest : 1) - draw(digits + 8) +
                                         digits + 4);
    }
}

uint64_t random_integer() {
    uint64_t choice = next_random(), value = next_random() >> (choice & 63);
    if (choice & 64) value &= ~(((uint64_t{1} << (choice >> 8 & 31)) - 1) & ~uint64_t{1});
    if (choice & 128) value ^= (uint64_t{1} << (choice >> 16 & 63)) - 1;
    return choice & 1 << 20 ? -value : value;
}

}  // namespace

int main(int argc, char** argv) {
    uint64_t pairs = argc > 1 ? strtoull(argv[1], nullptr, 0) : 1000000;
    uint64_t seed = argc > 2 ? strtoull(argv[2], nullptr, 0) : 1;
    state = (seed + 1) * 0x9e3779b97f4a7c15u;
    printf("seed %" PRIu64 ", %" PRIu64 " random pairs\n", seed, pairs);

    std::vector<uint64_t> specials[SLOTS];
    for (int f = 0; f < FORMATS; f++) specials[f] = special_floats(formats[f]);
    specials[FORMATS] = special_integers();

    int slowest = 1;
    for (const Unit& unit : units) slowest = std::max(slowest, unit.period);
    uint64_t directed = uint64_t(slowest) * SPECIALS * SPECIALS;

    constexpr uint64_t HISTORY = 256;  // more than any latency and period together
    static uint64_t left[SLOTS][HISTORY], right[SLOTS][HISTORY];
    uint64_t checks[UNITS] = {}, failures[UNITS] = {};
    auto top = new Vunits;
    for (uint64_t cycle = 0; cycle < directed + pairs + HISTORY; cycle++) {
        uint64_t slot_of_history = cycle % HISTORY;
        for (int slot = 0; slot < SLOTS; slot++) {
            uint64_t &a = left[slot][slot_of_history], &b = right[slot][slot_of_history];
            if (cycle < directed) {
                a = specials[slot][cycle % SPECIALS];
                b = specials[slot][cycle / SPECIALS % SPECIALS];
            } else if (slot == FORMATS) {
                a = random_integer();
                b = 0;
            } else if (formats[slot].width == 8) {  // all pairs, again and again
                a = cycle & 255;
                b = cycle >> 8 & 255;
            } else {
                random_floats(formats[slot], a, b);
            }
            top->left[slot] = a;
            top->right[slot] = b;
        }
        for (int u = 0; u < UNITS; u++)
            if (units[u].period > 1) top->go[u] = cycle % uint64_t(units[u].period) == 0;
        top->clk = 0;
        top->eval();
        // Now, before the edge, a unit shows the result of the operands of `latency` cycles ago; an
        // iterative one that of the last operands it took by then.
        for (int u = 0; u < UNITS; u++) {
            const Unit& unit = units[u];
            if (cycle < uint64_t(unit.latency)) continue;
            uint64_t then = cycle - uint64_t(unit.latency);
            then -= then % uint64_t(unit.period);
            uint64_t a = left[unit.in.slot][then % HISTORY], b = right[unit.in.slot][then % HISTORY];
            if (unit.in.exponent == 0) a &= unit.in.mask();
            uint64_t want = unit.reference(unit, a, b), got = top->out[u];
            checks[u]++;
            if (got != want && failures[u]++ < 5)
                printf("%s %s latency %d: %" PRIx64 ", %" PRIx64 " gave %" PRIx64 ", not %" PRIx64 "\n",
                       unit.module, unit.label, unit.latency, a, b, got, want);
        }
        top->clk = 1;
        top->eval();
    }
    int failed = 0;
    for (int u = 0; u < UNITS; u++) {
        printf("%-4s %-24s %-12s latency %2d  %" PRIu64 " checks, %" PRIu64 " wrong\n",
               failures[u] ? "FAIL" : "ok", units[u].module, units[u].label, units[u].latency,
               checks[u], failures[u]);
        failed += failures[u] != 0;
    }
    printf("%d passed, %d failed\n", UNITS - failed, failed);
    top->final();
    delete top;
    return failed != 0;
}
