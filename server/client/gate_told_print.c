/* gate_told_print.c - a gate in a few lines, for a terminal or a job's log. */
#include "decimals.h"
#include "format.h"
#include "gate_told.h"
#include "utf8.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NAME_SHOWN = 60, FUNCTIONS_SHOWN = 20 };

static const char *const words[] = { "pass", "regressed", "undecided",
	"bad data" };

static void print_side(const char *name, const struct gate_told_side *s,
	FILE *out)
{
	fprintf(out, "%s  %s: %" PRId64 " run%s, %" PRId64 " cycles\n", name,
		s->asked, s->units, s->units == 1 ? "" : "s", s->cycles);
}

static void print_all(const char *what, const char **all, size_t n, FILE *out)
{
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s: %s\n", what, all[i]);
}

static bool is_function(const struct gate_told_rule *r)
{
	return strcmp(r->rule, "function") == 0;
}

/* "+5.2 % (+3.9 to +6.5), limit 2 %, p 0.0003", as far as it is known; headroom's
 * are points of the cycle's time. */
static void print_change(const struct gate_told_rule *r, FILE *out)
{
	const char *unit = strcmp(r->rule, "headroom") ? "%" : "points";
	if (isfinite(r->change_pct))
		fprintf(out, " %+8.*f %s",
			decimals_beside(r->change_pct, r->limit_pct, 1),
			r->change_pct, unit);
	if (isfinite(r->low_pct) && isfinite(r->high_pct))
		fprintf(out, " (%+.1f to %+.1f)", r->low_pct, r->high_pct);
	if (isfinite(r->limit_pct))
		fprintf(out, ", limit %g %s", r->limit_pct, unit);
	if (isfinite(r->p))
		fprintf(out, ", p %.3g", r->p);
}

static void print_rule(const struct gate_told *g,
	const struct gate_told_rule *r, FILE *out)
{
	char base[CELL], head[CELL];
	const char *name = *r->of ? r->of : r->rule;
	size_t len = strlen(name);
	bool cut = len > NAME_SHOWN;
	fprintf(out, "  %-9s %12s %12s", words[r->outcome],
		shown_duration(base, r->base_ns, ""),
		shown_duration(head, r->head_ns, ""));
	print_change(r, out);
	fprintf(out, "  %.*s%s", (int)utf8_clip(name, len, NAME_SHOWN), name,
		cut ? "…" : "");
	if (*r->device)
		fprintf(out, " [%s]", r->device);
	fputs("\n", out);
	if (r->outcome != GATE_TOLD_PASS && *r->sentence &&
		strcmp(r->sentence, g->sentence) != 0)
		fprintf(out, "            %s\n", r->sentence);
	if (r->since_run > 0)
		fprintf(out,
			"            the baseline is so since run %" PRId64
			"\n",
			r->since_run);
}

/* Every rule but functions that pass, of which the server tells none; the
 * worst come first. */
static void print_rules(const struct gate_told *g, FILE *out)
{
	size_t functions = 0;
	if (g->rules_n)
		fprintf(out, "\n%-12s%12s %12s %10s\n", "rule", "base", "head",
			"change");
	for (size_t i = 0; i < g->rules_n; i++) {
		if (is_function(&g->rules[i]) && functions++ >= FUNCTIONS_SHOWN)
			continue;
		print_rule(g, &g->rules[i], out);
	}
	if (functions > FUNCTIONS_SHOWN)
		fprintf(out, "  and %zu functions more\n",
			functions - FUNCTIONS_SHOWN);
}

static void print_to_decide(const struct gate_told *g, FILE *out)
{
	if (g->outcome != GATE_TOLD_UNDECIDED)
		return;
	if (g->runs_needed > 0)
		fprintf(out,
			"\nto decide: %" PRId64
			" runs of the head, in all, would probably do\n",
			g->runs_needed);
	else if (g->runs_needed < 0)
		fputs("\nto decide: more runs of the baseline; no number of "
		      "runs of the head would do\n",
			out);
}

void gate_told_print(const struct gate_told *g, const char *server, FILE *out)
{
	size_t len = strlen(server);
	while (len && server[len - 1] == '/')
		len--;
	fprintf(out, "gate %s: %s\n\n", words[g->outcome], g->sentence);
	print_all("bad data", g->shortfalls, g->shortfalls_n, out);
	print_all("note", g->findings, g->findings_n, out);
	print_side("base", &g->base, out);
	print_side("head", &g->head, out);
	print_rules(g, out);
	print_to_decide(g, out);
	fprintf(out, "\ngate %" PRId64 " %.*s/gates/%" PRId64 "\n", g->id,
		(int)len, server, g->id);
	if (*g->compare == '/')
		fprintf(out, "compare %.*s%s\n", (int)len, server, g->compare);
}
