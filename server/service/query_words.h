/* query_words.h - a query for runs, as people write it: words with spaces between.
 *
 *   project=demo workload="llama 70b" label.branch=main last=5
 *
 * A word is read as a shell reads it: what stands in double quotes keeps its
 * spaces, and in quotes \" is a quote and \\ a backslash. Nothing is said twice,
 * nothing without a value. Pure; text is the arena's. */
#pragma once
#include "arena.h"
#include "err.h"
#include <stdbool.h>
#include <stdint.h>

enum { WORDS_LAST = 64, WORDS_LABELS = 32 };

struct query_words {
	const char *project, *workload, *framework; /* NULL not said */
	int64_t since, until; /* query.h's NO_MOMENT: not said */
	int last; /* 0 not said; latest is 1 */
	struct query_label {
		const char *key, *value;
	} labels[WORDS_LABELS];
	uint32_t labels_n;
};

/* Whether it is meant as a query: it has a '=', or the word "latest". */
bool query_words_are(const char *text);
/* `name` begins the sentence of ERR_INPUT. */
bool query_words_read(const char *name, const char *text, struct arena *a,
	struct query_words *w, struct err *e);
/* Takes from `given` what *w does not say; labels key by key. */
void query_words_add(struct query_words *w, const struct query_words *given);
/* "key=value" as a word that reads back as just that. */
const char *query_word(struct arena *a, const char *key, const char *value);
/* The labels as a JSON object, keys sorted; NULL of none. */
const char *query_words_labels(const struct query_words *w, struct arena *a);
