/* test_capture_writer_killed.c - a process is killed at a random moment: all
 * rows that the writer accepted are in the files. */
#include "spooled.h"
#include <kernsift/kst_tail.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { KILLS = 100 };

/* Writes rows until it is killed, and reports their number after each. */
static void give_for_ever(const struct spooled *d, _Atomic int64_t *given)
{
	struct capture_writer *s = capture_writer_new(&d->options);
	int64_t start = clock_real_ns();
	char name[64];
	for (int64_t i = 0;; i++) {
		snprintf(name, sizeof name, "kernel %lld", (long long)i / 64);
		struct kst_kernel row = { .start_ns = start + i * 3000,
			.dur_ns = 1000,
			.correlation = i,
			.name = capture_writer_text(s, TEXT_KERNEL, 0, name,
				strlen(name)) };
		if (!capture_writer_row(s, KST_kernel, &row))
			_exit(1);
		*given = i + 1;
		if (i % 5000 == 4999)
			capture_writer_beat(s, clock_real_ns(), false);
	}
}

struct seen {
	int64_t rows, wrong;
};

/* Checks that the rows are in order, each once, with its own name. */
static struct seen read_whole(const char *path)
{
	struct seen seen = { 0, 0 };
	struct kst_chunk c;
	char name[64];
	FILE *f = fopen(path, "r");
	assert_non_null(f);
	struct kst_reader *r = kst_reader_new(spooled_read, f, NULL);
	enum kst_got got;
	while ((got = kst_reader_next(r, &c)) == KST_CHUNK)
		for (uint32_t i = 0; c.kind == KST_kernel && i < c.rows; i++) {
			int64_t n =
				c.column[KST_COLUMN(kernel, correlation)].i[i];
			const char *text = kst_reader_text(r,
				c.column[KST_COLUMN(kernel, name)].i[i], NULL);
			snprintf(name, sizeof name, "kernel %lld",
				(long long)n / 64);
			seen.wrong += n != seen.rows || strcmp(text, name);
			seen.rows++;
		}
	assert_int_equal(got, KST_END);
	assert_false(kst_reader_damage(r)->cut);
	assert_int_equal(kst_reader_damage(r)->damaged, 0);
	kst_reader_free(r);
	fclose(f);
	return seen;
}

static void killed(_Atomic int64_t *given, unsigned after_us)
{
	struct spooled d;
	struct kst_merged m;
	char sentence[256] = "", whole[512];
	spooled_init(&d, NULL);
	*given = 0;
	pid_t child = fork();
	if (child == 0)
		give_for_ever(&d, given);
	while (*given == 0)
		usleep(100);
	struct spooled_ends part = spooled_count(&d, ".kst.part");
	assert_int_equal(part.n, 1);
	assert_true(kst_part_in_use(part.path));
	usleep(after_us);
	assert_int_equal(kill(child, SIGKILL), 0);
	int status = 0;
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_false(kst_part_in_use(part.path));
	struct spooled_ends tail = spooled_count(&d, ".kst.tail");
	assert_int_equal(tail.n, 1);
	snprintf(whole, sizeof whole, "%s/whole.kst", d.folder);
	if (!kst_tail_merge(part.path, tail.path, whole, &m, sentence))
		fail_msg("%s", sentence);
	assert_true(m.whole);
	struct seen seen = read_whole(whole);
	assert_int_equal(seen.wrong, 0);
	assert_in_range(seen.rows, *given, *given + 1);
	spooled_release(&d);
}

static void killed_at_random_moments(void **state)
{
	_Atomic int64_t *given = mmap(NULL, sizeof *given,
		PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	(void)state;
	assert_true(given != MAP_FAILED);
	srand(7);
	for (int i = 0; i < KILLS; i++)
		killed(given, (unsigned)(rand() % 40000));
	munmap((void *)given, sizeof *given);
}

/* A forked child does not write to the capture of its parent. */
static void forked_child_writes_nothing(void **state)
{
	struct spooled d;
	int status;
	(void)state;
	spooled_init(&d, NULL);
	struct capture_writer *s = capture_writer_new(&d.options);
	assert_int_equal(kernels_give(s, 100), 100);
	pid_t child = fork();
	if (child == 0) {
		int kept = kernels_give(s, 100);
		capture_writer_note(s, "clock_set", 1, "no");
		capture_writer_beat(s, clock_real_ns(), false);
		capture_writer_beat(s, clock_real_ns(), true);
		int64_t dropped = capture_writer_dropped(s);
		capture_writer_free(s);
		_exit(kept || dropped ? 1 : 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	assert_int_equal(spooled_count(&d, ".kst.part").n, 1);
	assert_true(kernels_give(s, 50) == 50);
	capture_writer_free(s);
	assert_int_equal(spooled_rows(spooled_count(&d, ".kst").path,
				 KST_kernel, 0, NULL, 0),
		150);
	assert_int_equal(spooled_each(&d, NULL, NULL), 1);
	spooled_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_at_random_moments),
		cmocka_unit_test(forked_child_writes_nothing),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
