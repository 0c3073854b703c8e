/* worker.c - the commands `work`, which runs workers without a server, and
 * `worker`, which is one worker process. */
#include "command.h"
#include "worker_pool.h"
#include "log.h"
#include <sched.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

enum { TICK_MS = 100 };

int command_worker(const struct invocation *in)
{
	struct worker_options o = command_workers(in->config, in->config->db);
	return worker_main(&o);
}

static void worker_wait(struct worker_pool *pool)
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
		worker_pool_supervise(pool);
	}
}

int command_work(const struct invocation *in)
{
	struct err e = { 0 };
	struct store s = { 0 };
	struct arena a = { 0 };
	struct worker_pool *pool = NULL;
	struct worker_options o;
	sigset_t all;

	signal(SIGPIPE, SIG_IGN);
	bool ok = command_store(&s, in->config, CLUSTER_ATTACH, &e);
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	if (ok) {
		o = command_workers(in->config, s.conninfo);
		pool = worker_pool_new(&o, command_worker_argv(&a, in, &s), &e);
	}
	if (pool) {
		log_info("work workers=%d", o.workers);
		worker_wait(pool);
	}
	worker_pool_free(pool);
	command_store_release(&s, false);
	arena_release(&a);
	return e.code ? command_fail(&e) : 0;
}
