/* cmd_agent.c - looks once a second, sends what is whole, stands back where the
 * server is away. */
#include "commands.h"
#include "submit.h"
#include "log_once.h"
#include <errno.h>
#include <signal.h>
#include <sys/random.h>
#include <unistd.h>

enum {
	LOOK_MS = 1000,
	MEND_EACH = 10, /* looks */
	STAND_BACK_MS = 300000, /* at most */
	ASIDE = 256, /* files that are not tried for a while */
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
	struct spoken said;
	char failed[SPOOL_NAME_MAX]; /* the last that was not taken */
	int most; /* tries after the first */
	int away; /* times in a row that the server was */
	bool stays; /* something was not sent */
};

static void ended(int sig)
{
	(void)sig;
	_exit(EXIT_OK);
}

/* At any moment: what is half done is done again by the next one. */
static void end_by(int sig)
{
	struct sigaction act = { .sa_handler = ended };

	sigemptyset(&act.sa_mask);
	sigaction(sig, &act, NULL);
}

static void say_once(void *ctx, const char *sentence)
{
	struct agent *a = ctx;

	if (spoken_new(&a->said, sentence))
		meter_say(&a->meter, "kernsift: %s", sentence);
}

static bool is_aside(const struct agent *a, const char *name)
{
	for (uint32_t i = 0; i < ASIDE; i++)
		if (!strcmp(a->aside[i].name, name) &&
			meter_now_ms() < a->aside[i].until_ms)
			return true;
	return false;
}

/* Where one more is put aside; NULL: so many are that no more are tried. */
static struct aside *aside_free(struct agent *a)
{
	int64_t now_ms = meter_now_ms();

	for (uint32_t i = 0; i < ASIDE; i++)
		if (!*a->aside[i].name || now_ms >= a->aside[i].until_ms)
			return &a->aside[i];
	return NULL;
}

static void put_aside(struct agent *a, const char *name)
{
	struct aside *to = aside_free(a);

	/* One look meets each name once, so --once needs no memory of them. */
	if (!to)
		return;
	snprintf(to->name, sizeof to->name, "%s", name);
	to->until_ms = meter_now_ms() + ASIDE_S * INT64_C(1000);
}

/* Twice as long each time, and not all agents at once. */
static int stand_back_ms(const struct agent *a, const struct attempt *last)
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

/* Whether the server is away or busy, or takes nothing from us: then the others
 * fare no better. */
static bool is_the_server(const struct attempt *last)
{
	if (last->end != ATTEMPT_ANSWERED)
		return last->end == ATTEMPT_AWAY || last->end == ATTEMPT_BARRED;
	switch (last->status) {
	case 401: /* the token */
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

/* Whether it is this file alone that is not taken: a refusal says so; of what
 * else fails, that it does twice in a row. */
static bool is_the_file(const struct agent *a, const char *name,
	const struct attempt *last)
{
	if (last->end == ATTEMPT_HOPELESS)
		return true;
	if (last->end == ATTEMPT_ANSWERED &&
		(last->status == 400 || last->status == 413 ||
			last->status == 415 || last->status == 422))
		return true;
	return !is_the_server(last) && (a->o->once || !strcmp(a->failed, name));
}

/* Why it was not sent; how long to wait before the next. */
static int failed(struct agent *a, const char *name, const struct attempt *last,
	const char *why)
{
	a->stays = true;
	if (last->end == ATTEMPT_BROKEN)
		a->most = 0; /* of one look: it was tried often enough */
	if (is_the_file(a, name, last)) {
		put_aside(a, name);
		say_once(a, why);
		return 0;
	}
	snprintf(a->failed, sizeof a->failed, "%s",
		is_the_server(last) ? "" : name);
	a->away++;
	int ms = stand_back_ms(a, last);
	if (!a->o->once)
		meter_say(&a->meter, "kernsift: %s; trying again in %.1f s",
			why, ms / 1000.0);
	else
		meter_say(&a->meter, "kernsift: %s", why);
	return ms;
}

/* One file; how long to wait before the next. */
static int send(struct agent *a, const char *name)
{
	struct attempt last;
	struct err e = { 0 };
	char sentence[400];

	if (hand_over_empty(&a->spool, name, false, sentence)) {
		say_once(a, sentence);
		return 0;
	}
	if (hand_over(a->wire, a->o, &a->spool, name, a->most, &a->meter,
		    a->answer, &last, &e)) {
		a->away = 0;
		*a->failed = '\0';
		if (!spool_remove(&a->spool, name, &e)) {
			say_once(a, e.text);
			put_aside(a, name);
		}
		return 0;
	}
	return failed(a, name, &last, e.text);
}

static void say_full(struct agent *a)
{
	char sentence[SPOOL_NAME_MAX];

	snprintf(sentence, sizeof sentence,
		"%d captures were not taken: the others wait until these are "
		"tried again",
		ASIDE);
	say_once(a, sentence);
}

static void wait_ms(int ms)
{
	nanosleep(&(struct timespec){ ms / 1000, ms % 1000 * 1000000L }, NULL);
}

/* All that is whole now. False where the folder cannot be read. */
static bool look(struct agent *a)
{
	struct spool_list l;
	struct err e = { 0 };

	if (!spool_list(&a->spool, &l, &e)) {
		say_once(a, e.text);
		a->stays = true;
		return false;
	}
	for (uint32_t i = 0; i < l.n; i++) {
		if (l.at[i].is.kind != SPOOL_WHOLE || is_aside(a, l.at[i].name))
			continue;
		if (!a->o->once && !aside_free(a)) {
			say_full(a);
			break;
		}
		int ms = send(a, l.at[i].name);
		if (ms && !a->o->once)
			wait_ms(ms);
		if (ms)
			break;
	}
	spool_list_release(&l);
	return true;
}

static bool agent_start(struct agent *a, struct err *e)
{
	meter_init(&a->meter);
	end_by(SIGTERM);
	end_by(SIGINT);
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
		status = e.code == ERR_CONFLICT ? EXIT_FAILED : EXIT_USAGE;
	}
	for (uint32_t n = 0; status == EXIT_OK; n++) {
		if (n % MEND_EACH == 0)
			a->stays |= spool_mend(&a->spool, o->stale_after,
					    say_once, a)
					    .stuck > 0;
		bool ok = look(a);
		if (o->once || !ok)
			break;
		wait_ms(LOOK_MS);
	}
	if (status == EXIT_OK && a->stays)
		status = EXIT_FAILED;
	spool_release(&a->spool);
	wire_free(a->wire);
	free(a->answer);
	free(a);
	return status;
}
