/* test_ncu.c - tests which kernel profiles the tables of Nsight Compute become,
 * on both pages, with the text that is around them, and damaged. */
#include "ncu_table.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DETAILS                                                               \
	"\"ID\",\"Process ID\",\"Process Name\",\"Host Name\",\"Kernel "      \
	"Name\",\"Context\",\"Stream\",\"Block Size\",\"Grid Size\","         \
	"\"Device\",\"CC\",\"Section Name\",\"Metric Name\",\"Metric Unit\"," \
	"\"Metric Value\",\"Rule Name\"\n"
#define ROW(id, kernel, block, grid, metric, unit, value)                      \
	"\"" id "\",\"7\",\"python\",\"127.0.0.1\",\"" kernel "\",\"1\","      \
	"\"7\",\"" block "\",\"" grid "\",\"0\",\"9.0\",\"Section\",\"" metric \
	"\",\"" unit "\",\"" value "\",\"\"\n"
#define GEMM(id, metric, unit, value) \
	ROW(id, "gemm", "(128, 1, 1)", "(8, 1, 1)", metric, unit, value)
#define RAW(metrics)                                                   \
	"\"ID\",\"Process ID\",\"Kernel Name\",\"Block Size\",\"Grid " \
	"Size\"," metrics "\n"
#define SM "\"sm__throughput.avg.pct_of_peak_sustained_elapsed\""
#define STALL(reason)                                 \
	"\"smsp__average_warps_issue_stalled_" reason \
	"_per_issue_active.ratio\""

/* Profiles as text: "name grid block xlaunches figure=… reason=…%; …" */
struct read {
	struct arena arena;
	struct kernel_profiles is;
	struct err err;
	bool ok;
	char text[2000];
};

static void read_text(struct read *r)
{
	static const char *const names[] = {
#define KERNEL_FIGURE(name, heading, text) #name,
#include "kernel_figure.def"
#undef KERNEL_FIGURE
	};
	size_t at = 0;
#define PRINT(...) \
	at += (size_t)snprintf(r->text + at, sizeof r->text - at, __VA_ARGS__)
	for (uint32_t i = 0; i < r->is.n; i++) {
		const struct kernel_profile *p = &r->is.rows[i];
		PRINT("%s%s %d,%d,%d %d,%d,%d x%d", i ? "; " : "", p->name,
			p->grid[0], p->grid[1], p->grid[2], p->block[0],
			p->block[1], p->block[2], (int)p->launches);
		for (int f = 0; f < KERNEL_FIGURES; f++)
			if (!isnan(p->figure[f]))
				PRINT(" %s=%.10g", names[f], p->figure[f]);
		for (int s = 0; s < STALL_REASONS; s++)
			if (!isnan(p->stall_pct[s]))
				PRINT(" %s=%.4g%%",
					stall_reason_word((enum stall_reason)s),
					p->stall_pct[s]);
	}
#undef PRINT
}

static void read_files(struct read *r, const char *const *files, size_t n)
{
	*r = (struct read){ .arena = { .ceiling = 64 << 20 } };
	struct ncu_reader *reader = ncu_reader_new(&r->arena);
	assert_non_null(reader);
	r->ok = true;
	for (size_t i = 0; r->ok && i < n; i++)
		r->ok = ncu_reader_add(reader, "'a.csv'", files[i],
			strlen(files[i]), &r->err);
	r->ok = r->ok && ncu_reader_end(reader, &r->arena, &r->is, &r->err);
	if (r->ok)
		read_text(r);
}

static const struct {
	const char *file, *want;
	int bad_lines, bad_values;
	bool cut;
} cases[] = {
	/* details: thousands separators, units, means over launches */
	{ DETAILS GEMM("0", "Duration", "usecond", "1,234.5") GEMM("0",
		  "Compute (SM) Throughput", "%", "80.5")
			GEMM("1", "Duration", "ns", "765,500") GEMM("1",
				"Memory Throughput", "Gbyte/second", "1,500.5"),
		"gemm 8,1,1 128,1,1 x2 duration_ns=1000000 "
		"sm_throughput_pct=80.5 dram_bytes_per_s=1.5005e+12",
		0, 0, false },
	/* one label, two metrics, which the unit separates */
	{ DETAILS GEMM("0", "Memory Throughput", "%", "40")
			GEMM("0", "Memory Throughput", "Tbyte/s", "2")
				GEMM("0", "Memory Throughput", "%", "99"),
		"gemm 8,1,1 128,1,1 x1 memory_throughput_pct=40 "
		"dram_bytes_per_s=2e+12",
		0, 0, false },
	/* a name with commas, quotes and a line end; another grid is another
	 * profile; ncu's log and the program's output around the table */
	{ "==PROF== Connected to process 7 (/usr/bin/python)\nloss \"1.5\n"
	  "==PROF== Profiling \"f\" - 0: 0%....100% - 8 passes\n" DETAILS
			ROW("0", "void f<int, 4>(\"\"x\"\",\n int)",
				"(32, 1, 1)", "(4, 2, 1)", "Achieved Occupancy",
				"%", "50") "==WARNING== \"a warning\n" ROW("1",
				"void f<int, 4>(\"\"x\"\",\n int)",
				"(32, 1, 1)", "(8, 2, 1)", "L2 Hit Rate", "%",
				"75") "==PROF== Disconnected from process 7\n",
		"void f<int, 4>(\"x\",\n int) 4,2,1 32,1,1 x1 "
		"occupancy_pct=50; void f<int, 4>(\"x\",\n int) 8,2,1 32,1,1 "
		"x1 l2_hit_pct=75",
		0, 0, false },
	/* raw: a row of units, several launches, an absent value */
	{ RAW(SM ",\"gpu__time_duration.sum\",\"launch__registers_per_thread\"") "\"\",\"\",\"\",\"\",\"\",\"%\",\"usecond\",\"register/thread\"\n"
										 "\"0\",\"7\",\"gemm\",\"(128, 1, 1)\",\"(8, 1, 1)\",\"60\",\"2\",\"168\"\n"
										 "\"1\",\"7\",\"gemm\",\"(128, 1, 1)\",\"(8, 1, 1)\",\"n/a\",\"4\",\"168\"\n",
		"gemm 8,1,1 128,1,1 x2 duration_ns=3000 sm_throughput_pct=60 "
		"registers_per_thread=168",
		0, 0, false },
	/* raw: stall reasons. 6 + 3 + 1 of 10 cycles between instructions */
	{ RAW(STALL("long_scoreboard") "," STALL("wait") "," STALL(
		  "selected")) "\"\",\"\",\"\",\"\",\"\",\"inst\",\"inst\",\"inst\"\n"
			       "\"0\",\"7\",\"gemm\",\"(128, 1, 1)\",\"(8, 1, 1)\",\"6\",\"3\",\"1\"\n",
		"gemm 8,1,1 128,1,1 x1 long_scoreboard=60% selected=10% "
		"wait=30%",
		0, 0, false },
	/* only some reasons were recorded: their shares are unknown */
	{ RAW(SM "," STALL(
		  "long_scoreboard")) "\"\",\"\",\"\",\"\",\"\",\"%\",\"inst\"\n"
				      "\"0\",\"7\",\"gemm\",\"(128, 1, 1)\",\"(8, 1, 1)\",\"60\",\"6\"\n",
		"gemm 8,1,1 128,1,1 x1 sm_throughput_pct=60", 0, 0, false },
	/* a reason that this version does not know */
	{ RAW(STALL("quantum") "," STALL(
		  "selected")) "\"\",\"\",\"\",\"\",\"\",\"inst\",\"inst\"\n"
			       "\"0\",\"7\",\"gemm\",\"\",\"\",\"3\",\"1\"\n",
		"gemm -1,-1,-1 -1,-1,-1 x1 selected=25% other=75%", 0, 0,
		false },
	/* ids begin again in another table of the file */
	{ DETAILS GEMM("0", "Duration", "ns", "10")
			DETAILS GEMM("0", "Duration", "ns", "30"),
		"gemm 8,1,1 128,1,1 x2 duration_ns=20", 0, 0, false },
	/* values and units that are none; a value that is too large */
	{ DETAILS GEMM("0", "Duration", "ns", "fast") GEMM("0", "Duration", "%",
		  "5") GEMM("0", "L2 Hit Rate", "%", "1e999")
			GEMM("0", "L1/TEX Hit Rate", "%", "5"),
		"gemm 8,1,1 128,1,1 x1 l1_hit_pct=5", 0, 3, false },
	/* too few cells, too many, no name; the others count */
	{ DETAILS "\"0\",\"7\"\n" GEMM("0", "L1/TEX Hit Rate", "%",
		  "5") ROW("1", "", "", "", "L1/TEX Hit Rate", "%",
		  "5") GEMM("2", "L1/TEX Hit Rate", "%", "5\",\"x\",\"y\",\"z"),
		"gemm 8,1,1 128,1,1 x1 l1_hit_pct=5", 3, 0, false },
	/* grids that are none, or too large */
	{ DETAILS ROW("0", "f", "(1, 2)", "(1, 2, 3, 4)", "L2 Hit Rate", "%",
		  "5") ROW("1", "f", "(99999999999, 1, 1)", "(-1, 1, 1)",
		  "L2 Hit Rate", "%", "7"),
		"f -1,-1,-1 -1,-1,-1 x2 l2_hit_pct=6", 0, 0, false },
	/* the file ends inside a row */
	{ DETAILS GEMM("0", "L2 Hit Rate", "%", "5") "\"1\",\"7\",\"pyth",
		"gemm 8,1,1 128,1,1 x1 l2_hit_pct=5", 0, 0, true },
	/* Windows: a BOM and line ends of two bytes */
	{ "\xef\xbb\xbf\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\","
	  "\"Metric Unit\",\"Metric Value\"\r\n\"0\",\"7\",\"f\",\"L2 Hit "
	  "Rate\",\"%\",\"5\"\r\n",
		"f -1,-1,-1 -1,-1,-1 x1 l2_hit_pct=5", 0, 0, false },
};

static void tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct read r;
		read_files(&r, &cases[i].file, 1);
		if (!r.ok)
			fail_msg("case %zu: %s", i, r.err.text);
		if (strcmp(r.text, cases[i].want) != 0 ||
			r.is.bad_lines != cases[i].bad_lines ||
			r.is.bad_values != cases[i].bad_values ||
			r.is.cut != cases[i].cut)
			fail_msg("case %zu: %s, %d bad lines, %d bad values%s",
				i, r.text, (int)r.is.bad_lines,
				(int)r.is.bad_values, r.is.cut ? ", cut" : "");
		arena_release(&r.arena);
	}
}

static const struct {
	const char *file, *want;
} refused[] = {
	{ "a,b\n1,2\n",
		"'a.csv': this is not a table of Nsight Compute: it has no line "
		"that begins with \"ID\",\"Process ID\"; print it with `ncu "
		"--csv`, or with `ncu --import REPORT --csv --page raw`" },
	{ "", NULL },
	{ "\"ID\",\"Process ID\",\"Block Size\"\n\"0\",\"7\",\"x\"\n",
		"'a.csv': its table has no column 'Kernel Name'" },
	{ "\"ID\",\"Process ID\",\"Kernel Name\",\"Metric Name\"\n",
		"'a.csv': its table has no column 'Metric Unit'" },
	{ DETAILS,
		"'a.csv': the table of Nsight Compute has none of the metrics "
		"that kernsift reads; record the section SpeedOfLight (`ncu "
		"--set basic`)" },
	{ DETAILS GEMM("0", "Made Up", "%", "5"),
		"'a.csv': the table of Nsight Compute has none of the metrics "
		"that kernsift reads; record the section SpeedOfLight (`ncu "
		"--set basic`)" },
};

static void files_that_are_no_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct read r;
		read_files(&r, &refused[i].file, 1);
		assert_false(r.ok);
		if (refused[i].want)
			assert_string_equal(r.err.text, refused[i].want);
		assert_true(r.err.text[0]);
		arena_release(&r.arena);
	}
}

/* Figures of one kernel in two files are means over the launches of both. */
static void two_files(void **state)
{
	(void)state;
	static const char *const files[] = { DETAILS GEMM("0", "L2 Hit Rate",
						     "%", "10"),
		DETAILS GEMM("0", "L2 Hit Rate", "%", "30")
			GEMM("0", "Duration", "ns", "5") };
	struct read r;
	read_files(&r, files, 2);
	assert_true(r.ok);
	assert_string_equal(r.text,
		"gemm 8,1,1 128,1,1 x2 duration_ns=5 l2_hit_pct=20");
	arena_release(&r.arena);
}

/* A file with more kernels than a run may have is refused, and nothing of it is
 * dropped silently. */
static void too_many_kernels(void **state)
{
	(void)state;
	size_t room = 400 * (NCU_PROFILES_MAX + 2), at = 0;
	char *text = malloc(room);
	assert_non_null(text);
	at += (size_t)snprintf(text, room, "%s", DETAILS);
	for (int i = 0; i <= NCU_PROFILES_MAX; i++)
		at += (size_t)snprintf(text + at, room - at,
			ROW("%d", "f%d", "(1, 1, 1)", "(1, 1, 1)",
				"L2 Hit Rate", "%%", "5"),
			i, i);
	struct read r;
	const char *file = text;
	read_files(&r, &file, 1);
	assert_false(r.ok);
	assert_string_equal(r.err.text,
		"'a.csv': it has more than 2000 different kernels, grids and "
		"blocks; profile fewer of them (ncu --kernel-name, "
		"--launch-count)");
	arena_release(&r.arena);
	free(text);
}

static void headings(void **state)
{
	(void)state;
	assert_true(ncu_table_is_heading(DETAILS, strlen(DETAILS) - 1));
	assert_true(ncu_table_is_heading(RAW(SM), strlen(RAW(SM)) - 1));
	assert_false(ncu_table_is_heading("", 0));
	assert_false(ncu_table_is_heading("\"ID\",", 5));
	assert_false(ncu_table_is_heading("Time (%),Total Time (ns)", 24));
}

static void reasons_have_sentences(void **state)
{
	(void)state;
	for (int r = 0; r < STALL_REASONS; r++) {
		enum stall_reason is = (enum stall_reason)r;
		const char *text = stall_reason_text(is);
		assert_int_equal(text[strlen(text) - 1], '.');
		assert_int_equal(!*stall_reason_advice(is),
			is == STALL_selected);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables),
		cmocka_unit_test(files_that_are_no_table),
		cmocka_unit_test(two_files),
		cmocka_unit_test(too_many_kernels),
		cmocka_unit_test(headings),
		cmocka_unit_test(reasons_have_sentences),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
