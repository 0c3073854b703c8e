/* pattern_told_function.c - texts become a type, a device's number, a name. */
#include "pattern_told_function.h"
#include "device_text.h"
#include "kernel_name.h"
#include "profile_word.h"
#include <string.h>

enum side { DEVICE, HOST };
static const enum side side_of[] = {
#define FUNCTION_TYPE(code, word, where, what) [FUNCTION_##code] = (where),
#include "function_type.def"
#undef FUNCTION_TYPE
};

/* What tells functions apart: ids of texts; hashed as bytes. */
struct key {
	uint32_t name, device, type;
};

bool told_functions_init(struct told_functions *f, const struct trace *t,
	struct arena *a)
{
	*f = (struct told_functions){ .t = t, .a = a };
	return names_init(&f->keys, a);
}

static bool starts(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* A word that nobody knows is of a GPU where its device has a number. */
static enum function_type type_of(const char *word, const char *device)
{
	for (int i = 0; i < FUNCTION_TYPES; i++)
		if (!strcmp(word, profile_word_function[i]))
			return (enum function_type)i;
	return device_text_number(device) < 0 ? FUNCTION_other_host
					      : FUNCTION_other_device;
}

/* Kernels are called what profile.kernels calls them. */
static const char *shown(struct arena *a, const struct name *n,
	const char *word)
{
	const char *text = n->text;
	size_t len;
	if (starts(word, "gpu_") && !starts(word, "gpu_mem") &&
		kernel_name_from(a, n->text, n->len, &text, &len) == NAME_FULL)
		return NULL;
	return *text ? text : "(unnamed)";
}

static bool add(struct told_functions *f, const struct key *k)
{
	const struct names *texts = &f->t->names;
	const char *word = names_text(texts, k->type);
	const char *device = names_text(texts, k->device);
	if (f->n == f->cap) {
		uint32_t cap = f->cap ? f->cap * 2 : 64;
		void *grown = arena_grow(f->a, f->list,
			(size_t)cap * sizeof *f->list);
		if (!grown)
			return false;
		f->list = grown;
		f->cap = cap;
	}
	enum function_type type = type_of(word, device);
	struct pattern is = { .type = type,
		.device = device,
		.number =
			side_of[type] == HOST ? -1 : device_text_number(device),
		.name = shown(f->a, &texts->list[k->name], word) };
	f->list[f->n++] = (struct pattern_function){ is, -1 };
	return is.name;
}

bool told_function_of(struct told_functions *f, uint32_t row,
	uint32_t *function)
{
	const struct pattern_rows *r = &f->t->pattern;
	struct key k = { r->name[row], r->device[row], r->func_type[row] };
	uint32_t id = names_put(&f->keys, (const char *)&k, sizeof k);
	if (id == NAMES_NONE || (id > f->n && !add(f, &k)))
		return false;
	*function = id - 1;
	return true;
}
