# CHORALE_SYMBOL_PREFIX: builds a copy of the library under other symbol names, so that one process
# can hold several copies.
#
# With the prefix mine_, every exported function is called mine_chorale_... in the library. Internal
# names get the prefix too, so that two static copies do not clash. Programs still write
# chorale_..., since the installed base.h includes names.h, which renames functions and handles by
# macros. Library, header folder, CMake package and pkg-config module are called mine_chorale, so
# that copies fit in one installation:
#
#   find_package(mine_chorale CONFIG)      mine_chorale::chorale, mine_chorale::chorale_static
#   pkg-config mine_chorale
#
# A source file can use only one copy. If it includes headers of two copies, the include guards skip
# those of the second.
if(NOT CHORALE_SYMBOL_PREFIX MATCHES "^([A-Za-z_][A-Za-z0-9_]*)?$")
  message(FATAL_ERROR "CHORALE_SYMBOL_PREFIX is \"${CHORALE_SYMBOL_PREFIX}\"; it must begin a C name")
endif()
set(chorale_name ${CHORALE_SYMBOL_PREFIX}chorale)
set(chorale_include_directory ${CMAKE_INSTALL_INCLUDEDIR})

# The names of functions, and of handles, that a header declares.
function(chorale_names header functions handles)
  file(READ ${header} text)
  string(REGEX MATCHALL "CHORALE_API [^(;]*[ *\n]chorale_[a-z0-9_]+\\(" found "${text}")
  list(TRANSFORM found REPLACE "^.*[ *\n](chorale_[a-z0-9_]+)\\($" "\\1")
  set(${functions} ${found} PARENT_SCOPE)
  string(REGEX MATCHALL "typedef struct chorale_[a-z0-9_]+ chorale_[a-z0-9_]+" found "${text}")
  list(TRANSFORM found REPLACE "^.* (chorale_[a-z0-9_]+)$" "\\1")
  set(${handles} ${found} PARENT_SCOPE)
endfunction()

# Functions of experimental headers have a version node of their own.
file(GLOB experimental_headers CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/include/chorale/experimental.h
  ${PROJECT_SOURCE_DIR}/include/chorale/experimental/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${experimental_headers})
set(chorale_experimental)
foreach(header ${experimental_headers})
  chorale_names(${header} functions handles)
  foreach(function ${functions})
    string(APPEND chorale_experimental "    ${CHORALE_SYMBOL_PREFIX}${function};\n")
  endforeach()
endforeach()
configure_file(chorale.map.in chorale.map @ONLY)
if(NOT CHORALE_SYMBOL_PREFIX)
  return()
endif()

# The names to rename: all functions, and all handles, since the symbol of a member function of a
# handle contains the handle's name.
set(names)
file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/chorale/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${headers})
list(APPEND headers ${experimental_headers})
list(REMOVE_DUPLICATES headers)
foreach(header ${headers})
  chorale_names(${header} functions handles)
  list(APPEND names ${functions} ${handles})
endforeach()
list(SORT names)
set(defines)
foreach(name ${names})
  string(APPEND defines "#define ${name} ${CHORALE_SYMBOL_PREFIX}${name}\n")
endforeach()
set(prefixed_include ${CMAKE_CURRENT_BINARY_DIR}/include)
file(CONFIGURE OUTPUT ${prefixed_include}/chorale/names.h @ONLY CONTENT
"/* The names of this copy of the library. */
#ifndef CHORALE_NAMES_H
#define CHORALE_NAMES_H

@defines@
#endif
")
file(READ ${PROJECT_SOURCE_DIR}/include/chorale/base.h base)
string(REPLACE "#include <stdint.h>\n" "#include <stdint.h>\n\n#include \"chorale/names.h\"\n" base
  "${base}")
file(CONFIGURE OUTPUT ${prefixed_include}/chorale/base.h @ONLY CONTENT "@base@")

target_include_directories(chorale_inside BEFORE INTERFACE ${prefixed_include})
# The definitions rename the namespaces of internal functions, since functions that are compiled out
# of line have symbols. names.h is included before each source, since some sources name a handle
# before they include a header.
target_compile_definitions(chorale_inside INTERFACE chorale=${chorale_name}
  gsl=${CHORALE_SYMBOL_PREFIX}gsl)
target_compile_options(chorale_inside INTERFACE "SHELL:-include ${prefixed_include}/chorale/names.h")
set(chorale_include_directory ${CMAKE_INSTALL_INCLUDEDIR}/${chorale_name})
set(own_base_header PATTERN base.h EXCLUDE)
install(DIRECTORY ${prefixed_include}/chorale DESTINATION ${chorale_include_directory}
  COMPONENT development)
