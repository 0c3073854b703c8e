/* family.c - all rules as one pattern, so that a name is looked at once.
 *
 * The rules become the alternatives of one anchored pattern, each ended by an
 * empty group of its own: alternatives are tried in order, so the first rule
 * that matches wins, and the last group that took part tells which. */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "family.h"
#include "buf.h"
#include "embedded.h"
#include <jansson.h>
#include <pcre2.h>
#include <stdlib.h>
#include <string.h>

extern const struct embedded catalog_data[];

struct families {
	json_t *data; /* owns the texts */
	struct kernel_source *rules;
	pcre2_code *code;
	pcre2_match_context *match;
	uint32_t words; /* groups before the first rule's */
};

enum { PATTERN_MAX = 1 << 20, MATCH_LIMIT = 100000 };

static const struct embedded *table(void)
{
	const struct embedded *f = catalog_data;
	while (f->path && strcmp(f->path, "families.json") != 0)
		f++;
	return f->path ? f : NULL;
}

static bool damaged(struct err *e, const char *what)
{
	return err_set(e, ERR_INTERNAL,
		"the table of kernel families carried in the program is "
		"damaged: %s",
		what);
}

static const char *text(const json_t *rule, const char *key)
{
	return json_string_value(json_object_get(rule, key));
}

/* Each rule's own pattern; rules that share facts may have several. */
static bool rule_add(struct families *f, size_t i, const json_t *rule,
	struct buf *pattern, struct err *e)
{
	const char *match = text(rule, "match");
	f->rules[i] = (struct kernel_source){
		.family = text(rule, "family"),
		.defined_in = text(rule, "defined_in"),
		.launched_from = text(rule, "launched_from"),
		.known_from = text(rule, "known_from"),
	};
	if (!match || !f->rules[i].family)
		return damaged(e, "a rule without match or family");
	bool path = f->rules[i].defined_in || f->rules[i].launched_from;
	if (path && !f->rules[i].known_from)
		return damaged(e, "a path without its source");
	buf_printf(pattern, "%s(?:%s)(?<rule%zu>)", i ? "|" : "", match, i);
	return true;
}

/* (?(DEFINE)…) of the words, then an optional result type, then the rules. */
static bool pattern_make(struct families *f, json_t *rules, struct buf *pattern,
	struct err *e)
{
	json_t *words = json_object_get(f->data, "words");

	f->words = (uint32_t)json_object_size(words);
	buf_puts(pattern, "(?(DEFINE)");
	for (void *w = json_object_iter(words); w;
		w = json_object_iter_next(words, w))
		buf_printf(pattern, "(?<%s>%s)", json_object_iter_key(w),
			json_string_value(json_object_iter_value(w)));
	buf_puts(pattern, ")(?:void |std::enable_if<.*?>::type )?(?:");
	for (size_t i = 0; i < json_array_size(rules); i++)
		if (!rule_add(f, i, json_array_get(rules, i), pattern, e))
			return false;
	buf_puts(pattern, ")");
	return !pattern->full || damaged(e, "the rules are too long");
}

static bool compile(struct families *f, const struct buf *pattern,
	struct err *e)
{
	int code;
	PCRE2_SIZE at;
	PCRE2_UCHAR why[120];

	f->code = pcre2_compile((PCRE2_SPTR)pattern->at, pattern->len,
		PCRE2_ANCHORED | PCRE2_DOTALL | PCRE2_NO_AUTO_CAPTURE, &code,
		&at, NULL);
	if (!f->code) {
		pcre2_get_error_message(code, why, sizeof why);
		return err_set(e, ERR_INTERNAL,
			"the table of kernel families carried in the program "
			"is damaged: %s before '%.40s'",
			(const char *)why, pattern->at + at);
	}
	/* Without JIT on this machine matching is slower, not different. */
	pcre2_jit_compile(f->code, PCRE2_JIT_COMPLETE);
	f->match = pcre2_match_context_create(NULL);
	if (!f->match)
		abort();
	pcre2_set_match_limit(f->match, MATCH_LIMIT);
	return true;
}

struct families *families_new(struct err *e)
{
	const struct embedded *file = table();
	struct families *f = calloc(1, sizeof *f);
	struct buf pattern;
	json_error_t why;
	bool ok = false;

	if (!f)
		abort();
	buf_init(&pattern, PATTERN_MAX);
	if (file)
		f->data = json_loadb((const char *)file->bytes, *file->len,
			JSON_REJECT_DUPLICATES, &why);
	json_t *rules = json_object_get(f->data, "rules");
	if (!file || !f->data || json_array_size(rules) == 0) {
		damaged(e, f->data ? "it has no rules" : "it is no JSON");
		goto done;
	}
	f->rules = calloc(json_array_size(rules), sizeof *f->rules);
	if (!f->rules)
		abort();
	ok = pattern_make(f, rules, &pattern, e) && compile(f, &pattern, e);
done:
	buf_release(&pattern);
	if (ok)
		return f;
	families_free(f);
	return NULL;
}

void families_free(struct families *f)
{
	if (!f)
		return;
	pcre2_match_context_free(f->match);
	pcre2_code_free(f->code);
	json_decref(f->data);
	free(f->rules);
	free(f);
}

void families_find(const struct families *f, const char *name, size_t len,
	struct kernel_source *out)
{
	*out = (struct kernel_source){ 0 };
	pcre2_match_data *m =
		pcre2_match_data_create_from_pattern(f->code, NULL);
	if (!m)
		abort();
	int groups =
		pcre2_match(f->code, (PCRE2_SPTR)name, len, 0, 0, m, f->match);
	/* The whole is a group too; then come the words, then the rules. */
	if (groups > 1 + (int)f->words)
		*out = f->rules[(uint32_t)groups - 2 - f->words];
	pcre2_match_data_free(m);
}
