#include "model/request.h"

#include "trace/coalesce.h"

enum { MOST_SECTORS = 2 * SL_REQUEST_PIECES };

static uint32_t group_sectors(const sl_request_shape *s, const uint64_t *sector, uint32_t sectors,
                              sl_request_piece *piece)
{
    unsigned shift = s->log2_line - s->log2_sector;
    uint32_t count = 0;
    for (uint32_t i = 0; i < sectors; i++) {
        uint64_t line = sector[i] >> shift;
        uint32_t bit = 1u << (sector[i] & ((UINT64_C(1) << shift) - 1));
        if (count && piece[count - 1].line == line)
            piece[count - 1].sectors |= bit;
        else
            piece[count++] = (sl_request_piece){line, bit};
    }
    return count;
}

static uint32_t whole_access(const sl_request_shape *s, const sl_access *access, uint32_t width,
                             sl_request_piece *piece)
{
    uint64_t sector[MOST_SECTORS];
    uint32_t sectors = sl_coalesce_list(access, s->lanes, width, s->log2_sector, sector, MOST_SECTORS);
    return group_sectors(s, sector, sectors < MOST_SECTORS ? sectors : MOST_SECTORS, piece);
}

/* Several requests, of neighbouring lanes each. */
static uint32_t split_access(const sl_request_shape *s, sl_access *access, uint32_t width, uint32_t lanes,
                             sl_request_piece *piece)
{
    uint64_t mask = access->mask;
    uint32_t count = 0;
    for (uint32_t first = 0; first < s->lanes; first += lanes) {
        access->mask = mask & ((UINT64_C(1) << lanes) - 1) << first;
        if (access->mask)
            count += whole_access(s, access, width, &piece[count]);
    }
    access->mask = mask;
    return count;
}

/* Explicit local accesses record offsets; words of neighbouring lanes lie side by side. A lane's words beyond its first
 * are a row further each. */
static uint32_t local_access(const sl_request_shape *s, sl_access *access, uint32_t width, sl_request_piece *piece)
{
    sl_access row = *access;
    uint32_t count = 0, words = (width + 3) / 4;
    sl_access_expand(&row, s->lanes);
    for (uint32_t word = 0; word < words && count + s->lanes < SL_REQUEST_PIECES; word++) {
        sl_access part = {.mask = row.mask};
        for (uint64_t left = row.mask; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctzll(left);
            part.addr[lane] =
                s->local_base + sl_local_interleave((row.addr[lane] & ~UINT64_C(3)) + 4 * word, lane, s->lanes);
        }
        count += whole_access(s, &part, 4, &piece[count]);
    }
    return count;
}

/* Each lane's address says which space it means. */
static uint32_t generic_access(const sl_request_shape *s, sl_access *access, uint32_t width, sl_request_piece *piece)
{
    sl_access global = *access, local = *access;
    sl_access_expand(&global, s->lanes);
    global.affine = local.affine = false;
    local.mask = 0;
    for (uint64_t left = access->mask; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctzll(left);
        uint64_t bit = UINT64_C(1) << lane, addr = global.addr[lane];
        if (addr - s->shared_window < s->window_bytes) {
            global.mask &= ~bit;
        } else if (addr - s->local_window < s->window_bytes) {
            global.mask &= ~bit;
            local.mask |= bit;
            local.addr[lane] = addr - s->local_window;
        }
    }
    uint32_t count = global.mask ? whole_access(s, &global, width, piece) : 0;
    if (local.mask)
        count += local_access(s, &local, width, &piece[count]);
    return count;
}

uint32_t sl_request_pieces(const sl_request_shape *s, const sl_inst *inst, sl_access *access,
                           sl_request_piece piece[SL_REQUEST_PIECES])
{
    uint32_t width = inst->width ? inst->width : 4;
    if (inst->space == SL_MEM_LOCAL)
        return local_access(s, access, width, piece);
    if (inst->space == SL_MEM_GENERIC)
        return generic_access(s, access, width, piece);
    uint32_t lanes = s->split_bytes / width;
    if (s->split_bytes && lanes && lanes < s->lanes)
        return split_access(s, access, width, lanes, piece);
    return whole_access(s, access, width, piece);
}
