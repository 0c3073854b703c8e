/* nvtx_op.c - words and numbers, then lists of lists of digits. */
#include "nvtx_op.h"
#include <string.h>

enum { DEPTH = 4 };

static const char *const keys[] = { "seq = ", "op_id = ", "sizes = ",
	"input_op_ids = " };
enum { SEQ, OP_ID, SIZES, INPUT_OP_IDS, KEYS };

static int key_at(const char *s)
{
	int key = 0;
	while (key < KEYS && strncmp(s, keys[key], strlen(keys[key])) != 0)
		key++;
	return key;
}

/* The ", " in front of the first key, or NULL. */
static const char *first_key(const char *text)
{
	const char *at = strstr(text, ", ");

	while (at && key_at(at + 2) == KEYS)
		at = strstr(at + 2, ", ");
	return at;
}

static const char *number(const char *s)
{
	if (*s == '-')
		s++;
	size_t digits = strspn(s, "0123456789");
	return digits ? s + digits : NULL;
}

/* Behind a list of lists of whole numbers, or NULL where it is none. */
static const char *lists(const char *s)
{
	int depth = 0;

	if (*s != '[')
		return NULL;
	do {
		if (*s == '[' && ++depth > DEPTH)
			return NULL;
		depth -= *s == ']';
		if (!*s || !strchr("[], -0123456789", *s))
			return NULL;
		s++;
	} while (depth > 0);
	return s;
}

bool nvtx_op_read(const char *text, struct nvtx_op *out)
{
	const char *at = first_key(text);
	int last = -1;

	if (!at || at == text)
		return false;
	*out = (struct nvtx_op){ .name_len = (size_t)(at - text) };
	while (at && !strncmp(at, ", ", 2)) {
		int key = key_at(at + 2);
		if (key == KEYS || key <= last || key == INPUT_OP_IDS)
			break;
		last = key;
		const char *value = at + 2 + strlen(keys[key]);
		at = key == SIZES ? lists(value) : number(value);
		if (key == SIZES && at && (!*at || !strncmp(at, ", ", 2))) {
			out->sizes = value;
			out->sizes_len = (size_t)(at - value);
		}
	}
	return true;
}
