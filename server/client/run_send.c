/* run_send.c - waits for the last writers, makes whole, sends, tidies up. */
#include "run_send.h"
#include "address.h"
#include "follow.h"
#include "submit.h"
#include "run_folder.h"
#include "log_once.h"
#include <inttypes.h>
#include <unistd.h>

enum { SETTLE_MS = 5000, STEP_MS = 50, HOST_SHOWN = 100 };

struct sender {
	const struct options *asked;
	struct options o; /* with the job */
	struct wire *w;
	struct spool spool;
	struct meter *m;
	const char *folder;
	struct spoken said;
	char job[160];
	struct spool_mended mended;
	uint32_t sent, stay, kept; /* kept: there was nothing to send in them */
};

static void say_line(void *ctx, const char *line)
{
	struct sender *s = ctx;

	meter_say(s->m, "kernsift: the collector says: %s", line);
}

static void say(void *ctx, const char *sentence)
{
	struct sender *s = ctx;

	meter_say(s->m, "kernsift: %s", sentence);
}

/* What is stuck is told at each turn. */
static void say_once(void *ctx, const char *sentence)
{
	struct sender *s = ctx;

	if (spoken_new(&s->said, sentence))
		say(s, sentence);
}

/* The command is over; processes that it started may still be ending. */
static void settle(struct sender *s)
{
	int64_t until_ms = meter_now_ms() + SETTLE_MS;

	for (;;) {
		s->mended = spool_mend(&s->spool, 0, say_once, s);
		if (!s->mended.growing || meter_now_ms() >= until_ms)
			return;
		nanosleep(&(struct timespec){ 0, STEP_MS * 1000000L }, NULL);
	}
}

/* Ranks of one command are one job, which gets a name where none was given. The
 * host in it is as in the captures' names, where it may have been left out. */
static void job_name(struct sender *s, const struct spool_list *l)
{
	int first = -1;
	const struct spool_entry *of = NULL;
	bool several = false;

	for (uint32_t i = 0; !*s->asked->job && !several && i < l->n; i++) {
		int rank =
			l->at[i].is.kind == SPOOL_WHOLE
				? hand_over_told(&s->spool, l->at[i].name).rank
				: -1;
		several = first >= 0 && rank >= 0 && rank != first;
		of = first < 0 && rank >= 0 ? &l->at[i] : of;
		first = first < 0 ? rank : first;
	}
	if (!several)
		return;
	time_t now = time(NULL);
	struct tm utc;
	char when[32] = "";
	if (gmtime_r(&now, &utc))
		strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
	int host = of->is.host_len < HOST_SHOWN ? (int)of->is.host_len
						: HOST_SHOWN;
	snprintf(s->job, sizeof s->job, "%.*s %s %ld", host, of->name, when,
		(long)getpid());
	s->o.job = s->job;
}

static void print_runs(struct sender *s, const struct upload_answer *u)
{
	for (int i = 0; i < u->runs_n; i++) {
		struct buf url;
		buf_init(&url, ADDRESS_MAX);
		address_run(&url, s->o.server, u->runs[i]);
		meter_say(s->m, "kernsift: run %" PRId64 " %s", u->runs[i],
			url.at);
		buf_release(&url);
	}
}

static void await(struct sender *s, const char *name, struct upload_answer *u)
{
	struct err e = { 0 };

	if (follow(s->w, &s->o, name, s->m, u, &e))
		print_runs(s, u);
	else
		meter_say(s->m, "kernsift: %s", e.text);
}

/* Once a server was away for all the tries of one, the others ask only once. */
static void send_all(struct sender *s, const struct spool_list *l)
{
	struct upload_answer *u = calloc(1, sizeof *u);
	int most = s->o.retries;

	if (!u)
		abort();
	for (uint32_t i = 0; i < l->n; i++) {
		const char *name = l->at[i].name;
		struct attempt last;
		struct err e = { 0 };
		char sentence[400];
		if (l->at[i].is.kind != SPOOL_WHOLE)
			continue;
		if (s->w &&
			hand_over_empty(&s->spool, name, s->o.keep, sentence)) {
			say(s, sentence);
			s->kept += s->o.keep;
			continue;
		}
		if (!s->w || !hand_over(s->w, &s->o, &s->spool, name, most,
				     s->m, u, &last, &e)) {
			s->stay++;
			if (s->w)
				meter_say(s->m, "kernsift: %s", e.text);
			if (s->w && last.end == ATTEMPT_AWAY)
				most = 0;
			continue;
		}
		s->sent++;
		if (!s->o.keep && !spool_remove(&s->spool, name, &e))
			meter_say(s->m, "kernsift: %s", e.text);
		if (s->o.wait)
			await(s, name, u);
	}
	free(u);
}

/* Whether the log tells anything that the person should read. */
static bool tell_none(struct sender *s)
{
	if (!run_folder_log(s->folder, true, say_line, s)) {
		meter_say(s->m,
			"kernsift: nothing was recorded: no process of the "
			"command used CUDA, or its driver loads no injection "
			"library");
		return false;
	}
	meter_say(s->m,
		"kernsift: nothing was recorded; '%s/collector.log' tells why",
		s->folder);
	return true;
}

static void tell_rest(struct sender *s)
{
	uint32_t growing = s->mended.growing;

	if (growing)
		meter_say(s->m,
			"kernsift: processes that the command left behind "
			"still record; captures growing: %u",
			growing);
	if (s->stay || growing || s->mended.stuck)
		meter_say(s->m,
			"kernsift: not sent are the captures in '%s'; "
			"'kernsift agent --once' of that folder sends them",
			s->folder);
	else if (s->o.keep)
		meter_say(s->m, "kernsift: the captures are kept in '%s'",
			s->folder);
}

/* False where the folder is of use to nobody. */
static bool tell(struct sender *s)
{
	bool left = s->stay || s->mended.growing || s->mended.stuck;

	if (!s->sent && !s->kept && !left)
		return tell_none(s);
	run_folder_log(s->folder, false, say_line, s);
	tell_rest(s);
	return left || s->o.keep;
}

void run_send(const struct options *o, struct wire *w, const char *folder,
	struct meter *m)
{
	struct sender s = { .asked = o,
		.o = *o,
		.w = w,
		.m = m,
		.folder = folder };
	struct spool_list l;
	struct err e = { 0 };
	bool keep = true;

	if (!spool_open(&s.spool, folder, &e)) {
		meter_say(m, "kernsift: %s", e.text);
		return;
	}
	settle(&s);
	if (spool_list(&s.spool, &l, &e)) {
		job_name(&s, &l);
		send_all(&s, &l);
		keep = tell(&s);
		spool_list_release(&l);
	} else {
		meter_say(m, "kernsift: %s", e.text);
	}
	spool_release(&s.spool);
	if (!keep)
		run_folder_remove(folder);
}
