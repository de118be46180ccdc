/* Short forms of MLIR's C API: names, walking, building and replacing operations.
 *
 * Everything here works on operations that the module owns; lists are in the arena of the session.
 */
#ifndef TEPAL_MLIR_IR_H
#define TEPAL_MLIR_IR_H

#include <mlir-c/AffineExpr.h>
#include <mlir-c/AffineMap.h>
#include <mlir-c/BuiltinAttributes.h>
#include <mlir-c/BuiltinTypes.h>
#include <mlir-c/IntegerSet.h>
#include "base/vector.h"
#include "mlir/session.h"

typedef Vector(MlirOperation) OpList;
typedef Vector(MlirValue) ValueList;

/* --- names and attributes --- */

MlirStringRef ref(const char *text);
bool ref_equal(MlirStringRef text, const char *expected);
char *ref_copy(Arena *arena, MlirStringRef text);

bool op_is(MlirOperation op, const char *name);
/* The dialect of an operation, such as "linalg". */
bool op_in_dialect(MlirOperation op, const char *dialect);
char *op_name(Arena *arena, MlirOperation op);
/* A null attribute if there is none. */
MlirAttribute op_attribute(MlirOperation op, const char *name);
bool op_has(MlirOperation op, const char *name);
void op_set(MlirOperation op, const char *name, MlirAttribute attribute);
MlirAttribute string_attribute(MlirContext context, const char *text);
/* The value of a string attribute as a string of the arena; NULL for any other attribute. */
char *string_of_attribute(Arena *arena, MlirAttribute attribute);
MlirAttribute integer_attribute(MlirContext context, const char *type, int64_t value);
/* The set of an IntegerSetAttr, which the C API can neither read nor make. Null on failure. */
MlirIntegerSet set_of_attribute(Arena *arena, MlirAttribute attribute);
MlirAttribute attribute_of_set(Arena *arena, MlirIntegerSet set);

/* A place for diagnostics: "file:line:column" or the name of a NameLoc; NULL if unknown. */
const char *location_place(Arena *arena, MlirLocation location);
const char *op_place(Arena *arena, MlirOperation op);
/* The file that was parsed last: what "-" in a location stands for. */
extern const char *location_source;

/* --- walking --- */

/* All operations under `root`, itself included, for which `wanted` is true (NULL: all). A parent
 * comes before what it holds. */
OpList ops_collect(Arena *arena, MlirOperation root, bool (*wanted)(MlirOperation op));
/* Those with this name. */
OpList ops_named(Arena *arena, MlirOperation root, const char *name);
/* Calls visit for every operation under root, parents first. */
void ops_each(MlirOperation root, void (*visit)(MlirOperation op, void *context), void *context);

/* The operation that makes a value; null for a block argument. */
MlirOperation value_definition(MlirValue value);
/* Users, each use once. */
OpList value_users(Arena *arena, MlirValue value);
int value_use_count(MlirValue value);
bool op_is_inside(MlirOperation op, MlirOperation ancestor);
MlirOperation op_parent_named(MlirOperation op, const char *name);
MlirBlock op_body(MlirOperation op); /* the first block of the first region */
MlirBlock region_block(MlirOperation op, intptr_t region);
bool is_loop(MlirOperation op); /* affine.for or scf.for */
bool is_if(MlirOperation op);   /* affine.if or scf.if */

/* --- types --- */

bool is_tensor(MlirType type);
bool is_memref(MlirType type);
/* Rank and sizes of a ranked shaped type with static sizes; false for any other. */
bool static_shape(MlirType type, int *rank, int64_t *shape);
int64_t type_elements(MlirType type);
MlirType memref_of(MlirType element, int rank, const int64_t *shape);
MlirType tensor_of(MlirType element, int rank, const int64_t *shape);
bool memref_is_identity(MlirType type);
MlirType index_type(MlirContext context);

/* --- building --- */

/* Where new operations go: before `before`, or at the end of `block` if that is null. */
typedef struct Builder {
    MlirContext context;
    MlirLocation location;
    MlirBlock block;
    MlirOperation before;
} Builder;

Builder builder_before(MlirOperation op);
Builder builder_after(MlirOperation op);
Builder builder_at_end(MlirBlock block, MlirLocation location);
Builder builder_at_start(MlirBlock block, MlirLocation location);

typedef struct OpParts {
    const char *name;
    int operand_count;
    const MlirValue *operands;
    int result_count;
    const MlirType *results;
    int attribute_count;
    const MlirNamedAttribute *attributes;
    int region_count;
    MlirRegion *regions; /* taken over */
} OpParts;

MlirOperation build_op(Builder *builder, const OpParts *parts);
void build_insert(Builder *builder, MlirOperation op);
MlirNamedAttribute named(MlirContext context, const char *name, MlirAttribute attribute);

/* An operation with one result, no attributes. */
MlirValue build1(Builder *builder, const char *name, MlirType type, MlirValue a);
MlirValue build2(Builder *builder, const char *name, MlirType type, MlirValue a, MlirValue b);
MlirValue build3(Builder *builder, const char *name, MlirType type, MlirValue a, MlirValue b,
                 MlirValue c);
/* arith.constant; for floats `value` is rounded to the type. */
MlirValue build_constant(Builder *builder, MlirAttribute value);
MlirValue build_integer(Builder *builder, MlirType type, int64_t value);
MlirValue build_float(Builder *builder, MlirType type, double value);
/* arith.cmpf / arith.cmpi by the number of the predicate. */
MlirValue build_compare(Builder *builder, const char *name, int64_t predicate, MlirValue a,
                        MlirValue b);
MlirValue build_select(Builder *builder, MlirValue condition, MlirValue a, MlirValue b);

/* affine.load / affine.store through a map; operands are the map's dims, then symbols. */
MlirValue build_affine_load(Builder *builder, MlirValue memref, MlirAffineMap map, int count,
                            const MlirValue *operands);
MlirOperation build_affine_store(Builder *builder, MlirValue value, MlirValue memref,
                                 MlirAffineMap map, int count, const MlirValue *operands);
/* affine.for %i = 0 to trip; its body holds only the terminator. */
MlirOperation build_affine_for(Builder *builder, int64_t trip);
/* A band of loops over a shape; `indices` gets the loop indices. Returns a builder inside the
 * innermost. */
Builder build_affine_nest(Builder *builder, int rank, const int64_t *shape, MlirValue *indices);

/* memref.alloc without alignment; the type has static sizes. */
MlirValue build_alloc(Builder *builder, MlirType type);
/* The same with the sizes of a memref type and the plain layout; null if a size is not known. */
MlirValue build_memory_like(Builder *builder, MlirType type);
/* memref.copy */
void build_memory_copy(Builder *builder, MlirValue source, MlirValue target);

/* The value of a constant integer or index; false if it is not a constant. */
bool constant_integer(MlirValue value, int64_t *result);

/* --- changing --- */

void op_erase(MlirOperation op);
/* All uses of the results get the values; the operation goes away. */
void op_replace(MlirOperation op, int count, const MlirValue *values);
void value_replace(MlirValue old, MlirValue replacement);

/* From old values to new ones, for copying bodies. */
typedef struct ValueMap {
    Arena *arena;
    Vector(MlirValue) from, to;
    int *slots; /* hash table of positions in `from`, plus 1 */
    int slot_count;
} ValueMap;
/* The position of a value in map->from, -1 if it is not there. */
int map_position(const ValueMap *map, MlirValue value);
void map_value(ValueMap *map, MlirValue from, MlirValue to);
MlirValue mapped(const ValueMap *map, MlirValue value);
/* Copies of the operations of a block but its terminator, with operands mapped (in nested regions
 * too); results are added to the map. */
void build_copy_of_block(Builder *builder, MlirBlock block, ValueMap *map);
MlirOperation build_copy(Builder *builder, MlirOperation op, ValueMap *map);

#endif
