# cmake -D OUTPUT=FILE.c -D ASSETS=FILE;FILE... -P embed.cmake
#
# Makes a C source file with a struct asset_NAME for each file, of an array of its bytes and the size.
# NAME is the file's name with "_" in place of ".". (A string literal would be too long: C99 guarantees
# only 4095 characters.)
set(text "#include \"assets.h\"\n")
foreach(asset IN LISTS ASSETS)
  get_filename_component(name ${asset} NAME)
  string(REPLACE "." "_" name ${name})
  file(READ ${asset} bytes HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
  string(REGEX REPLACE "(................................................................................)"
         "\\1\n" bytes "${bytes}")
  string(APPEND text "\nstatic const unsigned char bytes_${name}[] = {\n${bytes}};\n"
         "const asset asset_${name} = {bytes_${name}, sizeof bytes_${name}};\n")
endforeach()
file(WRITE ${OUTPUT} "${text}")
