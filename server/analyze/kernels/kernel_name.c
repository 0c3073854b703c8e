/* kernel_name.c - demangles within bounds, shortens by looking at brackets. */
#include "kernel_name.h"
#include "demangle.h"
#include <string.h>

enum kernel_name kernel_name_from(struct arena *a, const char *raw, size_t len,
	const char **text, size_t *text_len)
{
	*text = raw;
	*text_len = len;
	if (len < 3 || memcmp(raw, "_Z", 2) != 0)
		return NAME_PLAIN;

	struct buf out;
	buf_init(&out, KERNEL_NAME_MAX);
	enum kernel_name how = NAME_REFUSED;
	if (demangle(raw, len, &out)) {
		how = NAME_DEMANGLED;
		*text_len = out.len;
		*text = arena_strndup(a, out.at, out.len);
		if (!*text)
			how = NAME_FULL;
	}
	buf_release(&out);
	return how;
}

static bool word_char(char c)
{
	return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (c & 0x80);
}

static bool at(const char *s, const char *end, const char *word)
{
	size_t len = strlen(word);
	return (size_t)(end - s) >= len && !memcmp(s, word, len);
}

/* Past the bracket that s opens, or `end` where it is never closed (names may
 * have been cut). */
static const char *past(const char *s, const char *end)
{
	char open[64];
	size_t depth = 0;

	for (; s < end; s++) {
		char c = *s, want = c == ')' ? '(' : c == ']' ? '[' : '{';
		if (c == '(' || c == '[' || c == '{' || c == '<') {
			if (depth == sizeof open)
				return end;
			if (c == '<' && depth && open[depth - 1] == '(' &&
				s[-1] != '_' && !word_char(s[-1]))
				continue; /* a < b */
			open[depth++] = c;
		} else if (c == ')' || c == ']' || c == '}') {
			while (depth && open[depth - 1] != want)
				depth--;
			if (depth && --depth == 0)
				return s + 1;
		} else if (c == '>' && s[-1] != '-' && depth &&
			   open[depth - 1] == '<') {
			if (--depth == 0)
				return s + 1;
		}
	}
	return end;
}

/* "operator" and its sign or type, as far as it is part of the name. */
static const char *past_operator(const char *s, const char *end)
{
	s += strlen("operator");
	while (s < end && *s == ' ')
		s++;
	if (at(s, end, "()") || at(s, end, "[]"))
		return s + 2;
	while (s < end && !word_char(*s) && *s != '(' && *s != ' ')
		s++;
	while (s < end && word_char(*s))
		s++;
	return s;
}

/* The last component outside of brackets: what stands between the last
 * "::" or space and the template arguments or parameters. */
static void shorten(const char **from, const char **to, const char *end)
{
	const char *s = *from, *begin = s, *stop = NULL;

	while (s < end) {
		bool fresh = s == begin || !word_char(s[-1]);
		if (at(s, end, "::")) {
			s += 2;
			begin = s;
			stop = NULL;
		} else if (fresh && at(s, end, "operator") &&
			   !(s + 8 < end && word_char(s[8]))) {
			s = past_operator(s, end);
			/* operator< <int>: the space parts the two. */
			stop = at(s, end, " <") ? s++ : NULL;
		} else if (at(s, end, "(anonymous namespace)") ||
			   at(s, end, "<unnamed>") || *s == '{') {
			s = past(s, end);
			stop = NULL;
		} else if (*s == '<' || *s == '(') {
			if (!stop)
				stop = s;
			s = past(s, end);
		} else if (*s == ' ') {
			/* Behind the parameters come const and clones. */
			if (stop > begin && s[-1] == ')')
				break;
			s++;
			begin = s;
			stop = NULL;
		} else {
			s++;
		}
	}
	*from = begin;
	*to = stop ? stop : s;
}

char *kernel_name_short(struct arena *a, const char *name, size_t len)
{
	const char *from = name, *to = name + len;
	const char *first = memchr(name, '(', len);

	if (!first && !memchr(name, '<', len) && !memchr(name, ':', len))
		return arena_strndup(a, name, len);
	shorten(&from, &to, name + len);
	if (from >= to) {
		from = name;
		to = name + len;
	}
	return arena_strndup(a, from, (size_t)(to - from));
}
