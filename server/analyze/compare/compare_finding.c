/* compare_finding.c - the sentences, in their order. */
#include "compare_state.h"
#include <stdlib.h>

static const struct {
	const char *name, *sentence;
	enum finding_severity severity;
} table[] = {
#define FINDING(code, severity, sentence) \
	[FINDING_##code] = { #code, sentence, FINDING_##severity },
#include "finding.def"
#undef FINDING
};

const char *finding_name(enum finding_code code)
{
	return table[code].name;
}

enum finding_severity finding_severity(enum finding_code code)
{
	return table[code].severity;
}

void compare_finding_add(struct compare *c, enum finding_code code,
	const char *base, const char *head)
{
	struct comparison *out = c->out;
	const char *text;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-extra-args"
	text = arena_printf(c->a, table[code].sentence, base ? base : "",
		head ? head : "");
#pragma GCC diagnostic pop
	out->findings = arena_grow(c->a, out->findings,
		(out->findings_n + 1) * sizeof *out->findings);
	out->findings[out->findings_n++] =
		(struct finding){ .code = code, .text = text };
	if (table[code].severity == FINDING_REFUSE)
		out->comparable = false;
}

/* Insertion, since few and equal ones keep their order. */
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
