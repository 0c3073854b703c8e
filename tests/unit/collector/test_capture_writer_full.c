/* test_capture_writer_full.c - tests full disks and limits: each row must be
 * in a file or be counted. */
#include "filled.h"
#include <kernsift/kst_tail.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>

enum { SKIPPED = 77 };

/* Rows of a capture that may lack a chunk. */
static int64_t ranges_of(const char *path)
{
	FILE *f = fopen(path, "r");
	struct kst_chunk c;
	int64_t rows = 0;
	assert_non_null(f);
	struct kst_reader *r = kst_reader_new(spooled_read, f, NULL);
	while (kst_reader_next(r, &c) == KST_CHUNK)
		rows += c.kind == KST_range ? c.rows : 0;
	kst_reader_free(r);
	fclose(f);
	return rows;
}

/* Completes an unfinished capture next to the folder, and counts its rows. */
static void sum_up_part(void *ctx, const char *name, const char *path)
{
	struct sum *sum = ctx;
	size_t len = strlen(name);
	char tail[600], sentence[256] = "";
	struct kst_merged m;
	char out[64];
	if (len < 5 || strcmp(name + len - 5, ".part"))
		return;
	snprintf(out, sizeof out, "/tmp/spooled-whole-%d.kst", getpid());
	snprintf(tail, sizeof tail, "%.*stail", (int)strlen(path) - 4, path);
	bool has = access(tail, F_OK) == 0;
	if (!kst_tail_merge(path, has ? tail : NULL, out, &m, sentence))
		fail_msg("%s", sentence);
	/* Without a tail it may end within a chunk; that chunk has no rows. */
	assert_in_range(m.damaged, 0, has ? 0 : 1);
	assert_int_equal(m.whole, has);
	sum->rows += ranges_of(out);
	sum->files++;
	assert_int_equal(unlink(out), 0);
}

/* Rows that are not records are not counted. */
static void tell_other_things(struct capture_writer *s)
{
	int64_t now = clock_real_ns();
	capture_writer_row(s, KST_process, &(struct kst_process){ .pid = 1 });
	capture_writer_row(s, KST_device, &(struct kst_device){ .number = 0 });
	capture_writer_row(s, KST_clock,
		&(struct kst_clock){ .start_ns = now });
	capture_writer_row(s, KST_drop, &(struct kst_drop){ .start_ns = now });
	capture_writer_row(s, KST_counter,
		&(struct kst_counter){ .start_ns = now, .value = 1.5 });
	capture_writer_row(s, KST_node, &(struct kst_node){ .node = now });
	capture_writer_facts(s,
		&(struct capture_writer_facts){ 130001, 13000, "node" });
	capture_writer_note(s, "clock_set", 1, "twice");
}

/* Fills a small disk. After that each record must be in one of the files or be
 * counted as dropped. */
static void fill(const struct spooled *d, bool tail)
{
	struct sum sum = { 0, 0 };
	struct capture_writer *s = capture_writer_new(&d->options);
	int64_t now = clock_real_ns(), given = 0;
	assert_non_null(s);
	for (int64_t turn = 1; turn; turn++) {
		tell_other_things(s);
		int64_t kept = give_until_refused(s, 1000);
		given += kept;
		if (kept < 1000)
			break;
		tell_other_things(s);
		capture_writer_beat(s, now += 2000000000, false);
		assert_true(turn < 10000);
	}
	int64_t refused = 1;
	assert_int_equal(spooled_count(d, ".kst.tail").n, tail);
	/* No write is attempted for the rest of the window. */
	refused += 10;
	for (int i = 0; i < 10; i++) {
		tell_other_things(s);
		assert_int_equal(give_until_refused(s, 1), 0);
	}
	spooled_each(d, sum_up, &sum);
	spooled_each(d, sum_up_part, &sum);
	assert_int_equal(sum.files, 1);
	assert_true(given > 1000);
	assert_int_equal(sum.rows + capture_writer_dropped(s), given + refused);
	/* The disk has space again, and the next window begins. */
	struct spooled_ends part = spooled_count(d, ".kst.part");
	assert_int_equal(part.n, 1);
	spooled_each(d, spooled_unlink, NULL);
	capture_writer_beat(s, now, true);
	assert_int_equal(capture_writer_captures(s), 2);
	assert_int_equal(give_until_refused(s, 100), 100);
	assert_int_equal(capture_writer_dropped(s), 0);
	capture_writer_free(s);
	sum = (struct sum){ 0, 0 };
	spooled_each(d, sum_up, &sum);
	assert_int_equal(sum.rows, 100);
}

/* Runs a case in a child, so that limits do not affect other cases; returns
 * the exit status of the child. */
static int in_child(const struct spooled *d, CMUnitTestFunction f,
	bool (*limit)(const struct spooled *d))
{
	int status = 0;
	pid_t child = fork();
	if (child == 0) {
		const struct CMUnitTest tests[] = { { "in a child", f, NULL,
			NULL, (void *)(uintptr_t)d } };
		if (!limit(d))
			_exit(SKIPPED);
		_exit(cmocka_run_group_tests(tests, NULL, NULL));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

/* Mounts a disk of that size on the folder, for this process only. */
static int disk_kib;
static bool disk_small(const struct spooled *d)
{
	char size[32];
	snprintf(size, sizeof size, "size=%dk", disk_kib);
	return (!unshare(CLONE_NEWNS) ||
		       !unshare(CLONE_NEWUSER | CLONE_NEWNS)) &&
	       !mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) &&
	       !mount("none", d->folder, "tmpfs", 0, size);
}

static void fill_with_tail(void **state)
{
	fill(*state, true);
}

static void fill_without_tail(void **state)
{
	fill(*state, false);
}

static void disk_of(int kib, CMUnitTestFunction f)
{
	struct spooled d;
	disk_kib = kib;
	spooled_init(&d, NULL);
	int status = in_child(&d, f, disk_small);
	spooled_release(&d);
	if (status == SKIPPED)
		skip();
	assert_int_equal(status, 0);
}

static void full_disk(void **state)
{
	(void)state;
	disk_of(4096, fill_with_tail);
}

static void disk_too_small_for_a_tail(void **state)
{
	(void)state;
	disk_of(1024, fill_without_tail);
}

static bool unlimited(const struct spooled *d)
{
	(void)d;
	return true;
}

static rlim_t limit_set(rlim_t to)
{
	struct rlimit limit;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	rlim_t was = limit.rlim_cur;
	limit.rlim_cur = to;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	return was;
}

/* The limit is set before the program starts, like `ulimit -f`, or by the
 * program when the file already exists. */
static void limit_reached(const struct spooled *d, bool late)
{
	struct sum sum = { 0, 0 };
	struct capture_writer *s = capture_writer_new(&d->options);
	int64_t given = late ? give_until_refused(s, 1) : 0, kept;
	rlim_t was = limit_set(3 << 20);
	do {
		tell_other_things(s);
		given += kept = give_until_refused(s, 1000);
	} while (kept == 1000);
	limit_set(was);
	spooled_each(d, sum_up_part, &sum);
	assert_int_equal(sum.rows + capture_writer_dropped(s), given + 1);
	assert_true(given > 10000);
	capture_writer_free(s);
}

static void limit_early(void **state)
{
	limit_reached(*state, false);
}

static void limit_late(void **state)
{
	limit_reached(*state, true);
}

static void file_size_limit(void **state)
{
	static CMUnitTestFunction const cases[] = { limit_early, limit_late };
	struct spooled d;
	(void)state;
	for (int i = 0; i < 2; i++) {
		spooled_init(&d, NULL);
		assert_int_equal(in_child(&d, cases[i], unlimited), 0);
		spooled_release(&d);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_disk),
		cmocka_unit_test(disk_too_small_for_a_tail),
		cmocka_unit_test(file_size_limit),
	};
	/* Blocks all signals, as the collector's thread does. */
	signal(SIGXFSZ, SIG_IGN);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
