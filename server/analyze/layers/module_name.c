/* module_name.c - splits names of modules and ranges. */
#include "module_name.h"
#include <string.h>
#include <strings.h>

static const char class_front[] = "nn.Module: ";

static bool module_name_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

static bool module_name_letter(char c)
{
	return (unsigned char)((c | 32) - 'a') < 26;
}

static bool module_name_ends_in(const char *text, size_t len, const char *word)
{
	size_t n = strlen(word);
	return len >= n && !strncasecmp(text + len - n, word, n);
}

bool module_name_is_layer(const char *text, size_t len)
{
	return module_name_ends_in(text, len, "layer") ||
	       module_name_ends_in(text, len, "layers") ||
	       module_name_ends_in(text, len, "block") ||
	       module_name_ends_in(text, len, "blocks") ||
	       (len == 1 && *text == 'h');
}

/* Reads a number; -1 if it is none or has too many digits. */
static int64_t module_name_number(const char *s, size_t len)
{
	int64_t n = 0;

	if (len == 0 || len > 9)
		return -1;
	for (size_t i = 0; i < len; i++) {
		if (!module_name_digit(s[i]))
			return -1;
		n = n * 10 + (s[i] - '0');
	}
	return n;
}

static void module_name_put(struct module_name *out, const char *text,
	size_t len, int64_t n)
{
	if (len && out->n < MODULE_NAME_PARTS)
		out->parts[out->n++] =
			(struct module_name_part){ text, len, n };
}

/* Splits "Layer[3]", "layer 3", "Linear_3": a word, a separator, a number. */
static void module_name_numbered(struct module_name *out, const char *s,
	size_t len)
{
	size_t end = len, from, word;

	while (end && strchr("])", s[end - 1]))
		end--;
	from = end;
	while (from && module_name_digit(s[from - 1]))
		from--;
	word = from;
	while (word && strchr(" _#:-[(=", s[word - 1]))
		word--;
	int64_t n = module_name_number(s + from, end - from);
	bool apart = word < from || module_name_is_layer(s, word);
	if (n < 0 || !word || !apart)
		module_name_put(out, s, len, -1);
	else
		module_name_put(out, s, word, n);
}

/* Returns where the number of a text such as "layer 3 attention" ends; 0 if the
 * text is not of that form. */
static size_t module_name_middle(const char *s, size_t len)
{
	for (size_t i = 1; i + 1 < len; i++) {
		size_t word = i;
		if (!module_name_digit(s[i]) || module_name_digit(s[i - 1]))
			continue;
		while (word && strchr(" _#:-[(=", s[word - 1]))
			word--;
		size_t end = i;
		while (end < len && module_name_digit(s[end]))
			end++;
		if (end < len && strchr("])", s[end]))
			end++;
		if (module_name_is_layer(s, word) && end < len &&
			strchr(" _:-/.", s[end]))
			return end;
	}
	return 0;
}

static void module_name_words(struct module_name *out, const char *s,
	size_t len)
{
	size_t end = module_name_middle(s, len);

	if (!end) {
		module_name_numbered(out, s, len);
		return;
	}
	module_name_numbered(out, s, end);
	while (end < len && strchr(" _:-/.", s[end]))
		end++;
	module_name_put(out, s + end, len - end, -1);
}

/* Returns the length of the next piece between points or slashes. */
static size_t module_name_piece(const char *s)
{
	return strcspn(s, "./");
}

/* Returns whether the pieces of a text are a path: no piece is empty or has
 * blanks, and at least one is or contains a number. A module's path needs no
 * number. */
static bool module_name_is_path(const char *s, bool module)
{
	bool numbered = module;
	uint32_t n = 0;

	if (!strpbrk(s, "./") || strchr(s, ' '))
		return false;
	for (;; s++) {
		struct module_name part = { 0 };
		size_t len = module_name_piece(s);
		if (len == 0 || ++n > MODULE_NAME_PARTS)
			return false;
		module_name_numbered(&part, s, len);
		numbered |= module_name_number(s, len) >= 0 ||
			    part.parts[0].number >= 0;
		s += len;
		if (!*s)
			return numbered;
	}
}

static void module_name_path(struct module_name *out, const char *s,
	bool module)
{
	for (;; s++) {
		size_t len = module_name_piece(s);
		int64_t n = module_name_number(s, len);
		struct module_name_part *last =
			out->n ? &out->parts[out->n - 1] : NULL;
		if (n >= 0 && last && last->number < 0)
			last->number = n;
		else if (module)
			module_name_put(out, s, len, -1);
		else
			module_name_numbered(out, s, len);
		s += len;
		if (!*s)
			return;
	}
}

/* Returns whether a name is the own range of an operator or a library, which is
 * not a part of a model. */
static bool module_name_foreign(const char *s)
{
	return strstr(s, "::") || !strncmp(s, "nccl:", 5) ||
	       !strncmp(s, "rccl:", 5) || !strncmp(s, "ProfilerStep", 12) ||
	       !strncmp(s, "Optimizer.", 10) || !strncmp(s, "## ", 3) ||
	       (!module_name_letter(*s) && *s != '_');
}

static bool module_name_wraps(const struct module_name_part *p)
{
	static const char *const classes[] = { "Sequential", "ModuleList",
		"ModuleDict", "DataParallel", "DistributedDataParallel",
		"FullyShardedDataParallel", "OptimizedModule",
		"CheckpointWrapper", "Float16Module" };

	for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
		if (strlen(classes[i]) == p->len &&
			!memcmp(classes[i], p->text, p->len))
			return true;
	return false;
}

void module_name_read(const char *text, bool module, struct module_name *out)
{
	size_t front = sizeof class_front - 1, len = strlen(text);

	out->n = 0;
	out->wraps = false;
	out->class_name = module && !strncmp(text, class_front, front);
	if (out->class_name) {
		module_name_numbered(out, text + front, len - front);
		out->wraps = out->n && module_name_wraps(&out->parts[0]);
	} else if (!module && module_name_foreign(text)) {
		return;
	} else if (module_name_is_path(text, module)) {
		module_name_path(out, text, module);
	} else if (module) {
		module_name_put(out, text, len, -1);
	} else {
		module_name_words(out, text, len);
	}
}
