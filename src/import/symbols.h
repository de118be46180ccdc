/* Symbolic sizes of models that were exported with dynamic shapes.
 *
 * A size is then an expression in sympy's notation, `Mul(Integer(2), Symbol('s27', ...))`. Hardware
 * has fixed sizes, so the symbols get numbers first (--shape) and every expression is evaluated. */
#ifndef TEPAL_IMPORT_SYMBOLS_H
#define TEPAL_IMPORT_SYMBOLS_H

#include "import/json.h"
#include "import/map.h"

typedef struct Symbols {
    Map names;
    int64_t *values;
    int count, capacity;
} Symbols;

Symbols symbols_new(Arena *arena);

/* Fixes a symbol. False if it has another value already. */
bool symbols_fix(Symbols *symbols, const char *name, int64_t value);

/* The name, if the text is one plain symbol; else NULL. */
const char *symbols_plain(Arena *arena, const char *text);

/* True if a symbol in it stands for what data decide (torch calls these u0, u1 ...), so that no
 * choice of the inputs' sizes gives it a value. */
bool symbols_depend_on_data(const char *text);

/* Evaluates an expression; an unknown symbol or any other text is an error. */
bool symbols_evaluate(JsonReader *reader, const Symbols *symbols, const char *text, int64_t *value);

#endif
