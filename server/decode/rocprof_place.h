/* rocprof_place.h - where one is in rocprofv3's JSON, and what a key begins.
 *
 * The top has one list of processes; a process has objects and lists, of which
 * `strings`, `callback_records` and `buffer_records` hold further lists. So a
 * place tells what is around it, and nothing is remembered on a stack. */
#pragma once
#include "rocprof.h"

enum rocprof_place {
	ROCPROF_AT_END, /* behind the last bracket; or nowhere */
	ROCPROF_AT_TOP,
	ROCPROF_AT_TOOLS, /* a list; the others are objects */
	ROCPROF_AT_TOOL,
	ROCPROF_AT_STRINGS,
	ROCPROF_AT_CALLBACK,
	ROCPROF_AT_BUFFER,
};

/* A list of use: how an object in it is read, and what becomes of it. */
struct rocprof_list {
	enum rocprof_place at;
	enum rocprof_key key;
	rocprof_read_fn *read;
	rocprof_add_fn *add;
};

enum rocprof_place rocprof_around(enum rocprof_place at);

/* The place that a key's value is whose first byte this is; else AT_END. */
enum rocprof_place rocprof_inside(enum rocprof_place at, enum rocprof_key k,
	char bracket);

/* The list a key's value is, where it is one of use; else NULL. */
const struct rocprof_list *rocprof_list_of(enum rocprof_place at,
	enum rocprof_key k);

/* The key at p, a quote, if it is one that surrounds records and a bracket
 * follows, which is given; else ROCPROF_NONE. */
enum rocprof_key rocprof_section_at(const struct words *w, const char *p,
	const char *end, char *bracket);

/* Where such a key stands, as far as it tells; of those that are in two places
 * it is the one of records. */
enum rocprof_place rocprof_place_of(enum rocprof_key k, char bracket);
