/* Linear forms of atoms, with floor division and remainders.
 *
 * A quotient floor(E / c) becomes an atom after all that is a multiple of c was taken out of E.
 * Remainders are E - c x quotient, so that flattened addresses such as 25*(k floordiv 25) + 5*((k
 * mod 25) floordiv 5) + k mod 5 cancel down to k by themselves. */
#include "loop/from_affine.h"

#include <string.h>

Linear linear_constant(int64_t constant) {
    return (Linear){constant, 0, NULL};
}

Linear linear_atom(Importer *importer, int atom) {
    Linear linear = {0, 1, arena_array(importer->arena, 1, sizeof(Term))};
    linear.terms[0] = (Term){atom, 1};
    return linear;
}

/* Index arithmetic is modulo 2^64, as in MLIR. */
static int64_t wrap_add(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a + (uint64_t)b);
}
static int64_t wrap_multiply(int64_t a, int64_t b) {
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

Linear linear_sum(Importer *importer, Linear a, Linear b, int64_t factor) {
    Linear sum = {wrap_add(a.constant, wrap_multiply(factor, b.constant)), 0, NULL};
    sum.terms = arena_array(importer->arena, (size_t)(a.count + b.count), sizeof(Term));
    int i = 0, k = 0;
    while (i < a.count || k < b.count) {
        Term term;
        if (k == b.count || (i < a.count && a.terms[i].atom < b.terms[k].atom)) {
            term = a.terms[i++];
        } else {
            term = (Term){b.terms[k].atom, wrap_multiply(factor, b.terms[k].factor)};
            if (i < a.count && a.terms[i].atom == term.atom)
                term.factor = wrap_add(term.factor, a.terms[i++].factor);
            k++;
        }
        if (term.factor != 0) sum.terms[sum.count++] = term;
    }
    return sum;
}

Linear linear_scale(Importer *importer, Linear a, int64_t factor) {
    return linear_sum(importer, linear_constant(0), a, factor);
}

static bool linear_equal(Linear a, Linear b) {
    if (a.constant != b.constant || a.count != b.count) return false;
    for (int i = 0; i < a.count; i++)
        if (a.terms[i].atom != b.terms[i].atom || a.terms[i].factor != b.terms[i].factor)
            return false;
    return true;
}

bool linear_is_affine(const Importer *importer, Linear a) {
    for (int i = 0; i < a.count; i++)
        if (importer->atoms.items[a.terms[i].atom].kind != ATOM_LOOP) return false;
    return true;
}

bool linear_is_opaque(const Importer *importer, Linear a) {
    for (int i = 0; i < a.count; i++) {
        const Atom *atom = &importer->atoms.items[a.terms[i].atom];
        if (atom->kind == ATOM_VALUE) return true;
        if (atom->kind == ATOM_QUOTIENT && linear_is_opaque(importer, atom->numerator)) return true;
    }
    return false;
}

/* --- ranges --- */

static Range interval(const Importer *importer, Linear a) {
    Range range = {a.constant, a.constant};
    for (int i = 0; i < a.count; i++) {
        Range atom = importer->atoms.items[a.terms[i].atom].range;
        range = range_add(range, range_scale(atom, a.terms[i].factor));
    }
    return range;
}

/* The interval of each atom, and where the form has f x (E - c x floor(E / c)) in it, f x [0, c-1]
 * for that. */
Range linear_range(Importer *importer, Linear a) {
    Range range = interval(importer, a);
    for (int i = 0; i < a.count; i++) {
        Atom atom = importer->atoms.items[a.terms[i].atom];
        if (atom.kind != ATOM_QUOTIENT || a.terms[i].factor % atom.divisor != 0) continue;
        int64_t factor = -(a.terms[i].factor / atom.divisor);
        Linear remainder = linear_sum(importer, atom.numerator,
                                      linear_atom(importer, a.terms[i].atom), -atom.divisor);
        Linear rest = linear_sum(importer, a, remainder, -factor);
        if (rest.count > a.count - 2) continue;
        Range part = range_scale((Range){0, atom.divisor - 1}, factor);
        return range_intersection(range, range_add(part, linear_range(importer, rest)));
    }
    return range;
}

/* --- division --- */

int atom_new(Importer *importer, Atom atom) {
    vector_push(importer->arena, &importer->atoms, atom);
    return importer->atoms.count - 1;
}

static int quotient_atom(Importer *importer, Linear numerator, int64_t divisor) {
    for (int i = 0; i < importer->atoms.count; i++) {
        const Atom *atom = &importer->atoms.items[i];
        if (atom->kind == ATOM_QUOTIENT && atom->divisor == divisor &&
            linear_equal(atom->numerator, numerator))
            return i;
    }
    Range range = linear_range(importer, numerator);
    Atom atom = {.kind = ATOM_QUOTIENT,
                 .range = {floor_divide(range.low, divisor), floor_divide(range.high, divisor)},
                 .numerator = numerator,
                 .divisor = divisor};
    return atom_new(importer, atom);
}

Linear linear_floor_divide(Importer *importer, Linear a, int64_t divisor) {
    if (divisor == 1) return a;
    /* a = divisor x whole + rest */
    Linear whole = {floor_divide(a.constant, divisor), 0, NULL}, rest = {0, 0, NULL};
    whole.terms = arena_array(importer->arena, (size_t)a.count, sizeof(Term));
    rest.terms = arena_array(importer->arena, (size_t)a.count, sizeof(Term));
    rest.constant = a.constant - divisor * whole.constant;
    int64_t common = divisor;
    for (int i = 0; i < a.count; i++) {
        int64_t quotient = a.terms[i].factor / divisor, left = a.terms[i].factor % divisor;
        if (quotient) whole.terms[whole.count++] = (Term){a.terms[i].atom, quotient};
        if (left) rest.terms[rest.count++] = (Term){a.terms[i].atom, left};
        common = greatest_common_divisor(common, left);
    }
    Range range = linear_range(importer, rest);
    int64_t low = floor_divide(range.low, divisor), high = floor_divide(range.high, divisor);
    if (low == high) return linear_sum(importer, whole, linear_constant(low), 1);
    for (int i = 0; i < rest.count; i++) rest.terms[i].factor /= common;
    rest.constant = floor_divide(rest.constant, common);
    if (common > 1)
        return linear_sum(importer, whole, linear_floor_divide(importer, rest, divisor / common),
                          1);
    int atom = quotient_atom(importer, rest, divisor);
    return linear_sum(importer, whole, linear_atom(importer, atom), 1);
}

Linear linear_modulo(Importer *importer, Linear a, int64_t divisor) {
    return linear_sum(importer, a, linear_floor_divide(importer, a, divisor), -divisor);
}

/* --- affine expressions --- */

static Linear refuse(Importer *importer, MlirOperation op, const char *what) {
    importer->refused = true;
    error_at(importer->diagnostics, STATUS_INPUT, op_place(importer->arena, op), "%s", what);
    return linear_constant(0);
}

static Linear linear_of_product(Importer *importer, Linear a, Linear b, MlirOperation op) {
    if (b.count == 0) return linear_scale(importer, a, b.constant);
    if (a.count == 0) return linear_scale(importer, b, a.constant);
    return refuse(importer, op, "an affine expression multiplies two indices");
}

static Linear linear_of_division(Importer *importer, MlirAffineExpr expr, Linear a, Linear b,
                                 MlirOperation op) {
    if (b.count != 0 || b.constant < 1)
        return refuse(importer, op,
                      "an affine expression divides by what is not a positive number");
    if (mlirAffineExprIsAMod(expr)) return linear_modulo(importer, a, b.constant);
    if (mlirAffineExprIsACeilDiv(expr))
        a = linear_sum(importer, a, linear_constant(b.constant - 1), 1);
    return linear_floor_divide(importer, a, b.constant);
}

Linear form_of_expr(Importer *importer, MlirAffineExpr expr, intptr_t dims, MlirOperation op,
                    intptr_t first_operand) {
    if (mlirAffineExprIsAConstant(expr))
        return linear_constant(mlirAffineConstantExprGetValue(expr));
    if (mlirAffineExprIsADim(expr) || mlirAffineExprIsASymbol(expr)) {
        intptr_t position = mlirAffineExprIsADim(expr)
                                ? mlirAffineDimExprGetPosition(expr)
                                : dims + mlirAffineSymbolExprGetPosition(expr);
        return form_of_value(importer, mlirOperationGetOperand(op, first_operand + position));
    }
    Linear a = form_of_expr(importer, mlirAffineBinaryOpExprGetLHS(expr), dims, op, first_operand);
    Linear b = form_of_expr(importer, mlirAffineBinaryOpExprGetRHS(expr), dims, op, first_operand);
    if (mlirAffineExprIsAAdd(expr)) return linear_sum(importer, a, b, 1);
    if (mlirAffineExprIsAMul(expr)) return linear_of_product(importer, a, b, op);
    return linear_of_division(importer, expr, a, b, op);
}

Linear form_of_map(Importer *importer, MlirAffineMap map, intptr_t index, MlirOperation op,
                   intptr_t first_operand) {
    return form_of_expr(importer, mlirAffineMapGetResult(map, index), mlirAffineMapGetNumDims(map),
                        op, first_operand);
}
