/* changes_print.c - a comparison for a terminal of 100 columns. */
#include "format.h"
#include "changes.h"
#include "utf8.h"
#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NAME_SHOWN = 60 };

static const char *percent(char to[CELL], double ratio)
{
	if (!isfinite(ratio))
		return "";
	snprintf(to, CELL, "%+.1f %%", 100 * (ratio - 1));
	return to;
}

static void print_times(const struct change_line *l, FILE *out)
{
	char base[CELL], head[CELL], delta[CELL], share[CELL];
	fprintf(out, "%12s %12s %13s %9s", shown_duration(base, l->base_ns, ""),
		shown_duration(head, l->head_ns, ""),
		shown_duration(delta, l->delta_ns, "+"),
		percent(share, l->ratio));
}

static void print_side(const char *name, const struct change_side *s, FILE *out)
{
	char mean[CELL];
	fprintf(out,
		"%s  %" PRId64 " run%s, %" PRId64 " of %" PRId64
		" cycles compared (%s), mean %s\n",
		name, s->runs, s->runs == 1 ? "" : "s", s->cycles_used,
		s->cycles, s->detector, shown_duration(mean, s->cycle_ns, ""));
}

static void print_split(const struct changes *c, FILE *out)
{
	if (c->split_n)
		fprintf(out, "\n%-41s%12s %12s %13s\n",
			"where a cycle's time goes", "base", "head", "change");
	for (size_t i = 0; i < c->split_n; i++) {
		fprintf(out, "  %-38.38s ", c->split[i].name);
		print_times(&c->split[i], out);
		fprintf(out, "  %s\n", c->split[i].verdict);
	}
	if (isfinite(c->common))
		fprintf(out, "  all kernels alike: %.3f times as long\n",
			c->common);
}

/* What somebody may want to act on. */
static bool matters(const struct change_line *l)
{
	return *l->verdict && strcmp(l->verdict, "undecided") &&
	       strcmp(l->verdict, "unchanged");
}

static void print_item(const struct change_line *l, FILE *out)
{
	size_t len = strlen(l->name);
	fprintf(out, "  %-9s ", l->verdict);
	print_times(l, out);
	bool cut = len > NAME_SHOWN;
	fprintf(out, "  %.*s%s", (int)utf8_clip(l->name, len, NAME_SHOWN),
		l->name, cut ? "…" : "");
	if (*l->device)
		fprintf(out, " [%s]", l->device);
	if (isfinite(l->base_launches) && isfinite(l->head_launches) &&
		fabs(l->base_launches - l->head_launches) > 0)
		fprintf(out, ", %g to %g launches", l->base_launches,
			l->head_launches);
	if (isfinite(l->p_family))
		fprintf(out, ", p %.3g", l->p_family);
	fprintf(out, ", by %s\n", l->evidence);
}

static void print_counts(const struct changes *c, FILE *out)
{
	const char *comma = "";
	for (size_t i = 0; i < c->counts_n; i++)
		if (c->counts[i].n) {
			fprintf(out, "%s%" PRId64 " %s", comma, c->counts[i].n,
				c->counts[i].verdict);
			comma = ", ";
		}
	fprintf(out, "%sseed %" PRId64 ", %" PRId64 " permutations\n",
		*comma ? "; " : "", c->seed, c->permutations);
}

/* A headline that refuses is a finding already. */
static void print_findings(const struct changes *c, FILE *out)
{
	size_t told = 0;
	for (size_t i = 0; i < c->findings_n; i++) {
		if (strcmp(c->findings[i].text, c->headline) == 0)
			continue;
		fprintf(out, "%s: %s\n", c->findings[i].severity,
			c->findings[i].text);
		told++;
	}
	fputs(told ? "\n" : "", out);
}

void changes_print(const struct changes *c, FILE *out)
{
	bool headed = false;
	fprintf(out, "%s\n\n", c->headline);
	print_findings(c, out);
	print_side("base", &c->base, out);
	print_side("head", &c->head, out);
	print_split(c, out);
	for (size_t i = 0; i < c->items_n; i++) {
		if (!matters(&c->items[i]))
			continue;
		if (!headed)
			fprintf(out, "\n%-12s%12s %12s %13s\n", "what changed",
				"base", "head", "per cycle");
		headed = true;
		print_item(&c->items[i], out);
	}
	fputs(headed		? "\n"
		: c->comparable ? "\nnothing that can be shown has changed\n"
				: "\nnothing is judged\n",
		out);
	print_counts(c, out);
}
