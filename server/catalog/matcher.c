/* matcher.c - compiles patterns in parts and searches in them.
 *
 * There are several parts, because PCRE2 compiles at most 64 KiB. A part
 * contains only own patterns or only carried ones. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "matcher.h"
#include "buf.h"
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

enum { PART_BYTES = 14000, PATTERN_MAX = 1 << 20 };

struct matcher_part {
	pcre2_code *code;
	uint32_t first, n;
};
struct matcher {
	struct matcher_part *parts;
	uint32_t n;
	pcre2_match_context *limit;
};

/* (*ACCEPT), (*COMMIT), (*:mark) and similar verbs affect more than the
 * pattern that contains them. Only PCRE2 can decide whether "(*" is in a
 * class, a quotation or a comment. So every "(*" is rejected except "\(*".
 * "\c\" is one character for PCRE2, so its second backslash escapes nothing. */
static bool matcher_has_verb(const char *s)
{
	for (const char *at = s; (at = strstr(at, "(*")); at++) {
		const char *slash = at;
		while (slash > s && slash[-1] == '\\')
			slash--;
		bool control =
			slash - s >= 2 && slash[-1] == 'c' && slash[-2] == '\\';
		if ((at - slash) % 2 == 0 || control)
			return true;
	}
	return false;
}

static pcre2_code *matcher_compile(const char *text, size_t len, int *code,
	size_t *at)
{
	return pcre2_compile((PCRE2_SPTR)text, len,
		PCRE2_ANCHORED | PCRE2_DOTALL | PCRE2_NO_AUTO_CAPTURE |
			PCRE2_DUPNAMES,
		code, at, NULL);
}

/* Checks a pattern. It is compiled alone first, so that an error has the reason
 * and position in this pattern. Then it is compiled inside a group, because
 * (?x) could turn the text after the pattern into a comment. */
static bool matcher_sound(const struct matcher_rules *r, const char *pattern,
	struct err *e)
{
	static const char *const around[2][2] = { { "", "" }, { "(?:", ")" } };
	bool ok = true;

	if (matcher_has_verb(pattern))
		return err_set(e, ERR_INPUT,
			"the pattern has a verb, '(*…', which a rule may not");
	for (int i = 0; ok && i < 2; i++) {
		struct buf b;
		int code;
		size_t at;

		buf_init(&b, PATTERN_MAX);
		buf_printf(&b, "(?(DEFINE)%s)%s", r->words, around[i][0]);
		size_t head = b.len;
		buf_printf(&b, "%s%s", pattern, around[i][1]);
		pcre2_code *c = matcher_compile(b.at, b.len, &code, &at);
		if (!c) {
			PCRE2_UCHAR why[120];
			size_t len = strlen(pattern);
			pcre2_get_error_message(code, why, sizeof why);
			at = at < head ? 0 : at - head;
			at = at < len ? at : len;
			ok = err_set(e, ERR_INPUT,
				"the pattern does not compile: %s, at byte "
				"%zu, before '%.40s'",
				(const char *)why, at, pattern + at);
		}
		pcre2_code_free(c);
		buf_release(&b);
	}
	return ok;
}

static bool matcher_part_make(struct matcher_part *p,
	const struct matcher_rules *r, struct err *e)
{
	struct buf b;
	int code;
	size_t at;

	buf_init(&b, PATTERN_MAX);
	buf_printf(&b, "(?:%s)?(?<from__>)(?:", r->before);
	for (uint32_t i = p->first; i < p->first + p->n; i++)
		buf_printf(&b, "%s(?:%s)%s(*:%u)", i > p->first ? "|" : "",
			r->patterns[i], r->whole ? "\\z" : "", i);
	buf_printf(&b, ")(?(DEFINE)%s)", r->words);
	p->code = matcher_compile(b.at, b.len, &code, &at);
	if (!p->code) {
		PCRE2_UCHAR why[120];
		pcre2_get_error_message(code, why, sizeof why);
		err_set(e, ERR_INPUT,
			"the pattern does not compile together with the "
			"others: %s",
			(const char *)why);
	}
	buf_release(&b);
	/* Without JIT on this machine, matching is slower, but the results are
	 * equal. */
	if (p->code)
		pcre2_jit_compile(p->code, PCRE2_JIT_COMPLETE);
	return p->code;
}

/* How many patterns, starting at `first`, fit into one part. */
static uint32_t matcher_part_size(const struct matcher_rules *r, uint32_t first)
{
	uint32_t end = first < r->own ? r->own : r->n, n = 0;
	size_t bytes = 0;

	while (first + n < end) {
		bytes += strlen(r->patterns[first + n]) + 16;
		if (n && bytes > PART_BYTES)
			break;
		n++;
	}
	return n;
}

struct matcher *matcher_new(const struct matcher_rules *r, uint32_t *fault,
	struct err *e)
{
	struct matcher *m = calloc(1, sizeof *m);

	if (!m || !(m->parts = calloc(r->n + 1, sizeof *m->parts)) ||
		!(m->limit = pcre2_match_context_create(NULL)))
		abort();
	pcre2_set_match_limit(m->limit, MATCHER_LIMIT);
	bool ok = true;
	for (*fault = 0; ok && *fault < r->own; ++*fault)
		if (!(ok = matcher_sound(r, r->patterns[*fault], e)))
			break;
	for (uint32_t at = 0; ok && at < r->n;) {
		struct matcher_part *p = &m->parts[m->n++];
		*p = (struct matcher_part){ .first = at,
			.n = matcher_part_size(r, at) };
		*fault = at;
		ok = matcher_part_make(p, r, e);
		at += p->n;
	}
	if (ok)
		return m;
	matcher_free(m);
	return NULL;
}

void matcher_free(struct matcher *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; i < m->n; i++)
		pcre2_code_free(m->parts[i].code);
	pcre2_match_context_free(m->limit);
	free(m->parts);
	free(m);
}

/* The index of the pattern in a part; -1 if no mark identifies it. */
static int64_t matcher_marked(const struct matcher_part *p, pcre2_match_data *d)
{
	const char *mark = (const char *)pcre2_get_mark(d);
	long long i = mark ? strtoll(mark, NULL, 10) : -1;

	return i >= p->first && i < (long long)p->first + p->n ? i : -1;
}

struct matched matcher_find(const struct matcher *m, const char *text,
	size_t len)
{
	struct matched out = { .pattern = -1 };
	/* The whole match, and the end of the skipped text. */
	pcre2_match_data *d = pcre2_match_data_create(2, NULL);

	if (!d)
		abort();
	for (uint32_t i = 0; i < m->n && out.pattern < 0; i++) {
		int rc = pcre2_match(m->parts[i].code, (PCRE2_SPTR)text, len, 0,
			0, d, m->limit);
		if (rc >= 0 &&
			(out.pattern = matcher_marked(&m->parts[i], d)) < 0)
			rc = PCRE2_ERROR_INTERNAL;
		if (rc < 0) {
			if (rc != PCRE2_ERROR_NOMATCH && !out.gave_up)
				out.gave_up = rc;
			continue;
		}
		const PCRE2_SIZE *at = pcre2_get_ovector_pointer(d);
		out.from = (uint32_t)at[2];
		out.to = (uint32_t)at[1];
	}
	pcre2_match_data_free(d);
	return out;
}

static struct matched matcher_try(const struct matcher_rules *r,
	uint32_t pattern, const char *text, size_t len)
{
	/* The second pattern never matches. With a single alternative, PCRE2
	 * would not search a text without the pattern's last letter, and so
	 * would not reach the match limit. */
	const char *one[2] = { r->patterns[pattern], "(?!)" };
	struct matcher_rules alone = *r;
	uint32_t fault;
	struct err e = { 0 };

	alone.patterns = one;
	alone.n = 2;
	alone.own = 0;
	struct matcher *m = matcher_new(&alone, &fault, &e);
	struct matched out = { .pattern = -1 };
	if (m)
		out = matcher_find(m, text, len);
	matcher_free(m);
	return out;
}

static const char *matcher_limit(int gave_up, struct arena *a)
{
	PCRE2_UCHAR why[120];

	if (gave_up == PCRE2_ERROR_MATCHLIMIT)
		return arena_printf(a,
			"after %d steps: it can match in too many ways",
			MATCHER_LIMIT);
	if (gave_up == PCRE2_ERROR_JIT_STACKLIMIT)
		return "at the end of its stack: too much of it can match in "
		       "another way";
	pcre2_get_error_message(gave_up, why, sizeof why);
	return arena_printf(a, "for another reason: %s", (const char *)why);
}

bool matcher_fail(const struct matcher_rules *r, int gave_up, const char *text,
	size_t len, struct arena *a, struct err *e)
{
	for (uint32_t i = 0; i < r->n; i++) {
		int alone = matcher_try(r, i, text, len).gave_up;
		if (alone)
			return err_set(e, ERR_TOO_LARGE,
				"the %srule %u, '%.60s', gives up on this name "
				"%s",
				i < r->own ? "own " : "", i, r->patterns[i],
				matcher_limit(alone, a));
	}
	return err_set(e, ERR_TOO_LARGE,
		"several rules together, none of them alone, give up on this "
		"name %s",
		matcher_limit(gave_up, a));
}

void matcher_meanings_add(struct arena *a, struct meanings *p, const char *text,
	const void *stands_for, bool own)
{
	if (p->n == p->room) {
		uint32_t room = p->room ? 2 * p->room : 64;
		const char **texts = arena_array(a, const char *, room);
		const void **things = arena_array(a, const void *, room);
		if (p->n) {
			memcpy(texts, p->text, p->n * sizeof *texts);
			memcpy(things, p->stands_for, p->n * sizeof *things);
		}
		p->text = texts;
		p->stands_for = things;
		p->room = room;
	}
	p->text[p->n] = text;
	p->stands_for[p->n++] = stands_for;
	p->own += own;
}

bool matcher_meanings_compile(struct meanings *p, bool whole, uint32_t *fault,
	struct err *e)
{
	const struct matcher_rules r = {
		.patterns = p->text,
		.n = p->n,
		.own = p->own,
		.words = "",
		.before = "",
		.whole = whole,
	};
	p->matcher = matcher_new(&r, fault, e);
	return p->matcher;
}

const void *matcher_meanings_find(const struct meanings *p, const char *text,
	size_t len)
{
	struct matched m = matcher_find(p->matcher, text, len);
	return m.pattern < 0 ? NULL : p->stands_for[m.pattern];
}
