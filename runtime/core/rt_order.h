/* SPDX-License-Identifier: BSD-3-Clause */
/* Tells a thread sanitizer in the program what our atomics order; it does not see them, and would report the
 * program's memory that a natural-domain function wrote as raced for.
 *
 * Thread: any.  Signal: not safe. */
#ifndef RT_ORDER_H
#define RT_ORDER_H

/* compiler-rt's tsan interface; weak: mostly not there */
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

/* What stands before, in this thread, is before what stands behind rt_order_after of the same word. */
static inline void rt_order_before(void *word)
{
    if (__tsan_release) __tsan_release(word);
}

static inline void rt_order_after(void *word)
{
    if (__tsan_acquire) __tsan_acquire(word);
}

#endif
