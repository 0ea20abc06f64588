# What ronde takes from the system, each under one target name. Includes of imported targets are SYSTEM includes,
# so our warnings stop at our own files.

include_guard()
include(FindPackageHandleStandardArgs)

find_package(Threads REQUIRED)
find_package(fmt 9 REQUIRED)              # fmt::fmt
find_package(tl-expected REQUIRED)        # tl::expected
find_package(CLI11 REQUIRED)              # CLI11::CLI11
find_package(nlohmann_json REQUIRED)      # nlohmann_json::nlohmann_json
find_package(tomlplusplus REQUIRED)       # tomlplusplus::tomlplusplus
find_package(Boost 1.74 REQUIRED COMPONENTS context)  # Boost::context

# libsodium and xxHash come without a CMake package.
function(_ronde_system_library name header library)
  find_path(RONDE_${name}_INCLUDE ${header})
  find_library(RONDE_${name}_LIBRARY ${library})
  mark_as_advanced(RONDE_${name}_INCLUDE RONDE_${name}_LIBRARY)
  if(NOT RONDE_${name}_INCLUDE OR NOT RONDE_${name}_LIBRARY)
    message(FATAL_ERROR "${header} or lib${library} is missing: run ./dev setup")
  endif()
  add_library(ronde::${name} UNKNOWN IMPORTED GLOBAL)
  set_target_properties(ronde::${name} PROPERTIES
    IMPORTED_LOCATION ${RONDE_${name}_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${RONDE_${name}_INCLUDE})
endfunction()

_ronde_system_library(sodium sodium.h sodium)
_ronde_system_library(xxhash xxhash.h xxhash)

if(RONDE_TESTS)
  find_package(GTest 1.12 REQUIRED)       # GTest::gtest_main, GTest::gmock
  find_package(benchmark REQUIRED)        # benchmark::benchmark, for tests/bench
  find_package(rapidcheck REQUIRED)       # rapidcheck, for tests/props
  find_package(LibXml2 REQUIRED)          # LibXml2::LibXml2, for tests/viz_page
  find_package(CURL REQUIRED)             # CURL::libcurl, for tests/viz_page
endif()
