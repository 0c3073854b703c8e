/* column.h - a column whose words are an enum's. */
#pragma once
#include "profile_word.h"
#include "result.h"
#include <assert.h>
#include <string.h>

/* Which of the n words it is; the schema holds rows to them. */
static inline int read_word_of(const char *text, const char *const *words,
	int n)
{
	int i = 0;
	while (i < n && (!words[i] || strcmp(text, words[i]) != 0))
		i++;
	assert(i < n);
	return i;
}

/* The next column. */
static inline int read_word(struct result *r, struct arena *a,
	const char *const *words, int n)
{
	return read_word_of(result_text(r, a), words, n);
}
