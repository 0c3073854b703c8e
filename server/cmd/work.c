/* work.c - ingest processes: how they are called, and a crew without a server. */
#include "command.h"
#include "crew.h"
#include "log.h"
#include <signal.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 100 };

/* Beside the trace: libraries, stacks, decompression windows. */
static const int64_t OVERHEAD_BYTES = INT64_C(1) << 30;

static int cores(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set)
							   : 1;
}

struct worker_options command_workers(const struct config *c,
	const char *conninfo)
{
	return (struct worker_options){
		.conninfo = conninfo,
		.workers = c->workers ? c->workers : cores(),
		.nice = c->worker_nice,
		.lease_s = c->lease_s,
		.cpu_s = c->ingest_cpu_s,
		.memory_bytes = ((int64_t)c->ingest_mib << 20) + OVERHEAD_BYTES,
		.limits = {
			.decode = {
				.plain_bytes = (int64_t)c->plain_mib << 20,
				.ratio = c->ratio,
			},
			.arena_bytes = (size_t)c->ingest_mib << 20,
		},
	};
}

char **command_worker_argv(struct arena *a, const struct invocation *in,
	const struct store *s)
{
	char **to = arena_array(a, char *, (size_t)in->argc + 4);
	int n = 0;
	to[n++] = arena_strdup(a, "kernsiftd");
	to[n++] = arena_strdup(a, "worker");
	for (int i = 0; i < in->argc; i++)
		to[n++] = in->argv[i];
	/* The last one given counts. A given one may hold a password, and is
	 * not shown a second time. */
	if (s->cluster)
		to[n++] = arena_printf(a, "--db=%s", s->conninfo);
	return to;
}

int command_worker(const struct invocation *in)
{
	struct worker_options o = command_workers(in->config, in->config->db);
	return worker_main(&o);
}

static void mind(struct crew *crew)
{
	sigset_t set;
	const struct timespec tick = { 0, TICK_MS * 1000000L };
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGCHLD);
	for (;;) {
		int sig = sigtimedwait(&set, NULL, &tick);
		if (sig > 0 && sig != SIGCHLD)
			return;
		crew_tend(crew);
	}
}

int command_work(const struct invocation *in)
{
	struct err e = { 0 };
	struct store s = { 0 };
	struct arena a = { 0 };
	struct crew *crew = NULL;
	struct worker_options o;
	sigset_t all;

	signal(SIGPIPE, SIG_IGN);
	bool ok = command_store(&s, in->config, CLUSTER_ATTACH, &e);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (ok) {
		o = command_workers(in->config, s.conninfo);
		crew = crew_new(&o, command_worker_argv(&a, in, &s), &e);
	}
	if (crew) {
		log_info("work workers=%d", o.workers);
		mind(crew);
	}
	crew_free(crew);
	command_store_release(&s);
	arena_release(&a);
	return e.code ? command_fail(&e) : 0;
}
