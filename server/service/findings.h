/* findings.h - findings: warnings and remarks attached to a result, as sentences. */
#pragma once
#include "arena.h"
#include <stdint.h>

struct finding_line {
	const char *code, *severity, *text; /* severity: "warn" or "info" */
};

struct finding_list {
	struct arena *arena; /* the list's, and its sentences' */
	struct finding_line *lines;
	uint32_t n;
};

/* Appends a finding; none of the texts is copied. */
void findings_add(struct finding_list *l, const char *code,
	const char *severity, const char *text);
