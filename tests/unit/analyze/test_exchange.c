/* test_exchange.c - tests the bytes that all-to-alls exchange with each rank, from
 * split sizes as PyTorch writes them; every number is worked out by hand. */
#include "exchange.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { MOST = 4 };

/* A call of a group of `size` ranks, in bf16 (2 bytes) by default. */
struct row {
	const char *splits;
	int64_t in, out, size;
	enum exchange_fault fault;
	int64_t sent[MOST], received[MOST];
};

static const struct row rows[] = {
	{ "[1, 2] [3, 0]", 3, 3, 2, EXCHANGE_FINE, { 2, 4 }, { 6, 0 } },
	/* rows of 8 elements: 1 and 2 of 3 rows; 4 rows of 8 received */
	{ "[1, 2] [3, 1]", 24, 32, 2, EXCHANGE_FINE, { 16, 32 }, { 48, 16 } },
	/* no lists: equal parts */
	{ "[] []", 8, 8, 4, EXCHANGE_FINE, { 4, 4, 4, 4 }, { 4, 4, 4, 4 } },
	{ "[4, 4] []", 8, 10, 2, EXCHANGE_FINE, { 8, 8 }, { 10, 10 } },
	/* nothing is sent */
	{ "[0, 0] [2, 2]", 0, 4, 2, EXCHANGE_FINE, { 0, 0 }, { 4, 4 } },
	{ "[0] [0]", 0, 0, 1, EXCHANGE_FINE, { 0 }, { 0 } },
	{ "[  1 ,2 ] [1,2]", 3, 3, 2, EXCHANGE_FINE, { 2, 4 }, { 2, 4 } },
	{ NULL, 8, 8, 2, EXCHANGE_NOT_RECORDED, { 0 }, { 0 } },
	{ "[1, 2, ...] [1, 2, ...]", 8, 8, 4, EXCHANGE_SHORTENED, { 0 },
		{ 0 } },
	{ "[1, 2] [1, ...]", 3, 8, 2, EXCHANGE_SHORTENED, { 0 }, { 0 } },
	/* longer and shorter than the group */
	{ "[1, 2, 3] [3, 3]", 6, 6, 2, EXCHANGE_LENGTH, { 0 }, { 0 } },
	{ "[3, 3] [6]", 6, 6, 2, EXCHANGE_LENGTH, { 0 }, { 0 } },
	/* the elements are no multiple of the sizes' sum; a sum of 0 */
	{ "[1, 2] [1, 2]", 4, 3, 2, EXCHANGE_SUM, { 0 }, { 0 } },
	{ "[1, 2] [0, 0]", 3, 3, 2, EXCHANGE_SUM, { 0 }, { 0 } },
	{ "[] []", 7, 8, 4, EXCHANGE_SUM, { 0 }, { 0 } },
	{ "[1, 2] [1, 2]", -1, 3, 2, EXCHANGE_ELEMENTS, { 0 }, { 0 } },
	{ "[1, 2] [1, 2]", 3, 3, 2000, EXCHANGE_GROUP_LARGE, { 0 }, { 0 } },
	{ "[1, 2] [1, 2]", 3, 3, -1, EXCHANGE_GROUP, { 0 }, { 0 } },
	/* what is no list */
	{ "[-1, 4] [1, 2]", 3, 3, 2, EXCHANGE_DAMAGED, { 0 }, { 0 } },
	{ "[1.5, 2] [1, 2]", 3, 3, 2, EXCHANGE_DAMAGED, { 0 }, { 0 } },
	{ "[1, 2", 3, 3, 2, EXCHANGE_DAMAGED, { 0 }, { 0 } },
	{ "[1, 2]", 3, 3, 2, EXCHANGE_DAMAGED, { 0 }, { 0 } },
	{ "[1, 2] [1, 2] [3]", 3, 3, 2, EXCHANGE_DAMAGED, { 0 }, { 0 } },
	{ "[1, 2,] [1, 2]", 3, 3, 2, EXCHANGE_DAMAGED, { 0 }, { 0 } },
	{ "[1 2] [1, 2]", 3, 3, 2, EXCHANGE_DAMAGED, { 0 }, { 0 } },
	{ "", 3, 3, 2, EXCHANGE_DAMAGED, { 0 }, { 0 } },
	{ "[,] [1, 2]", 3, 3, 2, EXCHANGE_DAMAGED, { 0 }, { 0 } },
	{ "[[1, 2]] [1, 2]", 3, 3, 2, EXCHANGE_DAMAGED, { 0 }, { 0 } },
	{ "[99999999999999999999, 1] [1, 2]", 3, 3, 2, EXCHANGE_DAMAGED, { 0 },
		{ 0 } },
	/* each fits into 63 bits; their sum, or their bytes, do not */
	{ "[9000000000000000000, 9000000000000000000] [1, 2]", 3, 3, 2,
		EXCHANGE_TOO_LARGE, { 0 }, { 0 } },
	{ "[9000000000000000000, 0] [1, 2]", 9000000000000000000, 3, 2,
		EXCHANGE_TOO_LARGE, { 0 }, { 0 } },
};

struct made {
	struct profile p;
	struct collective_calls calls;
};

/* All calls are of one group, if their sizes are equal. */
static void made_from(struct made *m, struct arena *a, const struct row *list,
	uint32_t n, enum dtype dtype)
{
	uint32_t *line = arena_array(a, uint32_t, n + 1);

	m->p.arena = a;
	m->calls = (struct collective_calls){ .n = n,
		.of = arena_array(a, uint32_t, n + 1),
		.list = arena_array(a, struct collective_call, n + 1),
		.parts = arena_array(a, struct collective_parts, n + 1) };
	for (uint32_t i = 0; i < n; i++) {
		m->calls.of[i] = i + 1;
		m->calls.list[i] = (struct collective_call){
			.kind = COLLECTIVE_ALL_TO_ALL,
			.dtype = dtype,
			.group = "ep",
			.group_handle = -1,
			.group_size = list[i].size,
		};
		m->calls.parts[i] = (struct collective_parts){ list[i].splits,
			list[i].in, list[i].out, false };
		line[i] = 40 + i;
	}
	assert_true(exchanges_from(&m->calls, line, n, &m->p));
}

static void test_rows(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];
		struct arena a = { 0 };
		struct made m = { 0 };
		made_from(&m, &a, r, 1, DTYPE_BF16);
		assert_int_equal(m.p.exchanges.n, 1);
		const struct peer_exchange *x = m.p.exchanges.rows;
		if (x->fault != r->fault)
			fail_msg("%s: %s", r->splits,
				exchange_fault_text(x->fault));
		assert_int_equal(x->line, 40);
		assert_int_equal(x->calls, 1);
		assert_int_equal(x->known, !r->fault);
		for (int64_t k = 0; !r->fault && k < r->size; k++) {
			assert_int_equal(x->sent[k], r->sent[k]);
			assert_int_equal(x->received[k], r->received[k]);
		}
		bool contradicts = r->fault == EXCHANGE_DAMAGED ||
				   r->fault == EXCHANGE_LENGTH ||
				   r->fault == EXCHANGE_SUM ||
				   r->fault == EXCHANGE_TOO_LARGE;
		assert_int_equal(m.p.notes.count[NOTE_split_sizes],
			contradicts);
		arena_release(&a);
	}
}

/* Calls of a group add up; those that are unknown are counted. */
static void test_sums(void **state)
{
	static const struct row list[] = {
		{ "[1, 2] [3, 0]", 3, 3, 2, 0, { 0 }, { 0 } },
		{ NULL, 3, 3, 2, 0, { 0 }, { 0 } },
		{ "[5, 1] [1, 4]", 6, 5, 2, 0, { 0 }, { 0 } },
		{ "[-5, 1] [1, 4]", 6, 5, 2, 0, { 0 }, { 0 } },
	};
	struct arena a = { 0 };
	struct made m = { 0 };
	(void)state;
	made_from(&m, &a, list, 4, DTYPE_FP32);
	assert_int_equal(m.p.exchanges.n, 1);
	const struct peer_exchange *x = m.p.exchanges.rows;
	assert_int_equal(x->calls, 4);
	assert_int_equal(x->known, 2);
	assert_int_equal(x->fault, EXCHANGE_NOT_RECORDED);
	assert_int_equal(x->sent[0], 4 * (1 + 5));
	assert_int_equal(x->sent[1], 4 * (2 + 1));
	assert_int_equal(x->received[0], 4 * (3 + 1));
	assert_int_equal(x->received[1], 4 * (0 + 4));
	arena_release(&a);
}

/* Without a type there are no bytes; one kernel for several calls has no parts; of
 * too many groups only the first have parts; other kinds and calls without a group
 * are not listed. */
static void test_limits(void **state)
{
	enum { GROUPS = EXCHANGES_MAX + 2 };
	struct row list[GROUPS];
	struct arena a = { 0 };
	struct made m = { 0 };
	uint32_t line[GROUPS] = { 0 };
	(void)state;
	made_from(&m, &a, rows, 1, DTYPE_UNKNOWN);
	assert_int_equal(m.p.exchanges.rows[0].fault, EXCHANGE_ELEMENTS);
	m.calls.parts[0].several = true;
	assert_true(exchanges_from(&m.calls, line, 1, &m.p));
	assert_int_equal(m.p.exchanges.rows[0].fault, EXCHANGE_SEVERAL);
	m.calls.list[0].kind = COLLECTIVE_ALL_GATHER;
	assert_true(exchanges_from(&m.calls, line, 1, &m.p));
	assert_int_equal(m.p.exchanges.n, 0);
	m.calls.list[0].kind = COLLECTIVE_ALL_TO_ALL;
	m.calls.list[0].group = NULL;
	assert_true(exchanges_from(&m.calls, line, 1, &m.p));
	assert_int_equal(m.p.exchanges.n, 0);
	for (uint32_t i = 0; i < GROUPS; i++) {
		list[i] = rows[2];
		list[i].size = 4;
	}
	made_from(&m, &a, list, GROUPS, DTYPE_BF16);
	for (uint32_t i = 0; i < GROUPS; i++)
		m.calls.list[i].group_handle = i;
	assert_true(exchanges_from(&m.calls, line, GROUPS, &m.p));
	assert_int_equal(m.p.exchanges.n, GROUPS);
	assert_int_equal(m.p.exchanges.rows[EXCHANGES_MAX - 1].known, 1);
	assert_int_equal(m.p.exchanges.rows[EXCHANGES_MAX].fault,
		EXCHANGE_MANY);
	assert_null(m.p.exchanges.rows[EXCHANGES_MAX].sent);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_sums),
		cmocka_unit_test(test_limits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
