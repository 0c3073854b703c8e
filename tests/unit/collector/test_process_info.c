/* test_process_info.c - tests ranks of several launchers, and pids of several
 * namespaces. */
#include "process_info.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

struct variable {
	const char *name, *value;
};

static const char *env(void *ctx, const char *name)
{
	for (const struct variable *v = ctx; v->name; v++)
		if (!strcmp(v->name, name))
			return v->value;
	return NULL;
}

static void test_rank(void **state)
{
	(void)state;
	static const struct {
		struct variable v[5];
		int rank, size;
	} rows[] = {
		{ { { NULL, NULL } }, -1, -1 },
		{ { { "RANK", "3" }, { "WORLD_SIZE", "8" } }, 3, 8 },
		{ { { "OMPI_COMM_WORLD_RANK", "0" },
			  { "OMPI_COMM_WORLD_SIZE", "2" } },
			0, 2 },
		{ { { "PMI_RANK", "1" }, { "PMI_SIZE", "2" } }, 1, 2 },
		{ { { "SLURM_PROCID", "5" }, { "SLURM_NTASKS", "6" } }, 5, 6 },
		/* torchrun inside srun */
		{ { { "SLURM_PROCID", "0" }, { "SLURM_NTASKS", "1" },
			  { "RANK", "7" }, { "WORLD_SIZE", "8" } },
			7, 8 },
		/* half of a pair, and invalid pairs */
		{ { { "RANK", "3" } }, -1, -1 },
		{ { { "RANK", "8" }, { "WORLD_SIZE", "8" } }, -1, -1 },
		{ { { "RANK", "-1" }, { "WORLD_SIZE", "8" } }, -1, -1 },
		{ { { "RANK", "" }, { "WORLD_SIZE", "" }, { "PMI_RANK", "1" },
			  { "PMI_SIZE", "2" } },
			1, 2 },
		{ { { "RANK", "0x1" }, { "WORLD_SIZE", "8" } }, -1, -1 },
		{ { { "RANK", "1" }, { "WORLD_SIZE", "99999999999999999999" } },
			-1, -1 },
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct process_info_rank r =
			process_info_rank(env, (void *)rows[i].v);
		assert_int_equal(r.rank, rows[i].rank);
		assert_int_equal(r.size, rows[i].size);
	}
}

static void test_pids(void **state)
{
	(void)state;
	static const struct {
		const char *status, *pids;
	} rows[] = { { "Name:\tx\nNSpid:\t812\t7\nNSpgid:\t1\n", "812 7" },
		{ "Name:\tx\nNSpid:\t812\n", "812" }, { "Name:\tx\n", "" },
		{ "", "" },
		/* a program can choose its own name */
		{ "Name:\tNSpid:\nPid:\t1\n", "" } };
	char to[16];

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		process_info_pids(rows[i].status, to, sizeof to);
		assert_string_equal(to, rows[i].pids);
	}
	process_info_pids("x\nNSpid:\t1234567890\t1234567890\n", to, sizeof to);
	assert_string_equal(to, "1234567890 1234");
}

static void test_program(void **state)
{
	(void)state;
	char path[OPTIONS_PATH];

	assert_true(process_info_program(path));
	assert_string_equal(process_info_base(path),
		"unit_collector_test_process_info");
	assert_string_equal(process_info_base("train.py"), "train.py");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_rank),
		cmocka_unit_test(test_pids), cmocka_unit_test(test_program) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
