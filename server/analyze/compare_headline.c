/* compare_headline.c - one sentence that says it all. */
#include "compare_parts.h"
#include "kernel_name.h"
#include "utf8.h"
#include <math.h>
#include <string.h>

enum { NAME_MOST = 100 };

static const char *name_short(struct arena *a, const char *name)
{
	const char *text = kernel_name_short(a, name, strlen(name));
	size_t len = strlen(text);
	if (len <= NAME_MOST)
		return text;
	return arena_printf(a, "%.*s…", (int)utf8_clip(text, NAME_MOST), text);
}

static const char *evidence(const struct change *c)
{
	static const char *const words[] = {
		[EVIDENCE_NONE] = "by nothing",
		[EVIDENCE_RUNS] = "by permutation of runs",
		[EVIDENCE_CYCLES] = "by permutation of cycles",
		[EVIDENCE_LAUNCHES] = "by its launches",
	};
	return words[c->evidence];
}

/* "+0.71 ms per cycle (+8.3 %)" */
static const char *amount(struct arena *a, const struct change *c)
{
	const char *time = compare_text_time(a, fabs(c->delta_ns));
	const char *sign = c->delta_ns < 0 ? "-" : "+";
	if (!(c->base_ns > 0) || !(c->head_ns > 0))
		return arena_printf(a, "%s%s per cycle", sign, time);
	return arena_printf(a, "%s%s per cycle (%+.1f %%)", sign, time,
		100 * (c->ratio - 1));
}

static const char *what(const struct change *c)
{
	switch (c->is) {
	case CHANGE_REGRESSED:
		return "takes longer";
	case CHANGE_APPEARED:
		return "is new";
	case CHANGE_IMPROVED:
		return "takes less";
	case CHANGE_VANISHED:
		return "is gone";
	default:
		if (!(c->base_ns > 0))
			return "is likely new";
		if (!(c->head_ns > 0))
			return "is likely gone";
		return c->delta_ns > 0 ? "likely takes longer"
				       : "likely takes less";
	}
}

static bool more(const struct change *c, const struct change *than)
{
	return c->is <= CHANGE_LIKELY &&
	       (!than || fabs(c->delta_ns) > fabs(than->delta_ns));
}

static const struct change *part(const struct comparison *out,
	enum split_part which)
{
	for (uint32_t i = 0; i < out->split_n; i++)
		if (out->split[i].part == which)
			return &out->split[i].change;
	return NULL;
}

static bool judged(const struct change *c)
{
	return c && c->evidence != EVIDENCE_NONE;
}

/* "; the cycle takes 12.31 ms in the base, 12.35 ms in the head (+0.3 %)"; of
 * windows, whose length is chance, what computes in them. */
static const char *cycle_text(struct arena *a, const struct comparison *out)
{
	const struct change *c = part(out, SPLIT_PART_cycle);
	const char *what = "the cycle takes";
	if (!judged(c)) {
		c = part(out, SPLIT_PART_compute);
		what = "kernels that compute take";
	}
	if (!judged(c))
		return "";
	return arena_printf(a, "; %s %s in the base, %s in the head (%+.1f %%)",
		what, compare_text_time(a, c->base_ns),
		compare_text_time(a, c->head_ns), 100 * (c->ratio - 1));
}

static const char *common_text(struct arena *a, const struct comparison *out)
{
	if (!out->common.there)
		return "";
	return arena_printf(a,
		"all kernels alike take %.3g times as long (%s%s per cycle), "
		"as "
		"by a change of clocks or power; beyond that, ",
		out->common.ratio, out->common.ns < 0 ? "-" : "+",
		compare_text_time(a, fabs(out->common.ns)));
}

static const char *unmoved(struct arena *a, const struct comparison *out)
{
	if (!out->count[CHANGE_UNDECIDED])
		return arena_printf(a,
			"nothing changed: all %u functions are within %.3g "
			"%%, or too short to matter%s",
			out->rows_n, 100 * out->margin, cycle_text(a, out));
	return arena_printf(a,
		"nothing is shown to have changed: %u functions are unchanged, "
		"%u undecided%s",
		out->count[CHANGE_UNCHANGED], out->count[CHANGE_UNDECIDED],
		cycle_text(a, out));
}

/* Where no function is to blame, a part of the cycle may have changed all the
 * same: what overlaps, for one. */
static const char *parted(struct arena *a, const struct comparison *out)
{
	static const char *const names[SPLIT_PARTS] = {
#define SPLIT_PART(code, word, what) [SPLIT_PART_##code] = (what),
#include "split_part.def"
#undef SPLIT_PART
	};
	const struct split_row *most = NULL;
	for (uint32_t i = 0; i < out->split_n; i++) {
		const struct split_row *s = &out->split[i];
		bool whole = s->part == SPLIT_PART_cycle;
		if (more(&s->change, most && !whole ? &most->change : NULL) &&
			(!whole || !most))
			most = s;
		if (most && most->part == SPLIT_PART_cycle && !whole &&
			s->change.is <= CHANGE_LIKELY)
			most = s;
	}
	if (!most)
		return unmoved(a, out);
	return arena_printf(a,
		"no function alone is shown to have changed, but %s%s time "
		"goes to %s: %s, %s%s",
		most->change.is == CHANGE_LIKELY ? "likely " : "",
		most->change.delta_ns < 0 ? "less" : "more", names[most->part],
		amount(a, &most->change), evidence(&most->change),
		most->part == SPLIT_PART_cycle ? "" : cycle_text(a, out));
}

static const char *changed(struct arena *a, const struct comparison *out)
{
	const struct changed_row *row = NULL;
	const struct change *idle = part(out, SPLIT_PART_idle), *top;
	uint32_t others = 0;
	for (uint32_t i = 0; i < out->rows_n; i++) {
		const struct changed_row *r = &out->rows[i];
		others += r->change.is <= CHANGE_LIKELY;
		if (more(&r->change, row ? &row->change : NULL))
			row = r;
	}
	top = row ? &row->change : NULL;
	if (idle && more(idle, top))
		return arena_printf(a,
			"the GPU has nothing to do for %s, %s: the host is "
			"what "
			"changed%s",
			amount(a, idle), evidence(idle), cycle_text(a, out));
	if (!top)
		return parted(a, out);
	return arena_printf(a, "%s on %s %s: %s, %s%s%s",
		name_short(a, row->name), row->device, what(top),
		amount(a, top), evidence(top),
		others > 1 ? arena_printf(a, "; %u functions changed in all",
				     others)
			   : "",
		cycle_text(a, out));
}

void compare_headline_from(struct compare *c)
{
	struct comparison *out = c->out;
	if (out->comparable)
		out->headline = arena_printf(c->a, "%s%s",
			common_text(c->a, out), changed(c->a, out));
	else
		out->headline = out->findings[0].text;
}
