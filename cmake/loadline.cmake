# loadline_module(<folder> [DEPENDS <folder>...] [LIBRARIES <target>...])
#
# Makes the static library loadline_<folder> from every .cc below src/<folder>, and the test <folder>_test from every
# *_test.cc. DEPENDS names the folders it may include from; LIBRARIES are third parties that only its bodies see.
# A folder of headers becomes an interface library. Programs' *main.cc are left to the folder's own CMakeLists.txt.
function(loadline_module folder)
  cmake_parse_arguments(PARSE_ARGV 1 module "" "" "DEPENDS;LIBRARIES")
  set(library loadline_${folder})

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cc)
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  list(FILTER sources EXCLUDE REGEX "(_test|main)\\.cc$")

  if(sources)
    add_library(${library} STATIC ${sources})
    set(reach PUBLIC)
    target_link_libraries(${library} PRIVATE ${module_LIBRARIES})
  else()
    add_library(${library} INTERFACE)
    set(reach INTERFACE)
    target_link_libraries(${library} INTERFACE ${module_LIBRARIES})
  endif()
  target_include_directories(${library} ${reach} ${PROJECT_SOURCE_DIR}/src)
  list(TRANSFORM module_DEPENDS PREPEND loadline_)
  target_link_libraries(${library} ${reach} ${module_DEPENDS} fmt::fmt tl::expected)

  if(LOADLINE_TESTS AND tests)
    loadline_test(${folder}_test SOURCES ${tests} LIBRARIES ${library})
  endif()
endfunction()

# loadline_test(<name> SOURCES <file>... [LIBRARIES <target>...])
#
# A GoogleTest program; each of its tests is a test of ctest and runs in the root of the repository.
function(loadline_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "" "SOURCES;LIBRARIES")
  add_executable(${name} ${test_SOURCES})
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES} GTest::gtest_main GTest::gmock rapidcheck)
  target_compile_definitions(${name} PRIVATE LOADLINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # Optimising tests takes longer than running them: what they test is optimised.
  target_compile_options(${name} PRIVATE -O0)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST TEST_PREFIX "${name}/"
                       WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} PROPERTIES TIMEOUT 600)
endfunction()

# One program bench_<name> for each bench/<name>.cc, with the sources of bench/<name>/ if it has such a folder. All of
# them print and write their results through bench/results/; those that measure servers start them and talk to them
# through bench/subjects/.
function(loadline_benchmarks)
  find_package(benchmark REQUIRED)
  file(GLOB shared CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/results/*.cc)
  add_library(bench_results STATIC ${shared})
  target_include_directories(bench_results PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(bench_results PUBLIC loadline_report loadline_net)
  file(GLOB subjects CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/subjects/*.cc)
  add_library(bench_subjects STATIC ${subjects})
  target_link_libraries(bench_subjects PUBLIC bench_results CLI11::CLI11)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cc)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    file(GLOB parts CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/${name}/*.cc)
    add_executable(bench_${name} ${source} ${parts})
    target_link_libraries(bench_${name} PRIVATE bench_subjects bench_results benchmark::benchmark)
    target_compile_definitions(bench_${name} PRIVATE LOADLINE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    set_target_properties(bench_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  endforeach()
endfunction()

# One program fuzz_<name> for each fuzz/<name>.cc, which defines LLVMFuzzerTestOneInput. The target `fuzzers` is all.
function(loadline_fuzzers)
  file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/fuzz/*.cc)
  add_custom_target(fuzzers)
  foreach(source IN LISTS sources)
    cmake_path(GET source STEM name)
    add_executable(fuzz_${name} ${source})
    file(STRINGS ${source} server_headers REGEX "#include \"apiserver/")
    file(STRINGS ${source} command_headers REGEX "#include \"cli/")
    if(command_headers)
      target_link_libraries(fuzz_${name} PRIVATE loadline_cli)
    elseif(server_headers)
      target_link_libraries(fuzz_${name} PRIVATE loadline_apiserver)
    else()
      target_link_libraries(fuzz_${name} PRIVATE loadline_report loadline_net loadline_api loadline_kubelet)
    endif()
    target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
    set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    add_dependencies(fuzzers fuzz_${name})
  endforeach()
endfunction()
