/* crew.c - a slot per worker process: alive, or to be started again when. */
#include "crew.h"
#include "log.h"
#include <errno.h>
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
	STEADY_MS = 1000, /* alive this long: whatever it was is over */
	STOP_MS = 10000,
};

struct slot {
	pid_t pid; /* 0: none */
	int64_t started_ms, start_at_ms;
	int backoff_ms;
};

/* What a dead worker may have held, until the database has been told. */
struct loss {
	char worker[WORKER_NAME];
	char sentence[200];
	int tries; /* after which an upload fails so */
};

struct crew {
	const struct worker_options *options;
	char *const *argv;
	char **env;
	char env_word[sizeof WORKER_CREW "=" + 16];
	struct db *db; /* made when first needed */
	struct loss losses[LOSSES];
	int losses_n;
	struct slot slots[];
};

static int64_t now_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ 0, 20 * 1000000L }, NULL);
}

/* Between fork and exec: nothing but system calls. */
static _Noreturn void become(const struct crew *c, pid_t parent)
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

static bool slot_start(struct slot *s, const struct crew *c, struct err *e)
{
	pid_t parent = getpid(), pid = fork();
	if (pid < 0)
		return err_set(e, ERR_INTERNAL,
			"an ingest process cannot be started: %s",
			strerror(errno));
	if (pid == 0)
		become(c, parent);
	s->pid = pid;
	s->started_ms = now_ms();
	return true;
}

/* Why it ended, as the person will read it who sent the upload. */
static void sentence_from(const struct crew *c, int status, char *to, size_t n)
{
	int sig = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
	if (sig == SIGXCPU)
		snprintf(to, n,
			"the ingest took more than %d s of CPU time and was "
			"ended; see --ingest_cpu_s",
			c->options->cpu_s);
	else if (sig == SIGKILL)
		snprintf(to, n,
			"the ingest was ended by SIGKILL, as the system does "
			"where memory runs out; see --ingest_mib");
	else if (sig)
		snprintf(to, n, "the ingest was ended by SIG%s",
			sigabbrev_np(sig) ? sigabbrev_np(sig) : "?");
	else
		snprintf(to, n, "the ingest ended with status %d",
			WEXITSTATUS(status));
}

/* What is one too many is dropped: its lease runs out. */
static void lose(struct crew *c, pid_t pid, int status)
{
	struct loss scrap, *l = &scrap;
	if (c->losses_n < LOSSES)
		l = &c->losses[c->losses_n++];
	worker_name(pid, c->env_word + sizeof WORKER_CREW, l->worker);
	sentence_from(c, status, l->sentence, sizeof l->sentence);
	/* CPU time is the upload's own: the next try would take as much. */
	bool cpu = WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
	l->tries = cpu ? 1 : UPLOAD_TRIES;
	log_warn("worker pid=%ld died: %s", (long)pid, l->sentence);
}

/* Tells the database of the losses; what it cannot be told now stays. */
static void losses_tell(struct crew *c)
{
	struct err e = { 0 };
	int told = 0;
	if (c->losses_n == 0)
		return;
	if (!c->db)
		c->db = db_new(c->options->conninfo, &e);
	else if (!db_revive(c->db, &e))
		return;
	while (c->db && told < c->losses_n &&
		upload_abandon(c->db, c->losses[told].worker,
			c->losses[told].sentence, c->losses[told].tries, &e))
		told++;
	c->losses_n -= told;
	memmove(c->losses, c->losses + told,
		(size_t)c->losses_n * sizeof *c->losses);
}

/* Whether the slot's process is gone; if so, how it ended. */
static bool slot_reap(struct slot *s, int *status)
{
	if (s->pid == 0 || waitpid(s->pid, status, WNOHANG) != s->pid)
		return false;
	s->pid = 0;
	return true;
}

static void slot_tend(struct crew *c, struct slot *s)
{
	struct err e = { 0 };
	int status;
	pid_t pid = s->pid;
	int64_t now = now_ms();
	if (slot_reap(s, &status)) {
		lose(c, pid, status);
		if (now - s->started_ms > STEADY_MS)
			s->backoff_ms = 0;
		s->start_at_ms = now + s->backoff_ms;
		s->backoff_ms = s->backoff_ms ? 2 * s->backoff_ms : BACKOFF_MS;
		if (s->backoff_ms > BACKOFF_MAX_MS)
			s->backoff_ms = BACKOFF_MAX_MS;
	}
	if (s->pid == 0 && now >= s->start_at_ms && !slot_start(s, c, &e)) {
		s->start_at_ms = now + BACKOFF_MAX_MS;
		log_error("crew: %s", e.text);
	}
}

void crew_tend(struct crew *c)
{
	for (int i = 0; i < c->options->workers; i++)
		slot_tend(c, &c->slots[i]);
	losses_tell(c);
}

/* Containers may share a host name, and have the same pids: without a word of
 * its own, a crew would give up what another's workers are at. Put into a copy
 * of the environment, since other threads read that. */
static bool word_pick(struct crew *c, struct err *e)
{
	uint64_t random;
	size_t n = 0;
	if (getrandom(&random, sizeof random, 0) != (ssize_t)sizeof random)
		return err_set(e, ERR_INTERNAL,
			"the system has no random number: %s", strerror(errno));
	snprintf(c->env_word, sizeof c->env_word, WORKER_CREW "=%016llx",
		(unsigned long long)random);
	while (environ[n])
		n++;
	c->env = calloc(n + 2, sizeof *c->env);
	if (!c->env)
		return err_set(e, ERR_INTERNAL, "the environment is too large");
	c->env[0] = c->env_word; /* the first of a name counts */
	memcpy(c->env + 1, environ, n * sizeof *c->env);
	return true;
}

struct crew *crew_new(const struct worker_options *o, char *const argv[],
	struct err *e)
{
	struct crew *c =
		calloc(1, sizeof *c + (size_t)o->workers * sizeof *c->slots);
	if (!c) {
		err_set(e, ERR_INTERNAL, "%d ingest processes are too many",
			o->workers);
		return NULL;
	}
	c->options = o;
	c->argv = argv;
	if (!word_pick(c, e)) {
		crew_free(c);
		return NULL;
	}
	for (int i = 0; i < o->workers; i++)
		if (!slot_start(&c->slots[i], c, e)) {
			crew_free(c);
			return NULL;
		}
	return c;
}

static int alive(struct crew *c)
{
	int n = 0, status;
	for (int i = 0; i < c->options->workers; i++) {
		pid_t pid = c->slots[i].pid;
		if (slot_reap(&c->slots[i], &status)) {
			if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
				lose(c, pid, status);
		}
		n += c->slots[i].pid != 0;
	}
	return n;
}

static void signal_all(struct crew *c, int sig)
{
	for (int i = 0; i < c->options->workers; i++)
		if (c->slots[i].pid)
			kill(c->slots[i].pid, sig);
}

void crew_free(struct crew *c)
{
	if (!c)
		return;
	int64_t until = now_ms() + STOP_MS;
	signal_all(c, SIGTERM);
	while (alive(c) > 0 && now_ms() < until)
		nap();
	signal_all(c, SIGKILL);
	while (alive(c) > 0)
		nap();
	losses_tell(c);
	db_free(c->db);
	free(c->env);
	free(c);
}
