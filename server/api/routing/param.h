/* param.h - parses the query of a request to typed values.
 *
 * routes.def lists the parameters of each route; any other parameter is
 * rejected. A handler therefore only receives values of the right type and
 * range. An empty value means that the parameter is not given. Texts are
 * allocated in the arena. */
#pragma once
#include "arena.h"
#include "err.h"
#include <jansson.h>
#include <stdint.h>

struct call;

enum param_kind {
	PARAM_TEXT,
	PARAM_WHOLE,
	PARAM_REAL,
	PARAM_CHOICE,
	PARAM_MOMENT,
	PARAM_LABELS,
	PARAM_CURSOR
};

struct param_spec {
	json_t *(*handler)(struct call *c, struct err *e);
	const char *name;
	enum param_kind kind;
	const char *range, *fallback, *help;
};

/* All parameters of routes.def, grouped by route. The last entry has no
 * handler. */
extern const struct param_spec param_specs[];

struct param {
	const struct param_spec *spec;
	bool given;
	/* as sent, or the default; NULL if there is neither */
	const char *text;
	int64_t whole; /* WHOLE; MOMENT in microseconds; CHOICE its index */
	double real;
};

enum { PARAMS_MAX = 24 };

struct params {
	struct param list[PARAMS_MAX];
	int n;
	/* a JSON object with sorted keys; NULL if none is given */
	const char *labels;
};

/* Reads `query` (the text after the '?', or NULL) for the route of `handler`.
 */
bool params_read(struct params *ps, struct arena *a,
	json_t *(*handler)(struct call *c, struct err *e), const char *query,
	struct err *e);

/* Returns the parameter with this name; the route must have it. */
const struct param *param(const struct params *ps, const char *name);
/* Its text, or `otherwise` if it is not given and has no default. */
const char *param_text(const struct params *ps, const char *name,
	const char *otherwise);
/* Its time in microseconds; NO_MOMENT if it is not given. */
int64_t param_moment(const struct params *ps, const char *name);

/* Percent-decodes a segment of a path. The result is in the arena and is valid
 * UTF-8 without U+0000; NULL if the segment is not such a text. */
const char *param_path_decode(const char *s, size_t len, struct arena *a);
