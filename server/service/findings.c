/* findings.c - a list of findings, in the arena. */
#include "findings.h"
#include <string.h>

void findings_add(struct finding_list *l, const char *code,
	const char *severity, const char *text)
{
	struct finding_line *lines =
		arena_array(l->arena, struct finding_line, (size_t)l->n + 1);
	if (l->n)
		memcpy(lines, l->lines, l->n * sizeof *lines);
	lines[l->n++] = (struct finding_line){ code, severity, text };
	l->lines = lines;
}
