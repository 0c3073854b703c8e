/* test_host.c - compares values from files of /proc with values computed by
 * hand. */
#include "host.h"
#include "proc_folder.h"
#include "sampled.h"
#include <sys/statvfs.h>

struct world {
	struct proc_folder f;
	struct sampled s;
	struct host h;
};

static int start(void **state)
{
	static struct world w;
	proc_folder_make(&w.f);
	sampled_init(&w.s);
	*state = &w;
	return 0;
}

static int stop(void **state)
{
	struct world *w = *state;
	host_release(&w->h);
	samples_free(w->s.ring);
	proc_folder_remove(&w->f, "");
	return 0;
}

static void open_host(struct world *w)
{
	char sys[96];
	snprintf(sys, sizeof sys, "%s/sys", w->f.at);
	host_init(&w->h, w->f.at, sys, w->s.ring);
}

static void turn(struct world *w, int64_t ns, enum host_edge edge)
{
	sampled_pass(&w->s, ns);
	host_round(&w->h, edge);
	sampled_take(&w->s);
}

static void self_stat(struct world *w, int user, int system)
{
	proc_folder_write(&w->f, "self/stat",
		"7 (py) (x 1 2) S 1 7 7 0 -1 4194560 900 0 3 0 %d %d 5 6 20 0 "
		"40 0 123 456 789\n",
		user, system);
}

/* A tick is a hundredth of a second. The process used 30 + 15 ticks in 0.5 s:
 * 90 %. The host had 400 ticks: 100 idle, 60 waiting for a disk. So 60 % were
 * used. */
static void test_cpu(void **state)
{
	struct world *w = *state;
	assert_int_equal(sysconf(_SC_CLK_TCK), 100);
	self_stat(w, 1000, 500);
	proc_folder_write(&w->f, "stat",
		"cpu  100 0 50 1000 10 0 0 0 0 0\ncpu0 1 1 1 1\n");
	open_host(w);
	turn(w, 0, HOST_BEGIN);
	assert_not_sampled(&w->s, process_cpu_usage, -1);
	assert_not_sampled(&w->s, host_cpu_usage, -1);
	self_stat(w, 1030, 515);
	proc_folder_write(&w->f, "stat",
		"cpu  260 10 90 1100 70 10 15 5 0 0\ncpu0 1 1 1 1\n");
	turn(w, 500000000, HOST_WITHIN);
	assert_sampled(&w->s, process_cpu_usage, -1, 90);
	assert_sampled(&w->s, host_cpu_usage, -1, 60);
	/* a window later: rates start again */
	self_stat(w, 9000, 515);
	turn(w, 60000000000, HOST_BEGIN);
	assert_not_sampled(&w->s, process_cpu_usage, -1);
	assert_not_sampled(&w->s, host_cpu_usage, -1);
}

/* sda was busy for 150 of 500 ms and its partition for less. The loop device
 * was busy for more, but is not a disk. A disk that is added later has no
 * share yet. */
static void test_disks(void **state)
{
	struct world *w = *state;
	proc_folder_write(&w->f, "diskstats",
		"   7       0 loop0 1 0 1 1 0 0 0 0 0 100 1 0 0\n"
		"   8       0 sda 1 0 1 1 0 0 0 0 0 2000 1 0 0\n"
		"   8       1 sda1 1 0 1 1 0 0 0 0 0 1500 1 0 0\n");
	proc_folder_write(&w->f, "self/io",
		"rchar: 9\nwchar: 9\nread_bytes: 4096\nwrite_bytes: 0\n"
		"cancelled_write_bytes: 5\n");
	open_host(w);
	turn(w, 0, HOST_BEGIN);
	assert_not_sampled(&w->s, disk_busy, -1);
	proc_folder_write(&w->f, "diskstats",
		"   7       0 loop0 1 0 1 1 0 0 0 0 0 600 1 0 0\n"
		"   8       0 sda 1 0 1 1 0 0 0 0 0 2150 1 0 0\n"
		"   8       1 sda1 1 0 1 1 0 0 0 0 0 1600 1 0 0\n"
		" 259       0 nvme0n1 1 0 1 1 0 0 0 0 0 9999 1 0 0\n");
	proc_folder_write(&w->f, "self/io",
		"rchar: 9\nwchar: 9\nread_bytes: 8192\nwrite_bytes: 1024\n"
		"cancelled_write_bytes: 5\n");
	turn(w, 500000000, HOST_WITHIN);
	assert_sampled(&w->s, disk_busy, -1, 30);
	assert_sampled(&w->s, process_disk_read, -1, 8192);
	assert_sampled(&w->s, process_disk_write, -1, 2048);
}

/* Read once a second: totals of threads, CPU frequency, root file system. */
static void test_each_second(void **state)
{
	struct world *w = *state;
	struct statvfs v;
	proc_folder_write(&w->f, "self/task/9/schedstat", "700 40 3\n");
	proc_folder_write(&w->f, "cpuinfo",
		"processor\t: 0\nmodel name\t: A CPU @ 2 GHz\ncpu MHz\t\t: "
		"2000.250\n\nprocessor\t: 1\ncpu MHz\t\t: 3000\n");
	open_host(w);
	assert_string_equal(w->h.model, "A CPU @ 2 GHz");
	turn(w, 0, HOST_BEGIN);
	assert_sampled(&w->s, oncpu, -1, 0);
	assert_sampled(&w->s, runq, -1, 0);
	assert_sampled(&w->s, cpu_frequency, -1, 2500.125);
	assert_int_equal(statvfs("/", &v), 0);
	assert_non_null(sampled_find(&w->s, COUNTER_disk_usage, -1));
	proc_folder_write(&w->f, "self/task/9/schedstat", "900 41 3\n");
	turn(w, 500000000, HOST_WITHIN);
	assert_not_sampled(&w->s, oncpu, -1);
	assert_not_sampled(&w->s, cpu_frequency, -1);
	turn(w, 500000000, HOST_WITHIN);
	assert_sampled(&w->s, oncpu, -1, 200);
	assert_sampled(&w->s, runq, -1, 1);
	/* the end of a window reads only totals, at any time */
	proc_folder_write(&w->f, "self/task/9/schedstat", "950 44 3\n");
	turn(w, 1000000, HOST_END);
	assert_int_equal(w->s.n, 2);
	assert_sampled(&w->s, oncpu, -1, 250);
	assert_sampled(&w->s, runq, -1, 4);
	/* totals continue in the next window: threads ran between the
	 * windows */
	proc_folder_write(&w->f, "self/task/9/schedstat", "1950 44 3\n");
	turn(w, 90000000000, HOST_BEGIN);
	assert_sampled(&w->s, oncpu, -1, 1250);
}

/* scaling_cur_freq is in kHz, and is used before /proc/cpuinfo. */
static void test_scaling(void **state)
{
	struct world *w = *state;
	proc_folder_write(&w->f, "cpuinfo", "cpu MHz\t\t: 1\n");
	for (int i = 0; i < 1024; i++) {
		char name[96];
		snprintf(name, sizeof name,
			"sys/devices/system/cpu/cpu%d/cpufreq/scaling_cur_freq",
			i);
		proc_folder_write(&w->f, name, "1800500\n");
	}
	open_host(w);
	assert_in_range(w->h.cpus, 1, HOST_CPUS);
	turn(w, 0, HOST_BEGIN);
	assert_sampled(&w->s, cpu_frequency, -1, 1800.5);
}

/* Missing and invalid files produce no samples and no errors. */
static void test_nothing(void **state)
{
	struct world *w = *state;
	static const char *const names[] = { "self/stat", "stat", "diskstats",
		"self/io", "cpuinfo" };
	static const char *const texts[] = { "", "\n\n\n", ")", "cpu", "1 2\n",
		"cpu 99999999999999999999999 x\n", "8 0 sda\n8 0\n",
		"read_bytes:\nwrite_bytes: -\n", "cpu MHz\nmodel name" };
	struct host none;
	host_init(&none, "/nonexistent", "/nonexistent", w->s.ring);
	host_round(&none, HOST_BEGIN);
	host_round(&none, HOST_WITHIN);
	host_round(&none, HOST_END);
	host_release(&none);
	sampled_take(&w->s);
	for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
		for (size_t i = 0; i < sizeof names / sizeof *names; i++)
			proc_folder_write(&w->f, names[i], "%s", texts[t]);
		if (t)
			host_release(&w->h);
		open_host(w);
		turn(w, 1000000, HOST_BEGIN);
		assert_int_equal(w->s.n, 1);
		assert_int_equal(w->s.got[0].counter, COUNTER_disk_usage);
		turn(w, 1000000, HOST_WITHIN);
		assert_int_equal(w->s.n, 0);
	}
}

/* The real /proc of this machine: values are plausible. */
static void test_real(void **state)
{
	struct world *w = *state;
	host_init(&w->h, "/proc", "/sys", w->s.ring);
	turn(w, 0, HOST_BEGIN);
	const struct sample *x = sampled_find(&w->s, COUNTER_oncpu, -1);
	assert_true(!x || x->value == 0);
	turn(w, 1000000000, HOST_WITHIN);
	x = sampled_find(&w->s, COUNTER_process_cpu_usage, -1);
	assert_non_null(x);
	assert_true(x->value >= 0);
	x = sampled_find(&w->s, COUNTER_host_cpu_usage, -1);
	assert_true(!x || (x->value >= 0 && x->value <= 100));
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(test_cpu),
		TEST(test_disks),
		TEST(test_each_second),
		TEST(test_scaling),
		TEST(test_nothing),
		TEST(test_real),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
