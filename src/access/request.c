/* SPDX-License-Identifier: MIT */
#include "access/request.h"

#include "access/coalesce.h"
#include "access/lanes.h"

enum { MAX_SECTORS = SL_MAX_LANES * (SL_MAX_LANE_BYTES / SL_MIN_SECTOR_BYTES + 1) };

static sl_status check_width(const sl_trace_kernel *kernel, const sl_inst *inst, sl_error *error)
{
    const char *opcode = kernel->strings + inst->opcode;
    if (inst->access >= SL_ACCESS_BULK_LOAD) /* each access says it */
        return SL_OK;
    if (!inst->width)
        return sl_fail(error, SL_INVALID, "%s: the trace does not say how many bytes '%s' (at %u) accesses",
                       kernel->name, opcode, inst->pc);
    if (inst->width > SL_MAX_LANE_BYTES)
        return sl_fail(error, SL_UNSUPPORTED,
                       "%s: '%s' (at %u) accesses %u bytes; the model supports up to %u per thread", kernel->name,
                       opcode, inst->pc, inst->width, SL_MAX_LANE_BYTES);
    return SL_OK;
}

sl_status sl_access_check(const sl_level *level, const sl_trace_kernel *kernel, sl_error *error)
{
    if (level->line_bytes < SL_MIN_LINE_BYTES || level->sector_bytes < SL_MIN_SECTOR_BYTES ||
        level->line_bytes / level->sector_bytes > SL_MAX_LINE_SECTORS)
        return sl_fail(error, SL_UNSUPPORTED,
                       "%s has lines of %u bytes in sectors of %u; the model supports lines of at least %u bytes in at "
                       "most %u sectors of at least %u",
                       level->name, level->line_bytes, level->sector_bytes, SL_MIN_LINE_BYTES, SL_MAX_LINE_SECTORS,
                       SL_MIN_SECTOR_BYTES);
    sl_status status = SL_OK;
    for (uint32_t s = 0; s < kernel->mem_slots && !status; s++)
        status = check_width(kernel, &kernel->inst[kernel->mem_inst[s]], error);
    return status;
}

static uint32_t group_sectors(const sl_access_shape *s, const uint64_t *sector, uint32_t sectors,
                              sl_line_request *piece)
{
    unsigned shift = s->log2_line - s->log2_sector;
    uint32_t count = 0;
    for (uint32_t i = 0; i < sectors; i++) {
        uint64_t line = sector[i] >> shift;
        uint32_t bit = 1u << (sector[i] & ((UINT64_C(1) << shift) - 1));
        if (count && piece[count - 1].line == line)
            piece[count - 1].sectors |= bit;
        else
            piece[count++] = (sl_line_request){line, bit};
    }
    return count;
}

/* Lanes in a row, each a sector or more behind the one before: nothing need be sorted. */
static bool is_spread(const sl_access_shape *s, const sl_access *a)
{
    return a->affine && a->row_lanes >= s->launch->lanes && a->stride >= (int64_t)1 << s->log2_sector &&
           a->stride < (int64_t)1 << 40 && a->base < UINT64_C(1) << 62;
}

static uint32_t spread_access(const sl_access_shape *s, const sl_access *a, uint32_t width, sl_line_request *piece)
{
    unsigned shift = s->log2_line - s->log2_sector;
    uint32_t count = 0;
    for (uint64_t left = a->mask; left; left &= left - 1) {
        uint64_t addr = a->base + (uint64_t)__builtin_ctzll(left) * (uint64_t)a->stride;
        uint64_t last = (addr + width - 1) >> s->log2_sector;
        for (uint64_t sector = addr >> s->log2_sector; sector <= last; sector++) {
            uint64_t line = sector >> shift;
            if (!count || piece[count - 1].line != line)
                piece[count++] = (sl_line_request){line, 0};
            piece[count - 1].sectors |= 1u << (sector - (line << shift));
        }
    }
    return count;
}

static uint32_t whole_access(const sl_access_shape *s, const sl_access *access, uint32_t width, sl_line_request *piece)
{
    if (is_spread(s, access))
        return spread_access(s, access, width, piece);
    uint64_t sector[MAX_SECTORS];
    uint32_t sectors = sl_coalesce_list(access, s->launch->lanes, width, s->log2_sector, sector, MAX_SECTORS);
    return group_sectors(s, sector, sectors, piece);
}

/* Each piece of a bulk copy is a request of its own, also where it shares a sector with the one before. */
static uint32_t bulk_access(const sl_access_shape *s, const sl_access *a, sl_line_request *piece)
{
    unsigned shift = s->log2_line - s->log2_sector;
    uint32_t count = 0;
    for (uint64_t left = a->mask; left; left &= left - 1) {
        uint64_t addr = a->addr[__builtin_ctzll(left)], end = addr + a->width - 1;
        uint64_t last = (end < addr ? UINT64_MAX : end) >> s->log2_sector, line = UINT64_MAX;
        for (uint64_t sector = addr >> s->log2_sector; sector <= last; sector++) {
            if (sector >> shift != line) {
                line = sector >> shift;
                piece[count++] = (sl_line_request){line, 0};
            }
            piece[count - 1].sectors |= 1u << (sector - (line << shift));
        }
    }
    return count;
}

/* Several requests, of neighboring lanes each. */
static uint32_t split_access(const sl_access_shape *s, sl_access *access, uint32_t width, uint32_t lanes,
                             sl_line_request *piece)
{
    uint64_t mask = access->mask;
    uint32_t count = 0;
    for (uint32_t first = 0; first < s->launch->lanes; first += lanes) {
        access->mask = mask & ((UINT64_C(1) << lanes) - 1) << first;
        if (access->mask)
            count += whole_access(s, access, width, &piece[count]);
    }
    access->mask = mask;
    return count;
}

/* Explicit local accesses record offsets; words of neighboring lanes lie side by side. A lane's words beyond its first
 * are a row further each. */
static uint32_t local_access(const sl_access_shape *s, sl_access *access, uint32_t width, sl_line_request *piece)
{
    sl_access row = *access;
    uint32_t count = 0, words = (width + 3) / 4;
    sl_access_expand(&row, s->launch->lanes);
    for (uint32_t word = 0; word < words; word++) {
        sl_access part = {.mask = row.mask};
        for (uint64_t left = row.mask; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctzll(left);
            part.addr[lane] =
                s->local_base + sl_local_interleave((row.addr[lane] & ~UINT64_C(3)) + 4 * word, lane, s->launch->lanes);
        }
        count += whole_access(s, &part, 4, &piece[count]);
    }
    return count;
}

static uint32_t generic_access(const sl_access_shape *s, sl_access *access, uint32_t width, sl_line_request *piece)
{
    sl_generic_access a;
    sl_generic_split(access, s->launch, &a);
    uint32_t count = a.global.mask ? whole_access(s, &a.global, width, piece) : 0;
    return a.local.mask ? count + local_access(s, &a.local, width, &piece[count]) : count;
}

uint32_t sl_line_requests(const sl_access_shape *s, const sl_inst *inst, sl_access *access,
                          sl_line_request piece[SL_MAX_LINE_REQUESTS])
{
    uint32_t width = inst->width;
    if (access->bulk)
        return bulk_access(s, access, piece);
    if (inst->space == SL_MEM_LOCAL)
        return local_access(s, access, width, piece);
    if (inst->space == SL_MEM_GENERIC)
        return generic_access(s, access, width, piece);
    uint32_t lanes = s->split_bytes / width;
    if (s->split_bytes && lanes && lanes < s->launch->lanes)
        return split_access(s, access, width, lanes, piece);
    return whole_access(s, access, width, piece);
}

void sl_line_bytes(const sl_access_shape *s, const sl_inst *inst, sl_access *access, uint64_t line, uint64_t bytes[2])
{
    uint64_t first = line << s->log2_line, line_bytes = UINT64_C(1) << s->log2_line;
    uint32_t width = sl_access_width(access, inst) ? sl_access_width(access, inst) : 4;
    bytes[0] = bytes[1] = 0;
    if (access->affine)
        sl_access_expand(access, s->launch->lanes);
    for (uint64_t left = access->mask; left; left &= left - 1) {
        uint64_t from = access->addr[__builtin_ctzll(left)] - first;
        if (from < line_bytes && width <= line_bytes - from && width <= 64 - from % 64) {
            bytes[from / 64] |= (width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX) << from % 64;
            continue;
        }
        for (uint32_t i = 0; i < width; i++, from++)
            if (from < line_bytes)
                bytes[from / 64] |= UINT64_C(1) << (from % 64);
    }
}

const sl_cache_decision sl_cache_decisions[SL_CACHE_OPS] = {
#define SL_CACHE_OP(op, lookup, allocate, l1, l2, half, log2_fetch, reason)                                            \
    [SL_CACHE_##op] = {lookup, allocate, half, SL_EVICT_##l1, SL_EVICT_##l2, log2_fetch, reason},
#include "access/cache_ops.def"
#undef SL_CACHE_OP
};
