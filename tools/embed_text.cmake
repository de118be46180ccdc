# Writes a text file as a C array: cmake -DINPUT=F -DOUTPUT=F.c -DSYMBOL=NAME -P embed_text.cmake
# The C file defines `const char NAME[]`, zero-terminated, and `const size_t NAME_length`.
file(READ ${INPUT} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR length "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
string(REGEX REPLACE "((....'',|'....',){12})" "\\1\n" bytes "${bytes}")
get_filename_component(name ${INPUT} NAME)
file(WRITE ${OUTPUT} "/* Made from ${name} by embed_text.cmake. */
#include <stddef.h>

extern const char ${SYMBOL}[];
extern const size_t ${SYMBOL}_length;
const char ${SYMBOL}[] = {
${bytes}0};
const size_t ${SYMBOL}_length = ${length};
")
