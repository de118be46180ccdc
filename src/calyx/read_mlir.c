/* Reads Calyx programs from the calyx dialect in the generic form. See read_mlir.h.
 *
 * Results of cells and arguments of components are ports; results of comb operations in groups are
 * guards. Components come before their users. */
#include "calyx/read_mlir.h"

#include <string.h>
#include "calyx/dialect.h"
#include "mlir/circt.h"

enum { WIDEST_PORT = 64 };

/* What an SSA value stands for. */
typedef struct Meaning {
    bool is_port;
    Port port;
    int guard;
} Meaning;

typedef struct Reader {
    Session *session;
    Arena *arena;
    CalyxProgram *program;
    Component *component;
    ValueMap values; /* position -> meanings */
    Vector(Meaning) meanings;
} Reader;

/* --- values --- */

static void define(Reader *r, MlirValue value, Meaning meaning) {
    map_value(&r->values, value, value);
    vector_push(r->arena, &r->meanings, meaning);
}

static void define_port(Reader *r, MlirValue value, Port port) {
    define(r, value, (Meaning){.is_port = true, .port = port});
}

static const Meaning *meaning_of(Reader *r, MlirOperation op, intptr_t operand) {
    if (operand >= mlirOperationGetNumOperands(op)) {
        circt_fault(r->session, op, "too few operands");
        return NULL;
    }
    int position = map_position(&r->values, mlirOperationGetOperand(op, operand));
    if (position >= 0) return &r->meanings.items[position];
    circt_fault(r->session, op, "operand %d is no port and no guard", (int)operand);
    return NULL;
}

static bool read_port(Reader *r, MlirOperation op, intptr_t operand, Port *port) {
    const Meaning *meaning = meaning_of(r, op, operand);
    if (!meaning) return false;
    if (!meaning->is_port)
        return circt_fault(r->session, op, "operand %d is no port", (int)operand);
    *port = meaning->port;
    return true;
}

static bool read_guard(Reader *r, MlirOperation op, intptr_t operand, int *guard) {
    const Meaning *meaning = meaning_of(r, op, operand);
    if (!meaning) return false;
    *guard = meaning->guard;
    if (!meaning->is_port) return true;
    if (meaning->port.width != 1)
        return circt_fault(r->session, op, "a guard has more than one bit");
    bool constant = meaning->port.cell == LITERAL;
    *guard = constant ? 0 : guard_port(r->program, r->component, meaning->port);
    if (constant && !meaning->port.value) *guard = guard_not(r->program, r->component, 0);
    return true;
}

static bool read_integer(Reader *r, MlirOperation op, const char *name, int64_t low, int64_t high,
                         int64_t *value) {
    MlirAttribute attribute = op_attribute(op, name);
    if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAInteger(attribute) ||
        circt_width(mlirAttributeGetType(attribute)) > 64)
        return circt_fault(r->session, op, "it has no number '%s'", name);
    *value = mlirIntegerAttrGetValueInt(attribute);
    if (*value >= low && *value <= high) return true;
    return circt_fault(r->session, op, "%s = %lld is out of range", name, (long long)*value);
}

static bool read_constant(Reader *r, MlirOperation op) {
    int64_t value = 0;
    int width = mlirOperationGetNumResults(op) == 1
                    ? circt_width(mlirValueGetType(mlirOperationGetResult(op, 0)))
                    : 0;
    if (width < 1 || width > WIDEST_PORT)
        return circt_fault(r->session, op, "its type is not supported");
    if (!read_integer(r, op, "value", INT64_MIN, INT64_MAX, &value)) return false;
    define_port(r, mlirOperationGetResult(op, 0), literal(width, (Bits)value));
    return true;
}

/* --- cells --- */

/* Parameters of a std cell are the widths of its ports. */
static bool parameters_of_ports(Reader *r, MlirOperation op, Cell *cell) {
    ResultPort ports[MOST_RESULTS];
    int count = cell_results(cell, ports);
    if (count != mlirOperationGetNumResults(op))
        return circt_fault(r->session, op, "it has %d results and not %d",
                           (int)mlirOperationGetNumResults(op), count);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < cell->primitive->port_count; k++) {
            const PrimitivePort *port = &cell->primitive->ports[k];
            if (port->width < 0 && !strcmp(port->name, ports[i].name))
                cell->parameters[-port->width - 1] =
                    circt_width(mlirValueGetType(mlirOperationGetResult(op, i)));
        }
    return true;
}

static bool parameters_of_attribute(Reader *r, MlirOperation op, Cell *cell) {
    MlirAttribute list = op_attribute(op, "parameters");
    int count = cell->primitive->parameter_count;
    if (mlirAttributeIsNull(list) || !mlirAttributeIsAArray(list) ||
        mlirArrayAttrGetNumElements(list) != count)
        return circt_fault(r->session, op, "%s has %d parameters", cell->primitive->name, count);
    for (int i = 0; i < count; i++) {
        CirctParameter parameter;
        if (!circt_parameter(r->arena, mlirArrayAttrGetElement(list, i), &parameter) ||
            parameter.text || strcmp(parameter.name, cell->primitive->parameters[i]) != 0)
            return circt_fault(r->session, op, "parameter %d is not %s", i,
                               cell->primitive->parameters[i]);
        if (parameter.value < 0 || parameter.value > INT64_C(1) << 40)
            return circt_fault(r->session, op, "%s = %lld is out of range", parameter.name,
                               (long long)parameter.value);
        cell->parameters[i] = parameter.value;
    }
    return true;
}

static MlirAttribute field(MlirAttribute dictionary, const char *name) {
    return mlirDictionaryAttrGetElementByName(dictionary, ref(name));
}

static const char *field_string(Reader *r, MlirAttribute dictionary, const char *name) {
    MlirAttribute value = field(dictionary, name);
    return mlirAttributeIsNull(value) ? NULL : string_of_attribute(r->arena, value);
}

static bool field_number(MlirAttribute dictionary, const char *name, int64_t most,
                         int64_t *result) {
    MlirAttribute value = field(dictionary, name);
    if (mlirAttributeIsNull(value) || !mlirAttributeIsAInteger(value) ||
        circt_width(mlirAttributeGetType(value)) != 64)
        return false;
    *result = mlirIntegerAttrGetValueInt(value);
    return *result >= 0 && *result <= most;
}

/* What tepal.memory says of a memory: the tensor or the image that it holds. */
static bool read_memory(Reader *r, MlirOperation op, Cell *cell) {
    MlirAttribute memory = op_attribute(op, "tepal.memory");
    if (mlirAttributeIsNull(memory)) return true;
    MemoryContents contents = {0};
    int64_t elements, bank;
    if (!mlirAttributeIsADictionary(memory) ||
        !field_number(memory, "elements", INT64_C(1) << 40, &elements) ||
        !field_number(memory, "bank", 1 << 20, &bank))
        return circt_fault(r->session, op, "its tepal.memory has no elements or no bank");
    MlirAttribute type = field(memory, "type");
    if (mlirAttributeIsNull(type) || !mlirAttributeIsAType(type) ||
        !scalar_of_type(mlirTypeAttrGetValue(type), &contents.type))
        return circt_fault(r->session, op, "its tepal.memory has no type");
    contents.elements = (size_t)elements;
    contents.bank = (int)bank;
    contents.tensor = field_string(r, memory, "tensor");
    contents.image = field_string(r, memory, "image");
    contents.host_writes = !mlirAttributeIsNull(field(memory, "host_writes"));
    contents.starts_at_zero = !mlirAttributeIsNull(field(memory, "starts_at_zero"));
    contents.host_reads = !mlirAttributeIsNull(field(memory, "host_reads"));
    cell->external = op_has(op, "external");
    if (contents.image && !string_is_file_name(contents.image, ".hex"))
        return circt_fault(r->session, op, "the image is no plain file name with .hex");
    if (cell->external && !contents.tensor)
        return circt_fault(r->session, op, "an external memory has no tensor");
    cell->memory = r->program->contents.count;
    vector_push(r->arena, &r->program->contents, contents);
    return true;
}

static bool find_component(Reader *r, MlirOperation op, Cell *cell) {
    const char *name = circt_name(r->arena, op, "componentName");
    for (int i = 0; name && i < r->program->components.count; i++) {
        if (r->program->components.items[i] == r->component) continue;
        if (strcmp(r->program->components.items[i]->name, name) != 0) continue;
        cell->component = i;
        cell->definition = r->program->components.items[i];
        return true;
    }
    return circt_fault(r->session, op, "there is no component '%s' before it", name ? name : "");
}

/* Which primitive an operation is, or which component. */
static bool read_kind(Reader *r, MlirOperation op, Cell *cell) {
    const char *name = op_name(r->arena, op);
    if (!strcmp(name, "calyx.instance")) return find_component(r, op, cell);
    if (!strcmp(name, "calyx.register")) name = "calyx.std_reg";
    bool is_primitive = !strcmp(name, "calyx.primitive");
    const char *primitive =
        is_primitive ? circt_name(r->arena, op, "primitiveName") : name + strlen("calyx.");
    cell->primitive = primitive ? primitive_find(primitive) : NULL;
    if (!cell->primitive ||
        is_primitive == (primitive_is_operation(cell->primitive) || cell_is_register(cell)))
        return circt_fault(r->session, op, "'%s' is not a cell that Tepal knows",
                           primitive ? primitive : "");
    return is_primitive ? parameters_of_attribute(r, op, cell) && read_memory(r, op, cell)
                        : parameters_of_ports(r, op, cell);
}

/* The results are the cell's ports, with the right widths; clk, reset, go and done of a component
 * have no use. */
static bool define_results(Reader *r, MlirOperation op, int number) {
    const Cell *cell = &r->component->cells.items[number];
    ResultPort ports[MOST_RESULTS];
    int count = cell_results(cell, ports);
    if (count != mlirOperationGetNumResults(op))
        return circt_fault(r->session, op, "it has %d results and not %d",
                           (int)mlirOperationGetNumResults(op), count);
    for (int i = 0; i < count; i++) {
        MlirValue result = mlirOperationGetResult(op, i);
        int width = circt_width(mlirValueGetType(result));
        if (width != ports[i].width || width < 1 || width > WIDEST_PORT)
            return circt_fault(r->session, op, "port %s has not the width that it should have",
                               ports[i].name);
        for (int k = 0; k < cell_port_count(cell); k++)
            if (!strcmp(cell_port_info(cell, k).name, ports[i].name))
                define_port(r, result, (Port){.cell = number, .port = k, .width = width});
    }
    return true;
}

static bool read_cell(Reader *r, MlirOperation op) {
    Cell cell = {.component = -1, .memory = -1};
    cell.name = circt_name(r->arena, op, "sym_name");
    if (!cell.name)
        return circt_fault(r->session, op, "it has no name, or one that is no identifier");
    if (!read_kind(r, op, &cell)) return false;
    cell.starts_at_zero = op_has(op, "tepal.starts_at_zero");
    vector_push(r->arena, &r->component->cells, cell);
    return define_results(r, op, r->component->cells.count - 1);
}

/* --- guards and assignments --- */

static void define_guard(Reader *r, MlirOperation op, int guard) {
    define(r, mlirOperationGetResult(op, 0), (Meaning){.guard = guard});
}

/* Cycles one after the other are one span of time. */
static int guard_either(Reader *r, int left, int right) {
    const Guard *a = &r->component->guards.items[left], *b = &r->component->guards.items[right];
    if (a->kind == GUARD_TIME && b->kind == GUARD_TIME && a->to == b->from)
        return guard_time(r->program, r->component, a->from, b->to);
    return guard_or(r->program, r->component, left, right);
}

/* comb.and and comb.or of any number of values. */
static bool read_connective(Reader *r, MlirOperation op, bool is_and) {
    int guard = 0;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
        int next;
        if (!read_guard(r, op, i, &next)) return false;
        if (i > 0)
            next = is_and ? guard_and(r->program, r->component, guard, next)
                          : guard_either(r, guard, next);
        guard = next;
    }
    define_guard(r, op, guard);
    return true;
}

/* Only the negation: xor with 1. */
static bool read_not(Reader *r, MlirOperation op) {
    const Meaning *one = meaning_of(r, op, 1);
    int guard;
    if (!one || mlirOperationGetNumOperands(op) != 2 || !one->is_port ||
        one->port.cell != LITERAL || one->port.value != 1)
        return circt_fault(r->session, op, "only a negation, xor with true, can be a guard");
    if (!read_guard(r, op, 0, &guard)) return false;
    define_guard(r, op, guard_not(r->program, r->component, guard));
    return true;
}

static bool read_compare(Reader *r, MlirOperation op) {
    static const int conditions[] = {GUARD_EQ, GUARD_NE, -1,       -1,       -1,
                                     -1,       GUARD_LT, GUARD_LE, GUARD_GT, GUARD_GE};
    int64_t predicate;
    Port left, right;
    if (!read_integer(r, op, "predicate", 0, 9, &predicate) || !read_port(r, op, 0, &left) ||
        !read_port(r, op, 1, &right))
        return false;
    if (conditions[predicate] < 0)
        return circt_fault(r->session, op, "guards compare without signs");
    define_guard(r, op,
                 guard_compare(r->program, r->component, left,
                               (GuardCondition)conditions[predicate], right));
    return true;
}

static bool read_cycle(Reader *r, MlirOperation op) {
    int64_t start;
    if (op_has(op, "end")) return circt_fault(r->session, op, "spans of cycles are not supported");
    if (!read_integer(r, op, "start", 0, 1 << 20, &start)) return false;
    define_guard(r, op, guard_time(r->program, r->component, (int)start, (int)start + 1));
    return true;
}

/* Destination, source and guard of calyx.assign; without destination, of calyx.group_done. */
static bool read_assignment(Reader *r, MlirOperation op, bool done, Assignment *assignment) {
    *assignment = (Assignment){0};
    int source = done ? 0 : 1;
    if (!done && !read_port(r, op, 0, &assignment->destination)) return false;
    if (!read_port(r, op, source, &assignment->source)) return false;
    if (mlirOperationGetNumOperands(op) == source + 1) return true;
    return read_guard(r, op, source + 1, &assignment->guard);
}

/* An operation that gives a value to assignments, in a group or outside. */
static bool read_logic(Reader *r, MlirOperation op) {
    if (op_is(op, "hw.constant")) return read_constant(r, op);
    if (mlirOperationGetNumResults(op) != 1)
        return circt_fault(r->session, op, "is not supported among assignments");
    if (op_is(op, "comb.and")) return read_connective(r, op, true);
    if (op_is(op, "comb.or")) return read_connective(r, op, false);
    if (op_is(op, "comb.xor")) return read_not(r, op);
    if (op_is(op, "comb.icmp")) return read_compare(r, op);
    if (op_is(op, "calyx.cycle")) return read_cycle(r, op);
    return circt_fault(r->session, op, "is not supported among assignments");
}

static MlirOperation first_in(MlirOperation op, intptr_t region) {
    MlirOperation none = {NULL};
    if (region >= mlirOperationGetNumRegions(op)) return none;
    MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, region));
    return mlirBlockIsNull(block) ? none : mlirBlockGetFirstOperation(block);
}

static bool read_group(Reader *r, MlirOperation op) {
    int64_t latency = 0;
    const char *name = circt_name(r->arena, op, "sym_name");
    if (!name) return circt_fault(r->session, op, "it has no name, or one that is no identifier");
    if (op_is(op, "calyx.static_group") && !read_integer(r, op, "latency", 1, 1 << 20, &latency))
        return false;
    int number = group_add(r->program, r->component, name, (int)latency);
    Group *group = &r->component->groups.items[number];
    MlirAttribute comment = op_attribute(op, "tepal.comment");
    if (!mlirAttributeIsNull(comment)) group->comment = string_of_attribute(r->arena, comment);
    bool has_done = false;
    for (MlirOperation inner = first_in(op, 0); !mlirOperationIsNull(inner);
         inner = mlirOperationGetNextInBlock(inner)) {
        bool done = op_is(inner, "calyx.group_done");
        Assignment assignment;
        if (!done && !op_is(inner, "calyx.assign")) {
            if (!read_logic(r, inner)) return false;
            continue;
        }
        if (!read_assignment(r, inner, done, &assignment)) return false;
        if (done)
            group->done = assignment;
        else
            vector_push(r->arena, &group->assignments, assignment);
        has_done = has_done || done;
    }
    return has_done == (latency == 0) ||
           circt_fault(r->session, op,
                       latency ? "a static group has no done" : "its done is missing");
}

static bool read_wires(Reader *r, MlirOperation wires) {
    for (MlirOperation op = first_in(wires, 0); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        Assignment assignment;
        if (op_is(op, "calyx.group") || op_is(op, "calyx.static_group")) {
            if (!read_group(r, op)) return false;
        } else if (op_is(op, "calyx.assign")) {
            if (!read_assignment(r, op, false, &assignment)) return false;
            vector_push(r->arena, &r->component->continuous, assignment);
        } else if (!read_logic(r, op)) {
            return false;
        }
    }
    return true;
}

/* --- control --- */

static const struct {
    const char *name;
    ControlKind kind;
    bool is_static;
} statements[] = {
    {"calyx.seq", CONTROL_SEQUENCE, false},  {"calyx.static_seq", CONTROL_SEQUENCE, true},
    {"calyx.par", CONTROL_PARALLEL, false},  {"calyx.static_par", CONTROL_PARALLEL, true},
    {"calyx.repeat", CONTROL_REPEAT, false}, {"calyx.static_repeat", CONTROL_REPEAT, true},
    {"calyx.if", CONTROL_IF, false},         {"calyx.static_if", CONTROL_IF, true},
    {"calyx.while", CONTROL_WHILE, false},   {"calyx.enable", CONTROL_ENABLE, false},
    {"calyx.invoke", CONTROL_INVOKE, false},
};

static Control *read_control(Reader *r, MlirOperation op);

static bool read_statements(Reader *r, MlirOperation op, intptr_t region, Control *control) {
    for (MlirOperation inner = first_in(op, region); !mlirOperationIsNull(inner);
         inner = mlirOperationGetNextInBlock(inner)) {
        Control *child = read_control(r, inner);
        if (!child) return false;
        control_append(r->program, control, child);
    }
    return true;
}

/* A region with one statement, or none. */
static Control *read_region(Reader *r, MlirOperation op, intptr_t region) {
    MlirOperation only = first_in(op, region);
    if (mlirOperationIsNull(only)) return control_new(r->program, CONTROL_EMPTY, true);
    if (mlirOperationIsNull(mlirOperationGetNextInBlock(only))) return read_control(r, only);
    circt_fault(r->session, op, "it holds more than one statement");
    return NULL;
}

static bool read_enable(Reader *r, MlirOperation op, Control *control) {
    const char *name = circt_name(r->arena, op, "groupName");
    for (int i = 0; name && i < r->component->groups.count; i++)
        if (!strcmp(r->component->groups.items[i].name, name)) {
            control->group = i;
            control->is_static = r->component->groups.items[i].latency > 0;
            return true;
        }
    return circt_fault(r->session, op, "there is no group '%s'", name ? name : "");
}

static bool read_invoke(Reader *r, MlirOperation op, Control *control) {
    const char *name = circt_name(r->arena, op, "callee");
    for (int i = 0; name && i < r->component->cells.count; i++)
        if (!strcmp(r->component->cells.items[i].name, name) &&
            r->component->cells.items[i].definition && mlirOperationGetNumOperands(op) == 0) {
            control->cell = i;
            return true;
        }
    return circt_fault(r->session, op, "there is no instance '%s', or it is given ports",
                       name ? name : "");
}

static bool read_statement(Reader *r, MlirOperation op, Control *control) {
    switch (control->kind) {
    case CONTROL_ENABLE: return read_enable(r, op, control);
    case CONTROL_INVOKE: return read_invoke(r, op, control);
    case CONTROL_REPEAT:
        if (!read_integer(r, op, "count", 0, INT32_MAX, &control->times)) return false;
        break;
    case CONTROL_IF:
    case CONTROL_WHILE:
        if (op_has(op, "groupName"))
            return circt_fault(r->session, op, "combinational groups are not supported");
        if (!read_port(r, op, 0, &control->condition)) return false;
        break;
    default: return read_statements(r, op, 0, control);
    }
    for (intptr_t region = 0; region < (control->kind == CONTROL_IF ? 2 : 1); region++) {
        Control *child = read_region(r, op, region);
        if (!child) return false;
        control_append(r->program, control, child);
    }
    return true;
}

static Control *read_control(Reader *r, MlirOperation op) {
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (!op_is(op, statements[i].name)) continue;
        Control *control = control_new(r->program, statements[i].kind, statements[i].is_static);
        return read_statement(r, op, control) ? control : NULL;
    }
    circt_fault(r->session, op, "is not supported in control");
    return NULL;
}

/* --- components --- */

/* clk, reset, go and done are marked; all components have them. */
static bool is_marked(MlirAttribute attributes) {
    static const char *const marks[] = {"clk", "reset", "go", "done"};
    for (int i = 0; i < 4; i++)
        if (!mlirAttributeIsNull(field(attributes, marks[i]))) return true;
    return false;
}

static bool read_port_of_component(Reader *r, MlirOperation op, MlirValue argument,
                                   MlirAttribute name, MlirAttribute attributes, bool output) {
    if (!mlirAttributeIsADictionary(attributes) || !mlirAttributeIsAString(name))
        return circt_fault(r->session, op, "its ports have no names");
    if (is_marked(attributes)) return true;
    int width = circt_width(mlirValueGetType(argument));
    const char *text = string_of_attribute(r->arena, name);
    if (width < 1 || width > WIDEST_PORT || strcmp(string_identifier(r->arena, text), text) != 0)
        return circt_fault(r->session, op, "a port has no usable name or type");
    define_port(r, argument,
                component_port_add(r->program, r->component, text,
                                   output ? PORT_OUTPUT : PORT_INPUT, width));
    return true;
}

static bool read_ports(Reader *r, MlirOperation op) {
    MlirBlock body = op_body(op);
    MlirAttribute names = op_attribute(op, "portNames");
    MlirAttribute attributes = op_attribute(op, "portAttributes");
    int64_t directions;
    intptr_t count = mlirBlockIsNull(body) ? -1 : mlirBlockGetNumArguments(body);
    if (mlirAttributeIsNull(names) || mlirAttributeIsNull(attributes) ||
        !mlirAttributeIsAArray(names) || !mlirAttributeIsAArray(attributes) ||
        mlirArrayAttrGetNumElements(names) != count ||
        mlirArrayAttrGetNumElements(attributes) != count || count > 64)
        return circt_fault(r->session, op, "its ports are not described, or more than 64");
    if (!read_integer(r, op, "portDirections", INT64_MIN, INT64_MAX, &directions)) return false;
    for (intptr_t i = 0; i < count; i++)
        if (!read_port_of_component(
                r, op, mlirBlockGetArgument(body, i), mlirArrayAttrGetElement(names, i),
                mlirArrayAttrGetElement(attributes, i), (uint64_t)directions >> i & 1))
            return false;
    return true;
}

static bool read_part(Reader *r, MlirOperation op) {
    if (op_is(op, "hw.constant")) return read_constant(r, op);
    if (op_is(op, "calyx.wires")) return read_wires(r, op);
    if (!op_is(op, "calyx.control")) return read_cell(r, op);
    r->component->control = read_region(r, op, 0);
    return r->component->control != NULL;
}

static bool read_component(Reader *r, MlirOperation op) {
    const char *name = circt_name(r->arena, op, "sym_name");
    if (!name) return circt_fault(r->session, op, "it has no name, or one that is no identifier");
    r->component = component_new(r->program, name);
    r->values = (ValueMap){.arena = r->arena};
    r->meanings.count = 0;
    if (!read_ports(r, op)) return false;
    for (MlirOperation part = first_in(op, 0); !mlirOperationIsNull(part);
         part = mlirOperationGetNextInBlock(part)) {
        if (!op_in_dialect(part, "calyx") && !op_is(part, "hw.constant"))
            return circt_fault(r->session, part, "is not supported in a component");
        if (!read_part(r, part)) return false;
    }
    r->program->top = name;
    return true;
}

CalyxProgram *calyx_read_mlir(Session *session, MlirModule module) {
    Reader r = {.session = session, .arena = session->arena};
    r.program = arena_new_of(session->arena, CalyxProgram);
    r.program->arena = session->arena;
    MlirBlock body = mlirModuleGetBody(module);
    for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op)) {
        if (op_is(op, "hw.module.extern")) continue;
        if (!op_is(op, "calyx.component")) {
            circt_fault(r.session, op, "stands beside components of Calyx");
            return NULL;
        }
        if (!read_component(&r, op)) return NULL;
    }
    return calyx_check_text(r.program, session->diagnostics) ? r.program : NULL;
}
