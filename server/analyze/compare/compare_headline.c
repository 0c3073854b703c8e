/* compare_headline.c - one sentence that says it all. */
#include "compare_state.h"
#include <math.h>

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
		compare_text_amount(a, &most->change),
		compare_text_evidence(&most->change),
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
			compare_text_amount(a, idle),
			compare_text_evidence(idle), cycle_text(a, out));
	if (!top)
		return parted(a, out);
	return arena_printf(a, "%s on %s %s: %s, %s%s%s",
		compare_text_name(a, row->name), row->device,
		compare_text_what(top), compare_text_amount(a, top),
		compare_text_evidence(top),
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
