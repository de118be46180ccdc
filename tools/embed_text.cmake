# Writes text files, one after the other, as a C array:
#     cmake "-DINPUTS=F|G" -DOUTPUT=F.c -DSYMBOL=NAME -P embed_text.cmake
# The C file defines `const char NAME[]`, zero-terminated, and `const size_t NAME_length`.
string(REPLACE "|" ";" inputs "${INPUTS}")
set(bytes "")
set(names "")
foreach(input ${inputs})
  file(READ ${input} more HEX)
  string(APPEND bytes "${more}")
  get_filename_component(name ${input} NAME)
  string(APPEND names " ${name}")
endforeach()
string(LENGTH "${bytes}" digits)
math(EXPR length "${digits} / 2")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "'\\\\x\\1'," bytes "${bytes}")
string(REGEX REPLACE "((....'',|'....',){12})" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "/* Made from${names} by embed_text.cmake. */
#include <stddef.h>

extern const char ${SYMBOL}[];
extern const size_t ${SYMBOL}_length;
const char ${SYMBOL}[] = {
${bytes}0};
const size_t ${SYMBOL}_length = ${length};
")
