/* distinct_name.c - finds the words in which the full names of kernels with one
 * short name differ. */
#include "distinct_name.h"
#include "kernel_name.h"
#include "names.h"
#include "shape.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The kinds of words, in the order of their use. */
enum distinct_word {
	DISTINCT_FUNCTOR,
	DISTINCT_DTYPE,
	DISTINCT_NUMBER,
	DISTINCT_WRAPPER, /* a template around the functor */
	DISTINCT_WORDS
};

/* The maximum number of words in brackets. Of 715 distinct names in 25 real traces,
 * two need four words and none needs more. */
enum { DISTINCT_SLOTS = 4 };

/* If all words are longer, only the parts in which they differ are shown. The
 * words of PyTorch in 25 real traces have at most 34 bytes, and the names of
 * CUTLASS kernels, which are one word, at least 42. */
enum { DISTINCT_WORD_MAX = 40 };

struct distinct_words {
	uint32_t *ids; /* ids in `words` */
	uint32_t n;
};

/* One distinct full name. */
struct distinct_kernel {
	const char *name, *short_name;
	uint32_t id; /* of the name, in the order of appearance */
	struct distinct_words words[DISTINCT_WORDS];
	const char *slots[DISTINCT_SLOTS]; /* "": none */
	const char *distinct;
};

struct distinct_maker {
	struct arena *a;
	struct names words;
	struct distinct_kernel *kernels; /* by short name, then by name */
	uint32_t n;
};

/* Words of a name. */

static bool distinct_name_is_word(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (c & 0x80);
}

static bool distinct_name_equals(const char *s, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(s, word, len) == 0;
}

static bool distinct_name_among(const char *const *list, const char *s,
	size_t len)
{
	while (*list && !distinct_name_equals(s, len, *list))
		list++;
	return *list != NULL;
}

/* Words of C++, which do not identify a kernel. */
static const char *const distinct_grammar[] = { "anonymous", "class", "clone",
	"const", "enum", "lambda", "namespace", "operator", "struct",
	"typename", "unnamed", "void", NULL };

/* Templates and types of PyTorch's aten/src/ATen/native/cuda that contain a
 * functor, or accompany it, and name no computation. */
static const char *const distinct_wrappers[] = { "Array", "AUnaryFunctor",
	"BUnaryFunctor", "BinaryFunctor", "ReduceOp", "TensorIterator",
	"TensorIteratorBase", "UnaryFunctor", "array", "func_wrapper_t",
	"gpu_kernel_impl", "gpu_kernel_impl_nocast", NULL };

/* CUDA's and CUTLASS' types have affixes: __half, __nv_bfloat16, half_t. */
static bool distinct_name_is_dtype(const char *s, size_t len)
{
	if (dtype_from(s, len) != DTYPE_UNKNOWN ||
		(len > 8 && memcmp(s, "unsigned ", 9) == 0))
		return true;
	if (len > 2 && memcmp(s, "__", 2) == 0) {
		s += 2;
		len -= 2;
	}
	if (len > 3 && memcmp(s, "nv_", 3) == 0) {
		s += 3;
		len -= 3;
	}
	if (len > 2 && memcmp(s + len - 2, "_t", 2) == 0)
		len -= 2;
	return dtype_from(s, len) != DTYPE_UNKNOWN;
}

static enum distinct_word distinct_name_kind(const char *s, size_t len)
{
	if ((*s >= '0' && *s <= '9') || distinct_name_equals(s, len, "true") ||
		distinct_name_equals(s, len, "false"))
		return DISTINCT_NUMBER;
	if (distinct_name_among(distinct_wrappers, s, len))
		return DISTINCT_WRAPPER;
	return distinct_name_is_dtype(s, len) ? DISTINCT_DTYPE
					      : DISTINCT_FUNCTOR;
}

/* By length of a part at the begin of a short name: the length of its longest part,
 * other than itself, that is at both its begin and its end (Knuth, Morris and Pratt,
 * Fast Pattern Matching in Strings, 1977). */
static uint32_t *distinct_name_borders(struct arena *a, const char *s)
{
	size_t len = strlen(s);
	uint32_t *border = arena_grow(a, NULL, (len + 1) * sizeof *border);
	uint32_t same = 0;

	for (size_t i = 1; i < len; i++) {
		while (same && s[i] != s[same])
			same = border[same];
		same += s[i] == s[same];
		border[i + 1] = same;
	}
	return border;
}

/* Where the words of a name begin: after the short name, at its arguments. A short
 * name can occur at almost each byte of a name, so `border` makes one pass find all
 * places. */
static const char *distinct_name_arguments(const struct distinct_kernel *k,
	const uint32_t *border)
{
	const size_t len = strlen(k->short_name);
	const char *end = k->name;
	uint32_t same = 0;

	for (const char *p = k->name; len && *p; p++) {
		while (same && *p != k->short_name[same])
			same = border[same];
		same += *p == k->short_name[same];
		if (same < len)
			continue;
		same = border[same];
		end = p + 1;
		const char *from = end - len;
		if ((from == k->name || !distinct_name_is_word(from[-1])) &&
			(*end == '<' || *end == '('))
			break;
	}
	return end;
}

/* The next word of a name at *s or after it; NULL at the end. Namespaces and the
 * numbers of lambdas are no words. "unsigned int" is one. */
static const char *distinct_name_next(const char *name, const char **s,
	size_t *len)
{
	for (const char *p = *s; *p;) {
		const char *from = p;
		while (distinct_name_is_word(*p))
			p++;
		*len = (size_t)(p - from);
		if (!*len) {
			p++;
			continue;
		}
		if (distinct_name_equals(from, *len, "unsigned") && *p == ' ') {
			while (distinct_name_is_word(*++p))
				;
			*len = (size_t)(p - from);
		}
		*s = p;
		if (strncmp(p, "::", 2) != 0 &&
			(from == name || from[-1] != '#') &&
			!distinct_name_among(distinct_grammar, from, *len))
			return from;
	}
	return NULL;
}

static void distinct_name_read(struct distinct_maker *m,
	struct distinct_kernel *k, const uint32_t *border)
{
	const char *begin = distinct_name_arguments(k, border), *s = begin;
	const char *word;
	size_t len;

	while ((word = distinct_name_next(k->name, &s, &len)))
		k->words[distinct_name_kind(word, len)].n++;
	for (int w = 0; w < DISTINCT_WORDS; w++) {
		k->words[w].ids =
			arena_array(m->a, uint32_t, (size_t)k->words[w].n + 1);
		k->words[w].n = 0;
	}
	s = begin;
	while ((word = distinct_name_next(k->name, &s, &len))) {
		struct distinct_words *to =
			&k->words[distinct_name_kind(word, len)];
		to->ids[to->n++] = names_put(&m->words, word, len);
	}
}

/* Words in which kernels differ. */

/* Kernels whose distinct names are equal so far; they are neighbors. */
struct distinct_group {
	struct distinct_kernel *list;
	uint32_t n;
	uint32_t slots; /* filled in each of them */
};

/* Where the kernels of a group differ first. */
struct distinct_place {
	enum distinct_word kind;
	uint32_t at;
};

/* Id 0 if the kernel has no word there. */
static uint32_t distinct_name_word(const struct distinct_kernel *k,
	struct distinct_place p)
{
	const struct distinct_words *w = &k->words[p.kind];
	return p.at < w->n ? w->ids[p.at] : 0;
}

static bool distinct_name_differ(const struct distinct_group *g,
	struct distinct_place *out)
{
	for (int w = 0; w < DISTINCT_WORDS; w++) {
		uint32_t first = UINT32_MAX;
		const struct distinct_words *x = &g->list[0].words[w];
		for (uint32_t i = 1; i < g->n; i++) {
			const struct distinct_words *y = &g->list[i].words[w];
			uint32_t at = 0;
			while (at < x->n && at < y->n &&
				x->ids[at] == y->ids[at])
				at++;
			if ((at < x->n || at < y->n) && at < first)
				first = at;
		}
		*out = (struct distinct_place){ (enum distinct_word)w, first };
		if (first != UINT32_MAX)
			return true;
	}
	return false;
}

/* The number of bytes at the begin, or at the end, that all words of the group
 * have in common. They end, or begin, at an underscore. */
static size_t distinct_name_common(const struct distinct_maker *m,
	const struct distinct_group *g, struct distinct_place p, bool at_end)
{
	const struct name *all = m->words.list;
	const struct name *x = &all[distinct_name_word(&g->list[0], p)];
	size_t common = x->len;

	for (uint32_t i = 1; i < g->n; i++) {
		const struct name *y = &all[distinct_name_word(&g->list[i], p)];
		size_t n = 0;
		while (n < common && n < y->len &&
			(at_end ? x->text[x->len - 1 - n] ==
						y->text[y->len - 1 - n]
				: x->text[n] == y->text[n]))
			n++;
		common = n;
	}
	while (common && (at_end ? x->text[x->len - common]
				 : x->text[common - 1]) != '_')
		common--;
	return common;
}

/* Whether all words of the group at this place are long. */
static bool distinct_name_long(const struct distinct_maker *m,
	const struct distinct_group *g, struct distinct_place p)
{
	for (uint32_t i = 0; i < g->n; i++)
		if (m->words.list[distinct_name_word(&g->list[i], p)].len <=
			DISTINCT_WORD_MAX)
			return false;
	return true;
}

/* Fills the next slot of each kernel of a group. */
static void distinct_name_slot(struct distinct_maker *m,
	struct distinct_group *g, struct distinct_place p)
{
	size_t front = 0, back = 0;

	if (distinct_name_long(m, g, p)) {
		front = distinct_name_common(m, g, p, false);
		back = distinct_name_common(m, g, p, true);
	}
	for (uint32_t i = 0; i < g->n; i++) {
		const struct name *is =
			&m->words.list[distinct_name_word(&g->list[i], p)];
		bool cut = front + back < is->len;
		g->list[i].slots[g->slots] =
			cut ? arena_strndup(m->a, is->text + front,
				      is->len - front - back)
			    : is->text;
	}
	g->slots++;
}

static int distinct_name_by_slots(const void *left, const void *right)
{
	const struct distinct_kernel *a = left, *b = right;

	for (int i = 0; i < DISTINCT_SLOTS; i++) {
		int order = strcmp(a->slots[i], b->slots[i]);
		if (order)
			return order;
	}
	return strcmp(a->name, b->name);
}

/* Extends the names of a group until they differ or their slots are full. */
static void distinct_name_split(struct distinct_maker *m,
	struct distinct_group g)
{
	struct distinct_place p;

	if (g.n < 2 || g.slots == DISTINCT_SLOTS ||
		!distinct_name_differ(&g, &p))
		return;
	distinct_name_slot(m, &g, p);
	qsort(g.list, g.n, sizeof *g.list, distinct_name_by_slots);
	for (uint32_t i = 0, n; i < g.n; i += n) {
		for (n = 1; i + n < g.n; n++)
			if (strcmp(g.list[i].slots[g.slots - 1],
				    g.list[i + n].slots[g.slots - 1]) != 0)
				break;
		distinct_name_split(m,
			(struct distinct_group){ &g.list[i], n, g.slots });
	}
}

/* Names. */

static const char *distinct_name_text(struct arena *a,
	const struct distinct_kernel *k)
{
	const char *in = "";

	for (int i = 0; i < DISTINCT_SLOTS; i++)
		if (*k->slots[i])
			in = arena_printf(a, "%s%s%s", in, *in ? " " : "",
				k->slots[i]);
	return *in ? arena_printf(a, "%s [%s]", k->short_name, in)
		   : k->short_name;
}

/* Numbers the names that occur more than once. */
static void distinct_name_number(struct distinct_maker *m)
{
	uint32_t *count = arena_array(m->a, uint32_t, (size_t)m->n + 2);
	uint32_t *nth = arena_array(m->a, uint32_t, (size_t)m->n + 2);
	struct names texts;

	names_init(&texts, m->a);
	for (uint32_t i = 0; i < m->n; i++) {
		const char *text = distinct_name_text(m->a, &m->kernels[i]);
		m->kernels[i].distinct = text;
		count[names_put(&texts, text, strlen(text))]++;
	}
	for (uint32_t i = 0; i < m->n; i++) {
		const char *text = m->kernels[i].distinct;
		uint32_t id = names_find(&texts, text, strlen(text));
		if (count[id] < 2)
			continue;
		do
			m->kernels[i].distinct =
				arena_printf(m->a, "%s #%u", text, ++nth[id]);
		while (names_find(&texts, m->kernels[i].distinct,
			       strlen(m->kernels[i].distinct)) != NAMES_NONE);
	}
}

static struct distinct_kernel distinct_name_kernel(struct arena *a,
	const char *name, uint32_t id)
{
	struct distinct_kernel k = { .name = name,
		.short_name = kernel_name_short(a, name, strlen(name)),
		.id = id };
	for (int i = 0; i < DISTINCT_SLOTS; i++)
		k.slots[i] = "";
	return k;
}

static int distinct_name_by_short_name(const void *left, const void *right)
{
	const struct distinct_kernel *a = left, *b = right;
	int order = strcmp(a->short_name, b->short_name);
	return order ? order : strcmp(a->name, b->name);
}

static void distinct_name_groups(struct distinct_maker *m)
{
	qsort(m->kernels, m->n, sizeof *m->kernels,
		distinct_name_by_short_name);
	for (uint32_t i = 0, n; i < m->n; i += n) {
		struct distinct_kernel *first = &m->kernels[i];
		for (n = 1; i + n < m->n; n++)
			if (strcmp(first->short_name, first[n].short_name) != 0)
				break;
		if (n > 1) {
			uint32_t *border =
				distinct_name_borders(m->a, first->short_name);
			for (uint32_t k = 0; k < n; k++)
				distinct_name_read(m, &first[k], border);
			arena_drop(m->a, border);
		}
		distinct_name_split(m, (struct distinct_group){ first, n, 0 });
	}
}

const char **distinct_names(struct arena *a, const char *const *names,
	uint32_t n)
{
	struct distinct_maker m = { .a = a };
	const char **out = arena_array(a, const char *, (size_t)n + 1);
	const char **by_id = arena_array(a, const char *, (size_t)n + 2);
	struct names distinct;

	assert(a->ceiling == 0);
	names_init(&distinct, a);
	names_init(&m.words, a);
	for (uint32_t i = 0; i < n; i++)
		names_put(&distinct, names[i], strlen(names[i]));
	m.n = distinct.n;
	m.kernels = arena_array(a, struct distinct_kernel, m.n);
	for (uint32_t id = 0; id < m.n; id++)
		m.kernels[id] =
			distinct_name_kernel(a, names_text(&distinct, id), id);
	distinct_name_groups(&m);
	distinct_name_number(&m);
	for (uint32_t i = 0; i < m.n; i++)
		by_id[m.kernels[i].id] = m.kernels[i].distinct;
	for (uint32_t i = 0; i < n; i++)
		out[i] = by_id[names_find(&distinct, names[i],
			strlen(names[i]))];
	return out;
}

const char **distinct_names_of_run(struct arena *a, const struct profile *p)
{
	const char **names =
		arena_array(a, const char *, (size_t)p->kernels_n + 1);
	for (uint32_t i = 0; i < p->kernels_n; i++)
		names[i] = p->kernels[i].name;
	return distinct_names(a, names, p->kernels_n);
}
