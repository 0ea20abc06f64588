# How a folder of this tree declares what it builds.
#
#   ronde_library(ronde_net
#     SOURCES       socket.cpp driver.cpp          # headers need not be listed
#     PUBLIC_DEPS   ronde::protocol tl::expected   # what the headers of this folder include
#     PRIVATE_DEPS  fmt::fmt ronde::sodium)        # what only its .cpp files include
#
#     A static library and its alias: `ronde_net` is linked as `ronde::net`. Headers are included with the name
#     of the folder in front ("net/socket.hpp"), and public headers as <ronde/...>. A library without SOURCES is
#     an INTERFACE library. SEPARATE, as for tests: its files are never compiled together.
#
#   ronde_executable(ronde
#     SOURCES    main.cpp
#     DEPS       ronde::program CLI11::CLI11
#     PRECOMPILE <CLI/CLI.hpp>)                    # large headers of others; says also that speed is no concern here
#
#   ronde_test(protocol_rank_test
#     SOURCES  rank_test.cpp
#     DEPS     ronde::protocol
#     LABELS   protocol                            # see below; may be left out
#     SEPARATE                                     # its files give one name to two things: never compile them together
#     TIMEOUT  20                                  # seconds for one TEST(), default 60; x4 under a sanitizer
#     ARGS     --data ${CMAKE_CURRENT_SOURCE_DIR}) # handed to the executable, may be left out
#
#     A GoogleTest executable (gtest_main and gmock are linked, so no main). Each TEST() becomes a test of ctest,
#     named protocol_rank_test.Suite.Name. They are found when ctest starts and not while building: a test
#     executable that hangs cannot hang the build.
#
#   ronde_bench(ronde_sim_bench                      # as ronde_executable; no part of `all`: `./dev bench` builds and
#     SOURCES sim_bench.cpp                          # runs them, and the target `benches` builds them all
#     DEPS    ronde::world)
#
#   ronde_policy(name COMMAND ...)                 # a script as a test of ctest, label `policy`
#
# Labels decide which stage of `./dev test` runs a test. A test may have several.
#
#   protocol   touches nothing but runtime/protocol
#   golden     digests that every compiler must give: also run when built by clang, under AddressSanitizer
#   world      pretended worlds and what they are made of: also run under the sanitizers
#   threads    uses threads or shared memory between them: also run under ThreadSanitizer
#   process    starts other processes of this project
#   heavy      much work or many processes: left out of the sanitizer stages of `./dev test`
#   slow       more than about ten seconds: only in `./dev nightly`
#   soak       minutes to hours: only in `./dev nightly`
#   serial     must not share the machine with another test (ports, limits, cores)
#
# For each label there is a target `tests-<label>` which builds the executables that carry it.
#
# Libraries of the system: fmt::fmt, tl::expected, CLI11::CLI11, nlohmann_json::nlohmann_json, benchmark::benchmark,
# ronde::sodium, ronde::xxhash (see RondeDependencies.cmake).

include_guard()
include(GoogleTest)

set(RONDE_TEST_LABELS protocol golden world threads process heavy slow soak serial policy)
foreach(label IN LISTS RONDE_TEST_LABELS)
  add_custom_target(tests-${label})
endforeach()
add_custom_target(benches)

# --- the rules every file of ours is compiled with --------------------------------------------------------------

add_library(ronde_warnings INTERFACE)
target_compile_options(ronde_warnings INTERFACE
  -Wall -Wextra -Wpedantic -Werror
  -Wconversion -Wsign-conversion -Wshadow -Wcast-align -Wimplicit-fallthrough
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor>
  $<$<COMPILE_LANGUAGE:CXX>:-Wold-style-cast>)

# Two warnings of g++ that cry wolf: -Wrestrict about any `"text" + std::string` before g++ 13, and
# -Wmaybe-uninitialized about code that a sanitizer has rewritten.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    target_compile_options(ronde_warnings INTERFACE -Wno-restrict)
  endif()
  if(RONDE_SANITIZE)
    target_compile_options(ronde_warnings INTERFACE -Wno-maybe-uninitialized)
  endif()
endif()

# Common to libraries, executables and tests. The warnings stay inside the build: they are no part of the
# interface of an installed library.
function(_ronde_common target visibility)
  target_compile_features(${target} ${visibility} cxx_std_20)

  # "net/socket.hpp" is found from the folder that holds net/.
  cmake_path(GET CMAKE_CURRENT_SOURCE_DIR PARENT_PATH include_root)
  target_include_directories(${target} ${visibility}
    $<BUILD_INTERFACE:${include_root}>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/runtime/include>)

  if(NOT visibility STREQUAL INTERFACE)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:ronde_warnings>)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()

# A misspelt keyword must stop the configuration and not silently drop a source or a dependency.
function(_ronde_refuse_leftovers target leftovers)
  if(leftovers)
    message(FATAL_ERROR "${target}: arguments that mean nothing here: ${leftovers}")
  endif()
endfunction()

# --- what makes the build short ---------------------------------------------------------------------------------

# Big headers of others, read once: GoogleTest's for all tests, CLI11's for the `ronde` program. They hide a missing
# #include of theirs, so the preset that clang-tidy reads is without them.
option(RONDE_PRECOMPILE "Precompile the large headers of other libraries" ON)
# Several files of a test in one go of the compiler. Less is built again after a change without it.
option(RONDE_UNITY "Compile the sources of tests and of command lines together" ON)
# The same for libraries: half the time where everything is built once, more of it after each change of one file.
option(RONDE_UNITY_LIBRARIES "Compile the sources of each library together" OFF)

# Nothing that is measured is compiled by this: tests and command lines are read by the compiler far more often than run.
function(_ronde_compile_soon target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${RONDE_UNITY})
endfunction()

# A compiler takes a precompiled header only where the options are the same, those for position independent executables
# and the macros that its contents ask for included. So the one of the tests belongs to an executable, and has nothing
# of libraries that not every test links.
function(_ronde_precompile_test target)
  if(NOT RONDE_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET ronde_test_headers)
    set(source ${PROJECT_BINARY_DIR}/ronde_test_headers.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
    add_executable(ronde_test_headers EXCLUDE_FROM_ALL ${source})
    target_link_libraries(ronde_test_headers PRIVATE GTest::gtest GTest::gmock)
    _ronde_common(ronde_test_headers PRIVATE)
    _ronde_compile_soon(ronde_test_headers)
    target_precompile_headers(ronde_test_headers PRIVATE
      <gmock/gmock.h> <gtest/gtest.h>)
  endif()
  target_precompile_headers(${target} REUSE_FROM ronde_test_headers)
endfunction()

# --- libraries --------------------------------------------------------------------------------------------------

function(ronde_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SEPARATE" "" "SOURCES;PUBLIC_DEPS;PRIVATE_DEPS")
  _ronde_refuse_leftovers(${name} "${arg_UNPARSED_ARGUMENTS}")

  if(arg_SOURCES)
    add_library(${name} STATIC ${arg_SOURCES})
    if(RONDE_UNITY_LIBRARIES AND NOT arg_SEPARATE)
      set_target_properties(${name} PROPERTIES UNITY_BUILD ON)
    endif()
    set(visibility PUBLIC)
    target_link_libraries(${name} PUBLIC ${arg_PUBLIC_DEPS} PRIVATE ${arg_PRIVATE_DEPS})
  else()
    add_library(${name} INTERFACE)
    set(visibility INTERFACE)
    target_link_libraries(${name} INTERFACE ${arg_PUBLIC_DEPS})
  endif()
  _ronde_common(${name} ${visibility})

  string(REGEX REPLACE "^ronde_" "" alias ${name})
  add_library(ronde::${alias} ALIAS ${name})
  set_property(GLOBAL APPEND PROPERTY RONDE_LIBRARIES ${name})
endfunction()

# --- executables ------------------------------------------------------------------------------------------------

function(ronde_executable name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEPS;PRECOMPILE")
  _ronde_refuse_leftovers(${name} "${arg_UNPARSED_ARGUMENTS}")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_DEPS})
  _ronde_common(${name} PRIVATE)
  if(arg_PRECOMPILE)
    _ronde_compile_soon(${name})
    if(RONDE_PRECOMPILE)
      target_precompile_headers(${name} PRIVATE ${arg_PRECOMPILE})
    endif()
  endif()
endfunction()

function(ronde_bench name)
  ronde_executable(${name} ${ARGN})
  set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON)
  add_dependencies(benches ${name})
endfunction()

# --- tests ------------------------------------------------------------------------------------------------------

function(ronde_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "SEPARATE" "TIMEOUT" "SOURCES;DEPS;LABELS;ARGS")
  _ronde_refuse_leftovers(${name} "${arg_UNPARSED_ARGUMENTS}")
  foreach(label IN LISTS arg_LABELS)
    if(NOT label IN_LIST RONDE_TEST_LABELS)
      message(FATAL_ERROR "${name}: unknown label '${label}'; known: ${RONDE_TEST_LABELS}")
    endif()
  endforeach()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 60)
  endif()
  if(RONDE_SANITIZE)
    math(EXPR arg_TIMEOUT "4 * ${arg_TIMEOUT}")
  endif()

  ronde_executable(${name} SOURCES ${arg_SOURCES} DEPS ${arg_DEPS} GTest::gtest_main GTest::gmock)
  _ronde_compile_soon(${name})
  _ronde_precompile_test(${name})
  if(arg_SEPARATE)
    set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  endif()

  set(properties TIMEOUT ${arg_TIMEOUT})
  if(serial IN_LIST arg_LABELS)
    list(APPEND properties RUN_SERIAL TRUE)
  endif()
  gtest_discover_tests(${name}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    TEST_PREFIX ${name}.
    TEST_LIST ${name}_tests
    EXTRA_ARGS ${arg_ARGS}
    PROPERTIES ${properties})

  # A list of labels does not survive the way through gtest_discover_tests, so a script of our own, read by ctest
  # right after that one, gives them to the tests that were found. The list is empty if the executable is not built.
  if(arg_LABELS)
    set(script ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
    file(CONFIGURE OUTPUT ${script} @ONLY CONTENT [[
foreach(test IN LISTS @name@_tests)
  set_tests_properties("${test}" PROPERTIES LABELS "@arg_LABELS@")
endforeach()
]])
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${script})
  endif()

  foreach(label IN LISTS arg_LABELS)
    add_dependencies(tests-${label} ${name})
  endforeach()
endfunction()

function(ronde_policy name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "COMMAND")
  _ronde_refuse_leftovers(${name} "${arg_UNPARSED_ARGUMENTS}")
  add_test(NAME policy.${name} COMMAND ${arg_COMMAND})
  set_tests_properties(policy.${name} PROPERTIES LABELS policy TIMEOUT 60)
endfunction()
