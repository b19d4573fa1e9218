# What the presets ask for: with the compilers that this is developed with, a warning stops the build. What a newer
# one finds does not keep a user from building.
option(LOADLINE_STRICT "Warnings are errors, with g++ 12 and clang 19" OFF)
set(developed_with "GNU 12" "Clang 19")
string(REGEX MATCH "^[0-9]+" compiler_major ${CMAKE_CXX_COMPILER_VERSION})
if(LOADLINE_STRICT AND "${CMAKE_CXX_COMPILER_ID} ${compiler_major}" IN_LIST developed_with)
  set(CMAKE_COMPILE_WARNING_AS_ERROR ON)
endif()

add_compile_options(
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow
  # Scores follow upstream to the digit: a fused multiply-add would round once where upstream rounds twice.
  -ffp-contract=off)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
  add_compile_options(-Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Tsan")
  # The sanitizer's own code confuses the flow analysis behind this warning; the other builds keep it.
  add_compile_options(-Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ marks what its own std::stable_sort calls as deprecated, and clang blames the caller.
  add_compile_options(-Wno-deprecated-declarations)
endif()
