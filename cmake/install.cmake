# SPDX-License-Identifier: MIT
# What is installed, and the Debian packages made of it: sluice, and python3-sluice beside it.

# Found from where it lies, so that a tree that was moved, or unpacked elsewhere, still works.
file(RELATIVE_PATH SLUICE_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
string(REGEX REPLACE "/$" "" SLUICE_PC_PREFIX "${SLUICE_PC_PREFIX}")
configure_file(cmake/sluice.pc.in sluice.pc @ONLY)

install(TARGETS sluice sluice_shared
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/sluice DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${CMAKE_BINARY_DIR}/sluice.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
# Not where a HIP of the system has its own.
install(DIRECTORY hip/include DESTINATION lib/sluice/hip)
install(DIRECTORY man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES README.md CHANGELOG.md CONTRIBUTING.md CITATION.cff LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR})
# The results that these pages refer to, without the data behind them.
file(GLOB RESULTS CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR} ${CMAKE_SOURCE_DIR}/papers/README.md
    ${CMAKE_SOURCE_DIR}/papers/*/RESULTS.md)
foreach(page IN LISTS RESULTS)
    get_filename_component(folder ${page} DIRECTORY)
    install(FILES ${page} DESTINATION ${CMAKE_INSTALL_DOCDIR}/${folder})
endforeach()

# Completion, as the program itself prints it, where each shell looks.
set(COMPLETIONS ${CMAKE_BINARY_DIR}/completions)
foreach(shell bash zsh fish)
    add_custom_command(OUTPUT ${COMPLETIONS}/sluice.${shell} DEPENDS sluice_program
        COMMAND ${CMAKE_COMMAND} -E make_directory ${COMPLETIONS}
        COMMAND sluice_program completion ${shell} > ${COMPLETIONS}/sluice.${shell})
    list(APPEND COMPLETION_FILES ${COMPLETIONS}/sluice.${shell})
endforeach()
add_custom_target(completions ALL DEPENDS ${COMPLETION_FILES})
install(FILES ${COMPLETIONS}/sluice.bash RENAME sluice
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES ${COMPLETIONS}/sluice.zsh RENAME _sluice DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES ${COMPLETIONS}/sluice.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# Plain Python, which finds program and library from where it lies.
install(DIRECTORY python/sluice DESTINATION lib/python3/dist-packages COMPONENT python
    FILES_MATCHING PATTERN "*.py" PATTERN py.typed PATTERN __pycache__ EXCLUDE)

# `cpack` in the build folder makes them.
set(CPACK_GENERATOR DEB)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL sluice python)
set(CPACK_DEBIAN_SLUICE_PACKAGE_NAME sluice)
# For OpenCL programs: the loader, and the compiler of their kernels.
set(CPACK_DEBIAN_SLUICE_PACKAGE_SUGGESTS "ocl-icd-libopencl1, clang-19, libclc-19")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-sluice)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3 (>= 3.9), sluice (= ${PROJECT_VERSION})")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS python3-numpy)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SUGGESTS python3-pandas)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION "Traces as NumPy arrays, the commands of sluice as functions, policies written in Python.")
set(CPACK_PACKAGE_NAME sluice)
set(CPACK_PACKAGE_VENDOR sluice)
set(CPACK_PACKAGE_CONTACT "sluice developers <sluice@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "laboratory for GPU caches")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_COMPONENT_SLUICE_DESCRIPTION "Runs CUDA programs on the CPU, records what every warp executed and touched, and predicts what
that does to the caches of a GPU. With libsluice, its headers and manual pages.")
find_program(DPKG_SHLIBDEPS dpkg-shlibdeps)
if(DPKG_SHLIBDEPS)
    set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
else()
    set(CPACK_DEBIAN_PACKAGE_DEPENDS "libc6, libzstd1, zlib1g, liblz4-1, liblzma5, libyaml-0-2, libsqlite3-0")
endif()
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/package_times.cmake)
include(CPack)
