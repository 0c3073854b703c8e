/* test_raw.c - tests that the buffers in a raw file are read again and that
 * their names get new numbers. */
#include "../../collector/raw_read.h"
#include "clock.h"
#include "intake_rig.h"
#include "raw.h"
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_raw.XXXXXX";

static const char *env(void *ctx, const char *name)
{
	const char *const *pair = ctx;
	for (; *pair; pair += 2)
		if (!strcmp(*pair, name))
			return pair[1];
	return NULL;
}

static void complain(void *ctx, const char *sentence)
{
	(void)ctx;
	fail_msg("%s", sentence);
}

static struct collector_options options_of(const char **pairs)
{
	struct collector_options o;
	options_init(&o, env, complain, pairs);
	return o;
}

/* Finds the only file of the folder; returns the number of files. */
static int dumped(char path[static 512])
{
	DIR *dir = opendir(folder);
	struct dirent *d;
	int n = 0;
	while (dir && (d = readdir(dir)))
		if (strstr(d->d_name, ".raw")) {
			snprintf(path, 512, "%s/%s", folder, d->d_name);
			n++;
		}
	if (dir)
		closedir(dir);
	return n;
}

static int make(void **state)
{
	(void)state;
	strcpy(strrchr(folder, '.'), ".XXXXXX");
	return mkdtemp(folder) ? 0 : -1;
}

static int clear(void **state)
{
	char path[512];
	(void)state;
	while (dumped(path))
		unlink(path);
	return rmdir(folder);
}

static void a_dump_is_read_again(void **state)
{
	static const char *const names[] = { "sgemm", "a name\nof two lines",
		"sgemm" };
	const char *pairs[] = { "KERNSIFT_TRACE_RAW", folder, NULL };
	struct collector_options o = options_of(pairs);
	struct raw_read *in = malloc(sizeof *in);
	struct kernel_names *other = names_new();
	struct rig r;
	struct intake_buffer b;
	char path[512];
	struct stat st;
	(void)state;
	rig_open(&r, 24, 4 * MIB);
	struct raw *out = raw_new(&o, &r.layout, r.names);
	assert_non_null(out);
	for (int i = 0; i < 3; i++)
		rig_hand(&r, i + 1, names[i]);
	int64_t moments[3];
	for (int i = 0; intake_next(r.intake, &b); i++) {
		moments[i] = b.at_ns;
		raw_buffer(out, &b);
		intake_done(r.intake, &b);
	}
	raw_free(out);

	assert_int_equal(dumped(path), 1);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	names_pin(other, "one that is there before");
	assert_true(raw_read_open(in, path, other));
	assert_int_equal(in->layout.version, 24);
	assert_memory_equal(in->layout.size, r.layout.size,
		sizeof r.layout.size);
	for (int i = 0; i < 3; i++) {
		struct record record = { .at = NULL };
		size_t unreadable, len;
		int n = 0;
		assert_true(raw_read_next(in, &b));
		assert_int_equal(b.valid, (i + 1) * 208);
		assert_int_equal(b.thread, gettid());
		assert_int_equal(b.at_ns, moments[i]);
		while (records_next(&in->layout, b.bytes, b.valid, &record,
			&unreadable)) {
			uint64_t id = *record_name(&record);
			assert_int_equal(id, i % 2 ? 3 : 2);
			assert_string_equal(names_text(other, (uint32_t)id,
						    &len),
				names[i]);
			n++;
		}
		assert_int_equal(n, i + 1);
	}
	assert_false(raw_read_next(in, &b));
	assert_true(feof(in->file));
	raw_read_close(in);
	free(in);
	names_free(other);
	rig_close(&r);
	options_release(&o);
}

/* Returns the number of the next file. */
static int next_fd(void)
{
	int fd = dup(0);
	assert_true(fd >= 0);
	close(fd);
	return fd;
}

/* The host closes all descriptors and opens a file under the same number. */
static void closed_by_the_host(void **state)
{
	const char *pairs[] = { "KERNSIFT_TRACE_RAW", folder, NULL };
	struct collector_options o = options_of(pairs);
	FILE *theirs = tmpfile();
	struct rig r;
	struct intake_buffer b;
	char path[512];
	struct stat st;
	(void)state;
	assert_non_null(theirs);
	rig_open(&r, 24, 4 * MIB);
	struct raw *out = raw_new(&o, &r.layout, r.names);
	int fds[2];
	for (int i = 0; i < 2; i++) {
		fds[i] = next_fd();
		rig_hand(&r, i + 1, "sgemm");
		assert_true(intake_next(r.intake, &b));
		raw_buffer(out, &b);
		intake_done(r.intake, &b);
		assert_int_equal(dup2(fileno(theirs), fds[i]), fds[i]);
	}
	raw_free(out);
	assert_int_equal(fstat(fileno(theirs), &st), 0);
	assert_int_equal(st.st_size, 0);
	assert_int_equal(close(fds[0]), 0);
	assert_int_equal(close(fds[1]), 0);
	fclose(theirs);

	/* Each file can be read: it has a head and the name. */
	assert_int_equal(dumped(path), 2);
	for (int i = 0; i < 2; i++) {
		struct raw_read *in = malloc(sizeof *in);
		struct kernel_names *names = names_new();
		size_t len;
		dumped(path);
		assert_true(raw_read_open(in, path, names));
		assert_true(raw_read_next(in, &b));
		assert_string_equal(names_text(names, 1, &len), "sgemm");
		assert_false(raw_read_next(in, &b));
		raw_read_close(in);
		free(in);
		names_free(names);
		unlink(path);
	}
	rig_close(&r);
	options_release(&o);
}

static void none_is_written(void **state)
{
	const char *unwanted[] = { NULL };
	const char *redacted[] = { "KERNSIFT_TRACE_RAW", folder,
		"KERNSIFT_TRACE_HASH", "secret", NULL };
	const char **cases[] = { unwanted, redacted };
	char path[512];
	struct rig r;
	(void)state;
	rig_open(&r, 24, MIB);
	for (int i = 0; i < 2; i++) {
		struct collector_options o = options_of(cases[i]);
		assert_null(raw_new(&o, &r.layout, r.names));
		options_release(&o);
	}
	raw_buffer(NULL, NULL);
	raw_free(NULL);
	assert_int_equal(dumped(path), 0);
	rig_close(&r);
}

/* A folder that cannot be created: the collector continues without. */
static void the_folder_cannot_be_created(void **state)
{
	const char *pairs[] = { "KERNSIFT_TRACE_RAW", "/proc/nowhere", NULL };
	struct collector_options o = options_of(pairs);
	struct rig r;
	struct intake_buffer b;
	(void)state;
	rig_open(&r, 24, MIB);
	struct raw *out = raw_new(&o, &r.layout, r.names);
	rig_hand(&r, 1, "a");
	assert_true(intake_next(r.intake, &b));
	raw_buffer(out, &b);
	raw_free(out);
	rig_close(&r);
	options_release(&o);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_dump_is_read_again, make,
			clear),
		cmocka_unit_test_setup_teardown(closed_by_the_host, make,
			clear),
		cmocka_unit_test_setup_teardown(none_is_written, make, clear),
		cmocka_unit_test(the_folder_cannot_be_created),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
