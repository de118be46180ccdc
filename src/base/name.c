/* Identifiers for hardware, made from the names of a model. */
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

enum { IDENTIFIER_LIMIT = 60 };

/* What a name must not be: keywords of SystemVerilog (IEEE 1800-2017), Calyx and C++ (into which
 * Verilator turns ports), words that MLIR reads specially, and the ports that each of our modules
 * has anyway. Sorted. */
/* clang-format off */
static const char *const reserved_words[] = {
    "accept_on", "affine_map", "affine_set", "alias", "alignas", "alignof", "always", "always_comb",
    "always_ff", "always_latch", "and", "asm", "assert", "assign", "assume", "attributes", "auto",
    "automatic", "before", "begin", "bind", "bins", "binsof", "bit", "bool", "break", "buf",
    "bufif0", "bufif1", "byte", "case", "casex", "casez", "catch", "cell", "cells", "chandle",
    "char", "char16_t", "char32_t", "checker", "class", "clk", "clocking", "cmos", "comb", "compl",
    "component", "concept", "config", "const", "const_cast", "constexpr", "constraint", "context",
    "continue", "control", "cover", "covergroup", "coverpoint", "cross", "deassign", "decltype",
    "default", "defparam", "delete", "dense", "dense_resource", "design", "disable", "dist", "do",
    "done", "double", "dynamic_cast", "edge", "else", "end", "endcase", "endchecker", "endclass",
    "endclocking", "endconfig", "endfunction", "endgenerate", "endgroup", "endinterface",
    "endmodule", "endpackage", "endprimitive", "endprogram", "endproperty", "endsequence",
    "endspecify", "endtable", "endtask", "enum", "event", "eventually", "expect", "explicit",
    "export", "extends", "extern", "false", "final", "first_match", "float", "for", "force",
    "foreach", "forever", "fork", "forkjoin", "friend", "fsm", "function", "generate", "genvar",
    "global", "go", "goto", "group", "highz0", "highz1", "if", "iff", "ifnone", "ignore_bins",
    "illegal_bins", "implements", "implies", "import", "incdir", "include", "index", "initial",
    "inline", "inout", "input", "inside", "instance", "int", "integer", "interconnect", "interface",
    "intersect", "invoke", "join", "join_any", "join_none", "large", "let", "liblist", "library",
    "loc", "local", "localparam", "logic", "long", "longint", "macromodule", "main", "matches",
    "medium", "modport", "module", "mutable", "namespace", "nand", "negedge", "nettype", "new",
    "nexttime", "nmos", "noexcept", "none", "nor", "noshowcancelled", "not", "notif0", "notif1",
    "null", "nullptr", "offset", "operator", "or", "output", "package", "packed", "par",
    "parameter", "pmos", "posedge", "primitive", "priority", "private", "program", "property",
    "protected", "public", "pull0", "pull1", "pulldown", "pullup", "pulsestyle_ondetect",
    "pulsestyle_onevent", "pure", "rand", "randc", "randcase", "randsequence", "rcmos", "real",
    "realtime", "ref", "reg", "register", "reinterpret_cast", "reject_on", "release", "repeat",
    "requires", "reset", "restrict", "return", "rnmos", "rpmos", "rtran", "rtranif0", "rtranif1",
    "s_always", "s_eventually", "s_nexttime", "s_until", "s_until_with", "scalared", "seq",
    "sequence", "short", "shortint", "shortreal", "showcancelled", "signed", "sizeof", "small",
    "soft", "solve", "sparse", "specify", "specparam", "static", "static_assert", "static_cast",
    "strided", "string", "strong", "strong0", "strong1", "struct", "super", "supply0", "supply1",
    "switch", "sync_accept_on", "sync_reject_on", "table", "tagged", "task", "template", "this",
    "thread_local", "throughout", "throw", "time", "timeprecision", "timeunit", "tran", "tranif0",
    "tranif1", "tri", "tri0", "tri1", "triand", "trior", "trireg", "true", "try", "type", "typedef",
    "typeid", "typename", "union", "unique", "unique0", "unit", "unsigned", "until", "until_with",
    "untyped", "use", "using", "uwire", "var", "vectored", "virtual", "void", "volatile", "wait",
    "wait_order", "wand", "wchar_t", "weak", "weak0", "weak1", "while", "wildcard", "wire", "wires",
    "with", "within", "wor", "xnor", "xor"
};
/* clang-format on */

static int compare_words(const void *key, const void *word) {
    return strcmp(key, *(const char *const *)word);
}

static bool is_reserved(const char *name) {
    return bsearch(name, reserved_words, sizeof reserved_words / sizeof *reserved_words,
                   sizeof *reserved_words, compare_words) != NULL;
}

/* The C library's isalpha depends on the locale. */
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

char *string_identifier(Arena *arena, const char *name) {
    char *result = arena_alloc(arena, IDENTIFIER_LIMIT + 2);
    size_t length = 0;
    bool any = false, replaced = false; /* a run of other characters becomes one '_' */
    if (is_digit(*name)) result[length++] = '_';
    for (; *name && length < IDENTIFIER_LIMIT; name++) {
        bool plain = is_letter(*name) || is_digit(*name);
        any |= plain;
        if (plain || *name == '_')
            result[length++] = *name;
        else if (!replaced)
            result[length++] = '_';
        replaced = !plain && *name != '_';
    }
    if (!any) return arena_string(arena, "unnamed");
    if (is_reserved(result)) result[length] = '_'; /* reserved words are short */
    return result;
}

/* The names given out, in an open hash table. */
typedef struct Entry {
    const char *name;
    int next_suffix; /* to try when this name is asked for again */
} Entry;

struct NameSet {
    Arena *arena;
    Entry *entries;
    size_t count, capacity; /* the capacity is a power of two, or 0 */
};

NameSet *names_new(Arena *arena) {
    NameSet *names = arena_new_of(arena, NameSet);
    names->arena = arena;
    return names;
}

/* The entry of a name, or the free one where it belongs. */
static Entry *find(Entry *entries, size_t capacity, const char *name) {
    size_t mask = capacity - 1;
    size_t i = (size_t)hash_bytes(HASH_SEED, name, strlen(name)) & mask;
    while (entries[i].name && strcmp(entries[i].name, name) != 0) i = (i + 1) & mask;
    return &entries[i];
}

static void make_room(NameSet *names) {
    if (2 * (names->count + 1) <= names->capacity) return;
    size_t capacity = names->capacity ? 2 * names->capacity : 64;
    Entry *entries = arena_array(names->arena, capacity, sizeof *entries);
    for (size_t i = 0; i < names->capacity; i++)
        if (names->entries[i].name)
            *find(entries, capacity, names->entries[i].name) = names->entries[i];
    names->entries = entries;
    names->capacity = capacity;
}

static bool insert(NameSet *names, const char *name) {
    make_room(names);
    Entry *entry = find(names->entries, names->capacity, name);
    if (entry->name) return false;
    *entry = (Entry){.name = name, .next_suffix = 1};
    names->count++;
    return true;
}

/* `name`_`number`, cut so that it stays an identifier. */
static char *with_suffix(Arena *arena, const char *name, int number) {
    char suffix[16];
    int length = snprintf(suffix, sizeof suffix, "_%d", number);
    return string_format(arena, "%.*s%s", IDENTIFIER_LIMIT - length, name, suffix);
}

char *names_unique(NameSet *names, const char *name) {
    char *base = string_identifier(names->arena, name);
    if (insert(names, base)) return base;
    int number = find(names->entries, names->capacity, base)->next_suffix;
    char *result;
    do result = with_suffix(names->arena, base, number++);
    while (!insert(names, result));
    find(names->entries, names->capacity, base)->next_suffix = number;
    return result;
}
