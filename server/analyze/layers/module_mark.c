/* module_mark.c - frames in order, parents before what lies in them. */
#include "module_mark.h"
#include <string.h>

/* Hashed as bytes, so it has no gaps. */
struct module_mark_key {
	int64_t number;
	uint32_t parent, word;
	uint32_t class_name, module;
};

enum { CLIMB_MOST = 64 };

static bool grow(struct module_marks *m, struct arena *a, uint32_t *cap)
{
	if (m->n < *cap)
		return true;
	uint32_t more = *cap * 2 + 256;
	struct module_mark *grown =
		arena_grow(a, m->marks, more * sizeof *grown);
	if (!grown)
		return false;
	m->marks = grown;
	*cap = more;
	return true;
}

struct marker {
	struct module_marks *m;
	struct arena *arena;
	uint32_t cap;
};

/* The mark of a part below another; NAMES_NONE where the arena is full. */
static uint32_t child(struct marker *k, const struct module_mark_key *key)
{
	struct module_marks *m = k->m;
	uint32_t id = names_put(&m->nodes, (const char *)key, sizeof *key);

	if (id == NAMES_NONE || !grow(m, k->arena, &k->cap))
		return NAMES_NONE;
	if (id < m->n)
		return id;
	m->marks[m->n++] = (struct module_mark){ .parent = key->parent,
		.word = key->word,
		.number = key->number,
		.class_name = key->class_name,
		.module = key->module,
		.first = LAYER_NONE };
	return id;
}

/* From which mark up a dotted path goes on, and how many of its bytes that one
 * has told already. */
static uint32_t goes_on(const struct module_marks *m, uint32_t under,
	const char *text, size_t *told)
{
	uint32_t at = under;

	*told = 0;
	for (int i = 0; at && i < CLIMB_MOST; i++, at = m->marks[at].parent) {
		if (!m->marks[at].path)
			continue;
		const struct name *p = &m->words.list[m->marks[at].path];
		const char *parts = m->marks[at].number < 0 ? "./" : "./ _:-";
		if (strncmp(text, p->text, p->len) == 0 &&
			(!text[p->len] || strchr(parts, text[p->len]))) {
			*told = p->len;
			return at;
		}
	}
	return under;
}

/* The marks of one name; *mark is the innermost. */
static bool place(struct marker *k, const char *text, bool module,
	uint32_t *mark)
{
	struct module_marks *m = k->m;
	struct module_name name;
	size_t told = 0;

	module_name_read(text, module, &name);
	bool dotted = !name.class_name && name.n;
	if (dotted)
		*mark = goes_on(m, *mark, text, &told);
	for (uint32_t i = 0; i < name.n && !name.wraps; i++) {
		const struct module_name_part *p = &name.parts[i];
		const char *end = i + 1 < name.n ? name.parts[i + 1].text
						 : text + strlen(text) + 1;
		if (dotted && told && end <= text + told + 1)
			continue;
		bool kept = module || module_name_is_layer(p->text, p->len) ||
			    name.n > 1;
		struct module_mark_key key = {
			.number = kept ? p->number : -1,
			.parent = *mark,
			.word = names_put(&m->words, p->text, p->len),
			.class_name = name.class_name,
			.module = module,
		};
		if (key.word == NAMES_NONE)
			return false;
		*mark = child(k, &key);
		if (*mark == NAMES_NONE)
			return false;
		if (!dotted)
			continue;
		uint32_t path =
			names_put(&m->words, text, (size_t)(end - 1 - text));
		if (path == NAMES_NONE)
			return false;
		m->marks[*mark].path = path;
	}
	return true;
}

/* Time of kernels in passes that count, in each mark and all below. */
static void add_up(struct module_marks *m, const struct layer_seq *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct layer_item *it = &s->items[i];
		uint32_t mark = m->of_frame[it->frame];
		if (it->kind != LAYER_KERNEL || it->pass == LAYER_NONE)
			continue;
		m->gpu_ns += it->dur_ns;
		m->known_ns += mark ? it->dur_ns : 0;
		m->path_ns += it->frame ? it->dur_ns : 0;
		m->marks[mark].self_ns += it->dur_ns;
		if (m->marks[mark].first == LAYER_NONE)
			m->marks[mark].first = i;
	}
	for (uint32_t i = m->n; i-- > 0;) {
		struct module_mark *x = &m->marks[i],
				   *up = &m->marks[x->parent];
		x->time_ns += x->self_ns;
		if (!i)
			break;
		up->time_ns += x->time_ns;
		if (x->first < up->first)
			up->first = x->first;
	}
}

bool module_marks_from(struct module_marks *m, const struct layer_seq *s,
	bool ranges)
{
	struct marker k = { .m = m, .arena = s->arena };

	*m = (struct module_marks){ .of_frame = arena_array(s->arena, uint32_t,
					    s->frames_n) };
	if (!m->of_frame || !names_init(&m->words, s->arena) ||
		!names_init(&m->nodes, s->arena) || !grow(m, s->arena, &k.cap))
		return false;
	m->marks[m->n++] =
		(struct module_mark){ .number = -1, .first = LAYER_NONE };
	for (uint32_t i = 1; i < s->frames_n; i++) {
		const struct frame *f = &s->frames[i];
		m->of_frame[i] = m->of_frame[f->parent];
		if ((f->kind == FRAME_MODULE ||
			    (ranges && f->kind == FRAME_ANNOTATION)) &&
			!place(&k, f->name, f->kind == FRAME_MODULE,
				&m->of_frame[i]))
			return false;
	}
	add_up(m, s);
	return true;
}
