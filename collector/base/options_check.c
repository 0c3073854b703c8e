/* options_check.c - options whose texts are words, lists and times. */
#include "options_parts.h"
#include "trigger.h"
#include "window.h"
#include <stdio.h>
#include <string.h>

static const char *const kinds[] = { "kernel", "copy", "launch", "nvtx",
	"overhead", "counter" };

/* The element at `at` of a list with commas. */
static bool is_word(const char *at, size_t len, const char *word)
{
	return len == strlen(word) && !memcmp(at, word, len);
}

static bool is_kind(const char *at, size_t len)
{
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (is_word(at, len, kinds[i]))
			return true;
	return false;
}

bool options_kind(const struct options *o, const char *word)
{
	size_t len;

	for (const char *at = o->kinds; *at; at += len + !!at[len]) {
		len = strcspn(at, ",");
		if (is_word(at, len, word))
			return true;
	}
	return false;
}

static void check_kinds(struct options *o, const char *def,
	const struct complaint *c)
{
	size_t len;

	for (const char *at = o->kinds; *at; at += len + !!at[len]) {
		len = strcspn(at, ",");
		if (is_kind(at, len))
			continue;
		complain(c,
			"'%.60s' of KERNSIFT_TRACE_KINDS is not a kind; there "
			"are kernel, copy, launch, nvtx, overhead and counter; "
			"all of them are recorded",
			at);
		o->kinds = def;
		break;
	}
}

static void check_graph(struct options *o, const char *def,
	const struct complaint *c)
{
	if (!strcmp(o->graph, "node") || !strcmp(o->graph, "graph"))
		return;
	complain(c,
		"'%.60s' is not what KERNSIFT_TRACE_GRAPH could be; there are "
		"node and graph; %s is used",
		o->graph, def);
	o->graph = def;
}

static void check_window(struct options *o, const char *def,
	const struct complaint *c)
{
	struct schedule s;

	if (!*o->window || schedule_window(&s, o->window))
		return;
	complain(c,
		"'%.60s' is not a time that KERNSIFT_TRACE_WINDOW could be, "
		"such as 30s+5s; none is used",
		o->window);
	o->window = def;
}

static void check_every(struct options *o, const char *def,
	const struct complaint *c)
{
	struct schedule s;

	if (!*o->every || schedule_every(&s, o->every))
		return;
	complain(c,
		"'%.60s' is not a time that KERNSIFT_TRACE_EVERY could be, "
		"such as 10m:2s with a period longer than its window; none is "
		"used",
		o->every);
	o->every = def;
}

static void check_length(struct options *o, const char *def,
	const struct complaint *c)
{
	if (duration_ns(o->length, NULL) > 0)
		return;
	complain(c,
		"'%.60s' is not a time that KERNSIFT_TRACE_LENGTH could be, "
		"such as 5s; %s is used",
		o->length, def);
	o->length = def;
}

static void check_trigger(struct options *o, const char *def,
	const struct complaint *c)
{
	struct trigger t;

	if (!*o->trigger || trigger_from(&t, o->trigger))
		return;
	complain(c,
		"'%.60s' is not what KERNSIFT_TRACE_TRIGGER could be; there "
		"are signal:USR1, signal:USR2 and file:/path; none is used",
		o->trigger);
	o->trigger = def;
}

/* With less, no capture can be written at all. */
static void check_memory(struct options *o, const struct complaint *c)
{
	enum { LEAST = 8 };

	if (o->memory_mib >= LEAST)
		return;
	complain(c,
		"'%d' is less than KERNSIFT_TRACE_MEMORY_MIB must be; %d is "
		"used",
		o->memory_mib, LEAST);
	o->memory_mib = LEAST;
}

#define OPTION(field, kind, def, env, help) \
	static const char def_##field[] __attribute__((unused)) = def;
#include "options.def"
#undef OPTION

void options_check(struct options *o, const struct complaint *c)
{
	check_kinds(o, def_kinds, c);
	check_graph(o, def_graph, c);
	check_window(o, def_window, c);
	check_every(o, def_every, c);
	check_length(o, def_length, c);
	check_trigger(o, def_trigger, c);
	check_memory(o, c);
}
