# SPDX-License-Identifier: MIT
# The runtime library through its interface, once for each CUDA version.
foreach(major 11 12 13)
    set(name test_cudart_api_${major})
    add_executable(${name} ${CMAKE_CURRENT_LIST_DIR}/test_cudart_api.c)
    target_link_libraries(${name} PRIVATE sluice_options cudart_${major} PkgConfig::CMOCKA ${CMAKE_DL_LIBS})
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
    target_compile_definitions(${name} PRIVATE SL_CUDART=${major} SL_TEST_DATA="${CMAKE_CURRENT_SOURCE_DIR}/data")
    add_test(NAME ${name} COMMAND ${name})
endforeach()

# Against NVIDIA's library and headers.
find_path(CUDA_HEADERS cuda_runtime_api.h HINTS /usr/local/cuda/include)
add_executable(abi_layout ${CMAKE_CURRENT_LIST_DIR}/abi_layout.c)
target_link_libraries(abi_layout PRIVATE sluice_options)
add_test(NAME cudart_abi COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/abi.sh)
set_tests_properties(cudart_abi PROPERTIES ENVIRONMENT
    "SLUICE_SOURCE=${CMAKE_SOURCE_DIR};SLUICE_CUDA_LIBRARIES=$<TARGET_FILE_DIR:cudart_13>;SLUICE_ABI_LAYOUT=$<TARGET_FILE:abi_layout>;SLUICE_CUDA_HEADERS=${CUDA_HEADERS}")
