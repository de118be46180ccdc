/* Files beside the netlist. See files.h. */
#include "command/files.h"

#include <string.h>
#include "calyx/read_mlir.h"
#include "mlir/circt.h"
#include "rtl/read_mlir.h"
#include "simulate/interface.h"

/* --- of a compilation --- */

static void add_text(Compilation *c, DesignFiles *files, const char *name, const Text *text) {
    DesignFile file = {name, text_string(text), text->length};
    vector_push(c->arena, files, file);
}

static void add_images(Compilation *c, DesignFiles *files) {
    for (int i = 0; i < c->calyx->contents.count; i++) {
        const MemoryContents *contents = &c->calyx->contents.items[i];
        if (!contents->image) continue;
        Text text = text_new(c->arena);
        rtl_print_image(contents, &text);
        add_text(c, files, contents->image, &text);
    }
}

DesignFiles design_files(Compilation *c) {
    if (c->first != STAGE_LINALG) return c->files;
    DesignFiles files = {0};
    Text interface = text_new(c->arena), report = text_new(c->arena), linalg = text_new(c->arena);
    int parallel = compile_parallel(c);
    interface_write(c->program, &interface);
    report_json(c->schedule, c->times, c->time_count, parallel, &report);
    text_append(&linalg, c->reference_text);
    add_text(c, &files, "interface.json", &interface);
    add_text(c, &files, "report.json", &report);
    add_text(c, &files, string_format(c->arena, "%s.linalg.mlir", c->model.name), &linalg);
    add_images(c, &files);
    return files;
}

/* --- in a text --- */

void files_print_generic(Compilation *c, Stage stage, Text *text) {
    DesignFiles files = design_files(c);
    text_append(text, "\"builtin.module\"() ({\n");
    if (stage == STAGE_CALYX)
        calyx_print_generic(c->calyx, text);
    else
        netlist_print_generic(c->netlist, text);
    text_append(text, "}) {");
    if (stage == STAGE_CALYX) text_printf(text, "calyx.entrypoint = \"%s\", ", c->calyx->top);
    text_append(text, "tepal.files = {");
    for (int i = 0; i < files.count; i++) {
        text_printf(text, "%s\n  \"%s\" = \"", i ? "," : "", files.items[i].name);
        text_append(text, string_mlir(c->arena, files.items[i].text));
        text_append(text, "\"");
    }
    text_append(text, "}} : () -> ()\n");
}

static bool may_carry(const char *name) {
    return !strcmp(name, "interface.json") || !strcmp(name, "report.json") ||
           string_is_file_name(name, ".linalg.mlir") || string_is_file_name(name, ".hex");
}

static bool read_files(Compilation *c, MlirModule module) {
    MlirAttribute all = op_attribute(mlirModuleGetOperation(module), "tepal.files");
    if (mlirAttributeIsNull(all) || !mlirAttributeIsADictionary(all)) return true;
    for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(all); i++) {
        MlirNamedAttribute named = mlirDictionaryAttrGetElement(all, i);
        const char *name = ref_copy(c->arena, mlirIdentifierStr(named.name));
        if (!may_carry(name) || !mlirAttributeIsAString(named.attribute))
            return error_at(c->diagnostics, STATUS_INPUT, c->options->model,
                            "tepal.files has an entry '%s', which is no file of a design",
                            string_printable(c->arena, name, 100));
        const char *text = string_of_attribute(c->arena, named.attribute);
        vector_push(c->arena, &c->files, ((DesignFile){name, text, strlen(text)}));
    }
    return true;
}

bool files_begin(Compilation *c, MlirModule module) {
    bool is_calyx = !strcmp(circt_dialect(module), "calyx");
    if (is_calyx)
        c->calyx = calyx_read_mlir(c->session, module);
    else
        c->netlist = netlist_read_mlir(c->session, module);
    if ((is_calyx && !c->calyx) || (!is_calyx && !c->netlist) || !read_files(c, module))
        return false;
    c->first = is_calyx ? STAGE_CALYX : STAGE_HW;
    c->model.name =
        is_calyx ? c->calyx->top : c->netlist->modules.items[c->netlist->modules.count - 1]->name;
    return true;
}
