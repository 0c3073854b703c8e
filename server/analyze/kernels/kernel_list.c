/* kernel_list.c - a name's text, then its kernel, then what is known of it. */
#include "kernel_list.h"
#include "kernel_name.h"
#include <string.h>

static bool kernel_add(struct kernel_list *l, const char *text, size_t len,
	const char *mangled)
{
	struct profile *p = l->profile;
	if (p->kernels_n == l->cap) {
		uint32_t cap = l->cap ? l->cap * 2 : 16;
		void *grown = arena_grow(p->arena, p->kernels,
			(size_t)cap * sizeof *p->kernels);
		if (!grown)
			return false;
		p->kernels = grown;
		l->cap = cap;
	}
	struct profile_kernel *k = &p->kernels[p->kernels_n++];
	*k = (struct profile_kernel){
		.name = text,
		.mangled = mangled,
		.short_name = kernel_name_short(p->arena, text, len),
	};
	if (!catalog_kernel(l->catalog, text, len, &k->source))
		note_add(&p->notes, NOTE_rule_gave_up, 1, text, len);
	const struct operator_info *is =
		catalog_kernel_operator(l->catalog, text, len);
	k->operator= is ? is->name : NULL;
	return k->short_name != NULL;
}

/* The kernel of a name of the trace, plus one; 0 where the arena is full. */
static uint32_t kernel_new(struct kernel_list *l, uint32_t name)
{
	const struct name *raw = &l->trace->names.list[name];
	const char *text;
	size_t len;
	enum kernel_name how = kernel_name_from(l->profile->arena, raw->text,
		raw->len, &text, &len);

	if (how == NAME_FULL)
		return 0;
	if (how == NAME_REFUSED)
		note_add(&l->profile->notes, NOTE_demangle_bound, 1, raw->text,
			raw->len);
	if (len == 0) {
		text = "(unnamed)";
		len = strlen(text);
	}
	uint32_t id = names_put(&l->texts, text, len);
	if (id == NAMES_NONE)
		return 0;
	if (id > l->profile->kernels_n &&
		!kernel_add(l, names_text(&l->texts, id), len,
			how == NAME_DEMANGLED ? raw->text : NULL))
		return 0;
	return id;
}

bool kernel_list_init(struct kernel_list *l, const struct trace *t,
	const struct catalog *f, struct profile *p)
{
	*l = (struct kernel_list){ .trace = t, .catalog = f, .profile = p };
	l->of_name = arena_grow(p->arena, NULL,
		(size_t)t->names.n * sizeof *l->of_name);
	return l->of_name && names_init(&l->texts, p->arena);
}

bool kernel_list_of(struct kernel_list *l, uint32_t name, uint32_t *kernel)
{
	uint32_t *of = &l->of_name[name];
	if (!*of && !(*of = kernel_new(l, name)))
		return false;
	*kernel = *of - 1;
	return true;
}

void kernel_list_release(struct kernel_list *l)
{
	arena_drop(l->profile->arena, l->of_name);
}
