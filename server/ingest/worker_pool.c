/* worker_pool.c - starts worker processes, restarts those that die, and reports
 * which uploads they worked on */
#include "worker_pool.h"
#include "clock.h"
#include "log.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	LOSSES = 64,
	BACKOFF_MS = 100,
	BACKOFF_MAX_MS = 2000,
	/* alive this long: the cause of earlier failures is gone */
	STEADY_MS = 1000,
	STOP_MS = 10000,
};

struct worker_slot {
	pid_t pid; /* 0: none */
	uint64_t cpu_ticks; /* used at the last look */
	int64_t started_ms, start_at_ms;
	int backoff_ms;
};

/* Uploads that a dead worker may have held, until the database is updated. */
struct worker_loss {
	char worker[WORKER_NAME];
	char sentence[200];
	int tries; /* tries after which the upload fails */
};

struct worker_pool {
	const struct worker_options *options;
	char *const *argv;
	char **env;
	char env_word[sizeof WORKER_POOL_WORD "=" + 16];
	struct db *db; /* opened when first needed */
	struct worker_loss losses[LOSSES];
	int losses_n;
	int64_t hold_at_ms; /* when leases are renewed next */
	struct worker_slot slots[];
};

static void worker_pool_nap(void)
{
	nanosleep(&(struct timespec){ 0, 20 * 1000000L }, NULL);
}

/* Runs between fork and exec, where only system calls are allowed. */
static _Noreturn void worker_pool_become(const struct worker_pool *c,
	pid_t parent)
{
	sigset_t none;
	sigemptyset(&none);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(0);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve("/proc/self/exe", c->argv, c->env);
	_exit(127);
}

static bool worker_pool_slot_start(struct worker_slot *s,
	const struct worker_pool *c, struct err *e)
{
	pid_t parent = getpid(), pid = fork();
	if (pid < 0)
		return err_set(e, ERR_INTERNAL,
			"an ingest process cannot be started: %s",
			strerror(errno));
	if (pid == 0)
		worker_pool_become(c, parent);
	s->pid = pid;
	s->cpu_ticks = 0;
	s->started_ms = clock_ms();
	return true;
}

/* Why the worker ended, as a sentence for the person who sent the upload. */
static void worker_pool_sentence_from(const struct worker_pool *c, int status,
	char *to, size_t n)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (sig == SIGXCPU)
		snprintf(to, n,
			"the ingest took more than %d s of CPU time and was "
			"ended; see --ingest-cpu-s",
			c->options->cpu_s);
	else if (sig == SIGKILL)
		snprintf(to, n,
			"the ingest was ended by SIGKILL, as the system does "
			"where memory runs out; see --ingest-mib");
	else if (sig)
		snprintf(to, n, "the ingest was ended by SIG%s",
			sigabbrev_np(sig) ? sigabbrev_np(sig) : "?");
	else
		snprintf(to, n, "the ingest ended with status %d",
			WEXITSTATUS(status));
}

/* If the list of losses is full, the loss is dropped; the lease of the upload
 * expires. */
static void worker_pool_lose(struct worker_pool *c, pid_t pid, int status)
{
	struct worker_loss scrap, *l = &scrap;
	if (c->losses_n < LOSSES)
		l = &c->losses[c->losses_n++];
	worker_name(pid, c->env_word + sizeof WORKER_POOL_WORD, l->worker);
	worker_pool_sentence_from(c, status, l->sentence, sizeof l->sentence);
	/* The upload used the CPU time itself, so the next try would use as
	 * much. */
	bool cpu = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
	l->tries = cpu ? 1 : UPLOAD_TRIES;
	log_warn("worker pid=%ld died: %s", (long)pid, l->sentence);
}

static bool worker_pool_connected(struct worker_pool *c)
{
	struct err e = { 0 };
	if (c->db)
		return db_revive(c->db, &e);
	c->db = db_new(c->options->conninfo, &e);
	return c->db != NULL;
}

/* Reports the losses to the database. Losses that cannot be reported now are
 * kept. */
static void worker_pool_losses_tell(struct worker_pool *c)
{
	struct err e = { 0 };
	int reported = 0;
	if (c->losses_n == 0 || !worker_pool_connected(c))
		return;
	while (reported < c->losses_n &&
		upload_abandon(c->db, c->losses[reported].worker,
			c->losses[reported].sentence, c->losses[reported].tries,
			&e))
		reported++;
	c->losses_n -= reported;
	memmove(c->losses, c->losses + reported,
		(size_t)c->losses_n * sizeof *c->losses);
}

/* Whether the slot's process is gone; if so, how it ended. */
static bool worker_pool_slot_reap(struct worker_slot *s, int *status)
{
	if (s->pid == 0 || waitpid(s->pid, status, WNOHANG) != s->pid)
		return false;
	s->pid = 0;
	return true;
}

static void worker_pool_slot_tend(struct worker_pool *c, struct worker_slot *s)
{
	struct err e = { 0 };
	int status;
	pid_t pid = s->pid;
	int64_t now = clock_ms();
	if (worker_pool_slot_reap(s, &status)) {
		worker_pool_lose(c, pid, status);
		if (now - s->started_ms > STEADY_MS)
			s->backoff_ms = 0;
		s->start_at_ms = now + s->backoff_ms;
		s->backoff_ms = s->backoff_ms ? 2 * s->backoff_ms : BACKOFF_MS;
		if (s->backoff_ms > BACKOFF_MAX_MS)
			s->backoff_ms = BACKOFF_MAX_MS;
	}
	if (s->pid == 0 && now >= s->start_at_ms &&
		!worker_pool_slot_start(s, c, &e)) {
		s->start_at_ms = now + BACKOFF_MAX_MS;
		log_error("worker pool: %s", e.text);
	}
}

/* Whether a worker is ready to run or waits for a disk (states R and D of
 * proc_pid_stat(5)), or has used the processor since the last look. */
static bool worker_pool_slot_works(struct worker_slot *s)
{
	char path[64], text[1024] = "", state = 0;
	unsigned long long user = 0, system = 0;
	snprintf(path, sizeof path, "/proc/%ld/stat", (long)s->pid);
	FILE *f = fopen(path, "re");
	if (!f)
		return false;
	size_t n = fread(text, 1, sizeof text - 1, f);
	fclose(f);
	text[n] = '\0';
	/* The name of the process is in parentheses and may contain any byte. */
	const char *at = strrchr(text, ')');
	if (!at || sscanf(at + 1,
			   " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu "
			   "%llu",
			   &state, &user, &system) != 3)
		return false;
	bool works =
		user + system > s->cpu_ticks || state == 'R' || state == 'D';
	s->cpu_ticks = user + system;
	return works && state != 'T' && state != 't';
}

/* Three times per lease: renews the leases of the workers that work. */
static void worker_pool_hold(struct worker_pool *c)
{
	struct err e = { 0 };
	int n = 0, most = c->options->workers;
	int64_t now = clock_ms();
	if (now < c->hold_at_ms)
		return;
	c->hold_at_ms = now + INT64_C(1000) * c->options->lease_s / 3;
	char(*names)[WORKER_NAME] = calloc((size_t)most, sizeof *names);
	const char **list = calloc((size_t)most, sizeof *list);
	for (int i = 0; names && list && i < most; i++) {
		if (!c->slots[i].pid || !worker_pool_slot_works(&c->slots[i]))
			continue;
		worker_name(c->slots[i].pid,
			c->env_word + sizeof WORKER_POOL_WORD, names[n]);
		list[n] = names[n];
		n++;
	}
	if (n && worker_pool_connected(c) &&
		!upload_hold(c->db, list, n, c->options->lease_s, &e))
		log_warn("worker pool: %s", e.text);
	free(list);
	free(names);
}

void worker_pool_supervise(struct worker_pool *c)
{
	for (int i = 0; i < c->options->workers; i++)
		worker_pool_slot_tend(c, &c->slots[i]);
	worker_pool_losses_tell(c);
	worker_pool_hold(c);
}

/* Containers may share a host name and have the same pids. Without a random
 * word, a pool would abandon the uploads of another pool's workers. The word is
 * set in a copy of the environment, because other threads read the
 * environment. */
static bool worker_pool_word_pick(struct worker_pool *c, struct err *e)
{
	uint64_t random;
	size_t n = 0;
	if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
		return err_set(e, ERR_INTERNAL,
			"the system has no random number: %s", strerror(errno));
	snprintf(c->env_word, sizeof c->env_word, WORKER_POOL_WORD "=%016llx",
		(unsigned long long)random);
	while (environ[n])
		n++;
	c->env = calloc(n + 2, sizeof *c->env);
	if (!c->env)
		return err_set(e, ERR_INTERNAL, "the environment is too large");
	c->env[0] = c->env_word; /* of equal names, the first counts */
	memcpy(c->env + 1, environ, n * sizeof *c->env);
	return true;
}

struct worker_pool *worker_pool_new(const struct worker_options *o,
	char *const argv[], struct err *e)
{
	struct worker_pool *c =
		calloc(1, sizeof *c + (size_t)o->workers * sizeof *c->slots);
	if (!c) {
		err_set(e, ERR_INTERNAL, "%d ingest processes are too many",
			o->workers);
		return NULL;
	}
	c->options = o;
	c->argv = argv;
	if (!worker_pool_word_pick(c, e)) {
		worker_pool_free(c);
		return NULL;
	}
	for (int i = 0; i < o->workers; i++)
		if (!worker_pool_slot_start(&c->slots[i], c, e)) {
			worker_pool_free(c);
			return NULL;
		}
	return c;
}

static int worker_pool_alive(struct worker_pool *c)
{
	int n = 0, status;
	for (int i = 0; i < c->options->workers; i++) {
		pid_t pid = c->slots[i].pid;
		if (worker_pool_slot_reap(&c->slots[i], &status)) {
			if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
				worker_pool_lose(c, pid, status);
		}
		n += c->slots[i].pid != 0;
	}
	return n;
}

static void worker_pool_signal_all(struct worker_pool *c, int sig)
{
	for (int i = 0; i < c->options->workers; i++)
		if (c->slots[i].pid)
			kill(c->slots[i].pid, sig);
}

void worker_pool_free(struct worker_pool *c)
{
	if (!c)
		return;
	int64_t until = clock_ms() + STOP_MS;
	worker_pool_signal_all(c, SIGTERM);
	while (worker_pool_alive(c) > 0 && clock_ms() < until)
		worker_pool_nap();
	worker_pool_signal_all(c, SIGKILL);
	while (worker_pool_alive(c) > 0)
		worker_pool_nap();
	worker_pool_losses_tell(c);
	db_free(c->db);
	free(c->env);
	free(c);
}
