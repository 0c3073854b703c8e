/* gate_text_parts.h - what the renderings of a gate share. */
#pragma once
#include "buf.h"
#include "utf8.h"
#include <jansson.h>
#include <math.h>
#include <string.h>

/* Kernels have names of any length; the answer as JSON has them whole. */
enum { GATE_NAME_BYTES = 160 };

/* "" where it is null or not there. */
static inline const char *gate_text_of(const json_t *v, const char *key)
{
	const char *s = json_string_value(json_object_get(v, key));
	return s ? s : "";
}

/* NaN where it is null. */
static inline double gate_real_of(const json_t *v, const char *key)
{
	const json_t *x = json_object_get(v, key);
	return json_is_number(x) ? json_number_value(x) : (double)NAN;
}

static inline long long gate_whole_of(const json_t *v, const char *key)
{
	return json_integer_value(json_object_get(v, key));
}

/* Of a rule's change and limit; headroom's are points of the cycle's time. */
static inline const char *gate_unit_of(const json_t *rule)
{
	return strcmp(gate_text_of(rule, "rule"), "headroom") ? "%" : "points";
}

/* As much of a name as is shown, and what stands for the rest. */
static inline size_t gate_name_shown(const char *s, const char **rest)
{
	size_t len = strlen(s);
	*rest = len > GATE_NAME_BYTES ? "…" : "";
	return utf8_clip(s, len, GATE_NAME_BYTES);
}

/* "bad data" of "bad_data": outcomes as people say them. */
static inline const char *gate_outcome_said(const char *word)
{
	return !strcmp(word, "bad_data") ? "bad data" : word;
}
