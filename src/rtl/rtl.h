/* From Calyx to a netlist, and what a build writes of it. */
#ifndef TEPAL_RTL_RTL_H
#define TEPAL_RTL_RTL_H

#include "calyx/calyx.h"
#include "rtl/netlist.h"

/* Rising edges with go = 1 and done = 0 of a run, beyond the cycles of its static control: the
 * first edge that sees go starts the first group, and after S cycles an edge raises done. So a run
 * takes S + RTL_START_CYCLES edges. */
enum { RTL_START_CYCLES = 1 };

/* Makes the netlist: cells become instances of hardware/, registers or expressions; control becomes
 * a state machine; the top gets clk, reset, go, done, and for each @external memory the host's
 * ports (design contract): host_writes: T_addr, T_write_en, T_write_data; host_reads: T_addr,
 * T_read_data (1 cycle). A tensor in several banks has one set of ports; address = bank x depth +
 * offset. */
Netlist *rtl_construct(const CalyxProgram *program, Arena *arena, Diagnostics *diagnostics);

/* Memory image of a ROM for $readmemh: one word per line. */
void rtl_print_image(const MemoryContents *contents, Text *text);

/* Names of the modules of hardware/ that the netlist instantiates ("float_add"), without repeats.
 */
int rtl_hardware_modules(const Netlist *netlist, Arena *arena, const char ***names);

#endif
