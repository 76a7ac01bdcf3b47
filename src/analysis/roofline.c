/* SPDX-License-Identifier: MIT */
#include "analysis/roofline.h"

#include <math.h>

/* A level takes a request per bank and cycle; a first level with banks of words serves one word of each. */
sl_roofs sl_roofs_of(const sl_machine *m)
{
    const sl_level *first = &m->level[0], *second = m->levels > 1 ? &m->level[1] : NULL;
    double banks = second && second->banks ? second->banks : 1, ports = first->ports ? first->ports : 1;
    double instances = second && second->cores_per_instance ? ceil((double)m->cores / second->cores_per_instance) : 1;
    return (sl_roofs){
        .insts = (m->core.schedulers ? m->core.schedulers : 1.0) * m->cores,
        .bytes = {[SL_ROOF_L1] = (first->data_banks ? first->data_banks * 4.0 : first->line_bytes * ports) * m->cores,
                  [SL_ROOF_L2] = second ? banks * second->sector_bytes * instances : 0,
                  [SL_ROOF_DRAM] = m->memory.bytes_per_cycle}};
}

static double count(const sl_counts *c, sl_counter counter)
{
    return (double)c->value[counter];
}

bool sl_roof_use_of(const sl_machine *m, const sl_counts *c, sl_roof_use *use)
{
    bool simulated = sl_counts_has(c, SL_COUNTER_cycles);
    double cycles = simulated ? count(c, SL_COUNTER_cycles) : count(c, SL_COUNTER_est_cycles);
    *use = (sl_roof_use){.cycles = cycles, .simulated = simulated};
    if (!(cycles > 0) || !sl_counts_has(c, SL_COUNTER_warp_insts))
        return false;
    double l1 = count(c, SL_COUNTER_ld_sectors) + count(c, SL_COUNTER_st_sectors) + count(c, SL_COUNTER_atom_sectors) +
                count(c, SL_COUNTER_red_sectors) + count(c, SL_COUNTER_async_sectors) +
                count(c, SL_COUNTER_local_ld_sectors) + count(c, SL_COUNTER_local_st_sectors);
    double l2 = count(c, SL_COUNTER_l2_read_sectors) + count(c, SL_COUNTER_l2_write_sectors);
    double dram = count(c, SL_COUNTER_dram_read_sectors) + count(c, SL_COUNTER_dram_write_sectors);
    uint32_t below = m->level[m->levels > 1].sector_bytes;
    use->insts = count(c, SL_COUNTER_warp_insts) / cycles;
    use->bytes[SL_ROOF_L1] = l1 * m->level[0].sector_bytes / cycles;
    use->bytes[SL_ROOF_L2] = m->levels > 1 ? l2 * below / cycles : 0;
    use->bytes[SL_ROOF_DRAM] = dram * m->level[m->levels - 1].sector_bytes / cycles;
    return true;
}
