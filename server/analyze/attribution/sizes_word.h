/* sizes_word.h - one word of input_shape.def over the dims of one operator. */
#pragma once
#include "input_shape.h"

enum { SIZES_MADE_MAX = 16 };

struct sizes_made {
	const struct dims *dims;
	struct arena *arena;
	struct size list[SIZES_MADE_MAX];
	enum dtype dtype;
	uint32_t n;
};

void sizes_word_init(struct sizes_made *m, const struct sizes *s);

/* SIZES_NOT_TOLD where the word does not fit. */
enum sizes_how sizes_word(struct sizes_made *m, const char *word);
/* All words of an entry. */
enum sizes_how sizes_words(struct sizes_made *m, const char *words);
