/* test_intake.c - CUPTI gets buffers and returns them. Tests that each record
 * is in a buffer that is read in order, or is counted as dropped. */
#include "clock.h"
#include "intake_rig.h"
#include <sys/syscall.h>
#include <unistd.h>

static void drops(struct rig *r, int64_t pool, int64_t shed, int64_t unreadable)
{
	struct intake_drops d = intake_dropped(r->intake);
	assert_int_equal(d.pool, pool);
	assert_int_equal(d.shed, shed);
	assert_int_equal(d.unreadable, unreadable);
}

static void buffers_are_read_in_order_of_arrival(void **state)
{
	static const char *const names[] = { "a", "b", "c", "a" };
	static const uint32_t numbers[] = { 1, 2, 3, 1 };
	struct rig r;
	struct intake_buffer b;
	int64_t before = clock_real_ns();
	(void)state;
	rig_open(&r, 130001, 8 * MIB);
	assert_false(intake_next(r.intake, &b));
	for (int i = 0; i < 4; i++)
		assert_int_equal(rig_hand(&r, i + 1, names[i]), MIB);
	assert_int_equal(intake_kernels(r.intake), 10);
	for (int i = 0; i < 4; i++) {
		struct record first = { 0 };
		size_t unreadable;
		assert_true(intake_next(r.intake, &b));
		assert_int_equal(b.valid, (i + 1) * 216);
		assert_int_equal(b.thread, syscall(SYS_gettid));
		assert_in_range(b.at_ns, before, clock_real_ns());
		records_next(&r.layout, b.bytes, b.valid, &first, &unreadable);
		assert_int_equal(*record_name(&first), numbers[i]);
		intake_done(r.intake, &b);
	}
	assert_false(intake_next(r.intake, &b));
	drops(&r, 0, 0, 0);
	rig_close(&r);
}

static void a_returned_buffer_is_zeroed_and_lent_again(void **state)
{
	struct rig r;
	struct intake_buffer b;
	size_t size;
	(void)state;
	rig_open(&r, 130001, 4 * MIB);
	uint8_t *first = rig_request(&r, &size);
	assert_int_equal(intake_lent(r.intake), 1);
	memset(first, 0xff, size); /* also after the valid bytes */
	intake_complete(r.intake, first, rig_fill(&r, first, size, 3, "a"));
	assert_int_equal(intake_lent(r.intake), 0);
	assert_true(intake_next(r.intake, &b));
	intake_done(r.intake, &b);
	uint8_t *again = rig_request(&r, &size);
	assert_ptr_equal(again, first);
	for (size_t i = 0; i < size; i++)
		if (again[i])
			fail_msg("byte %zu is left", i);
	assert_int_equal(intake_mapped_bytes(r.intake), MIB);
	rig_close(&r);
}

static void all_buffers_are_lent(void **state)
{
	struct rig r;
	struct intake_buffer b;
	(void)state;
	rig_open(&r, 28, 2 * MIB);
	assert_int_equal(rig_hand(&r, 5, "a"), MIB);
	assert_int_equal(rig_hand(&r, 5, "a"), MIB);
	assert_in_range(rig_hand(&r, 7, "a"), 208, MIB - 1);
	assert_in_range(rig_hand(&r, 8, "a"), 208, MIB - 1);
	drops(&r, 15, 0, 0);
	drops(&r, 0, 0, 0);
	assert_int_equal(intake_kernels(r.intake), 10);
	assert_true(intake_next(r.intake, &b));
	intake_done(r.intake, &b);
	assert_int_equal(rig_hand(&r, 5, "a"), MIB);
	drops(&r, 0, 0, 0);
	rig_close(&r);
}

/* A thousand threads have one each, and CUPTI requests more. */
static void all_small_buffers_are_lent(void **state)
{
	enum { SMALLS = 1024 };
	struct rig r;
	size_t size;
	uint8_t *b = NULL;
	(void)state;
	rig_open(&r, 130001, MIB);
	for (int i = 0; i < 1 + SMALLS; i++) {
		b = rig_request(&r, &size);
		assert_non_null(b);
	}
	assert_null(rig_request(&r, &size));
	assert_int_equal(size, 0);
	assert_int_equal(intake_lent(r.intake), 1 + SMALLS);
	intake_complete(r.intake, b, rig_fill(&r, b, 16 << 10, 2, "a"));
	assert_ptr_equal(rig_request(&r, &size), b);
	drops(&r, 2, 0, 0);
	rig_close(&r);
}

/* Before version 27, CUPTI crashes if it gets no buffer. */
static void old_versions_always_get_a_buffer(void **state)
{
	enum { SMALLS = 1024, MORE = 100, SPARE = 64 << 10 };
	const size_t held = MIB + (SMALLS << 14);
	static uint8_t *more[MORE];
	struct rig r;
	size_t size;
	(void)state;
	rig_open(&r, 24, MIB);
	for (int i = 0; i < 1 + SMALLS; i++)
		assert_non_null(rig_request(&r, &size));
	for (int i = 0; i < MORE; i++) {
		more[i] = rig_request(&r, &size);
		assert_non_null(more[i]);
		assert_int_equal(size, 16 << 10);
	}
	assert_int_equal(intake_lent(r.intake), 1 + SMALLS + MORE);
	assert_int_equal(intake_mapped_bytes(r.intake), held + (MORE << 14));
	for (int i = 0; i < MORE; i++)
		intake_complete(r.intake, more[i],
			rig_fill(&r, more[i], size, 3, "a"));
	drops(&r, 3 * MORE, 0, 0);
	assert_int_equal(intake_lent(r.intake), 1 + SMALLS);
	assert_int_equal(intake_mapped_bytes(r.intake), held);
	/* The buffer that was returned last is lent first, and is zero. */
	uint8_t *again = rig_request(&r, &size);
	assert_ptr_equal(again, more[MORE - 1]);
	for (size_t i = 0; i < size; i++)
		if (again[i])
			fail_msg("byte %zu is left", i);
	for (int i = 1; i < SPARE; i++)
		assert_non_null(rig_request(&r, &size));
	assert_null(rig_request(&r, &size));
	rig_close(&r);
}

static void buffers_are_refused_on_purpose(void **state)
{
	struct rig r;
	struct intake_buffer b;
	(void)state;
	rig_open(&r, 130001, 2 * MIB);
	rig_hand(&r, 2, "kept");
	intake_shed(r.intake, true);
	for (int i = 0; i < 3; i++)
		rig_hand(&r, 10, "shed");
	intake_shed(r.intake, false);
	assert_true(intake_next(r.intake, &b));
	assert_int_equal(b.valid, 2 * 216);
	intake_done(r.intake, &b);
	assert_false(intake_next(r.intake, &b));
	rig_hand(&r, 3, "kept");
	assert_true(intake_next(r.intake, &b));
	assert_int_equal(b.valid, 3 * 216);
	drops(&r, 20, 10, 0); /* two of the three got no buffer */
	assert_int_equal(intake_kernels(r.intake), 5);
	rig_close(&r);
}

/* Returned buffers; each has 2 MiB. */
static const struct oddity {
	const char *odd;
	size_t valid; /* as CUPTI reports it, for 3 kernels */
	size_t is; /* of the buffer that is read; 0: none is read */
	int64_t unreadable;
} oddities[] = {
	{ "as it should be", 648, 648, 0 },
	{ "empty", 0, 0, 0 },
	{ "cut off in a record", 640, 432, 1 },
	{ "zeros behind the last record", 656, 648, 1 },
	{ "more than was lent", 3 * MIB, 648, 1 },
	{ "not even one record", 8, 0, 1 },
};

static void odd_buffers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof oddities / sizeof *oddities; i++) {
		const struct oddity *o = &oddities[i];
		struct rig r;
		struct intake_buffer b = { 0 };
		size_t size;
		rig_open(&r, 130001, MIB);
		uint8_t *at = rig_request(&r, &size);
		rig_fill(&r, at, size, 3, "a");
		intake_complete(r.intake, at, o->valid);
		bool is = intake_next(r.intake, &b);
		struct intake_drops d = intake_dropped(r.intake);
		if (is != (o->is > 0) || b.valid != o->is ||
			d.unreadable != o->unreadable || d.pool || d.shed)
			fail_msg("%s: %zu bytes, %lld unreadable", o->odd,
				b.valid, (long long)d.unreadable);
		if (is)
			intake_done(r.intake, &b);
		if (rig_request(&r, &size) != at)
			fail_msg("%s: the buffer is lost", o->odd);
		rig_close(&r);
	}
}

static void a_foreign_buffer(void **state)
{
	static _Alignas(8) uint8_t theirs[4096];
	struct rig r;
	struct intake_buffer b;
	size_t size;
	(void)state;
	rig_open(&r, 130001, 2 * MIB);
	intake_complete(r.intake, theirs,
		rig_fill(&r, theirs, sizeof theirs, 4, "a"));
	intake_complete(r.intake, NULL, 216);
	/* A buffer that begins inside a lent one is foreign, too. */
	uint8_t *ours = rig_request(&r, &size);
	intake_complete(r.intake, ours + 8, 0);
	assert_false(intake_next(r.intake, &b));
	assert_int_equal(intake_lent(r.intake), 1);
	drops(&r, 4, 0, 0);
	rig_close(&r);
}

static void a_buffer_is_returned_twice(void **state)
{
	struct rig r;
	struct intake_buffer b;
	size_t size;
	(void)state;
	rig_open(&r, 130001, 2 * MIB);
	uint8_t *at = rig_request(&r, &size);
	size_t valid = rig_fill(&r, at, size, 4, "a");
	intake_complete(r.intake, at, valid);
	intake_complete(r.intake, at, valid);
	assert_true(intake_next(r.intake, &b));
	assert_false(intake_next(r.intake, &b));
	assert_int_equal(intake_lent(r.intake), 0);
	rig_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(buffers_are_read_in_order_of_arrival),
		cmocka_unit_test(a_returned_buffer_is_zeroed_and_lent_again),
		cmocka_unit_test(all_buffers_are_lent),
		cmocka_unit_test(all_small_buffers_are_lent),
		cmocka_unit_test(old_versions_always_get_a_buffer),
		cmocka_unit_test(buffers_are_refused_on_purpose),
		cmocka_unit_test(odd_buffers),
		cmocka_unit_test(a_foreign_buffer),
		cmocka_unit_test(a_buffer_is_returned_twice),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
