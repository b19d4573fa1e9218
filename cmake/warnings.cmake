add_compile_options(
  -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror
  # Scores follow upstream to the digit: a fused multiply-add would round once where upstream rounds twice.
  -ffp-contract=off)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 sees overlaps in std::string's operator+ that are not there (GCC bug 105651).
  add_compile_options(-Wno-restrict)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE MATCHES "^(Asan|Tsan)$")
  # The sanitizers' own code confuses the flow analysis behind this warning; the other builds keep it.
  add_compile_options(-Wno-maybe-uninitialized)
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # libstdc++ marks what its own std::stable_sort calls as deprecated, and clang blames the caller.
  add_compile_options(-Wno-deprecated-declarations)
endif()
