/* matcher.h - finds which of many patterns matches a text first, in one search.
 *
 * The patterns become the alternatives of a few anchored PCRE2 patterns, each
 * ended by a mark that identifies it. An installation's own patterns are kept
 * apart from those in the program: one that gives up at the match limit costs
 * the text the own patterns, and no others. */
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
	const char *before; /* pattern of what is skipped first; or "" */
	bool whole; /* a match covers the whole text */
};

struct matched {
	int64_t pattern; /* -1: none */
	uint32_t from, to; /* bytes, without what was skipped */
	int gave_up; /* why some own or carried patterns did; 0: none */
};

/* NULL with the reason in *e (ERR_INPUT) and the pattern at fault in *fault. */
struct matcher *matcher_new(const struct matcher_rules *r, uint32_t *fault,
	struct err *e);
void matcher_free(struct matcher *m);

struct matched matcher_find(const struct matcher *m, const char *text,
	size_t len);
/* Always false, with the reason why matcher_find() gave up on a text: the first
 * pattern that gives up on it by itself, after those that do not match at all. That
 * one took the others along. */
bool matcher_fail(const struct matcher_rules *r, int gave_up, const char *text,
	size_t len, struct arena *a, struct err *e);

enum { MATCHER_LIMIT = 1000000 };

/* Patterns that each mean an operator, or a platform. */
struct meanings {
	const char **text;
	const void **stands_for;
	uint32_t n, own, room;
	struct matcher *matcher;
};

/* A pattern of a list, and its meaning; `own` ones are added first. */
void matcher_meanings_add(struct arena *a, struct meanings *p, const char *text,
	const void *stands_for, bool own);
bool matcher_meanings_compile(struct meanings *p, bool whole, uint32_t *fault,
	struct err *e);
/* NULL if no pattern matches. */
const void *matcher_meanings_find(const struct meanings *p, const char *text,
	size_t len);
