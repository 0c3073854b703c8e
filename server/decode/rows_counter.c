/* rows_counter.c - the numbers in a counter event's args, a row each. */
#include "rows.h"
#include <stdio.h>
#include <math.h>
#include <stdlib.h>

enum { NUMBER = 64 };

/* The number at p, bare or in quotes; NaN where something else stands there. */
static double number(const char *p)
{
	char text[NUMBER + 1];
	size_t len = strspn(p += *p == '"', "0123456789+-.eE");
	char *end;

	if (len == 0 || len > NUMBER || !(num_end(p[len]) || p[len] == '"'))
		return NAN;
	memcpy(text, p, len);
	text[len] = 0;
	double value = strtod(text, &end);
	return *end || !isfinite(value) ? NAN : value;
}

/* What says whose the samples are, and is none. */
static bool about(const struct span *key)
{
	static const char *const words[] = { "device", "rank", "pid_raw" };
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strlen(words[i]) == key->len &&
			!memcmp(words[i], key->at, key->len))
			return true;
	return false;
}

/* "NAME[ID]/KEY", as far as they say something; NAMES_NONE where the arena is
 * full. */
static uint32_t label(struct rows *r, uint32_t name, uint32_t id, uint32_t key)
{
	struct names *ns = &r->trace->names;
	const struct name *n = &ns->list[name], *i = &ns->list[id],
			  *k = &ns->list[key];
	bool plain = key == name || !strcmp(k->text, "value");
	size_t most = (size_t)n->len + i->len + k->len + sizeof "[]/";

	if (!id && plain)
		return name;
	if (most > r->label_cap) {
		char *grown = arena_grow(r->trace->arena, r->label, most * 2);
		if (!grown)
			return NAMES_NONE;
		r->label = grown;
		r->label_cap = most * 2;
	}
	int len = snprintf(r->label, most, "%s%s%s%s%s%s", n->text,
		id ? "[" : "", i->text, id ? "]" : "", plain ? "" : "/",
		plain ? "" : k->text);
	return names_put(ns, r->label, (size_t)len);
}

static bool add(struct rows *r, const struct event *e, uint32_t index,
	const struct span *key, double value)
{
	uint32_t name, id, key_id;
	if (!rows_text(r, &e->name, &name) || !rows_text(r, &e->id, &id) ||
		!rows_text(r, key, &key_id))
		return false;
	uint32_t of = label(r, name, id, key_id);
	return of != NAMES_NONE &&
	       trace_counter_add(r->trace,
		       &(struct counter_row){ .process = (uint16_t)index,
			       .start_ns = e->ts.value,
			       .name = of,
			       .device =
				       e->device >= 0 && e->device <= INT32_MAX
					       ? (int32_t)e->device
					       : -1,
			       .value = value });
}

bool rows_counter(struct rows *r, const struct event *e, uint32_t index)
{
	struct scan s = { .end = e->args.at ? e->args.at + e->args.len : NULL };
	bool end = true, some = false;
	const char *p = e->args.at ? scan_first(&s, e->args.at, &end) : NULL;

	for (; p && !end; p = p ? scan_next(&s, p, &end) : NULL) {
		struct span key;
		p = scan_key(&s, p, &key);
		double value = p && !about(&key) ? number(p) : NAN;
		if (!isnan(value)) {
			if (!add(r, e, index, &key, value))
				return false;
			some = true;
		}
		p = p ? scan_skip(&s, p, true) : NULL;
	}
	if (!some)
		note_add(&r->trace->notes, NOTE_bad_event, 1,
			e->name.at ? e->name.at : "(unnamed)",
			e->name.at ? e->name.len : strlen("(unnamed)"));
	return true;
}
