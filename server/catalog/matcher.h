/* matcher.h - finds the first of many patterns that matches a text, in one
 * search.
 *
 * The patterns are compiled as alternatives of a few anchored PCRE2 patterns. A
 * mark at the end of each alternative identifies it. An installation's own
 * patterns and those carried in the program are compiled separately: if an own
 * pattern reaches the match limit, no own pattern is used for this text, but
 * all carried ones are. */
#pragma once
#include "arena.h"
#include "err.h"
#include <stddef.h>
#include <stdint.h>

struct matcher;

struct matcher_rules {
	const char *const *patterns;
	uint32_t n, own; /* the first `own` of them are own */
	const char *words; /* "(?<name>pattern)…" for (?&name); or "" */
	const char *before; /* pattern of a prefix that is skipped; or "" */
	bool whole; /* a match covers the whole text */
};

struct matched {
	int64_t pattern; /* -1: none */
	uint32_t from, to; /* bytes, without what was skipped */
	int gave_up; /* PCRE2's reason why a search stopped; 0: none stopped */
};

/* NULL with the reason in *e (ERR_INPUT) and the pattern at fault in *fault. */
struct matcher *matcher_new(const struct matcher_rules *r, uint32_t *fault,
	struct err *e);
void matcher_free(struct matcher *m);

struct matched matcher_find(const struct matcher *m, const char *text,
	size_t len);
/* Always false. Sets *e to the reason why matcher_find() gave up on a text. It
 * tries every pattern alone and names the first that gives up, because that one
 * stopped the search in all patterns compiled with it. */
bool matcher_fail(const struct matcher_rules *r, int gave_up, const char *text,
	size_t len, struct arena *a, struct err *e);

enum { MATCHER_LIMIT = 1000000 };

/* Patterns, each with a meaning: an operator or a platform. */
struct meanings {
	const char **text;
	const void **stands_for;
	uint32_t n, own, room;
	struct matcher *matcher;
};

/* Adds a pattern and its meaning. Add `own` patterns first. */
void matcher_meanings_add(struct arena *a, struct meanings *p, const char *text,
	const void *stands_for, bool own);
bool matcher_meanings_compile(struct meanings *p, bool whole, uint32_t *fault,
	struct err *e);
/* NULL if no pattern matches. */
const void *matcher_meanings_find(const struct meanings *p, const char *text,
	size_t len);
