# Flags that every target of k3 shares.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin")
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib")

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

find_program(K3_CCACHE ccache)
if(K3_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER "${K3_CCACHE}")
  set(CMAKE_CXX_COMPILER_LAUNCHER "${K3_CCACHE}")
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter -fno-strict-aliasing)
if(K3_SANITIZE)
  add_compile_options(-fsanitize=${K3_SANITIZE} -fno-omit-frame-pointer -g1
                      -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${K3_SANITIZE})
endif()
