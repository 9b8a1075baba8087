/* SPDX-License-Identifier: BSD-3-Clause */
#include "patterns/extract/pat_ext_lines.h"

void pat_ext_turn_wide(struct pat_ext *e, struct pat_ext_row *r, uint32_t at)
{
    static const uint8_t ahead[] = {PAT_EXT_MARK_AHEAD, PAT_EXT_MARK_AHEAD_NEXT};
    const uint64_t addr = e->round.addrs[at], last = pat_ext_last_byte(r, addr) / 64;
    uint64_t line = addr / 64;
    uint8_t mark = PAT_EXT_MARK_TURNED | PAT_EXT_MARK_WIDE;
    if (pat_ext_is_exact(r)) mark |= PAT_EXT_MARK_EXACT;
    if (line == r->line) {
        mark |= PAT_EXT_MARK_SKIPS;
        line++;
    }
    for (int i = 0; line <= last; i++, line++) {
        if (pat_ext_steps_on(r, (int64_t)(line - r->line)) && i < 2) mark |= ahead[i];
        r->line = line;
        if (!pat_ext_echo_knows(r->echo, r->distance, r->run))
            pat_ext_pages_touch(&r->pages, &e->counts, line);
    }
    e->round.marks[at] |= mark;
    e->round.whose[at] = r->id;
}
