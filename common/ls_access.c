/* SPDX-License-Identifier: BSD-3-Clause */
#include "common/ls_access.h"

struct ls_source_row {
    const char *text;
    uint8_t level;
};

#define LS_SOURCE_ROW(id, text, level) {text, level},
static const struct ls_source_row ls_source_rows[LS_SOURCE_COUNT] = {LS_SOURCE_LIST(LS_SOURCE_ROW)};
#define LS_LATENCY_TEXT(id, text) text,
static const char *const ls_latency_texts[LS_LATENCY_COUNT] = {LS_LATENCY_LIST(LS_LATENCY_TEXT)};

const char *ls_source_text(unsigned source)
{
    return source < LS_SOURCE_COUNT ? ls_source_rows[source].text : "not reported";
}

uint8_t ls_source_level(unsigned source)
{
    return source < LS_SOURCE_COUNT ? ls_source_rows[source].level : LS_NOT_REPORTED;
}

const char *ls_latency_text(unsigned latency)
{
    return latency < LS_LATENCY_COUNT ? ls_latency_texts[latency] : "";
}
