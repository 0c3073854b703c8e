/* word_table.c - adds words to a table of known words */
#include "word_table.h"
#include <assert.h>

void word_table_add(struct word_table *w, const char *text, uint32_t id)
{
	size_t len = strlen(text);
	char padded[WORDS_MAX + 8] = { 0 };
	assert(len > 0 && len <= WORDS_MAX && id);
	memcpy(padded, text, len);
	uint64_t head = word_table_head(padded, len);
	uint32_t i = word_table_hash(head, len);
	while (w->slots[i % WORDS_SLOTS].id)
		i++;
	w->slots[i % WORDS_SLOTS] =
		(struct word){ head, text, (uint32_t)len, id };
}
