/* words.c - fills the table of words.h. */
#include "words.h"
#include <assert.h>

void words_add(struct words *w, const char *text, uint32_t id)
{
	size_t len = strlen(text);
	char padded[WORDS_MAX + 8] = { 0 };
	assert(len > 0 && len <= WORDS_MAX && id);
	memcpy(padded, text, len);
	uint64_t head = words_head(padded, len);
	uint32_t i = words_hash(head, len);
	while (w->slots[i % WORDS_SLOTS].id)
		i++;
	w->slots[i % WORDS_SLOTS] =
		(struct word){ head, text, (uint32_t)len, id };
}
