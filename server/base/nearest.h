/* nearest.h - the known word that is nearest to a word that a user typed, for
 * sentences such as "did you mean 'physical'?".
 *
 * Upper and lower case are equal, and so are - and _. */
#pragma once
#include <stddef.h>

enum { NEAREST_LEN = 40 }; /* longest word that is compared with others */

struct nearest {
	const char *typed;
	size_t len;
	const char *name; /* NULL: no name is near */
	size_t name_len;
	int edits;
};

/* Begins a search. At most half of the letters may be wrong. */
struct nearest nearest_to(const char *typed, size_t len);
/* Compares the next known word. */
void nearest_offer(struct nearest *n, const char *name, size_t len);
