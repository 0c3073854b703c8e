/* compare_text.c - writes the sentences of findings, and numbers and runs as
 * text. */
#include "compare_state.h"
#include "duration_text.h"
#include "kernel_name.h"
#include "utf8.h"
#include <math.h>
#include <string.h>

/* Findings: their sentences, in their order. */

static const struct {
	const char *name, *sentence;
	enum finding_severity severity;
} findings[] = {
#define FINDING(code, severity, sentence) \
	[FINDING_##code] = { #code, sentence, FINDING_##severity },
#include "finding.def"
#undef FINDING
};

const char *finding_name(enum finding_code code)
{
	return findings[code].name;
}

enum finding_severity finding_severity(enum finding_code code)
{
	return findings[code].severity;
}

void compare_finding_add(struct compare *c, enum finding_code code,
	const char *base, const char *head)
{
	struct comparison *out = c->out;
	const char *first = base ? base : "", *second = head ? head : "", *text;

	if (c->mirrored && head) {
		first = head;
		second = base ? base : "";
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
	text = arena_printf(c->a, findings[code].sentence, first, second);
#pragma GCC diagnostic pop
	out->findings = arena_grow(c->a, out->findings,
		(out->findings_n + 1) * sizeof *out->findings);
	out->findings[out->findings_n++] =
		(struct finding){ .code = code, .text = text };
	if (findings[code].severity == FINDING_REFUSE)
		out->comparable = false;
}

/* An insertion sort: there are few, and equal ones keep their order. */
void compare_findings_sort(struct compare *c)
{
	struct finding *f = c->out->findings;
	for (uint32_t i = 1; i < c->out->findings_n; i++)
		for (uint32_t j = i; j && f[j].code < f[j - 1].code; j--) {
			struct finding other = f[j];
			f[j] = f[j - 1];
			f[j - 1] = other;
		}
}

const char *compare_text_pct(struct arena *a, double share)
{
	return arena_printf(a, "%.1f %%", 100 * share);
}

const char *compare_text_run(struct arena *a, const struct compared_run *r)
{
	if (r->id)
		return arena_printf(a, "run %lld", (long long)r->id);
	if (r->name && *r->name)
		return arena_printf(a, "'%s'", r->name);
	return "a run without a name";
}

const char *compare_text_join(struct arena *a, const char *list,
	const char *item)
{
	return list ? arena_printf(a, "%s, %s", list, item) : item;
}

enum { NAME_MOST = 100, SHAPE_MOST = 60 };

const char *compare_text_name(struct arena *a, const char *name)
{
	const char *text = kernel_name_short(a, name, strlen(name));
	size_t len = strlen(text);
	if (len <= NAME_MOST)
		return text;
	return arena_printf(a, "%.*s…", (int)utf8_clip(text, len, NAME_MOST),
		text);
}

static const char *compare_text_names(struct arena *a, const char *const *names,
	uint32_t n)
{
	enum { SHOWN = 3 };
	const char *text = compare_text_name(a, names[0]);
	for (uint32_t i = 1; i < n && i < SHOWN; i++)
		text = arena_printf(a, "%s + %s", text,
			compare_text_name(a, names[i]));
	return n > SHOWN ? arena_printf(a, "%s + %u more", text, n - SHOWN)
			 : text;
}

const char *compare_text_function(struct arena *a, const struct changed_row *r)
{
	if (!r->base_names_n && !r->head_names_n)
		return compare_text_name(a, r->name);
	if (!r->base_names_n)
		return compare_text_names(a, r->head_names, r->head_names_n);
	const char *base =
		compare_text_names(a, r->base_names, r->base_names_n);
	if (!r->head_name || !r->head_names_n)
		return base;
	return arena_printf(a, "%s (in the base %s)",
		compare_text_names(a, r->head_names, r->head_names_n), base);
}

const char *compare_text_identity(struct arena *a, const struct changed_row *r)
{
	return arena_printf(a, "%s → %s (%+.1f %%)",
		compare_text_names(a, r->base_names, r->base_names_n),
		compare_text_names(a, r->head_names, r->head_names_n),
		100 * (r->change.ratio - 1));
}

/* "rms_norm + layer_norm" */
static const char *compare_text_operators(struct arena *a,
	const char *const *names, uint32_t n)
{
	const char *text = n ? names[0] : "none";
	for (uint32_t i = 1; i < n; i++)
		text = arena_printf(a, "%s + %s", text, names[i]);
	return text;
}

const char *compare_text_operator(struct arena *a,
	const struct changed_operator *o)
{
	if (o->inferred)
		return arena_printf(a, "%s (inferred: %s → %s)", o->name,
			compare_text_operators(a, o->base_operators,
				o->base_operators_n),
			compare_text_operators(a, o->head_operators,
				o->head_operators_n));
	const char *name = o->shape
				   ? arena_printf(a, "%s %s", o->name, o->shape)
				   : o->name;
	if (o->base_kernels && o->head_kernels)
		return arena_printf(a, "%s (%s → %s)", name, o->base_kernels,
			o->head_kernels);
	return name;
}

const char *compare_text_evidence(const struct change *c)
{
	static const char *const words[] = {
		[EVIDENCE_NONE] = "by nothing",
		[EVIDENCE_RUNS] = "by permutation of runs",
		[EVIDENCE_ITERATIONS] = "by permutation of iterations",
		[EVIDENCE_LAUNCHES] = "by its launches",
	};
	return words[c->evidence];
}

const char *compare_text_amount(struct arena *a, const struct change *c)
{
	const char *time = duration_text(a, fabs(c->delta_ns));
	const char *sign = c->delta_ns < 0 ? "-" : "+";
	if (!(c->base_ns > 0) || !(c->head_ns > 0))
		return arena_printf(a, "%s%s per iteration", sign, time);
	return arena_printf(a, "%s%s per iteration (%+.1f %%)", sign, time,
		100 * (c->ratio - 1));
}

const char *compare_text_what(const struct change *c)
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
	case CHANGE_WITHIN_MARGIN:
		return c->delta_ns > 0 ? "takes longer, within the margin"
				       : "takes less, within the margin";
	default:
		if (!(c->base_ns > 0))
			return "is likely new";
		if (!(c->head_ns > 0))
			return "is likely gone";
		return c->delta_ns > 0 ? "likely takes longer"
				       : "likely takes less";
	}
}
