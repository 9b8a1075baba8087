/* SPDX-License-Identifier: BSD-3-Clause */
/* The tracer's ring: nothing is lost, and accesses are before and after events in their original order. */
#include "common/ls_marker.h"
#include "tools/trace/host/trc_reader.h"
#include "tools/trace/plugin/trc_slot.h"
#include "tests/unit.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

enum { THREADS = 4, TURNS = 3000, MANY = 3 * TRC_BLOCK_ROWS * TRC_FILLED_MAX };

static struct {
    trc_reader *reader;
    pthread_mutex_t lock; /* whoever holds it has the turn */
    uint64_t events;      /* made so far, under the lock */
} ring = {.lock = PTHREAD_MUTEX_INITIALIZER};

static int set_up(void **state)
{
    int fd;
    (void)state;
    if (trc_reader_new(&ring.reader, &fd) != LS_OK) return -1;
    close(fd);
    return trc_slot_init(trc_reader_ring(ring.reader), 0);
}

static int tear_down(void **state)
{
    (void)state;
    trc_reader_free(ring.reader);
    return 0;
}

static void put_event(void)
{
    trc_event_put(TRC_EVENT_UNMAPPED, (const uint64_t[6]){ring.events});
    ring.events++;
}

/* Rows have the number of events before them. */
static void *take_turns(void *user)
{
    unsigned seed = (unsigned)(uintptr_t)user;
    for (int turn = 0; turn < TURNS; turn++) {
        pthread_mutex_lock(&ring.lock);
        for (int i = rand_r(&seed) % 40; i > 0; i--)
            trc_put(ring.events, (uint32_t)(uintptr_t)user);
        if (rand_r(&seed) % 3 == 0) put_event();
        for (int i = rand_r(&seed) % 3; i > 0; i--)
            trc_put(ring.events, (uint32_t)(uintptr_t)user);
        pthread_mutex_unlock(&ring.lock);
    }
    return NULL;
}

static void *write_all(void *unused)
{
    pthread_t ids[THREADS];
    (void)unused;
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&ids[i], NULL, take_turns, (void *)(i + 1));
    for (int i = 0; i < THREADS; i++)
        pthread_join(ids[i], NULL);
    trc_reader_set_ended(ring.reader);
    return NULL;
}

static void rows_of_all_threads_stand_between_the_events_of_their_time(void **state)
{
    struct trc_item item;
    pthread_t writer;
    uint64_t events = 0, rows = 0;
    (void)state;
    pthread_create(&writer, NULL, write_all, NULL);
    for (trc_reader_next(ring.reader, &item); item.kind != TRC_ITEM_END;
         trc_reader_next(ring.reader, &item)) {
        if (item.kind == TRC_ITEM_EVENT) {
            assert_int_equal(item.event.words[0], events);
            events++;
        }
        for (size_t i = 0; item.kind == TRC_ITEM_ACCESSES && i < item.len; i++)
            assert_int_equal(item.accesses[i].addr, events);
        rows += item.len;
    }
    pthread_join(writer, NULL);
    assert_int_equal(events, ring.events);
    assert_true(rows > TURNS);
}

static void *write_many(void *unused)
{
    (void)unused;
    for (uint64_t i = 0; i < MANY; i++)
        trc_put(i, 7);
    trc_reader_set_ended(ring.reader); /* the last block stays open: as if killed */
    pause();
    return NULL;
}

static void a_writer_waits_for_the_reader_and_its_open_block_is_not_lost(void **state)
{
    struct trc_item item;
    pthread_t writer;
    uint64_t next = 0;
    (void)state;
    pthread_create(&writer, NULL, write_many, NULL);
    for (trc_reader_next(ring.reader, &item); item.kind != TRC_ITEM_END; trc_reader_next(ring.reader, &item))
        for (size_t i = 0; i < item.len; i++)
            assert_int_equal(item.accesses[i].addr, next++);
    assert_int_equal(next, MANY);
    assert_true(TRC_LOAD(trc_reader_ring(ring.reader)->blocks_made) <= TRC_FILLED_MAX + THREADS + 2);
}

static void *write_with_a_gap(void *unused)
{
    (void)unused;
    trc_put(1, 7);
    trc_slot_off();
    for (int i = 0; i < 100; i++)
        trc_put(2, 7);
    trc_slot_on();
    trc_put(3, 7);
    trc_put(4, 7);
    return NULL;
}

static void pauses_of_recording_leave_a_break(void **state)
{
    static const enum trc_item_kind kinds[] = {TRC_ITEM_ACCESSES, TRC_ITEM_BREAK, TRC_ITEM_ACCESSES,
                                               TRC_ITEM_END};
    static const size_t lens[] = {1, 0, 2, 0};
    struct trc_item item;
    pthread_t writer;
    (void)state;
    pthread_create(&writer, NULL, write_with_a_gap, NULL);
    pthread_join(writer, NULL);
    trc_reader_set_ended(ring.reader);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        trc_reader_next(ring.reader, &item);
        assert_int_equal(item.kind, kinds[i]);
        assert_int_equal(item.len, lens[i]);
    }
}

static void markers_are_reported_from_other_calls(void **state)
{
    enum ls_marker_kind kind = LS_MARKER_LAST;
    (void)state;
    for (unsigned k = LS_MARKER_PAUSE; k < LS_MARKER_LAST; k++) {
        assert_true(ls_marker_is(ls_marker_word((enum ls_marker_kind)k), &kind));
        assert_int_equal(kind, k);
    }
    assert_false(ls_marker_is(0, &kind));
    assert_false(ls_marker_is(LS_MARKER_PAUSE, &kind));
    assert_false(ls_marker_is(LS_MARKER_MAGIC << 32, &kind));
    assert_false(ls_marker_is(LS_MARKER_MAGIC << 32 | LS_MARKER_LAST, &kind));
    /* and the system handles them as without a tracer */
    ls_marker_send(LS_MARKER_BLOCK_BORN, (const uint64_t[4]){1, 2, 3, 4});
    assert_int_equal(ls_syscall(SYS_getpid, ls_marker_word(LS_MARKER_PAUSE), 1, 2, 3, 4), getpid());
}

UNIT_GROUP()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(markers_are_reported_from_other_calls),
        cmocka_unit_test_setup_teardown(rows_of_all_threads_stand_between_the_events_of_their_time, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(pauses_of_recording_leave_a_break, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_writer_waits_for_the_reader_and_its_open_block_is_not_lost, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
