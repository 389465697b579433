#!/usr/bin/env python3
"""Writes a C++ program that prints dist/layout.js: the layout of the library's C interface.

    tools/layout.py HEADER PROGRAM.cpp EXPORTS

HEADER is the chorale.h that src/amalgamate.py writes; its experimental.h is beside it. The names of structs, fields, functions and
constants come from the public headers. Sizes, offsets, types and values come from the compiler of
the WebAssembly module, so that nothing is guessed. EXPORTS receives the names of the functions that
the module exports, one a line.
"""

import pathlib
import re
import sys
import zlib

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent.parent / "python" / "tools"), str(HERE.parent.parent)]
sys.dont_write_bytecode = True
from declare import HEADERS, Headers  # noqa: E402
from mirror import ENUMS, FLAGS, GIVEN_FLAGS, snake  # noqa: E402

# Functions that the package leaves out: solvers of single chains and cliques, and what is experimental
# but for tables and what the page of a report needs, cancel flags (there is one thread), files
# (JavaScript reads and writes bytes), and functions that only C programs need.
LEFT_OUT = re.compile(
    r"chorale_(chain_solver_\w+|clique_solver_\w+|prices_\w+|potential_(prices|most)"
    r"|chain_(solve|score|k_best|max_marginals|messages|decode)"
    r"|clique_(solve|score|max_marginals)"
    r"|run_(step|local_search|bound|reset|set_chain|set_limits|estimate|json)"
    r"|model_builder_add_(instance|repeated_words)"
    r"|problem_(load|save|set_note)"
    r"|cancel_\w+|partition|property_(shown|fired)"
    r"|dictionary_\w+"
    r"|status_name|abi|decoded_model"
    r"|algorithm_name|outcome_name)")

# Structs that only functions in LEFT_OUT read.
NO_STRUCTS = {"chorale_instance", "chorale_allocator", "chorale_host", "chorale_clique_problem",
              "chorale_clique_options", "chorale_clique_result", "chorale_chain_result",
              "chorale_message_result", "chorale_scored_pairs",
              "chorale_partition_result", "chorale_attachment", "chorale_run_cost"}

# What JavaScript makes of fields, and takes for them: words, by the prefix of their constants; true or
# false; arrays of numbers. All pointers to handles have the names of their kinds.
WORDS = {f"chorale_{snake(enum)}": prefix for _, prefix, enum, *_ in ENUMS if prefix != "ROWS"}
ARRAYS = {"int32_t*": "int32", "int64_t*": "int64", "double*": "float64", "uint8_t*": "uint8"}


def kind_of(headers, field, declared):
    handle = re.fullmatch(r"chorale_(\w+)\*", declared)
    if handle and declared[:-1] not in headers.structs:
        return handle[1]
    if declared == "int32_t" and field in FLAGS | GIVEN_FLAGS:
        return "flag"
    if declared == "void*" and not field.endswith("_user"):
        return "element"
    return WORDS.get(declared) or ARRAYS.get(declared) or ""


PROGRAM = r"""// Written by tools/layout.py.
#include "experimental.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <type_traits>

// A letter for a type: p address, q 64-bit and i 32-bit integer, z size, d double, v nothing,
// c text in place.
template <class T> constexpr char letter() {
  using Plain = std::remove_cv_t<T>;
  if constexpr (std::is_void_v<Plain>) return 'v';
  else if constexpr (std::is_pointer_v<Plain>) return 'p';
  else if constexpr (std::is_array_v<Plain>) return 'c';
  else if constexpr (std::is_same_v<Plain, double>) return 'd';
  else if constexpr (std::is_same_v<Plain, std::int64_t>) return 'q';
  else if constexpr (std::is_same_v<Plain, std::int32_t>) return 'i';
  else if constexpr (std::is_same_v<Plain, std::size_t>) return 'z';
  else static_assert(!sizeof(T), "a type without a letter");
}
template <class R, class... A>
void function(const char *name, R (*)(A...), const char *arguments) {
  const char letters[] = {letter<R>(), letter<A>()..., '\0'};
  std::printf("    %s: [\"%s\", \"%s\"],\n", name, letters, arguments);
}
#define STRUCT(type) std::printf("    " #type ": { size: %zu, fields: {\n", sizeof(type))
#define FIELD(type, name, kind) \
  std::printf("      " #name ": [%zu, \"%c\"%s],\n", offsetof(type, name), \
              letter<decltype(type::name)>(), kind)
#define CONSTANT(name) std::printf("    " #name ": %lld,\n", static_cast<long long>(name))

int main() {
  static_assert(sizeof(void *) == 4 && sizeof(std::size_t) == 4);
  std::printf("// The C interface as the module's compiler has it. Written by tools/layout.py.\n"
              "export const layout = {\n  version: \"%d.%d.%d\",\n  header: %u,\n  structs: {\n",
              CHORALE_VERSION_MAJOR, CHORALE_VERSION_MINOR, CHORALE_VERSION_PATCH, @HEADER@u);
@STRUCTS@
  std::printf("  },\n  functions: {\n");
@FUNCTIONS@
  std::printf("  },\n  constants: {\n");
@CONSTANTS@
  std::printf("  },\n};\n");
}
"""


def main():
    header, program, exports = map(pathlib.Path, sys.argv[1:])
    headers = Headers(HEADERS)
    structs = []
    for name, fields in headers.structs.items():
        if name not in NO_STRUCTS:
            structs.append(f"  STRUCT({name});")
            for field, kind in fields:
                kind = kind_of(headers, field, kind)
                kind = f', \\"{kind}\\"' if kind else ""
                structs.append(f'  FIELD({name}, {field}, "{kind}");')
            structs.append('  std::printf("    } },\\n");')
    names = [name for name in headers.functions if not LEFT_OUT.fullmatch(name)]
    functions = [f'  function("{name}", static_cast<decltype(&{name})>(nullptr),'
                 f' "{" ".join(headers.functions[name][2]).replace("const ", "")}");' for name in names]
    used = [name for name in headers.constants
            if not re.match(r"CHORALE_(VERSION|CLIQUE_|CHAIN_|START_)", name)]
    constants = [f"  CONSTANT({name});" for name in used]
    texts = header.read_bytes() + header.with_name("experimental.h").read_bytes()
    checksum = str(zlib.crc32(texts))
    text = PROGRAM.replace("@HEADER@", checksum)
    for place, lines in ("STRUCTS", structs), ("FUNCTIONS", functions), ("CONSTANTS", constants):
        text = text.replace(f"@{place}@", "\n".join(lines))
    program.write_text(text)
    exports.write_text("\n".join(names) + "\n")
    print(checksum)


if __name__ == "__main__":
    main()
