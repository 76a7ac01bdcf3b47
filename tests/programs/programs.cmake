# SPDX-License-Identifier: MIT
# The CUDA programs of this folder, built as a person would build them: by nvcc where it is installed, else their host
# side by clang, around the fat binaries that are checked in. Sets SLUICE_PROGRAMS_FOLDER and the target `programs`.
set(PROGRAMS_SOURCE ${CMAKE_CURRENT_LIST_DIR})
set(FATBINS ${CMAKE_CURRENT_LIST_DIR}/../data/fatbin)
# They know nothing of Sluice, and nvcc takes its time: another build may have them already.
set(SLUICE_PROGRAMS_FROM "" CACHE PATH "Folder of another build with the CUDA programs of the tests, made by nvcc")
set(SLUICE_PROGRAMS_FOLDER ${CMAKE_BINARY_DIR}/programs)
file(STRINGS ${PROGRAMS_SOURCE}/programs.txt PROGRAM_LINES REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROGRAMS_SOURCE}/programs.txt)

find_program(NVCC nvcc HINTS /usr/local/cuda/bin)
find_program(CLANGXX NAMES clang++ clang++-19 clang++-18 clang++-17 clang++-16 clang++-15 clang++-14)
option(SLUICE_USE_NVCC "Build the test programs with nvcc where it is installed" ON)
if(CMAKE_CROSSCOMPILING)
    set(PROGRAMS_BY nothing) # they would be for the machine that compiles
elseif(NVCC AND SLUICE_USE_NVCC)
    set(PROGRAMS_BY nvcc)
elseif(CLANGXX)
    set(PROGRAMS_BY clang)
else()
    set(PROGRAMS_BY nothing)
    message(STATUS "Neither nvcc nor clang++ is installed: the CUDA programs of the tests are left out")
endif()

if(PROGRAMS_BY STREQUAL nvcc AND EXISTS "${SLUICE_PROGRAMS_FROM}")
    set(SLUICE_PROGRAMS_FOLDER ${SLUICE_PROGRAMS_FROM})
    return()
endif()

set(PROGRAM_FILES)
foreach(line IN LISTS PROGRAM_LINES)
    # name: flags | files
    string(REGEX MATCH "^([a-z_]+):([^|]*)\\|(.*)$" matched "${line}")
    set(name ${CMAKE_MATCH_1})
    separate_arguments(flags UNIX_COMMAND "${CMAKE_MATCH_2}")
    separate_arguments(files UNIX_COMMAND "${CMAKE_MATCH_3}")
    set(program ${SLUICE_PROGRAMS_FOLDER}/${name})
    set(arch -arch=compute_75)
    if(flags MATCHES "-arch|-gencode")
        set(arch)
    endif()
    list(TRANSFORM files PREPEND ${PROGRAMS_SOURCE}/ OUTPUT_VARIABLE sources)
    set(headers ${PROGRAMS_SOURCE}/check.h ${PROGRAMS_SOURCE}/convolve.h ${PROGRAMS_SOURCE}/cuda_host.h
        ${PROGRAMS_SOURCE}/particles.cu)
    if(PROGRAMS_BY STREQUAL nvcc)
        add_custom_command(OUTPUT ${program}
            COMMAND ${CMAKE_COMMAND} -E make_directory ${SLUICE_PROGRAMS_FOLDER}
            # Messages name files as they are given: without a path they are the same everywhere.
            COMMAND ${NVCC} -std=c++17 -cudart shared ${arch} ${flags} ${files} -o ${program}
            WORKING_DIRECTORY ${PROGRAMS_SOURCE} DEPENDS ${sources} ${headers} VERBATIM)
        list(APPEND PROGRAM_FILES ${program})
    elseif(PROGRAMS_BY STREQUAL clang AND NOT "-rdc=true" IN_LIST flags # only nvcc links device code
            AND NOT "-lcuda" IN_LIST flags) # and has the driver's header
        set(objects)
        foreach(file IN LISTS files)
            get_filename_component(stem ${file} NAME_WE)
            set(object ${SLUICE_PROGRAMS_FOLDER}/${stem}.o)
            add_custom_command(OUTPUT ${object}
                COMMAND ${CMAKE_COMMAND} -E make_directory ${SLUICE_PROGRAMS_FOLDER}
                COMMAND ${CLANGXX} -std=c++17 -O2 -x cuda --cuda-host-only -nocudainc -nocudalib
                    --cuda-path=/nonexistent -Xclang -target-sdk-version=11.0 -include cuda_host.h
                    -Xclang -fcuda-include-gpubinary -Xclang ${FATBINS}/${stem}.fatbin -c ${file} -o ${object}
                WORKING_DIRECTORY ${PROGRAMS_SOURCE}
                DEPENDS ${PROGRAMS_SOURCE}/${file} ${headers} ${FATBINS}/${stem}.fatbin VERBATIM)
            list(APPEND objects ${object})
        endforeach()
        add_custom_command(OUTPUT ${program}
            COMMAND ${CLANGXX} ${objects} $<TARGET_FILE:cudart_13> -pthread -o ${program}
            DEPENDS ${objects} cudart_13 VERBATIM)
        list(APPEND PROGRAM_FILES ${program})
    endif()
endforeach()
add_custom_target(programs ALL DEPENDS ${PROGRAM_FILES})
