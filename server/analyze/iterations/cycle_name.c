/* cycle_name.c - digits and brackets become stars. */
#include "cycle_name.h"
#include "frame_name.h"
#include <string.h>
#include <strings.h>

static bool digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static char closing(char c)
{
	return c == '(' ? ')' : c == '[' ? ']' : 0;
}

/* The end of a bracket that opens at `s` and holds a number, or NULL. */
static const char *bracket(const char *s, const char *end)
{
	char close = closing(*s);
	bool number = false;
	int depth = 0;

	for (const char *p = s; close && p < end; p++) {
		number |= digit(*p) || *p == '*';
		depth += *p == *s;
		depth -= *p == close;
		if (depth == 0)
			return number ? p : NULL;
	}
	return NULL;
}

const char *cycle_name(struct arena *a, const char *text, size_t len,
	size_t *name_len)
{
	enum frame_kind kind = FRAME_ANNOTATION;
	const char *s, *end, *close;
	size_t n;

	if (!frame_name_from(a, &kind, text, len, &s, &n))
		return NULL;
	char *name = arena_strndup(a, s, n), *to = name;
	if (!name)
		return NULL;
	for (end = s + n; s < end; s++) {
		close = bracket(s, end);
		if (close) {
			*to++ = *s;
			*to++ = '*';
			*to++ = *close;
			s = close;
		} else if (!digit(*s)) {
			*to++ = *s;
		} else if (s + 1 == end || !digit(s[1])) {
			*to++ = '*';
		}
	}
	*to = 0;
	*name_len = (size_t)(to - name);
	return name;
}

/* The next character that is no number's place, 0 at the end. What parts a
 * number from its name does not count where nothing follows. */
static char next(const char **s)
{
	while (**s == '*' || !strncmp(*s, "(*)", 3) || !strncmp(*s, "[*]", 3))
		*s += **s == '*' ? 1 : 3;
	if ((*s)[strspn(*s, " _#:-*")] == 0)
		return 0;
	return *(*s)++;
}

bool cycle_name_means(const char *asked, const char *name)
{
	char x, y;

	do {
		x = next(&asked);
		y = next(&name);
	} while (x && x == y);
	return x == y;
}

bool cycle_name_is_step(const char *text)
{
	static const char *const words[] = { "ProfilerStep", "step",
		"iteration", "iter", "batch", "execute" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);
		if (strncasecmp(text, words[i], n) != 0)
			continue;
		const char *p = text + n;
		if (*p == '[' || *p == '(')
			return true;
		p += strspn(p, " _#:-");
		if (!strncmp(p, "context_", strlen("context_")))
			p += strlen("context_");
		if (*p == '*' || digit(*p))
			return true;
	}
	return false;
}

bool cycle_name_is_epoch(const char *text)
{
	return !strncasecmp(text, "epoch", strlen("epoch"));
}
