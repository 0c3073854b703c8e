/* test_tail.c - a writer is stopped at any moment: each accepted row is in the
 * capture or in its tail, exactly once. */
#include "stopped.h"
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

/* Tails of several sizes: some are never emptied, some very often. */
static void stopped_between_rows(void **state)
{
	static const size_t sizes[] = { 512, 1 << 12, 1 << 20 };
	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		for (int turns = 0; turns < 12; turns++) {
			struct stopped s;
			struct kst_merged m;
			stopped_init(&s, sizes[i], 0);
			for (int t = 0; t < turns; t++)
				give(s.w, t, &s.given);
			picture(&s, s.part.len);
			struct reading want = undisturbed(turns);
			struct reading got =
				merged(&s.at_stop, &s.tail_at_stop, &m);
			assert_string_equal(got.text, want.text);
			assert_true(reading_whole(&got));
			assert_true(m.whole);
			assert_int_equal(m.damaged, 0);
			assert_int_equal(m.rows + m.tail_rows, s.given);
			reading_free(&want);
			reading_free(&got);
			stopped_release(&s);
		}
}

/* Stopped in each write: half of the write is in the file, and the row that
 * caused it may be missing. */
static void stopped_in_each_write(void **state)
{
	struct reading want = undisturbed(6);
	int pictures = 0;
	bool more = true;
	(void)state;
	for (int stop = 4; more; stop++) {
		struct stopped s;
		struct kst_merged m;
		stopped_init(&s, TAIL, stop);
		for (int t = 0; t < 6; t++)
			give(s.w, t, &s.given);
		assert_true(kst_writer_end(s.w));
		more = s.at_stop.at;
		pictures += more;
		struct reading got = { 0 };
		if (more) {
			got = merged(&s.at_stop, &s.tail_at_stop, &m);
			assert_true(reading_whole(&got));
			assert_true(m.whole);
			assert_in_range(rows_read(&got), s.given_at_stop,
				s.given_at_stop + 1);
			assert_true(part_of(got.text, want.text));
		}
		reading_free(&got);
		stopped_release(&s);
	}
	assert_true(pictures > 100);
	reading_free(&want);
}

/* Texts that are too long for a tail are written to a chunk immediately. */
static void text_larger_than_the_tail(void **state)
{
	static char large[3 * TAIL];
	struct stopped s;
	struct kst_merged m;
	(void)state;
	memset(large, 'x', sizeof large);
	stopped_init(&s, TAIL, 0);
	int64_t id = kst_writer_text(s.w, large, sizeof large);
	assert_true(id > 0);
	assert_true(kst_writer_op(s.w, &(struct kst_op){ .name = id }));
	picture(&s, s.part.len);
	struct reading got = merged(&s.at_stop, &s.tail_at_stop, &m);
	assert_true(reading_whole(&got) && m.whole);
	assert_non_null(strstr(got.text, "xxxx/12288/"));
	reading_free(&got);
	stopped_release(&s);
}

/* A file of another user, and links to it at the paths of a merge. */
static void planted_links(void **state)
{
	static const char *const links[] = { "m.kst.merging", "m.kst" };
	struct stopped s;
	struct kst_merged m;
	struct stat st;
	char sentence[256], want[256];
	struct bytes other = bytes_new();
	(void)state;
	bytes_add(&other, "another owner's", 15);
	file_write("other", &other, other.len);
	left_behind(&s);
	for (int i = 0; i < 2; i++) {
		unlink(path_of("m.kst"));
		file_write("m.part", &s.at_stop, s.at_stop.len);
		file_write("m.tail", &s.tail_at_stop, s.tail_at_stop.len);
		assert_int_equal(symlink(path_of("other"), path_of(links[i])),
			0);
		assert_true(kst_tail_merge(path_of("m.part"), path_of("m.tail"),
			path_of("m.kst"), &m, sentence));
		assert_true(m.whole);
		assert_int_equal(lstat(path_of("m.kst"), &st), 0);
		assert_true(S_ISREG(st.st_mode));
		assert_int_equal(st.st_mode & 07777, 0600);
		struct bytes is = file_read("other");
		assert_int_equal(is.len, 15);
		assert_memory_equal(is.at, other.at, 15);
		free(is.at);
	}
	/* A link is not followed, neither as the tail nor as the capture. */
	assert_int_equal(rename(path_of("m.tail"), path_of("other")), 0);
	assert_int_equal(symlink(path_of("other"), path_of("m.tail")), 0);
	assert_true(kst_tail_merge(path_of("m.part"), path_of("m.tail"),
		path_of("m.kst"), &m, sentence));
	assert_false(m.whole);
	assert_int_equal(m.tail_rows, 0);
	assert_int_equal(rename(path_of("m.part"), path_of("other")), 0);
	assert_int_equal(symlink(path_of("other"), path_of("m.part")), 0);
	assert_false(kst_tail_merge(path_of("m.part"), NULL, path_of("m.kst"),
		&m, sentence));
	snprintf(want, sizeof want,
		"'%s' cannot be opened: Too many levels of symbolic links",
		path_of("m.part"));
	assert_string_equal(sentence, want);
	assert_false(kst_part_in_use(path_of("m.part")));
	unlink(path_of("m.part"));
	unlink(path_of("m.tail"));
	free(other.at);
	stopped_release(&s);
}

/* Runs in a separate child: F_GETLK fails from now on. */
static void locks_unsupported(void)
{
	struct sock_filter f[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_fcntl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
			offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_GETLK, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOLCK),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog p = { sizeof f / sizeof *f, f };
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p))
		_exit(2);
}

static void in_use_if_locks_are_unsupported(void **state)
{
	struct bytes b = bytes_new();
	int status;
	(void)state;
	bytes_add(&b, "part", 4);
	file_write("m.part", &b, b.len);
	assert_false(kst_part_in_use(path_of("m.part")));
	pid_t child = fork();
	if (child == 0) {
		locks_unsupported();
		_exit(!kst_part_in_use(path_of("m.part")));
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	free(b.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stopped_between_rows),
		cmocka_unit_test(stopped_in_each_write),
		cmocka_unit_test(text_larger_than_the_tail),
		cmocka_unit_test(planted_links),
		cmocka_unit_test(in_use_if_locks_are_unsupported),
	};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
