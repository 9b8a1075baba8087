/* SPDX-License-Identifier: BSD-3-Clause */
/* Small texts without stdio.
 *
 * Thread: one at a time for one object. */
#ifndef RT_TEXT_SIGSAFE_H
#define RT_TEXT_SIGSAFE_H

#include <stddef.h>
#include <stdint.h>

/* A bounded text that always ends in NUL; longer text is cut off. */
struct rt_text {
    char *data;
    size_t room_bytes, len_bytes;
};

static inline struct rt_text rt_text_in(char *data, size_t room_bytes)
{
    data[0] = '\0';
    return (struct rt_text){data, room_bytes, 0};
}

static inline void rt_text_add_char(struct rt_text *t, char c)
{
    if (t->len_bytes + 1 >= t->room_bytes) return;
    t->data[t->len_bytes++] = c;
    t->data[t->len_bytes] = '\0';
}

static inline void rt_text_add(struct rt_text *t, const char *text)
{
    while (text && *text)
        rt_text_add_char(t, *text++);
}

static inline void rt_text_add_number(struct rt_text *t, uint64_t number)
{
    char digits[20];
    size_t len = 0;
    do {
        digits[len++] = (char)('0' + number % 10);
        number /= 10;
    } while (number);
    while (len > 0)
        rt_text_add_char(t, digits[--len]);
}

/* Return the decimal number at `at`, which ends at another character or at end; NULL: the text has an end of its own. */
static inline uint64_t rt_text_number(const char *at, const char *end)
{
    uint64_t number = 0;
    for (; at != end && *at >= '0' && *at <= '9'; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    return number;
}

#endif
