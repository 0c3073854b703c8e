/* db_worker_pool.c - tests a worker pool whose workers are processes of this
 * test program.
 *
 * Called as `worker HOW`, the program claims an upload and then ends in the
 * way that HOW names, or it runs as a real worker. */
#include "fixture.h"
#include "worker_pool.h"
#include <stdlib.h>
#include <time.h>

static const struct worker_options options = {
	.conninfo = "",
	.workers = 2,
	.lease_s = 30,
	.cpu_s = 600,
	.memory_bytes = INT64_C(4) << 30,
	.limits = { .decode = { .plain_bytes = 1 << 30, .ratio = 200 },
		.arena_bytes = 64 << 20 },
	.objects = { "", "", "", "", "", "" },
};

/* The pool looks three times per lease, on a busy machine later. */
enum { SHORT_LEASE_S = 2 };

/* A worker that claims all uploads and ends in the given way. */
static int end_badly(const char *how)
{
	const int lease_s = strcmp(how, "busy") && strcmp(how, "hangs")
				    ? 30
				    : SHORT_LEASE_S;
	struct err e = { 0 };
	struct claim c = { 0 };
	char name[WORKER_NAME];
	struct db *db = db_new("", &e);
	worker_name(getpid(), getenv(WORKER_POOL_WORD), name);
	if (!db)
		return 9;
	/* The uploads that its predecessor held may not be queued again yet. */
	while (!c.upload) {
		if (!upload_claim(db, name, lease_s, &c, &e))
			return 9;
		nanosleep(&(struct timespec){ 0, 10000000 }, NULL);
	}
	if (!strcmp(how, "busy") || !strcmp(how, "hangs")) {
		/* No step for longer than a lease, with or without the processor. */
		struct timespec used = { 0 };
		while (!strcmp(how, "busy") && used.tv_sec <= SHORT_LEASE_S)
			clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
		if (!strcmp(how, "hangs"))
			nanosleep(&(struct timespec){ 2 * SHORT_LEASE_S + 1,
					  0 },
				NULL);
		if (!upload_fail(db, &c,
			    &(struct err){ ERR_TOO_LARGE, "it took long" }, &e))
			fprintf(stderr, "worker %s: %s\n", how, e.text);
		pause();
	}
	if (!strcmp(how, "kill"))
		raise(SIGKILL);
	if (!strcmp(how, "cpu"))
		raise(SIGXCPU);
	if (!strcmp(how, "pipe"))
		raise(SIGPIPE);
	db_free(db);
	return 3;
}

/* Supervises the pool until the upload is done or failed. */
static struct fixture_row ended(struct db *db, struct worker_pool *c,
	int64_t upload)
{
	struct fixture_row r = { 0 };
	for (int i = 0; i < 10000; i++) {
		worker_pool_supervise(c);
		r = fixture_row(db, upload);
		if (!strcmp(r.state, "done") || !strcmp(r.state, "failed"))
			return r;
		nanosleep(&(struct timespec){ 0, 20000000 }, NULL);
	}
	fail_msg("upload %lld is still %s", (long long)upload, r.state);
	return r;
}

static void ends_of(const struct worker_options *o, const char *how, int tries,
	const char *sentence)
{
	char self[] = "kernsiftd", word[] = "worker", mode[16];
	char *argv[] = { self, word, mode, NULL };
	struct worker_pool *c = NULL;
	struct db *db = fixture_db();
	snprintf(mode, sizeof mode, "%s", how);
	int64_t id = fixture_upload(db, how, fixture_trace, UPLOAD_CHUNK);
	works((c = worker_pool_new(o, argv, &err)));
	struct fixture_row r = ended(db, c, id);
	assert_string_equal(r.state, "failed");
	assert_string_equal(r.error, sentence);
	assert_int_equal(r.tries, tries);
	worker_pool_free(c);
	db_free(db);
}

static void ends(const char *how, int tries, const char *sentence)
{
	ends_of(&options, how, tries, sentence);
}

/* The pool renews the lease of a worker that only computes. The upload of a worker
 * that sleeps is queued again for the other one, which is the second try. */
static void a_lease_lasts_while_the_worker_computes(void **state)
{
	struct worker_options o = options;
	(void)state;
	o.lease_s = SHORT_LEASE_S;
	ends_of(&o, "busy", 1, "it took long");
}

static void a_lease_ends_while_the_worker_hangs(void **state)
{
	struct worker_options o = options;
	(void)state;
	o.lease_s = SHORT_LEASE_S;
	ends_of(&o, "hangs", 2, "it took long");
}

static void killed_three_times(void **state)
{
	(void)state;
	ends("kill", 3,
		"the ingest was ended by SIGKILL, as the system does where "
		"memory runs out; see --ingest-mib");
}

static void out_of_cpu_once_is_enough(void **state)
{
	(void)state;
	ends("cpu", 1,
		"the ingest took more than 600 s of CPU time and was ended; "
		"see --ingest-cpu-s");
}

static void another_signal_three_times(void **state)
{
	(void)state;
	ends("pipe", 3, "the ingest was ended by SIGPIPE");
}

static void a_status_three_times(void **state)
{
	(void)state;
	ends("exit", 3, "the ingest ended with status 3");
}

static void real_workers_do_their_work(void **state)
{
	char self[] = "kernsiftd", word[] = "worker", mode[] = "real";
	char *argv[] = { self, word, mode, NULL };
	struct worker_pool *c = NULL;
	struct db *db = fixture_db();
	(void)state;
	works((c = worker_pool_new(&options, argv, &err)));
	/* Uploads that arrive later, with a notification, are ingested, too. */
	for (int i = 0; i < 3; i++) {
		char name[32];
		snprintf(name, sizeof name, "real %d", i);
		int64_t id =
			fixture_upload(db, name, fixture_trace, UPLOAD_CHUNK);
		assert_string_equal(ended(db, c, id).state, "done");
	}
	/* Workers react to SIGTERM while they wait; a worker that must be
	 * killed would be logged. */
	FILE *log = tmpfile();
	assert_non_null(log);
	int kept = dup(STDERR_FILENO);
	dup2(fileno(log), STDERR_FILENO);
	worker_pool_free(c);
	dup2(kept, STDERR_FILENO);
	close(kept);
	assert_int_equal(lseek(fileno(log), 0, SEEK_END), 0);
	fclose(log);
	db_free(db);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[2], "real"))
		return worker_main(&options);
	if (argc == 3)
		return end_badly(argv[2]);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(killed_three_times),
		cmocka_unit_test(out_of_cpu_once_is_enough),
		cmocka_unit_test(another_signal_three_times),
		cmocka_unit_test(a_status_three_times),
		cmocka_unit_test(a_lease_lasts_while_the_worker_computes),
		cmocka_unit_test(a_lease_ends_while_the_worker_hangs),
		cmocka_unit_test(real_workers_do_their_work),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
