# SPDX-License-Identifier: MIT
# The driver library through its interface, next to the runtime's; and against CUDA's header and library.
add_executable(test_cudadriver ${CMAKE_CURRENT_LIST_DIR}/test_cudadriver.c)
target_link_libraries(test_cudadriver PRIVATE sluice_options cuda_driver cudart_13 PkgConfig::CMOCKA)
target_include_directories(test_cudadriver PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME test_cudadriver COMMAND test_cudadriver)

add_executable(driver_layout ${CMAKE_CURRENT_LIST_DIR}/driver_layout.c)
target_link_libraries(driver_layout PRIVATE sluice_options)
add_test(NAME cudadriver_abi COMMAND sh ${CMAKE_CURRENT_LIST_DIR}/abi.sh)
set_tests_properties(cudadriver_abi PROPERTIES ENVIRONMENT
    "SLUICE_SOURCE=${CMAKE_SOURCE_DIR};SLUICE_CUDA_LIBRARIES=$<TARGET_FILE_DIR:cuda_driver>;SLUICE_ABI_LAYOUT=$<TARGET_FILE:driver_layout>;SLUICE_CUDA_HEADERS=${CUDA_HEADERS};CC=${CMAKE_C_COMPILER}")

# What tests/cli/hostile.sh runs kernels of strangers in.
add_executable(ptx_host ${CMAKE_CURRENT_LIST_DIR}/ptx_host.c)
target_link_libraries(ptx_host PRIVATE sluice_options cuda_driver)

# What tests/cli/ptxas.sh loads compiled kernels in.
add_executable(jit_host ${CMAKE_CURRENT_LIST_DIR}/jit_host.c)
target_link_libraries(jit_host PRIVATE sluice_options cuda_driver)
