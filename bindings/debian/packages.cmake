# Describes the Debian packages that `cpack -G DEB` makes (preset debian): libchorale2,
# libchorale-dev and chorale, which contain the components library, development and command.
set(library_package lib${chorale_name}${chorale_abi})
set(development_package lib${chorale_name}-dev)

# The first line of the changelog gives the version of the library and the revision of the packages.
file(READ ${CMAKE_CURRENT_LIST_DIR}/changelog changelog)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${CMAKE_CURRENT_LIST_DIR}/changelog ${PROJECT_SOURCE_DIR}/tests/symbols.txt
  ${PROJECT_SOURCE_DIR}/tests/symbols_experimental.txt)
if(NOT changelog MATCHES "^chorale \\(([0-9.]+)-([0-9]+)\\)" OR
   NOT CMAKE_MATCH_1 STREQUAL PROJECT_VERSION)
  message(FATAL_ERROR "bindings/debian/changelog does not begin with version ${PROJECT_VERSION}")
endif()
set(CPACK_DEBIAN_PACKAGE_RELEASE ${CMAKE_MATCH_2})
set(debian_version ${PROJECT_VERSION}-${CMAKE_MATCH_2})
string(REGEX MATCH "\n -- ([^\n]*>)" _ "${changelog}")
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "${CMAKE_MATCH_1}")

# The symbols file gives for each stable function the release that introduced it: the first release of this
# ABI whose record in tests/abi has the function, or the present version if no record has it. An
# experimental function needs the present version.
set(symbols "libchorale.so.${chorale_abi} ${library_package} #MINVER#\n")
string(APPEND symbols "* Build-Depends-Package: ${development_package}\n")
file(GLOB records ${PROJECT_SOURCE_DIR}/tests/abi/[0-9]*/symbols.txt)
list(SORT records COMPARE NATURAL)
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/symbols.txt functions)
file(STRINGS ${PROJECT_SOURCE_DIR}/tests/symbols_experimental.txt experimental_functions)
foreach(function ${functions})
  set(since_${function} ${PROJECT_VERSION})
endforeach()
list(REVERSE records)
foreach(record ${records})
  get_filename_component(release ${record} DIRECTORY)
  file(STRINGS ${release}/include/chorale/version.h same_abi REGEX "CHORALE_ABI ${chorale_abi}$")
  get_filename_component(release ${release} NAME)
  if(same_abi)
    file(STRINGS ${record} recorded)
    foreach(function ${recorded})
      set(since_${function} ${release})
    endforeach()
  endif()
endforeach()
foreach(function ${functions})
  string(APPEND symbols " ${function}@CHORALE_${chorale_abi} ${since_${function}}\n")
endforeach()
string(APPEND symbols " CHORALE_${chorale_abi}@CHORALE_${chorale_abi} ${PROJECT_VERSION}\n")
foreach(function CHORALE_EXPERIMENTAL ${experimental_functions})
  string(APPEND symbols " ${function}@CHORALE_EXPERIMENTAL ${PROJECT_VERSION}\n")
endforeach()
set(control ${CMAKE_CURRENT_BINARY_DIR}/debian)
file(CONFIGURE OUTPUT ${control}/symbols CONTENT "${symbols}" @ONLY)
# The file shlibs is for tools that do not read symbols files. The trigger makes dpkg run ldconfig,
# which updates the loader's list of libraries.
file(CONFIGURE OUTPUT ${control}/shlibs
  CONTENT "libchorale ${chorale_abi} ${library_package} (>= ${PROJECT_VERSION})\n")
file(CONFIGURE OUTPUT ${control}/triggers CONTENT "activate-noawait ldconfig\n")

# Installs the changelog and the copyright file of each package in /usr/share/doc.
find_program(GZIP gzip REQUIRED)
execute_process(COMMAND ${GZIP} -9nc ${CMAKE_CURRENT_LIST_DIR}/changelog
  OUTPUT_FILE ${control}/changelog.Debian.gz COMMAND_ERROR_IS_FATAL ANY)
foreach(component library:${library_package} development:${development_package} command:chorale)
  string(REGEX REPLACE ":.*" "" name ${component})
  string(REGEX REPLACE ".*:" "" package ${component})
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/copyright ${control}/changelog.Debian.gz
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${package} COMPONENT ${name})
  string(TOUPPER ${name} component)
  set(CPACK_DEBIAN_${component}_PACKAGE_NAME ${package})
endforeach()

set(about "Chorale labels many sequences together: it takes the scores of any sequence
model, such as a conditional random field or a neural tagger, and finds the
labels that agree with each other, with a certificate of how good they are.
.
")

# Empty, so that the description of a package begins with its own first line, not the project's.
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")
set(CPACK_DEBIAN_LIBRARY_DESCRIPTION "collective inference with symmetric clique potentials
${about}This package has the shared library.")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_CONTROL_EXTRA
  "${control}/symbols;${control}/shlibs;${control}/triggers")

set(CPACK_DEBIAN_DEVELOPMENT_DESCRIPTION "collective inference, headers and static library
${about}This package has the C headers, the static library, and files for pkg-config
and CMake.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${library_package} (= ${debian_version})")

set(CPACK_DEBIAN_COMMAND_DESCRIPTION "label many sequences together, so that they agree
${about}This package has the command chorale, which labels problem files, reports what
that changes, describes such files and checks them.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "${library_package} (= ${debian_version})")

# The command reads files that may come from anywhere, so it is compiled with checks against
# overflows. The library is compiled as in any other release build.
target_compile_options(chorale_command PRIVATE -fstack-protector-strong -D_FORTIFY_SOURCE=2)

set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL library development command)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_PACKAGE_NAME chorale)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_VENDOR "The Chorale authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SOURCE chorale)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/src)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
include(CPack)
