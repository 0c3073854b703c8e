/* layer_words.c - what operators and kernels do in a layer, by
 * data/operator_blocks.json. */
#include "layer_words.h"
#include "inside.h"
#include "layer_read.h"

struct operator_word {
	const char *name;
	struct layer_word word;
};

static const char *const acts[] = {
#define ACT(code, word, what) #word,
#include "layer_act.def"
#undef ACT
};
static bool word_read(const struct entries *d, size_t i, struct layer_word *w,
	struct err *e)
{
	const char *act;

	*w = (struct layer_word){ .block = BLOCKS };
	if (!entries_keys(d, i, "operator match act block roles also", e) ||
		!entries_text(d, i, "act", true, &act, e) ||
		!layer_read_block(d, i, &w->block, e) ||
		!layer_read_roles(d, i, "roles", &w->roles, e) ||
		!layer_read_roles(d, i, "also", &w->also, e))
		return false;
	w->act = layer_read_which(acts, ACTS, act);
	if (w->act == ACTS)
		return entries_fail(d, i, e, "there is no act '%.40s'", act);
	return true;
}

static bool operators(struct catalog *c, struct err *e)
{
	const struct entries *d = &c->operator_blocks;
	uint32_t n = (uint32_t)entries_n(d);

	c->operator_word = arena_array(&c->arena, struct operator_word, n);
	for (uint32_t i = 0; i < n; i++) {
		struct operator_word *w = &c->operator_word[i];
		if (!entries_text(d, i, "operator", true, &w->name, e) ||
			!word_read(d, i, &w->word, e))
			return false;
		if (!catalog_operator(c, w->name))
			return entries_fail(d, i, e,
				"nobody knows the operator '%.40s'", w->name);
	}
	c->operator_words = n;
	return true;
}

static bool kernels(struct catalog *c, struct err *e)
{
	const struct entries *d = &c->kernel_blocks;
	size_t n = entries_n(d);
	struct layer_word *words = arena_array(&c->arena, struct layer_word, n);
	struct err why = { 0 };
	uint32_t fault;

	for (size_t i = 0; i < n; i++) {
		const char *match;
		if (!entries_text(d, i, "match", true, &match, e) ||
			!word_read(d, i, &words[i], e))
			return false;
		meanings_add(c, &c->kernel_word, match, &words[i], false);
	}
	/* What stands before a name is skipped as rules do. */
	struct matcher_rules r = c->names;
	r.patterns = c->kernel_word.text;
	r.n = c->kernel_word.n;
	r.own = 0;
	c->kernel_word.matcher = matcher_new(&r, &fault, &why);
	return c->kernel_word.matcher ||
	       entries_fail(d, fault, e, "%s", why.text);
}

bool layer_words_read(struct catalog *c, struct err *e)
{
	return operators(c, e) && kernels(c, e);
}

bool catalog_operator_word(const struct catalog *c, const char *operator_,
	struct layer_word *out)
{
	*out = (struct layer_word){ .block = BLOCKS };
	for (uint32_t i = 0; operator_ && i < c->operator_words; i++)
		if (strcmp(c->operator_word[i].name, operator_) == 0) {
			*out = c->operator_word[i].word;
			return true;
		}
	return false;
}

bool catalog_kernel_word(const struct catalog *c, const char *name, size_t len,
	struct layer_word *out)
{
	const struct layer_word *w = meanings_find(&c->kernel_word, name, len);

	*out = w ? *w : (struct layer_word){ .block = BLOCKS };
	return w;
}
