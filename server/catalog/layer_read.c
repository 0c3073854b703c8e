/* layer_read.c - blocks and roles, by the words of their lists. */
#include "layer_read.h"
#include <string.h>

static const char *const blocks[] = {
#define BLOCK(code, word, what) #word,
#include "layer_block.def"
#undef BLOCK
};
static const char *const roles[] = {
#define ROLE(code, word, what) #word,
#include "layer_role.def"
#undef ROLE
};

uint32_t layer_read_which(const char *const *words, uint32_t n,
	const char *word)
{
	uint32_t i = 0;
	while (i < n && (!word || strcmp(words[i], word) != 0))
		i++;
	return i;
}

bool layer_read_block(const struct entries *d, size_t i,
	enum layer_block_kind *out, struct err *e)
{
	const char *block;

	if (!entries_text(d, i, "block", false, &block, e))
		return false;
	*out = layer_read_which(blocks, BLOCKS, block);
	return !block || *out < BLOCKS ||
	       entries_fail(d, i, e, "there is no block '%.40s'", block);
}

bool layer_read_roles(const struct entries *d, size_t i, const char *key,
	layer_roles *out, struct err *e)
{
	const json_t *list;

	if (!entries_list(d, i, key, &list, e))
		return false;
	for (size_t k = 0; k < json_array_size(list); k++) {
		const char *word = json_string_value(json_array_get(list, k));
		uint32_t role = layer_read_which(roles, ROLES, word);
		if (role == ROLES)
			return entries_fail(d, i, e, "there is no role '%.40s'",
				word);
		*out |= UINT64_C(1) << role;
	}
	return true;
}
