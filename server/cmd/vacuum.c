/* vacuum.c - `kernsiftd vacuum`: drops what is kept too long, or tells what
 * would go. */
#include "command.h"
#include "retention_summary.h"
#include "said.h"

struct vacuum {
	struct keep_ask ask;
	bool dry;
};

static void print(struct arena *a, const struct keep_report *r, bool dry)
{
	char text[RETENTION_SUMMARY_TEXT];
	if (r->sums_n)
		printf("%10s %16s  %-8s %-8s %s\n", "n", "bytes", "what", "why",
			"project");
	for (uint32_t i = 0; i < r->sums_n; i++) {
		const struct keep_sum *s = &r->sums[i];
		printf("%10lld %16lld  %-8s %-8s %s\n", (long long)s->n,
			(long long)s->bytes, keep_kind_word(s->kind),
			keep_why_word(s->why), said_shown(a, s->project));
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
	struct keep_report r;
	bool ok = keep_vacuum(db, &a, &v->ask, v->dry, NULL, NULL, &r, e);
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

int command_vacuum(const struct invocation *in)
{
	const struct config *c = in->config;
	struct vacuum v = { { c->project, (int)c->raw_days, (int)c->run_days,
				    c->quota_mib },
		c->dry_run };
	struct err e = { 0 };

	return command_project_good(c, &e) ? command_with_store(c, begin, &v)
					   : command_fail(&e);
}
