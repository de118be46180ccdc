/* A script for Vivado: synthesis of a design with its own figures of area and timing. */
#include "fpga/fpga.h"

void vivado_print(const Synthesis *synthesis, Text *text) {
    const Design *design = &synthesis->design;
    const Interface *interface = &design->interface;
    text_append(text, "# Synthesizes the design out of context, in memory. In this folder:\n"
                      "#     vivado -mode batch -source vivado.tcl\n");
    text_printf(text, "create_project -in_memory -part %s\n", synthesis->device->vivado_part);
    for (int i = 0; i < design->file_count; i++)
        text_printf(text, "read_verilog -sv %s\n", design->files[i]);
    text_append(text,
                "foreach image [glob -nocomplain *.hex] {\n"
                "    add_files -norecurse $image\n"
                "    set_property file_type {Memory Initialization Files} [get_files $image]\n"
                "}\n");
    text_printf(text, "synth_design -top %s -part %s -mode out_of_context\n", interface->top,
                synthesis->device->vivado_part);
    text_printf(text, "create_clock -name clock -period %.3f [get_ports %s]\n",
                1000 / synthesis->clock, interface->clock);
    text_append(text, "opt_design\nplace_design\nroute_design\n"
                      "report_utilization -file vivado_area.txt\n"
                      "report_timing_summary -file vivado_timing.txt\n");
}
