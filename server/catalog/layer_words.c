/* layer_words.c - what modules, operators and kernels do in a layer
 *
 * data/operator_blocks.json describes operators and kernels, and
 * data/module_roles.json describes modules. A pattern maps the name of a module
 * to a word. The word and the modules that contain this one determine its
 * roles. */
#include "layer_words.h"
#include "breakdown.h"
#include "entries.h"
#include "inside.h"
#include <string.h>

static const char *const layer_words_blocks[] = {
#define BLOCK(code, word, what) #word,
#include "layer_block.def"
#undef BLOCK
};
static const char *const layer_words_roles[] = {
#define ROLE(code, word, what) #word,
#include "layer_role.def"
#undef ROLE
};

/* The index in `words`; `n` if it is none of them, or NULL. */
static uint32_t layer_words_read_which(const char *const *words, uint32_t n,
	const char *word)
{
	uint32_t i = 0;
	while (i < n && (!word || strcmp(words[i], word) != 0))
		i++;
	return i;
}

/* The entry's member "block"; BLOCKS if it has none. */
static bool layer_words_read_block(const struct entries *d, size_t i,
	enum layer_block_kind *out, struct err *e)
{
	const char *block;

	if (!entries_text(d, i, "block", false, &block, e))
		return false;
	*out = layer_words_read_which(layer_words_blocks, BLOCKS, block);
	return !block || *out < BLOCKS ||
	       entries_fail(d, i, e, "there is no block '%.40s'", block);
}

/* Adds the roles in the list `key` of the entry, if it has one. */
static bool layer_words_read_roles(const struct entries *d, size_t i,
	const char *key, layer_roles *out, struct err *e)
{
	const json_t *list;

	if (!entries_list(d, i, key, &list, e))
		return false;
	for (size_t k = 0; k < json_array_size(list); k++) {
		const char *word = json_string_value(json_array_get(list, k));
		uint32_t role =
			layer_words_read_which(layer_words_roles, ROLES, word);
		if (role == ROLES)
			return entries_fail(d, i, e, "there is no role '%.40s'",
				word);
		*out |= UINT64_C(1) << role;
	}
	return true;
}

struct operator_word {
	const char *name;
	struct layer_word word;
};

static const char *const layer_words_acts[] = {
#define ACT(code, word, what) #word,
#include "layer_act.def"
#undef ACT
};
static bool layer_words_word_read(const struct entries *d, size_t i,
	struct layer_word *w, struct err *e)
{
	const char *act;

	*w = (struct layer_word){ .block = BLOCKS };
	if (!entries_keys(d, i, "operator match act block roles also", e) ||
		!entries_text(d, i, "act", true, &act, e) ||
		!layer_words_read_block(d, i, &w->block, e) ||
		!layer_words_read_roles(d, i, "roles", &w->roles, e) ||
		!layer_words_read_roles(d, i, "also", &w->also, e))
		return false;
	w->act = layer_words_read_which(layer_words_acts, ACTS, act);
	if (w->act == ACTS)
		return entries_fail(d, i, e, "there is no act '%.40s'", act);
	return true;
}

static bool layer_words_operators(struct catalog *c, struct err *e)
{
	const struct entries *d = &c->operator_blocks;
	uint32_t n = (uint32_t)entries_n(d);

	c->operator_word = arena_array(&c->arena, struct operator_word, n);
	for (uint32_t i = 0; i < n; i++) {
		struct operator_word *w = &c->operator_word[i];
		if (!entries_text(d, i, "operator", true, &w->name, e) ||
			!layer_words_word_read(d, i, &w->word, e))
			return false;
		if (!catalog_operator(c, w->name))
			return entries_fail(d, i, e,
				"the operator '%.40s' is unknown", w->name);
	}
	c->operator_words = n;
	return true;
}

static bool layer_words_kernels(struct catalog *c, struct err *e)
{
	const struct entries *d = &c->kernel_blocks;
	size_t n = entries_n(d);
	struct layer_word *words = arena_array(&c->arena, struct layer_word, n);
	struct err why = { 0 };
	uint32_t fault;

	for (size_t i = 0; i < n; i++) {
		const char *match;
		if (!entries_text(d, i, "match", true, &match, e) ||
			!layer_words_word_read(d, i, &words[i], e))
			return false;
		matcher_meanings_add(&c->arena, &c->kernel_word, match,
			&words[i], false);
	}
	/* Skips what precedes a name, as rules do. */
	struct matcher_rules r = c->names;
	r.patterns = c->kernel_word.text;
	r.n = c->kernel_word.n;
	r.own = 0;
	c->kernel_word.matcher = matcher_new(&r, &fault, &why);
	return c->kernel_word.matcher ||
	       entries_fail(d, fault, e, "%s", why.text);
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
	const struct layer_word *w =
		matcher_meanings_find(&c->kernel_word, name, len);

	*out = w ? *w : (struct layer_word){ .block = BLOCKS };
	return w;
}

/* The words that distinguish modules: "linear", "attention". */
struct module_word {
	const char *word;
	enum layer_block_kind block; /* of its contents; BLOCKS: none */
};

struct module_rule {
	const char *word, *in; /* the module that contains it, or NULL */
	bool outside; /* only outside of layers */
	uint32_t of; /* required number of siblings; 0: any */
	uint64_t which; /* required ordinals, as bits; 0: any */
	enum layer_block_kind block;
	layer_roles roles;
};

enum { ORDINALS = 64 };
static const char layer[] = "layer";

static bool layer_words_modules(struct catalog *c, struct err *e)
{
	const struct entries *d = &c->module_words;
	uint32_t n = (uint32_t)entries_n(d), fault;
	struct err why = { 0 };

	c->module_word = arena_array(&c->arena, struct module_word, n);
	c->module_word_n = n;
	for (uint32_t i = 0; i < n; i++) {
		struct module_word *w = &c->module_word[i];
		const char *match;
		if (!entries_keys(d, i, "word match block", e) ||
			!entries_text(d, i, "word", true, &w->word, e) ||
			!entries_text(d, i, "match", true, &match, e) ||
			!layer_words_read_block(d, i, &w->block, e))
			return false;
		matcher_meanings_add(&c->arena, &c->module_match, match, w,
			false);
	}
	return matcher_meanings_compile(&c->module_match, true, &fault, &why) ||
	       entries_fail(d, fault, e, "%s", why.text);
}

static bool layer_words_is_word(const struct catalog *c, const char *word)
{
	for (uint32_t i = 0; i < c->module_word_n; i++)
		if (strcmp(c->module_word[i].word, word) == 0)
			return true;
	return false;
}

/* "of" and "which": whole numbers and a list of them. */
static bool layer_words_counts_read(const struct entries *d, size_t i,
	struct module_rule *r, struct err *e)
{
	const json_t *of = json_object_get(entries_at(d, i), "of");
	const json_t *list = json_object_get(entries_at(d, i), "which");

	if ((of && (!json_is_integer(of) || json_integer_value(of) < 1 ||
			   json_integer_value(of) > ORDINALS)) ||
		(list && !json_is_array(list)))
		return entries_fail(d, i, e,
			"'of' is a number from 1 to %d, 'which' a list",
			ORDINALS);
	r->of = (uint32_t)json_integer_value(of);
	for (size_t k = 0; k < json_array_size(list); k++) {
		const json_t *v = json_array_get(list, k);
		json_int_t n = json_integer_value(v);
		if (!json_is_integer(v) || n < 0 || n >= ORDINALS)
			return entries_fail(d, i, e,
				"'which' holds numbers from 0 to %d",
				ORDINALS - 1);
		r->which |= UINT64_C(1) << n;
	}
	return true;
}

static bool layer_words_rules(struct catalog *c, struct err *e)
{
	const struct entries *d = &c->module_roles;
	uint32_t n = (uint32_t)entries_n(d);

	c->module_rule = arena_array(&c->arena, struct module_rule, n);
	c->module_rule_n = n;
	for (uint32_t i = 0; i < n; i++) {
		struct module_rule *r = &c->module_rule[i];
		if (!entries_keys(d, i, "word in outside of which block roles",
			    e) ||
			!entries_text(d, i, "word", true, &r->word, e) ||
			!entries_text(d, i, "in", false, &r->in, e) ||
			!entries_bool(d, i, "outside", false, &r->outside, e) ||
			!layer_words_counts_read(d, i, r, e) ||
			!layer_words_read_block(d, i, &r->block, e) ||
			!layer_words_read_roles(d, i, "roles", &r->roles, e))
			return false;
		if (!layer_words_is_word(c, r->word) ||
			(r->in && !layer_words_is_word(c, r->in)))
			return entries_fail(d, i, e,
				"'%.40s' is no word of the list 'words'",
				layer_words_is_word(c, r->word) ? r->in
								: r->word);
	}
	return true;
}

bool layer_words_read(struct catalog *c, struct err *e)
{
	return layer_words_operators(c, e) && layer_words_kernels(c, e) &&
	       layer_words_modules(c, e) && layer_words_rules(c, e);
}

static const struct module_word *layer_words_module_of(const struct catalog *c,
	const char *name)
{
	return name ? matcher_meanings_find(&c->module_match, name,
			      strlen(name))
		    : NULL;
}

/* What a module is and what contains it. */
struct module_standing {
	const struct module_word *is, *in; /* in: the innermost known; NULL */
	bool outside;
	enum layer_block_kind block;
};

/* The innermost module with a block determines the block, except if this block
 * is an MLP: a module around it may show that it is one of the experts or the
 * shared expert. */
static struct module_standing layer_words_stand(const struct catalog *c,
	const struct module_at *m)
{
	struct module_standing s = { .is = layer_words_module_of(c, m->name),
		.outside = true,
		.block = BLOCKS };

	if (!s.is)
		s.is = layer_words_module_of(c, m->class_name);
	if (s.is)
		s.block = s.is->block;
	for (uint32_t i = 0; i < m->parents_n; i++) {
		const struct module_word *up =
			layer_words_module_of(c, m->parents[i]);
		if (!up)
			continue;
		s.in = s.in ? s.in : up;
		s.outside &= strcmp(up->word, layer) != 0;
		if (up->block < BLOCKS &&
			(s.block == BLOCKS || s.block == BLOCK_MLP))
			s.block = up->block;
	}
	return s;
}

static bool layer_words_applies(const struct module_rule *r,
	const struct module_standing *s, const struct module_at *m)
{
	return strcmp(r->word, s->is->word) == 0 &&
	       (!r->in || (s->in && strcmp(r->in, s->in->word) == 0)) &&
	       (!r->outside || s->outside) &&
	       (!r->of || r->of == m->siblings) &&
	       (!r->which ||
		       (m->ordinal < ORDINALS && r->which >> m->ordinal & 1));
}

bool catalog_module_word(const struct catalog *c, const struct module_at *m,
	struct layer_word *out)
{
	struct module_standing s = layer_words_stand(c, m);

	*out = (struct layer_word){ .block = s.block, .act = ACTS };
	for (uint32_t i = 0; s.is && i < c->module_rule_n; i++) {
		const struct module_rule *r = &c->module_rule[i];
		if (!layer_words_applies(r, &s, m))
			continue;
		out->roles = r->roles;
		out->block = r->block < BLOCKS ? r->block : s.block;
		break;
	}
	return out->roles || out->block < BLOCKS;
}
