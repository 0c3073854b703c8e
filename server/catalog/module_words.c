/* module_words.c - what modules do in a layer, by data/module_roles.json: a
 * pattern of the name gives a word, the word and what it stands in give roles. */
#include "inside.h"
#include "layer_read.h"
#include "layer_words.h"

/* What modules are told apart by: "linear", "attention". */
struct module_word {
	const char *word;
	enum layer_block_kind block; /* of what is in it; BLOCKS: none */
};

struct module_rule {
	const char *word, *in; /* in: of what it stands in, or NULL */
	bool outside; /* of layers */
	uint32_t of; /* how many of its kind there are; 0 any */
	uint64_t which; /* bits of ordinals; 0 any */
	enum layer_block_kind block;
	layer_roles roles;
};

enum { ORDINALS = 64 };
static const char layer[] = "layer";

static bool words(struct catalog *c, struct err *e)
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
			!layer_read_block(d, i, &w->block, e))
			return false;
		meanings_add(c, &c->module_match, match, w, false);
	}
	return meanings_compile(&c->module_match, true, &fault, &why) ||
	       entries_fail(d, fault, e, "%s", why.text);
}

static bool is_word(const struct catalog *c, const char *word)
{
	for (uint32_t i = 0; i < c->module_word_n; i++)
		if (strcmp(c->module_word[i].word, word) == 0)
			return true;
	return false;
}

/* "of" and "which": whole numbers and a list of them. */
static bool counts_read(const struct entries *d, size_t i,
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

static bool rules(struct catalog *c, struct err *e)
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
			!counts_read(d, i, r, e) ||
			!layer_read_block(d, i, &r->block, e) ||
			!layer_read_roles(d, i, "roles", &r->roles, e))
			return false;
		if (!is_word(c, r->word) || (r->in && !is_word(c, r->in)))
			return entries_fail(d, i, e,
				"'%.40s' is no word of the list 'words'",
				is_word(c, r->word) ? r->in : r->word);
	}
	return true;
}

bool module_words_read(struct catalog *c, struct err *e)
{
	return words(c, e) && rules(c, e);
}

static const struct module_word *word_of(const struct catalog *c,
	const char *name)
{
	return name ? meanings_find(&c->module_match, name, strlen(name))
		    : NULL;
}

/* What a module is and stands in. */
struct standing {
	const struct module_word *is, *in; /* in: the innermost known; NULL */
	bool outside;
	enum layer_block_kind block;
};

/* Blocks go from the inside out; an MLP may be experts or the shared one. */
static struct standing stand(const struct catalog *c, const struct module_at *m)
{
	struct standing s = { .is = word_of(c, m->name),
		.outside = true,
		.block = BLOCKS };

	if (!s.is)
		s.is = word_of(c, m->class_name);
	if (s.is)
		s.block = s.is->block;
	for (uint32_t i = 0; i < m->parents_n; i++) {
		const struct module_word *up = word_of(c, m->parents[i]);
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

static bool applies(const struct module_rule *r, const struct standing *s,
	const struct module_at *m)
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
	struct standing s = stand(c, m);

	*out = (struct layer_word){ .block = s.block, .act = ACTS };
	for (uint32_t i = 0; s.is && i < c->module_rule_n; i++) {
		const struct module_rule *r = &c->module_rule[i];
		if (!applies(r, &s, m))
			continue;
		out->roles = r->roles;
		out->block = r->block < BLOCKS ? r->block : s.block;
		break;
	}
	return out->roles || out->block < BLOCKS;
}
