/* Memory images, and which modules of hardware/ a netlist needs. */
#include "rtl/rtl.h"

#include <string.h>

void rtl_print_image(const MemoryContents *contents, Text *text) {
    int digits = (contents->type.width + 3) / 4;
    for (size_t i = 0; i < contents->elements; i++)
        text_printf(text, "%0*llx\n", digits,
                    (unsigned long long)bits_load(contents->type, contents->data, i));
}

int rtl_hardware_modules(const Netlist *netlist, Arena *arena, const char ***names) {
    Vector(const char *) found = {0};
    for (int m = 0; m < netlist->modules.count; m++) {
        const Module *module = netlist->modules.items[m];
        for (int i = 0; i < module->instances.count; i++) {
            const char *name = module->instances.items[i].module;
            if (!string_starts(name, "tepal_")) continue;
            name += strlen("tepal_");
            bool known = false;
            for (int k = 0; k < found.count && !known; k++) known = !strcmp(found.items[k], name);
            if (!known) vector_push(arena, &found, name);
        }
    }
    *names = found.items;
    return found.count;
}
