/* vacuum.c - `kernsiftd vacuum`: drops what is kept too long, or tells what
 * would go. */
#include "command.h"
#include "retention.h"
#include "retention_summary.h"
#include "text_validate.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct vacuum {
	struct retention_request ask;
	bool dry;
};

static void print(struct arena *a, const struct retention_report *r, bool dry)
{
	char text[RETENTION_SUMMARY_TEXT];
	if (r->sums_n)
		printf("%10s %16s  %-8s %-8s %s\n", "n", "bytes", "what", "why",
			"project");
	for (uint32_t i = 0; i < r->sums_n; i++) {
		const struct retention_sum *s = &r->sums[i];
		printf("%10lld %16lld  %-8s %-8s %s\n", (long long)s->n,
			(long long)s->bytes, retention_kind_word(s->kind),
			retention_reason_word(s->why),
			text_validate_mask(a, s->project));
	}
	retention_summary_text(r, text);
	printf("%s: %s\n", dry ? "would go" : "gone", text);
	if (r->left)
		printf("left: %lld, worked on, kept or gone meanwhile\n",
			(long long)r->left);
}

static bool work(struct db *db, void *arg, struct err *e)
{
	struct vacuum *v = arg;
	struct arena a = { 0 };
	struct retention_report r;
	bool ok = retention_vacuum(db, &a, &v->ask, v->dry, NULL, NULL, &r, e);
	if (ok)
		print(&a, &r, v->dry);
	if (ok && r.why.code)
		ok = err_set(e, r.why.code, "%s", r.why.text);
	arena_release(&a);
	return ok;
}

static bool begin(struct db *db, int applied, void *arg, struct err *e)
{
	struct vacuum *v = arg;
	(void)applied;
	return v->dry ? work(db, v, e)
		      : command_trail(db, "vacuum", v->ask.project, work, v, e);
}

static bool number(const char *name, const char *text, int64_t most,
	int64_t *out, struct err *e)
{
	char *end;
	*out = -1;
	if (!text)
		return true;
	errno = 0;
	long long n = strtoll(text, &end, 10);
	if (errno || end == text || *end || n < 0 || n > most)
		return err_set(e, ERR_INPUT,
			"--%s is '%.40s', and should be a whole number from 0 "
			"to %lld",
			name, text, (long long)most);
	*out = n;
	return true;
}

int command_vacuum(int argc, char **argv)
{
	struct err e = { 0 };
	struct config c;
	const char *dry = NULL, *project = NULL;
	const char *raw = NULL, *run = NULL, *quota = NULL;
	int64_t raw_days, run_days, quota_mib;
	const struct config_extra extra[] = { { "!dry_run", &dry },
		{ "project", &project }, { "raw_days", &raw },
		{ "run_days", &run }, { "quota_mib", &quota }, { 0 } };
	/* Read once here, so that a wrong one starts no cluster. */
	if (!command_config(&c, extra, argc, argv, &e) ||
		!number("raw_days", raw, RETENTION_DAYS_MAX, &raw_days, &e) ||
		!number("run_days", run, RETENTION_DAYS_MAX, &run_days, &e) ||
		!number("quota_mib", quota, RETENTION_QUOTA_MAX, &quota_mib,
			&e))
		return command_fail(&e);
	if (project && !*project) {
		err_set(&e, ERR_INPUT,
			"--project is empty; leave it out for all projects");
		return command_fail(&e);
	}
	struct vacuum v = { { project, (int)raw_days, (int)run_days,
				    quota_mib },
		dry != NULL };
	return command_with_store(argc, argv, extra, begin, &v);
}
