# Compiling less: most of the cost is not our code but what every file does again, reading 80,000 lines of the standard
# library and instantiating the same templates for the same types. So some sources of a folder are compiled as one, and
# what nearly all of them include is compiled beforehand. The preset `plain` does neither, and so finds a file that does
# not include what it uses.
set(LOADLINE_BATCH 8 CACHE STRING "How many sources of a folder are compiled as one, at most; 1: each alone")

# loadline_batches(<variable> <source>...): what to compile in place of these sources, given by their whole paths.
#
# A source that names LOADLINE_SOURCE_DIR is compiled alone, and only it gets that definition: a compiler cache can then
# serve every clone with the others. Sources that are compiled as one share the names of their anonymous namespaces.
# CMake's own UNITY_BUILD would write whole paths into what it compiles (an option since 3.30 only), so no compiler cache
# could serve a second clone.
function(loadline_batches result)
  set(compiled)
  set(folders)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} names_root REGEX "LOADLINE_SOURCE_DIR" LIMIT_COUNT 1)
    if(names_root)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS LOADLINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
      list(APPEND compiled ${source})
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    list(APPEND folders ${folder})
    list(APPEND "sources of ${folder}" ${source})
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    set(rest ${sources\ of\ ${folder}})
    list(LENGTH rest count)
    # Batches of one size: nine sources are five and four, not eight and one.
    math(EXPR batches "(${count} + ${LOADLINE_BATCH} - 1) / ${LOADLINE_BATCH}")
    math(EXPR size "(${count} + ${batches} - 1) / ${batches}")
    set(number 0)
    while(rest)
      list(SUBLIST rest 0 ${size} batch)
      list(REMOVE_ITEM rest ${batch})
      math(EXPR number "${number} + 1")
      loadline_batch(one "${folder}" ${number} ${batch})
      list(APPEND compiled ${one})
    endwhile()
  endforeach()
  set(${result} ${compiled} PARENT_SCOPE)
endfunction()

# loadline_batch(<variable> <folder> <number> <source>...): a file that includes these; a single source stands for itself.
function(loadline_batch result folder number)
  list(LENGTH ARGN count)
  if(count EQUAL 1)
    set(${result} ${ARGN} PARENT_SCOPE)
    return()
  endif()
  set(text)
  foreach(source IN LISTS ARGN)
    cmake_path(RELATIVE_PATH source BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
    string(APPEND text "#include \"${source}\"\n")
  endforeach()
  # Tests and what they test are two programs' sources in one folder.
  set(kind sources)
  if(ARGV3 MATCHES "_test\\.cc$")
    set(kind tests)
  endif()
  set(batch ${PROJECT_BINARY_DIR}/batches/${folder}/${kind}_${number}.cc)
  file(CONFIGURE OUTPUT ${batch} CONTENT "${text}" @ONLY)
  set_source_files_properties(${batch} PROPERTIES INCLUDE_DIRECTORIES ${PROJECT_SOURCE_DIR})
  # GCC tells the main file from what it includes to say that a type escapes from it; here, none does.
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    set_source_files_properties(${batch} PROPERTIES COMPILE_OPTIONS -Wno-subobject-linkage)
  endif()
  set(${result} ${batch} PARENT_SCOPE)
endfunction()

# What most sources include, and what all tests do.
option(LOADLINE_PRECOMPILE "Compile what most sources include beforehand" ON)
set(loadline_product_headers
    <algorithm> <array> <charconv> <chrono> <cstddef> <cstdint> <deque> <functional> <limits> <map> <memory> <optional> <set>
    <span> <string> <string_view> <tuple> <unordered_map> <utility> <variant> <vector> <fmt/format.h> <tl/expected.hpp>)
set(loadline_test_headers ${loadline_product_headers} <gtest/gtest.h> <gmock/gmock.h>)

# loadline_precompile(<target> product|test): compiles those headers once, for the first target that calls it, and
# includes them in all. Targets that share them must be compiled with the same options.
function(loadline_precompile target headers)
  if(NOT LOADLINE_PRECOMPILE)
    return()
  endif()
  # Some libraries ask for it, and targets that share headers must be compiled alike.
  target_compile_options(${target} PRIVATE -pthread)
  get_property(owner GLOBAL PROPERTY "loadline ${headers} headers")
  if(owner)
    target_precompile_headers(${target} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${target} PRIVATE ${loadline_${headers}_headers})
    set_property(GLOBAL PROPERTY "loadline ${headers} headers" ${target})
  endif()
endfunction()
