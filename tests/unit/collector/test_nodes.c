/* test_nodes.c - tests that a replayed node has the ranges of the node from
 * which it was cloned. */
#include "nodes.h"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

/* The output of nodes_write() as text: "node:id,id …". */
struct written {
	char text[512];
	int count, most; /* most: the callback stops after so many; 0: never */
};

static bool listen(void *ctx, uint64_t node, const uint32_t *stack, int depth)
{
	struct written *t = ctx;
	size_t at = strlen(t->text);
	if (t->most && t->count == t->most)
		return false;
	t->count++;
	at += (size_t)snprintf(t->text + at, sizeof t->text - at,
		"%s%llx:", at ? " " : "", (unsigned long long)node);
	for (int i = 0; i < depth && at < sizeof t->text; i++)
		at += (size_t)snprintf(t->text + at, sizeof t->text - at,
			"%s%u", i ? "," : "", stack[i]);
	return true;
}

static void written_is(struct nodes *n, const char *expect)
{
	struct written t = { .count = 0 };
	nodes_write(n, listen, &t);
	assert_string_equal(t.text, expect);
}

static const uint32_t gemm[] = { 7, 3 }, norm[] = { 9 };

static void a_clone_has_the_ranges_of_its_original(void **state)
{
	struct nodes *n = nodes_new();
	(void)state;
	nodes_created(n, 0x100000001, gemm, 2);
	nodes_created(n, 0x100000002, norm, 1);
	nodes_cloned(n, 0x100000001, 0x200000001);
	nodes_cloned(n, 0x200000001, 0x300000001);
	written_is(n, "100000001:7,3 100000002:9 200000001:7,3 300000001:7,3");
	assert_int_equal(nodes_lost(n), 0);
	nodes_free(n);
}

static void each_is_written_once_and_again_for_a_new_capture(void **state)
{
	struct nodes *n = nodes_new();
	(void)state;
	nodes_created(n, 1, gemm, 2);
	written_is(n, "1:7,3");
	written_is(n, "");
	nodes_created(n, 2, norm, 1);
	written_is(n, "2:9");
	nodes_again(n);
	written_is(n, "1:7,3 2:9");
	nodes_free(n);
}

static void nodes_without_ranges_are_not_written(void **state)
{
	struct nodes *n = nodes_new();
	(void)state;
	nodes_created(n, 1, gemm, 0);
	nodes_cloned(n, 1, 2);
	nodes_cloned(n, 77, 78); /* created before the collector was active */
	written_is(n, "");
	nodes_free(n);
}

static void a_reused_id_is_another_node(void **state)
{
	struct nodes *n = nodes_new();
	(void)state;
	nodes_created(n, 1, gemm, 2);
	written_is(n, "1:7,3");
	nodes_created(n, 1, gemm, 2); /* the same ranges: nothing is written */
	written_is(n, "");
	nodes_created(n, 1, norm, 1);
	written_is(n, "1:9");
	nodes_cloned(n, 1, 2);
	nodes_created(n, 1, NULL, 0); /* it is removed; its clone is not */
	nodes_again(n);
	written_is(n, "2:9");
	nodes_cloned(n, 1, 2);
	nodes_again(n);
	written_is(n, "");
	nodes_free(n);
}

/* Instantiation creates nodes while any range may be open. They are reported
 * as new before or after they are reported as clones. */
static void a_clone_that_is_reported_as_new(void **state)
{
	static const uint32_t instantiate[] = { 50 };
	struct nodes *n = nodes_new();
	(void)state;
	nodes_created(n, 1, gemm, 2);
	nodes_created(n, 0x11, instantiate, 1);
	nodes_cloned(n, 1, 0x11);
	nodes_cloned(n, 1, 0x12);
	nodes_created(n, 0x12, instantiate, 1);
	nodes_cloned(n, 1, 0x13);
	nodes_created(n, 0x13, NULL, 0);
	written_is(n, "1:7,3 11:7,3 12:7,3 13:7,3");
	/* Both have the same ranges: it is still a clone. */
	nodes_created(n, 0x14, gemm, 2);
	nodes_cloned(n, 1, 0x14);
	nodes_created(n, 0x14, instantiate, 1);
	written_is(n, "14:7,3");
	/* Nodes that were created before the collector have no ranges. */
	nodes_created(n, 0x21, instantiate, 1);
	nodes_cloned(n, 99, 0x21);
	written_is(n, "");
	nodes_free(n);
}

static void deep_stacks_keep_the_innermost_ranges(void **state)
{
	struct nodes *n = nodes_new();
	uint32_t deep[NODES_DEPTH + 4];
	(void)state;
	for (uint32_t i = 0; i < NODES_DEPTH + 4; i++)
		deep[i] = i + 1;
	nodes_created(n, 5, deep, NODES_DEPTH + 4);
	written_is(n, "5:1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16");
	nodes_free(n);
}

/* If the callback stops, it gets the rest in the next call. */
static void a_stopped_callback_misses_nothing(void **state)
{
	struct nodes *n = nodes_new();
	struct written t = { .most = 1 };
	(void)state;
	nodes_created(n, 1, gemm, 2);
	nodes_created(n, 2, norm, 1);
	nodes_write(n, listen, &t);
	assert_string_equal(t.text, "1:7,3");
	written_is(n, "2:9");
	nodes_free(n);
}

static bool count(void *ctx, uint64_t node, const uint32_t *stack, int depth)
{
	int64_t *written = ctx;
	if (depth == 1 && stack[0] == (uint32_t)(node % 1000) + 1)
		++*written;
	return true;
}

/* 100 more than fit; ids as in CUPTI, with the graph in the upper half. */
static void nodes_that_do_not_fit_are_counted(void **state)
{
	struct nodes *n = nodes_new();
	int64_t written = 0;
	(void)state;
	for (uint64_t i = 0; i < NODES_MAX + 100; i++) {
		uint64_t node = (i / 500 << 32) + i % 500;
		uint32_t stack = (uint32_t)(node % 1000) + 1;
		nodes_created(n, node, &stack, 1);
	}
	assert_int_equal(nodes_lost(n), 100);
	assert_int_equal(nodes_lost(n), 0);
	nodes_write(n, count, &written);
	assert_int_equal(written, NODES_MAX);
	nodes_cloned(n, 1, (uint64_t)1 << 60);
	assert_int_equal(nodes_lost(n), 1);
	nodes_free(n);
}

/* The longest stacks, all different: 2^20 words have 61680 of 17 words. */
static void stacks_that_do_not_fit_are_counted(void **state)
{
	struct nodes *n = nodes_new();
	uint32_t stack[NODES_DEPTH] = { 0 };
	(void)state;
	for (uint32_t i = 1; i <= 61700; i++) {
		stack[0] = i;
		nodes_created(n, i, stack, NODES_DEPTH);
	}
	/* Word 0 is unused, so 61680 * 17 = 1048560 words fit. */
	assert_int_equal(nodes_lost(n), 20);
	nodes_free(n);
}

enum { THREADS = 8, EACH = 2000 };

struct maker {
	struct nodes *nodes;
	uint64_t number;
};

static void *make(void *arg)
{
	struct maker *m = arg;
	for (uint64_t i = 0; i < EACH; i++) {
		uint64_t node = m->number << 32 | i;
		uint32_t stack = (uint32_t)(node % 1000) + 1;
		nodes_created(m->nodes, node, &stack, 1);
		/* The id of a clone has the same remainder. */
		nodes_cloned(m->nodes, node, node + 1000ull * 1000 * 1000);
	}
	return NULL;
}

/* One thread writes while eight create and clone: each node is written
 * once. */
static void threads(void **state)
{
	struct nodes *n = nodes_new();
	struct maker m[THREADS];
	pthread_t t[THREADS];
	int64_t written = 0;
	(void)state;
	for (uint64_t i = 0; i < THREADS; i++) {
		m[i] = (struct maker){ n, i };
		assert_int_equal(pthread_create(&t[i], NULL, make, &m[i]), 0);
	}
	for (int i = 0; i < 1000; i++)
		nodes_write(n, count, &written);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	nodes_write(n, count, &written);
	assert_int_equal(written, 2 * THREADS * EACH);
	assert_int_equal(nodes_lost(n), 0);
	nodes_free(n);
}

/* Eight threads create the same nodes with the same ranges. Each node is
 * written at least once and at most eight times. */
static void *make_same(void *arg)
{
	struct maker m = { ((struct maker *)arg)->nodes, 0 };
	return make(&m);
}

static bool last(void *ctx, uint64_t node, const uint32_t *stack, int depth)
{
	unsigned char *seen = ctx;
	assert_int_equal(depth, 1);
	assert_int_equal(stack[0], node % 1000 + 1);
	if (node < EACH)
		seen[node] = 1;
	return true;
}

static void threads_that_create_the_same_nodes(void **state)
{
	struct nodes *n = nodes_new();
	struct maker m = { n, 0 };
	pthread_t t[THREADS];
	unsigned char seen[EACH] = { 0 };
	(void)state;
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&t[i], NULL, make_same, &m), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	nodes_write(n, last, seen);
	for (int i = 0; i < EACH; i++)
		assert_int_equal(seen[i], 1);
	assert_int_equal(nodes_lost(n), 0);
	nodes_free(n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clone_has_the_ranges_of_its_original),
		cmocka_unit_test(
			each_is_written_once_and_again_for_a_new_capture),
		cmocka_unit_test(nodes_without_ranges_are_not_written),
		cmocka_unit_test(a_reused_id_is_another_node),
		cmocka_unit_test(a_clone_that_is_reported_as_new),
		cmocka_unit_test(deep_stacks_keep_the_innermost_ranges),
		cmocka_unit_test(a_stopped_callback_misses_nothing),
		cmocka_unit_test(nodes_that_do_not_fit_are_counted),
		cmocka_unit_test(stacks_that_do_not_fit_are_counted),
		cmocka_unit_test(threads),
		cmocka_unit_test(threads_that_create_the_same_nodes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
