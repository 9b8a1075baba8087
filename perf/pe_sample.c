/* SPDX-License-Identifier: BSD-3-Clause */
#include "perf/pe_sample.h"

struct pe_source_row {
    const char *text;
    uint8_t level;
};

#define PE_SOURCE_ROW(id, text, level) {text, level},
static const struct pe_source_row pe_source_rows[PE_SOURCE_COUNT] = {PE_SOURCE_LIST(PE_SOURCE_ROW)};
#undef PE_SOURCE_ROW

const char *pe_source_text(unsigned source)
{
    return source < PE_SOURCE_COUNT ? pe_source_rows[source].text : "not told";
}

uint8_t pe_source_level(unsigned source)
{
    return source < PE_SOURCE_COUNT ? pe_source_rows[source].level : PE_NOT_TOLD;
}

const char *pe_latency_text(enum pe_latency_kind kind)
{
    static const char *const texts[] = {
        [PE_LATENCY_NONE] = "",
        [PE_LATENCY_USE] = "from the issue of the load to its data, queueing included (PEBS)",
        [PE_LATENCY_L1_MISS] = "from the miss of L1 to the return of the line; hits of L1 have none (IBS)",
        [PE_LATENCY_TOTAL] = "from issue to completion of the operation (SPE)",
        [PE_LATENCY_THRESHOLD] = "the threshold counter, from its start to its end event (POWER)",
    };
    return (unsigned)kind < sizeof(texts) / sizeof(texts[0]) ? texts[kind] : "";
}
