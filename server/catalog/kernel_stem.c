/* kernel_stem.c - separates the part of a kernel's name that a compiler numbers
 * or a library tunes from the part that identifies the kernel. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "buf.h"
#include "inside.h"
#include "matcher.h"
#include <pcre2.h>
#include <string.h>

struct stem_rule {
	const char *of;
	enum name_varies varies;
	pcre2_code *drop;
};

static bool kernel_stem_read_varies(const struct entries *d, size_t i,
	enum name_varies *out, struct err *e)
{
	const char *word;

	if (!entries_text(d, i, "varies", true, &word, e))
		return false;
	*out = strcmp(word, "tuning") == 0 ? NAME_TUNING : NAME_NUMBER;
	return *out == NAME_TUNING || strcmp(word, "number") == 0 ||
	       entries_fail(d, i, e, "'varies' is neither number nor tuning");
}

static bool kernel_stem_read_entry(const struct entries *d, size_t i,
	struct stem_rule *r, const char **match, struct err *e)
{
	const char *drop, *source;
	int code;
	PCRE2_SIZE at;

	if (!entries_keys(d, i, "of varies match drop source examples", e) ||
		!entries_text(d, i, "of", true, &r->of, e) ||
		!entries_text(d, i, "match", true, match, e) ||
		!entries_text(d, i, "drop", true, &drop, e) ||
		!entries_text(d, i, "source", true, &source, e) ||
		!kernel_stem_read_varies(d, i, &r->varies, e))
		return false;
	if (!json_array_size(json_object_get(entries_at(d, i), "examples")))
		return entries_fail(d, i, e, "it has no examples");
	r->drop = pcre2_compile((PCRE2_SPTR)drop, PCRE2_ZERO_TERMINATED,
		PCRE2_DOTALL, &code, &at, NULL);
	return r->drop || entries_fail(d, i, e, "'drop' does not compile");
}

bool kernel_stem_read(struct catalog *c, struct err *e)
{
	const struct entries *d = &c->kernel_names;
	size_t n = entries_n(d);
	struct err why = { 0 };
	uint32_t fault;

	c->stem_rule = arena_array(&c->arena, struct stem_rule, n);
	for (; c->stem_rule_n < n; c->stem_rule_n++) {
		struct stem_rule *r = &c->stem_rule[c->stem_rule_n];
		const char *match;
		if (!kernel_stem_read_entry(d, c->stem_rule_n, r, &match, e))
			return false;
		matcher_meanings_add(&c->arena, &c->stem_match, match, r,
			false);
	}
	if (matcher_meanings_compile(&c->stem_match, true, &fault, &why))
		return true;
	return entries_fail(d, fault, e, "%s", why.text);
}

void kernel_stem_release(struct catalog *c)
{
	for (uint32_t i = 0; i < c->stem_rule_n; i++)
		pcre2_code_free(c->stem_rule[i].drop);
	matcher_free(c->stem_match.matcher);
}

enum { KERNEL_STEM_NAME_MAX = 1 << 16 };

bool catalog_kernel_stem(const struct catalog *c, const char *name,
	struct arena *a, struct kernel_stem *out)
{
	size_t len = strlen(name);
	const struct stem_rule *r =
		len && len < KERNEL_STEM_NAME_MAX
			? matcher_meanings_find(&c->stem_match, name, len)
			: NULL;

	*out = (struct kernel_stem){ 0 };
	if (!r)
		return true;
	/* Each character may be replaced by one "*", and one more is added at
	 * the end. */
	PCRE2_SIZE room = 2 * len + 2;
	char *text = arena_array(a, char, room);
	if (!text)
		return false;
	if (pcre2_substitute(r->drop, (PCRE2_SPTR)name, len, 0,
		    PCRE2_SUBSTITUTE_GLOBAL, NULL, NULL, (PCRE2_SPTR) "*", 1,
		    (PCRE2_UCHAR *)text, &room) > 0)
		*out = (struct kernel_stem){ text, r->of, r->varies };
	return true;
}
