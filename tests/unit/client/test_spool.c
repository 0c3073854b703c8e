/* test_spool.c - tests valid and invalid names of capture files. */
#include "spool.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

static void names(void **state)
{
	(void)state;
	static const struct {
		const char *name, *host;
		enum spool_kind kind;
		uint64_t pid, ticks, number;
	} rows[] = {
		{ "node7-12-345-1.kst", "node7", SPOOL_WHOLE, 12, 345, 1 },
		{ "a-b-c-12-345-1.kst.part", "a-b-c", SPOOL_PART, 12, 345, 1 },
		{ "x-1-2-3.kst.tail", "x", SPOOL_TAIL, 1, 2, 3 },
		{ "x-1-2-3.kst.merging", "x", SPOOL_MERGING, 1, 2, 3 },
		{ "x-1-18446744073709551615-3.kst", "x", SPOOL_FOREIGN, 0, 0,
			0 },
		{ "x-1-9223372036854775807-3.kst", "x", SPOOL_WHOLE, 1,
			INT64_MAX, 3 },
		{ "7-1-2-3.kst", "7", SPOOL_WHOLE, 1, 2, 3 },
		{ "-1-2-3.kst", "", SPOOL_FOREIGN, 0, 0, 0 },
		{ "1-2-3.kst", "", SPOOL_FOREIGN, 0, 0, 0 },
		{ "x-1--3.kst", "", SPOOL_FOREIGN, 0, 0, 0 },
		{ "x-1-2-3.kst.part.part", "", SPOOL_FOREIGN, 0, 0, 0 },
		{ "x-1-2-3.kst.new", "", SPOOL_FOREIGN, 0, 0, 0 },
		{ "x-1-2-3", "", SPOOL_FOREIGN, 0, 0, 0 },
		{ "x-1-2-0x3.kst", "", SPOOL_FOREIGN, 0, 0, 0 },
		{ ".kst", "", SPOOL_FOREIGN, 0, 0, 0 },
		{ ".part", "", SPOOL_FOREIGN, 0, 0, 0 },
		{ "collector.log", "", SPOOL_FOREIGN, 0, 0, 0 },
		{ "", "", SPOOL_FOREIGN, 0, 0, 0 },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct spool_name n = spool_name_from(rows[i].name);
		assert_int_equal(n.kind, rows[i].kind);
		if (n.kind == SPOOL_FOREIGN)
			continue;
		assert_int_equal(n.host_len, strlen(rows[i].host));
		assert_int_equal(n.pid, rows[i].pid);
		assert_int_equal(n.ticks, rows[i].ticks);
		assert_int_equal(n.number, rows[i].number);
		assert_int_equal(n.stem_len,
			strstr(rows[i].name, ".kst") + 4 - rows[i].name);
		assert_true(spool_name_here(&n, rows[i].name, rows[i].host));
		assert_false(spool_name_here(&n, rows[i].name, "other"));
	}
}

/* A collector that was configured to omit the host name writes "host". */
static void host_kept_out(void **state)
{
	(void)state;
	struct spool_name n = spool_name_from("host-1-2-3.kst");
	assert_true(spool_name_here(&n, "host-1-2-3.kst", "node7"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(host_kept_out),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
