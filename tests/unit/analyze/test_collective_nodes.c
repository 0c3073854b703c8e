/* test_collective_nodes.c - on how many nodes the ranks of a group are. */
#include "collective.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static const struct platform eight = { .name = "E", .link_devices = 8 };
static const struct platform any = { .name = "A" };

static const struct {
	const char *ranks; /* of the group */
	int64_t size, rank, world, device, devices, nodes;
	const struct platform *platform;
	const char *why;
} rows[] = {
	/* no more ranks than devices: one node */
	{ "[0, 1]", 2, 1, 8, 1, 8, 1, &eight, NULL },
	{ NULL, 2, 0, 2, 0, 8, 1, NULL, NULL },
	{ "[0]", 1, 0, -1, -1, 0, 1, NULL, NULL },
	{ NULL, 8, 3, 8, -1, 8, 1, &any, NULL },
	/* 16 ranks on nodes of 8 */
	{ "[0, 8]", 2, 0, 16, 0, 8, 2, &eight, NULL },
	{ "[8, 9, 10, 11]", 4, 9, 16, 1, 8, 1, &eight, NULL },
	{ "[6, 7, 8, 9]", 4, 6, 16, 6, 8, 2, &eight, NULL },
	{ NULL, 16, 0, 16, 0, 8, 2, &eight, NULL },
	{ "[0, 1, ..., 15]", 16, 0, 16, 0, 8, 2, &eight, NULL },
	{ "[0, 16, 24]", 3, 0, 32, 0, 8, 3, &eight, NULL },
	{ "[7, 8, 9]", 3, 7, 16, 7, 8, 0, &eight,
		"its group has more ranks on one node than on another" },
	/* what the list does not say */
	{ NULL, 4, 0, 16, 0, 8, 0, &eight,
		"which ranks its group has is unknown" },
	{ "[0, 1, ..., 9]", 8, 0, 16, 0, 8, 0, &eight,
		"which ranks its group has is unknown" },
	{ "[0, 0]", 2, 0, 16, 0, 8, 0, &eight,
		"which ranks its group has is unknown" },
	{ "[0, 16]", 2, 0, 16, 0, 8, 0, &eight,
		"which ranks its group has is unknown" },
	{ "[0, 99999999999999999999]", 2, 0, 16, 0, 8, 0, &eight,
		"which ranks its group has is unknown" },
	{ "", 2, 0, 16, 0, 8, 0, &eight,
		"which ranks its group has is unknown" },
	{ "[0, 1]", -1, 0, 8, 0, 8, 0, &eight, "its process group is unknown" },
	{ "[0, 1]", 2, 0, -1, 0, 8, 0, &eight,
		"how many ranks the job has is unknown" },
	{ "[0, 1]", 2, 0, 1, 0, 8, 0, &eight,
		"its group has more ranks than the job" },
	{ "[0, 1]", 2, 0, 2, 0, 1, 0, &eight,
		"how many devices a node has is unknown" },
	/* two hosts with a rank each, both on their first device */
	{ "[0, 1]", 2, 1, 2, 0, 8, 0, &eight,
		"its ranks are not numbered like the devices, so on which "
		"nodes they are is unknown" },
	/* a process that sees 4 of 8 devices, and one of an unknown host */
	{ "[0, 1]", 2, 0, 8, 0, 4, 0, &eight,
		"its host may have more devices than the trace lists, so on "
		"which nodes its ranks are is unknown" },
	{ "[0, 1]", 2, 0, 16, 0, 8, 0, &any,
		"its host may have more devices than the trace lists, so on "
		"which nodes its ranks are is unknown" },
	{ "[0, 1]", 2, 0, 12, 0, 8, 0, &eight,
		"the ranks of the job do not fill its nodes, so on which nodes "
		"they are is unknown" },
};

static void test_nodes(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct collective_call c = { .ranks = rows[i].ranks,
			.group_size = rows[i].size };
		struct collective_host host = { rows[i].rank, rows[i].world,
			rows[i].device, rows[i].devices, rows[i].platform };
		const char *why;
		assert_int_equal(collective_nodes(&c, &host, &why),
			rows[i].nodes);
		if (rows[i].why)
			assert_string_equal(why, rows[i].why);
		else
			assert_null(why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nodes),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
