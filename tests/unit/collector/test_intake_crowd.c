/* test_intake_crowd.c - many threads use the intake while it is read. The
 * recorded and the dropped records must add up to the records that were
 * returned. */
#include "clock.h"
#include "intake_rig.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { THREADS_MOST = 8, RUNS = 40, NAMES = 64 };
static char names_pool[NAMES][24];

struct crowd {
	struct rig rig;
	_Atomic int64_t handed; /* records */
	_Atomic int hurt; /* invalid buffers */
	_Atomic bool over;
};
struct member {
	struct crowd *crowd;
	unsigned seed;
};

static int below(unsigned *seed, int n)
{
	return (int)((unsigned)rand_r(seed) % (unsigned)n);
}

/* Several buffers are lent at a time and are returned out of order. */
static void *return_buffers(void *arg)
{
	enum { HELD = 3, TURNS = 60, MOST = 400 };
	struct member *m = arg;
	struct crowd *c = m->crowd;
	struct {
		uint8_t *at;
		size_t valid;
		int n;
	} held[HELD] = { 0 };
	for (int turn = 0; turn < TURNS + HELD; turn++) {
		int i = turn < TURNS ? below(&m->seed, HELD) : turn - TURNS;
		if (held[i].at) {
			c->handed += held[i].n;
			intake_complete(c->rig.intake, held[i].at,
				held[i].valid);
			held[i].at = NULL;
			continue;
		}
		size_t size;
		if (turn >= TURNS ||
			!(held[i].at = rig_request(&c->rig, &size)))
			continue;
		c->hurt += held[i].at[0] || held[i].at[size - 1];
		int n = below(&m->seed, MOST);
		held[i].valid = rig_fill(&c->rig, held[i].at, size, n,
			names_pool[below(&m->seed, NAMES)]);
		held[i].n = (int)(held[i].valid / 216);
		if (below(&m->seed, 20) == 0)
			intake_shed(c->rig.intake, below(&m->seed, 2));
		if (below(&m->seed, 10) == 0)
			intake_wake(c->rig.intake);
	}
	return NULL;
}

/* Counts the records of a buffer; all its kernels have the same name. */
static int64_t look(struct crowd *c, const struct intake_buffer *b)
{
	struct record r = { 0 };
	size_t unreadable, len;
	int64_t n = 0;
	uint64_t name = 0;
	while (records_next(&c->rig.layout, b->bytes, b->valid, &r,
		&unreadable)) {
		name = n++ ? name : *record_name(&r);
		c->hurt += *record_name(&r) != name;
	}
	names_text(c->rig.names, (uint32_t)name, &len);
	c->hurt += len == 0 || unreadable;
	return n;
}

static void *read_all(void *arg)
{
	struct member *m = arg;
	struct crowd *c = m->crowd;
	struct intake_buffer b;
	int64_t recorded = 0;
	bool over;
	do {
		over = c->over;
		while (intake_next(c->rig.intake, &b)) {
			recorded += look(c, &b);
			if (below(&m->seed, 4) == 0)
				sched_yield();
			intake_done(c->rig.intake, &b);
		}
		intake_wait(c->rig.intake, over ? 0 : 1000000);
	} while (!over);
	return (void *)recorded;
}

static void run(unsigned seed)
{
	int threads = 1 + below(&seed, THREADS_MOST);
	struct crowd c = { .over = false };
	struct member members[THREADS_MOST + 1];
	pthread_t t[THREADS_MOST + 1];
	void *recorded;
	rig_open(&c.rig, 130001, (size_t)(1 + below(&seed, 6)) * MIB);
	for (int i = 0; i <= threads; i++) {
		members[i] = (struct member){ &c, seed + (unsigned)i };
		assert_int_equal(pthread_create(&t[i], NULL,
					 i ? return_buffers : read_all,
					 &members[i]),
			0);
	}
	for (int i = 1; i <= threads; i++)
		pthread_join(t[i], NULL);
	c.over = true;
	intake_wake(c.rig.intake);
	pthread_join(t[0], &recorded);
	struct intake_drops d = intake_dropped(c.rig.intake);
	int64_t sum = (int64_t)recorded + d.pool + d.shed;
	if (sum != c.handed || d.unreadable || c.hurt ||
		intake_kernels(c.rig.intake) != (int64_t)recorded ||
		intake_lent(c.rig.intake))
		fail_msg(
			"run %u: %lld returned; %lld recorded, %lld + %lld dropped; %d hurt",
			seed, (long long)c.handed, (long long)recorded,
			(long long)d.pool, (long long)d.shed, (int)c.hurt);
	rig_close(&c.rig);
}

static void recorded_plus_dropped_is_returned(void **state)
{
	(void)state;
	for (int i = 0; i < NAMES; i++)
		snprintf(names_pool[i], sizeof *names_pool, "kernel_%d", i);
	for (unsigned i = 0; i < RUNS; i++)
		run(i * 101);
}

static void *wait_long(void *arg)
{
	struct rig *r = arg;
	int64_t from = clock_read_ns(CLOCK_MONOTONIC);
	intake_wait(r->intake, INT64_C(60) * 1000000000);
	return (void *)(intptr_t)(clock_read_ns(CLOCK_MONOTONIC) - from <
				  INT64_C(60000000000));
}

/* A wake is never lost, also just before the reader sleeps. */
static void a_waiting_reader_is_woken(void **state)
{
	struct rig r;
	struct intake_buffer b;
	pthread_t t;
	void *woken;
	(void)state;
	rig_open(&r, 130001, 4 * MIB);
	intake_wait(r.intake, 1000000); /* no thread returns a buffer */
	for (int i = 0; i < 200; i++) {
		pthread_create(&t, NULL, wait_long, &r);
		if (i % 2)
			intake_wake(r.intake);
		else
			rig_hand(&r, 1, "a");
		pthread_join(t, &woken);
		assert_non_null(woken);
		while (intake_next(r.intake, &b))
			intake_done(r.intake, &b);
		/* An earlier wake does not end the next wait. */
		intake_wait(r.intake, 0);
	}
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_plus_dropped_is_returned),
		cmocka_unit_test(a_waiting_reader_is_woken),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
