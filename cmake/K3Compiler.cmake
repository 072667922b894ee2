# LLVM and MLIR 22 as shared libraries; nothing of LLVM is built here.

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
set(LLVM_RUNTIME_OUTPUT_INTDIR "${PROJECT_BINARY_DIR}/bin")
set(LLVM_LIBRARY_OUTPUT_INTDIR "${PROJECT_BINARY_DIR}/lib")
set(MLIR_BINARY_DIR "${PROJECT_BINARY_DIR}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)

separate_arguments(K3_LLVM_DEFINITIONS NATIVE_COMMAND "${LLVM_DEFINITIONS}")
list(FILTER K3_LLVM_DEFINITIONS EXCLUDE REGEX "_GLIBCXX_USE_CXX11_ABI")

# What a library of the compiler needs to compile: include paths, no RTTI and
# no exceptions, as LLVM's own code.
add_library(k3_compiler_flags INTERFACE)
target_include_directories(k3_compiler_flags SYSTEM INTERFACE
  ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_include_directories(k3_compiler_flags INTERFACE
  "${PROJECT_SOURCE_DIR}/include" "${PROJECT_BINARY_DIR}/include"
  "${PROJECT_SOURCE_DIR}")
target_compile_definitions(k3_compiler_flags INTERFACE ${K3_LLVM_DEFINITIONS})
target_compile_options(k3_compiler_flags INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-fno-rtti -fno-exceptions>)

# add_k3_library(NAME sources... LINK libraries... DEPENDS targets...)
function(add_k3_library name)
  cmake_parse_arguments(ARG "" "" "LINK;DEPENDS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC k3_compiler_flags ${ARG_LINK} MLIR LLVM)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# add_k3_tool(NAME sources... LINK libraries...)
function(add_k3_tool name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE k3_compiler_flags ${ARG_LINK} MLIR LLVM)
  install(TARGETS ${name} RUNTIME DESTINATION bin)
endfunction()
