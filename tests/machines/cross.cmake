# Toolchain of a foreign machine: Debian's cross compilers, and what runs their programs here.
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=.../cross.cmake -DMACHINE=aarch64 -DEMULATOR="qemu-aarch64;-L;/usr/aarch64-linux-gnu"
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MACHINE EMULATOR)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${MACHINE})
set(CMAKE_C_COMPILER ${MACHINE}-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER ${MACHINE}-linux-gnu-g++)
set(CMAKE_CROSSCOMPILING_EMULATOR ${EMULATOR})
# Programs run here may be called; libraries of this machine must not be found.
set(CMAKE_FIND_ROOT_PATH /usr/${MACHINE}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
