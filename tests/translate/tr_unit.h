/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the unit tests of the translator: bursts in this program itself. */
#ifndef TR_UNIT_H
#define TR_UNIT_H

#include "runtime/translate/rt_tr_internal.h"

#include <stdint.h>

enum { PAGE_BYTES = 4096, WORDS = 4096 };

extern const struct rt_tr_plan whole; /* with all parts */
extern const struct rt_tr_plan brief; /* the first part only */
extern uint64_t words[WORDS];

void fill_words(void);
/* Four instructions a word, whatever the compiler's options are. */
uint64_t sum_words(const uint64_t *from, uint64_t len);
/* The same of words, in a burst that begins before the call. */
uint64_t sum_in_burst(const struct rt_tr_plan *plan);
/* The result of the last burst, which must have ended for this reason. */
const struct rt_tr_result *checked_result(enum rt_tr_end end);
/* Run bursts until one finds all of its code translated. */
void warm_up(void);

/* Memory for code that may be translated. */
uint8_t *map_code(size_t len_bytes);
/* Write code that returns value. */
void write_return(uint8_t *code, uint32_t value);
/* Call it three times in a burst. */
uint32_t call_in_burst(const uint8_t *code);

/* The tests of a file. */
int tr_burst_tests(void);
int tr_cache_tests(void);
int tr_time_tests(void);
/* Run tests in a session; without as for tr_session_open. Returns the result of the unit group. */
int tr_unit_run(const char *without, int (*tests)(void));
#endif
