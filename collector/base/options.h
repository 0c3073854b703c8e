/* options.h - the collector's options.
 *
 * The options are read once per process, from the environment and from the
 * file that KERNSIFT_TRACE_CONFIG names. A wrong value is reported once and
 * the default is used: a typing error must not end the host process. */
#pragma once
#include <regex.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A pattern. If `given` is false there is no pattern, and nothing matches. */
struct options_pattern {
	bool given;
	regex_t regex;
};

struct collector_options {
#define OPTION_TEXT const char *
#define OPTION_NUM int
#define OPTION_COUNT int
#define OPTION_FLAG bool
#define OPTION_REGEX struct options_pattern
#define OPTION(field, kind, def, env, help) OPTION_##kind field;
#include "options.def"
#undef OPTION
#undef OPTION_TEXT
#undef OPTION_NUM
#undef OPTION_COUNT
#undef OPTION_FLAG
#undef OPTION_REGEX
	char *texts; /* the memory of the texts above */
};

/* Called with one sentence for each value that cannot be used. */
typedef void options_complain_fn(void *ctx, const char *sentence);

/* The source of values: getenv() in a process, a table in tests. */
typedef const char *options_env_fn(void *ctx, const char *name);

/* Copies all texts, because the host may change its environment later. If a
 * pattern of KERNSIFT_TRACE_HASH or _DROP cannot be used, all texts are
 * hashed: a typing error must not reveal what the user wanted to hide. */
void options_init(struct collector_options *o, options_env_fn *env,
	options_complain_fn *complain, void *ctx);
/* Frees the patterns and the texts. */
void options_release(struct collector_options *o);

/* Whether a variable is an option of the collector; used to find misspelled
 * names. */
bool options_knows(const char *name, size_t len);
/* Whether KERNSIFT_TRACE_KINDS lists the word. */
bool options_kind(const struct collector_options *o, const char *word);
/* KERNSIFT_TRACE_DIR, or the default folder. False if the user has no home
 * folder. */
enum { OPTIONS_PATH = 4096 };
bool options_folder(const struct collector_options *o,
	char to[static OPTIONS_PATH]);

bool pattern_matches(const struct options_pattern *p, const char *text);

/* The duration "250ms", "5s", "10m" or "2h" as nanoseconds, above 0. Returns
 * -1 if the text is not a duration. *end is set to the text after the
 * duration. If `end` is NULL, no text may follow. */
int64_t duration_ns(const char *text, const char **end);
