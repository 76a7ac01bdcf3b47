# SPDX-License-Identifier: MIT
# Writes analysis/engine_id.h: hashes of the sources that decide what a trace of a workload holds (SL_TRACES_ID) and
# what a point on it counts (SL_ENGINE_ID; SL_TUNING_ID, those that also decide what tuning chooses). Results are
# stored under them, and found again while they stay.
#   cmake -DSOURCE=<folder> -DOUTPUT=<file> -P engine_id.cmake
function(hash_of result)
    set(all "")
    foreach(folder IN LISTS ARGN)
        file(GLOB_RECURSE files ${SOURCE}/${folder}/*.c ${SOURCE}/${folder}/*.h ${SOURCE}/${folder}/*.def)
        list(SORT files)
        foreach(file IN LISTS files)
            file(SHA256 ${file} hash)
            string(APPEND all ${hash})
        endforeach()
    endforeach()
    string(SHA256 hash "${all}")
    string(SUBSTRING ${hash} 0 16 hash)
    set(${result} ${hash} PARENT_SCOPE)
endfunction()

set(traces src/base src/ptx src/machine src/access src/emu src/device src/trace workloads)
hash_of(traces_id ${traces})
hash_of(tuning_id src/tune src/ptx)
hash_of(engine_id src/base src/trace src/machine src/access src/policy src/reuse src/profile src/model src/lower src/sim src/time src/analysis)
file(SHA256 ${SOURCE}/src/study/point_run.c run_id)
string(SUBSTRING ${run_id} 0 8 run_id)
set(text "/* Made by cmake/engine_id.cmake. */\n#define SL_TRACES_ID \"${traces_id}\"\n#define SL_ENGINE_ID \"${engine_id}${run_id}\"\n#define SL_TUNING_ID \"${tuning_id}\"\n")
set(old "")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} old)
endif()
if(NOT old STREQUAL text)
    file(WRITE ${OUTPUT} "${text}")
endif()
