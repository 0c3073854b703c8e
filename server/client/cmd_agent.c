/* cmd_agent.c - `kernsift agent`: sends capture files from a spool folder.
 *
 * It checks the folder once a second and sends complete captures. SIGTERM and
 * SIGINT end it at once: the next agent can repair whatever they interrupt. */
#include "commands.h"
#include "log_once.h"
#include "retry.h"
#include "submit.h"
#include <errno.h>
#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

enum {
	LOOK_MS = 1000,
	REPAIR_EVERY = 10, /* checks of the folder between two repairs */
	STAND_BACK_MS = 300000, /* maximum waiting time */
	ASIDE = 256, /* number of files that wait for another try */
	ASIDE_S = 600,
};

struct aside {
	char name[SPOOL_NAME_MAX];
	int64_t until_ms;
};

struct agent {
	const struct options *o;
	struct meter meter;
	struct wire *wire;
	struct spool spool;
	struct upload_answer *answer;
	struct aside aside[ASIDE];
	struct log_once reported;
	char failed[SPOOL_NAME_MAX]; /* the last file that could not be sent */
	int most; /* tries after the first */
	int away; /* number of consecutive failures of the server */
	int status; /* for the first file that was not sent; EXIT_OK: none */
};

static void agent_ended(int sig)
{
	(void)sig;
	_exit(EXIT_OK);
}

/* A signal may end the agent at any moment, because the next agent repeats
 * incomplete steps. */
static void agent_end_by(int sig)
{
	struct sigaction act = { .sa_handler = agent_ended };

	sigemptyset(&act.sa_mask);
	sigaction(sig, &act, NULL);
}

static void agent_say_once(void *ctx, const char *sentence)
{
	struct agent *a = ctx;

	if (log_once_new(&a->reported, sentence))
		meter_say(&a->meter, "kernsift: %s", sentence);
}

static bool agent_is_aside(const struct agent *a, const char *name)
{
	for (uint32_t i = 0; i < ASIDE; i++)
		if (!strcmp(a->aside[i].name, name) &&
			meter_now_ms() < a->aside[i].until_ms)
			return true;
	return false;
}

/* A slot for one more file that waits; NULL if all slots are in use. */
static struct aside *agent_aside_free(struct agent *a)
{
	int64_t now_ms = meter_now_ms();

	for (uint32_t i = 0; i < ASIDE; i++)
		if (!*a->aside[i].name || now_ms >= a->aside[i].until_ms)
			return &a->aside[i];
	return NULL;
}

static void agent_put_aside(struct agent *a, const char *name)
{
	struct aside *to = agent_aside_free(a);

	/* With --once each name is seen only once, so no name needs to be
	 * remembered. */
	if (!to)
		return;
	snprintf(to->name, sizeof to->name, "%s", name);
	to->until_ms = meter_now_ms() + ASIDE_S * INT64_C(1000);
}

/* The waiting time doubles with each failure and is partly random, so that
 * agents do not retry together. */
static int agent_stand_back_ms(const struct agent *a,
	const struct attempt *last)
{
	unsigned char spread = 128;
	int64_t ms = LOOK_MS;

	for (int i = 1; i < a->away && ms < STAND_BACK_MS; i++)
		ms *= 2;
	if (ms > STAND_BACK_MS)
		ms = STAND_BACK_MS;
	if (getrandom(&spread, 1, GRND_NONBLOCK) != 1)
		spread = 128;
	ms = ms / 2 + ms * spread / 512;
	if (last->retry_after_s * INT64_C(1000) > ms)
		ms = last->retry_after_s < RETRY_AFTER_MAX_S
			     ? last->retry_after_s * INT64_C(1000)
			     : RETRY_AFTER_MAX_S * INT64_C(1000);
	return (int)ms;
}

/* Whether the failure concerns the server: it cannot be reached, is busy or
 * rejects this client. Other files would then fail, too. */
static bool agent_is_the_server(const struct attempt *last)
{
	if (last->end != ATTEMPT_ANSWERED)
		return last->end == ATTEMPT_AWAY || last->end == ATTEMPT_BARRED;
	switch (last->status) {
	case 401: /* the token is not valid */
	case 403:
	case 407:
	case 408:
	case 429:
	case 502:
	case 503:
	case 504:
	case 507: /* its disk is full */
		return true;
	default:
		return last->status < 400;
	}
}

/* Whether the failure concerns this file: the server rejects it, or it failed
 * for another reason twice in a row. */
static bool agent_is_the_file(const struct agent *a, const char *name,
	const struct attempt *last)
{
	if (last->end == ATTEMPT_HOPELESS)
		return true;
	if (last->end == ATTEMPT_ANSWERED &&
		(last->status == 400 || last->status == 413 ||
			last->status == 415 || last->status == 422))
		return true;
	return !agent_is_the_server(last) &&
	       (a->o->once || !strcmp(a->failed, name));
}

/* Reports why a file was not sent; returns the waiting time before the next
 * file. */
static int agent_failed(struct agent *a, const char *name,
	const struct attempt *last, const struct err *e)
{
	const char *why = e->text;

	a->status = commands_first(a->status, e);
	if (last->end == ATTEMPT_BROKEN)
		a->most = 0; /* no more tries during this check */
	if (agent_is_the_file(a, name, last)) {
		agent_put_aside(a, name);
		agent_say_once(a, why);
		return 0;
	}
	snprintf(a->failed, sizeof a->failed, "%s",
		agent_is_the_server(last) ? "" : name);
	a->away++;
	int ms = agent_stand_back_ms(a, last);
	if (!a->o->once)
		meter_say(&a->meter, "kernsift: %s; trying again in %.1f s",
			why, ms / 1000.0);
	else
		meter_say(&a->meter, "kernsift: %s", why);
	return ms;
}

/* Sends one file; returns the waiting time before the next file. */
static int agent_send(struct agent *a, const char *name)
{
	struct attempt last;
	struct err e = { 0 };
	char sentence[400];

	if (submit_skip_empty(&a->spool, name, false, sentence)) {
		agent_say_once(a, sentence);
		return 0;
	}
	if (submit_capture(a->wire, a->o, &a->spool, name, a->most, &a->meter,
		    a->answer, &last, &e)) {
		a->away = 0;
		*a->failed = '\0';
		if (!spool_remove(&a->spool, name, &e)) {
			agent_say_once(a, e.text);
			agent_put_aside(a, name);
		}
		return 0;
	}
	return agent_failed(a, name, &last, &e);
}

static void agent_say_full(struct agent *a)
{
	char sentence[SPOOL_NAME_MAX];

	snprintf(sentence, sizeof sentence,
		"%d captures could not be sent: the others wait until these "
		"are tried again",
		ASIDE);
	agent_say_once(a, sentence);
}

static void agent_wait_ms(int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

/* Sends all complete captures. Returns false if the folder cannot be read. */
static bool agent_scan(struct agent *a)
{
	struct spool_list l;
	struct err e = { 0 };

	if (!spool_list(&a->spool, &l, &e)) {
		agent_say_once(a, e.text);
		a->status = commands_first(a->status, &e);
		return false;
	}
	for (uint32_t i = 0; i < l.n; i++) {
		if (l.at[i].is.kind != SPOOL_WHOLE ||
			agent_is_aside(a, l.at[i].name))
			continue;
		if (!a->o->once && !agent_aside_free(a)) {
			agent_say_full(a);
			break;
		}
		int ms = agent_send(a, l.at[i].name);
		if (ms && !a->o->once)
			agent_wait_ms(ms);
		if (ms)
			break;
	}
	spool_list_release(&l);
	return true;
}

static void agent_repair(struct agent *a)
{
	struct spool_repaired r =
		spool_repair(&a->spool, a->o->stale_after, agent_say_once, a);

	if (r.stuck && a->status == EXIT_OK)
		a->status = EXIT_FAILED;
}

static bool agent_start(struct agent *a, struct err *e)
{
	meter_init(&a->meter);
	agent_end_by(SIGTERM);
	agent_end_by(SIGINT);
	a->answer = calloc(1, sizeof *a->answer);
	if (!a->answer)
		abort();
	a->wire = wire_new(a->o, e);
	return a->wire && spool_open(&a->spool, a->o->files.at[0], e);
}

int cmd_agent(const struct options *o)
{
	struct agent *a = calloc(1, sizeof *a);
	struct err e = { 0 };
	int status = EXIT_OK;

	if (!a)
		abort();
	a->o = o;
	a->most = o->once ? o->retries : 0;
	a->spool = (struct spool){ .folder = -1, .lock = -1 };
	if (!agent_start(a, &e)) {
		meter_say(&a->meter, "kernsift: %s", e.text);
		status = commands_usage_status(&e);
	}
	for (uint32_t n = 0; status == EXIT_OK; n++) {
		if (n % REPAIR_EVERY == 0)
			agent_repair(a);
		bool ok = agent_scan(a);
		if (o->once || !ok)
			break;
		agent_wait_ms(LOOK_MS);
	}
	if (status == EXIT_OK)
		status = a->status;
	spool_release(&a->spool);
	wire_free(a->wire);
	free(a->answer);
	free(a);
	return status;
}
