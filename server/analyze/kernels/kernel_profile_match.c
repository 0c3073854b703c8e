/* kernel_profile_match.c - finds the kernels of a run that a kernel profiler
 * measured */
#include "kernel_profile_match.h"
#include "kernel_name.h"
#include "names.h"
#include <string.h>

static bool kernel_profile_match_word_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || c == '_';
}

/* The length of a cast before a value, such as "(int)" in "(int)4"; 0 if there
 * is none at s. */
static size_t kernel_profile_match_cast(const char *s, const char *end)
{
	const char *close =
		s < end && *s == '(' ? memchr(s, ')', (size_t)(end - s)) : NULL;
	if (!close || close + 1 == end)
		return 0;
	char next = close[1];
	if (next != '-' && (next < '0' || next > '9'))
		return 0;
	for (const char *c = s + 1; c < close; c++)
		if (!kernel_profile_match_word_char(*c) && *c != ' ' &&
			*c != ':')
			return 0;
	return (size_t)(close + 1 - s);
}

static bool kernel_profile_match_begins(const char *s, const char *end,
	const char *text, size_t *n)
{
	*n = strlen(text);
	return (size_t)(end - s) >= *n && !memcmp(s, text, *n);
}

/* Whether a whole word begins at s. */
static bool kernel_profile_match_is_word(const char *s, const char *end,
	const char *word, size_t *n)
{
	return kernel_profile_match_begins(s, end, word, n) &&
	       (s + *n == end || !kernel_profile_match_word_char(s[*n]));
}

size_t kernel_profile_match_spelling(char *out, const char *name, size_t len)
{
	static const struct {
		const char *word, *is;
	} words[] = { { "true", "1" }, { "false", "0" } };
	static const char unnamed[] = "<unnamed>";
	const char *end = name + len;
	size_t to = 0, n;
	bool inside = false; /* inside a word */

	for (const char *s = name; s < end;) {
		if (!inside && (n = kernel_profile_match_cast(s, end))) {
			s += n;
			continue;
		}
		if (*s == ' ') {
			inside = false;
			s++;
			continue;
		}
		if (kernel_profile_match_begins(s, end, "(anonymous namespace)",
			    &n)) {
			memcpy(out + to, unnamed, sizeof unnamed - 1);
			to += sizeof unnamed - 1;
			s += n;
			continue;
		}
		size_t w = 0;
		for (; !inside && w < 2; w++)
			if (kernel_profile_match_is_word(s, end, words[w].word,
				    &n))
				break;
		if (!inside && w < 2) {
			out[to++] = *words[w].is;
			s += n;
			continue;
		}
		if (!inside && *s >= '0' && *s <= '9') {
			while (s < end && *s >= '0' && *s <= '9')
				out[to++] = *s++;
			/* a number's type: "4u", "4ul" */
			while (s < end && (*s == 'u' || *s == 'l'))
				s++;
			continue;
		}
		inside = kernel_profile_match_word_char(*s);
		out[to++] = *s++;
	}
	out[to] = '\0';
	return to;
}

/* The length of a template's spelling without its parameters; 0 if it is no
 * template with parameters. */
static size_t kernel_profile_match_bare(const char *spelling, size_t len)
{
	int depth = 0;
	for (size_t at = len; at-- > 0;) {
		depth += (spelling[at] == ')') - (spelling[at] == '(');
		if (!depth)
			return at && spelling[at - 1] == '>' ? at : 0;
	}
	return 0;
}

#define NO_KERNEL UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

/* A table from a form of the names to the one kernel that has it. */
struct kernel_profile_match_form {
	struct names names; /* id = row + 1; "" has no id */
	uint32_t *kernel; /* by row; or SEVERAL */
};

static bool kernel_profile_match_form_init(struct kernel_profile_match_form *f,
	uint32_t n, struct arena *a)
{
	f->kernel = arena_array(a, uint32_t, (size_t)n + 1);
	return f->kernel && names_init(&f->names, a);
}

static bool kernel_profile_match_put(struct kernel_profile_match_form *f,
	const char *name, size_t len, uint32_t kernel)
{
	uint32_t known = f->names.n, id = names_put(&f->names, name, len);
	if (id == NAMES_NONE)
		return false;
	if (id == 0)
		return true;
	bool again = id < known && f->kernel[id - 1] != kernel;
	f->kernel[id - 1] = again ? SEVERAL : kernel;
	return true;
}

static uint32_t kernel_profile_match_get(const struct kernel_profile_match_form
						 *f,
	const char *name, size_t len)
{
	uint32_t id = names_find(&f->names, name, len);
	return id == NAMES_NONE || id == 0 ? NO_KERNEL : f->kernel[id - 1];
}

struct kernel_profile_match_names {
	struct arena *arena;
	struct kernel_profile_match_form full, traced, spelling, bare, base;
};

static bool kernel_profile_match_index(struct kernel_profile_match_names *m,
	const struct profile *run)
{
	for (uint32_t i = 0; i < run->kernels_n; i++) {
		const struct profile_kernel *k = &run->kernels[i];
		size_t len = strlen(k->name);
		char *spelling = arena_alloc(m->arena, len + 1, 1);
		if (!spelling)
			return false;
		len = kernel_profile_match_spelling(spelling, k->name, len);
		if (!kernel_profile_match_put(&m->full, k->name,
			    strlen(k->name), i) ||
			!kernel_profile_match_put(&m->spelling, spelling, len,
				i) ||
			!kernel_profile_match_put(&m->bare, spelling,
				kernel_profile_match_bare(spelling, len), i) ||
			!kernel_profile_match_put(&m->base, k->short_name,
				strlen(k->short_name), i) ||
			(k->mangled &&
				!kernel_profile_match_put(&m->traced,
					k->mangled, strlen(k->mangled), i)))
			return false;
	}
	return true;
}

/* False if the arena is full. */
static bool kernel_profile_match_find(const struct kernel_profile_match_names
					      *m,
	const char *name, struct kernel_profile_row *row)
{
	size_t len = strlen(name);
	char *text = arena_alloc(m->arena, len + 1, 1);
	if (!text)
		return false;
	size_t n = kernel_profile_match_spelling(text, name, len);
	size_t bare = kernel_profile_match_bare(text, n);
	/* A name with arguments that is no kernel's is that of another
	 * instance of the same template. */
	bool base = !strpbrk(name, "<(");
	const struct {
		const struct kernel_profile_match_form *form;
		const char *name;
		size_t len;
		enum kernel_profile_match match;
	} ways[] = { { &m->full, name, len, KERNEL_PROFILE_NAME },
		{ &m->traced, name, len, KERNEL_PROFILE_NAME },
		{ &m->spelling, text, n, KERNEL_PROFILE_SPELLING },
		{ &m->bare, text, bare, KERNEL_PROFILE_SPELLING },
		{ &m->base, name, base ? len : 0, KERNEL_PROFILE_BASE } };
	row->kernel = NO_KERNEL;
	row->match = KERNEL_PROFILE_UNMATCHED;
	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
		uint32_t k = kernel_profile_match_get(ways[i].form,
			ways[i].name, ways[i].len);
		if (k == NO_KERNEL)
			continue;
		row->match =
			k == SEVERAL ? KERNEL_PROFILE_SEVERAL : ways[i].match;
		row->kernel = k == SEVERAL ? NO_KERNEL : k;
		return true;
	}
	return true;
}

bool kernel_profile_match(const struct profile *run,
	const struct kernel_profiles *profiles, struct arena *a,
	struct kernel_profile_row **rows)
{
	struct kernel_profile_match_names m = { .arena = a };
	uint32_t n = run->kernels_n;
	*rows = arena_array(a, struct kernel_profile_row,
		(size_t)profiles->n + 1);
	bool ok = *rows && kernel_profile_match_form_init(&m.full, n, a) &&
		  kernel_profile_match_form_init(&m.traced, n, a) &&
		  kernel_profile_match_form_init(&m.spelling, n, a) &&
		  kernel_profile_match_form_init(&m.bare, n, a) &&
		  kernel_profile_match_form_init(&m.base, n, a) &&
		  kernel_profile_match_index(&m, run);
	for (uint32_t i = 0; ok && i < profiles->n; i++) {
		(*rows)[i].is = &profiles->rows[i];
		ok = kernel_profile_match_find(&m, profiles->rows[i].name,
			&(*rows)[i]);
	}
	return ok;
}
