/* dtype.c - looks up the words, names and sizes of dtype.def. */
#include "shape.h"
#include <string.h>
#include <strings.h>

static const struct {
	const char *word, *names;
	int bits;
	bool counts;
} types[DTYPES] = {
#define DTYPE(code, word, bits, counts, names) \
	[DTYPE_##code] = { #word, names, bits, counts },
#include "dtype.def"
#undef DTYPE
};

const char *dtype_word(enum dtype d)
{
	return types[d].word;
}

int dtype_bits(enum dtype d)
{
	return types[d].bits;
}

bool dtype_counts(enum dtype d)
{
	return types[d].counts;
}

static bool dtype_is(const char *text, size_t len, const char *name,
	size_t name_len)
{
	return len == name_len && strncasecmp(text, name, len) == 0;
}

static bool dtype_among(const char *text, size_t len, const char *names)
{
	while (*names) {
		size_t n = strcspn(names, "|");
		if (dtype_is(text, len, names, n))
			return true;
		names += n + (names[n] == '|');
	}
	return false;
}

enum dtype dtype_from(const char *text, size_t len)
{
	static const char torch[] = "torch.";
	size_t in_front = sizeof torch - 1;

	if (len > in_front && strncasecmp(text, torch, in_front) == 0) {
		text += in_front;
		len -= in_front;
	}
	if (len == 0)
		return DTYPE_UNKNOWN;
	for (enum dtype d = DTYPE_UNKNOWN + 1; d < DTYPES; d++)
		if (dtype_is(text, len, types[d].word, strlen(types[d].word)) ||
			dtype_among(text, len, types[d].names))
			return d;
	return DTYPE_UNKNOWN;
}
