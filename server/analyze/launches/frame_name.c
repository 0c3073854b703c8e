/* frame_name.c - recognizes the forms of range names that frame_name.h
 * lists. */
#include "frame_name.h"
#include <string.h>
#include <strings.h>

static bool frame_name_begins(const char *s, const char *end, const char *word)
{
	size_t n = strlen(word);
	return (size_t)(end - s) >= n && !memcmp(s, word, n);
}

static bool frame_name_digit(char c)
{
	return (unsigned char)(c - '0') < 10;
}

/* Whether there is a number at `s` that ends at `end` or before the next
 * part. */
static bool frame_name_lone_number(const char *s, const char *end)
{
	const char *p = s + (s < end && *s == '-');
	const char *first = p;
	while (p < end && frame_name_digit(*p))
		p++;
	return p > first && (p == end || frame_name_begins(p, end, ", "));
}

/* Where the text that emit_nvtx() appends begins; `end` if there is none. */
static const char *frame_name_emit_nvtx_suffix(const char *s, const char *end)
{
	static const struct {
		const char *key;
		bool number; /* else a list */
	} added[] = { { ", seq = ", true }, { ", op_id = ", true },
		{ ", sizes = ", false }, { ", input_op_ids = ", false } };

	for (const char *p = s; (p = memchr(p, ',', (size_t)(end - p))); p++)
		for (size_t i = 0; i < sizeof added / sizeof *added; i++) {
			const char *value = p + strlen(added[i].key);
			if (frame_name_begins(p, end, added[i].key) &&
				(added[i].number ? frame_name_lone_number(value,
							   end)
						 : frame_name_begins(value, end,
							   "[")))
				return p;
		}
	return end;
}

/* Narrows *s…*end to the module's name if the text is a layerwise marker. */
static bool frame_name_layerwise_module(const char **s, const char **end)
{
	static const char before[] = "{'Module': '";
	const char *from = *s + sizeof before - 1;

	if (!frame_name_begins(*s, *end, before))
		return false;
	const char *to = memchr(from, '\'', (size_t)(*end - from));
	if (!to || to == from)
		return false;
	*s = from;
	*end = to;
	return true;
}

static bool frame_name_is_step(const char *s, const char *end)
{
	static const char *const words[] = { "ProfilerStep", "step",
		"iteration", "iter", "epoch", "batch", "execute" };

	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);
		const char *p = s + n;
		if ((size_t)(end - s) <= n || strncasecmp(s, words[i], n) != 0)
			continue;
		if (*p == '[' && !strcmp(words[i], "step"))
			return true;
		p += strspn(p, " _#:-[(");
		if (frame_name_begins(p, end, "context_"))
			p += strlen("context_");
		if (p < end && frame_name_digit(*p))
			return true;
	}
	return false;
}

/* Replaces each number by a star. */
static char *frame_name_starred(struct arena *a, const char *s, const char *end,
	size_t *len)
{
	char *name = arena_strndup(a, s, (size_t)(end - s)), *to = name;

	for (; name && s < end; s++) {
		if (!frame_name_digit(*s))
			*to++ = *s;
		else if (s + 1 == end || !frame_name_digit(s[1]))
			*to++ = '*';
	}
	if (name)
		*to = 0;
	*len = (size_t)(to - name);
	return name;
}

static const char before_address[] = " at 0x";

static char *frame_name_without_addresses(struct arena *a, const char *s,
	const char *end, size_t *len)
{
	char *name = arena_strndup(a, s, (size_t)(end - s)), *to = name;

	while (name && s < end) {
		if (frame_name_begins(s, end, before_address)) {
			s += strlen(before_address);
			s += strspn(s, "0123456789abcdefABCDEF");
		} else {
			*to++ = *s++;
		}
	}
	if (name)
		*to = 0;
	*len = (size_t)(to - name);
	return name;
}

bool frame_name_from(struct arena *a, enum frame_kind *kind, const char *text,
	size_t len, const char **name, size_t *name_len)
{
	const char *end = text + len;

	if (*kind == FRAME_ANNOTATION &&
		frame_name_layerwise_module(&text, &end))
		*kind = FRAME_MODULE;
	else if (*kind == FRAME_ANNOTATION)
		end = frame_name_emit_nvtx_suffix(text, end);
	*name = text;
	*name_len = (size_t)(end - text);
	if (*kind == FRAME_PYTHON &&
		memmem(text, len, before_address, strlen(before_address)))
		*name = frame_name_without_addresses(a, text, end, name_len);
	if ((*kind == FRAME_ANNOTATION || *kind == FRAME_OP) &&
		frame_name_is_step(text, end))
		*name = frame_name_starred(a, text, end, name_len);
	if (*name && *name_len == 0) {
		*name = "(unnamed)";
		*name_len = strlen(*name);
	}
	return *name;
}

static bool frame_name_letter(char c)
{
	return (unsigned char)((c | 32) - 'a') < 26;
}

/* Whether the text ends with a word for a repeated part of a model. */
static bool frame_name_repeated(const char *s, const char *end)
{
	static const char *const words[] = { "layer", "block", "expert",
		"stage" };
	size_t len = (size_t)(end - s);

	if (len && (end[-1] | 32) == 's')
		len--;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
		size_t n = strlen(words[i]);
		if (len >= n && !strncasecmp(s + len - n, words[i], n))
			return true;
	}
	return false;
}

/* Whether the digits at..end are a part of a path between points or slashes. */
static bool frame_name_is_part(const char *name, const char *at,
	const char *end, bool module)
{
	bool letters = false, digits = false;
	const char *p = at;

	if (at == name || !strchr("./", at[-1]) ||
		(*end && !strchr("./", *end)))
		return false;
	for (p = at - 1; p > name && !strchr("./ ", p[-1]); p--) {
		letters |= frame_name_letter(p[-1]);
		digits |= frame_name_digit(p[-1]);
	}
	return module || (letters && !digits);
}

/* Whether the digits at..end are the number of an instance. */
static bool frame_name_is_instance(const char *name, const char *at,
	const char *end, enum frame_kind kind)
{
	const char *word = at;

	if (kind == FRAME_MODULE && !*end && at > name && at[-1] == '_' &&
		!strncmp(name, "nn.Module: ", 11))
		return true;
	if (frame_name_is_part(name, at, end, kind == FRAME_MODULE))
		return true;
	while (word > name && strchr(" _#:-[(=", word[-1]))
		word--;
	/* "layer3norm" is a word, "layer_3_norm" and "layer3" are instances. */
	return !frame_name_letter(*end) && frame_name_repeated(name, word);
}

const char *frame_name_merged(struct arena *a, enum frame_kind kind,
	const char *name)
{
	char *copy = NULL, *to = NULL;

	if (kind != FRAME_MODULE && kind != FRAME_ANNOTATION)
		return name;
	for (const char *s = name; *s;) {
		const char *end = s + strspn(s, "0123456789");
		if (end == s) {
			if (to)
				*to++ = *s;
			s++;
			continue;
		}
		bool instance = frame_name_is_instance(name, s, end, kind);
		if (instance && !copy) {
			copy = arena_strdup(a, name);
			to = copy ? copy + (s - name) : NULL;
		}
		if (instance && to)
			*to++ = '*';
		for (; s < end; s++)
			if (to && !instance)
				*to++ = *s;
	}
	if (to)
		*to = 0;
	return copy ? copy : name;
}
