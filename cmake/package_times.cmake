# SPDX-License-Identifier: MIT
# What CPack packs has the time of SOURCE_DATE_EPOCH, not that of the build: the same sources give the same bytes.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
    execute_process(COMMAND find ${CPACK_TEMPORARY_DIRECTORY} -exec touch -h -d @$ENV{SOURCE_DATE_EPOCH} {} +)
endif()
