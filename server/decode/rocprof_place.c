/* rocprof_place.c - the lists of rocprof.def, looked up. */
#include "rocprof_place.h"

static const struct enter {
	enum rocprof_place at;
	enum rocprof_key key;
	enum rocprof_place inside;
} enters[] = {
#define ENTER(at, key, inside) \
	{ ROCPROF_AT_##at, ROCPROF_##key, ROCPROF_AT_##inside },
#include "rocprof.def"
#undef ENTER
};

static const struct rocprof_list lists[] = {
#define LIST(at, key, read, add) \
	{ ROCPROF_AT_##at, ROCPROF_##key, rocprof_##read, rocprof_##add },
#include "rocprof.def"
#undef LIST
};
enum {
	ENTERS = sizeof enters / sizeof *enters,
	LISTS = sizeof lists / sizeof *lists
};

enum rocprof_place rocprof_around(enum rocprof_place at)
{
	static const enum rocprof_place around[] = {
		[ROCPROF_AT_TOP] = ROCPROF_AT_END,
		[ROCPROF_AT_TOOLS] = ROCPROF_AT_TOP,
		[ROCPROF_AT_TOOL] = ROCPROF_AT_TOOLS,
		[ROCPROF_AT_STRINGS] = ROCPROF_AT_TOOL,
		[ROCPROF_AT_CALLBACK] = ROCPROF_AT_TOOL,
		[ROCPROF_AT_BUFFER] = ROCPROF_AT_TOOL,
	};
	return around[at];
}

enum rocprof_place rocprof_inside(enum rocprof_place at, enum rocprof_key k,
	char bracket)
{
	for (int i = 0; i < ENTERS; i++) {
		enum rocprof_place in = enters[i].inside;
		char opens = in == ROCPROF_AT_TOOLS ? '[' : '{';
		if (enters[i].at == at && enters[i].key == k &&
			bracket == opens)
			return in;
	}
	return ROCPROF_AT_END;
}

const struct rocprof_list *rocprof_list_of(enum rocprof_place at,
	enum rocprof_key k)
{
	for (int i = 0; i < LISTS; i++)
		if (lists[i].at == at && lists[i].key == k)
			return &lists[i];
	return NULL;
}

enum rocprof_key rocprof_section_at(const struct words *w, const char *p,
	const char *end, char *bracket)
{
	struct scan s = { .end = end };
	struct span key;
	p = scan_key(&s, p, &key);
	*bracket = p ? *p : 0;
	if (*bracket != '[' && *bracket != '{')
		return ROCPROF_NONE;
	enum rocprof_key k = words_find(w, key.at, key.len);
	return k >= ROCPROF_TOOLS ? k : ROCPROF_NONE;
}

enum rocprof_place rocprof_place_of(enum rocprof_key k, char bracket)
{
	enum rocprof_place at = ROCPROF_AT_TOOL;
	for (int i = 0; i < LISTS && bracket == '['; i++)
		if (lists[i].key == k)
			at = lists[i].at;
	return k == ROCPROF_TOOLS ? ROCPROF_AT_TOP : at;
}
