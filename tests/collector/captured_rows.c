/* captured_rows.c - adds each row of a capture file to the sums. */
#include "captured.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELL(kind, field) (ch->column[KST_COLUMN(kind, field)].i[i])

void captured_add(json_t *object, const char *key, int64_t n)
{
	json_t *old = json_object_get(object, key);

	json_object_set_new(object, key,
		json_integer(json_integer_value(old) + n));
}

static const char *text(const struct captured *c, int64_t cell)
{
	size_t len;
	const char *t = kst_reader_text(c->reader, cell, &len);
	json_t *probe = t ? json_stringn(t, len) : NULL;
	bool good = probe;

	/* Not every byte string is valid in JSON. */
	json_decref(probe);
	return !t ? "(lost)" : good ? t : "(no UTF-8)";
}

static void count(struct captured *c, const char *group, const char *key,
	int64_t n)
{
	captured_add(json_object_get(c->all, group), key, n);
}

static void widen(struct captured *c, const char *low, const char *high,
	int64_t value)
{
	json_t *a = json_object_get(c->all, low);
	json_t *b = json_object_get(c->all, high);

	if (!a || json_integer_value(a) > value)
		json_object_set_new(c->all, low, json_integer(value));
	if (!b || json_integer_value(b) < value)
		json_object_set_new(c->all, high, json_integer(value));
}

void captured_node(struct captured *c, const struct kst_chunk *ch, uint32_t i)
{
	if (c->nodes == c->room) {
		c->room = c->room ? 2 * c->room : 1024;
		c->node = realloc(c->node, c->room * sizeof(*c->node));
	}
	c->node[c->nodes++] = CELL(node, node);
}

static bool has_range(const struct captured *c, int64_t node)
{
	size_t low = 0, high = c->nodes;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (c->node[middle] < node)
			low = middle + 1;
		else
			high = middle;
	}
	return low < c->nodes && c->node[low] == node;
}

static void kernel(struct captured *c, const struct kst_chunk *ch, uint32_t i)
{
	json_t *by = json_object_get(c->all, "by_kernel");
	const char *name = text(c, CELL(kernel, name));
	int64_t node = CELL(kernel, graph_node), dur = CELL(kernel, dur_ns);
	json_t *one = json_object_get(by, name);

	if (!one) {
		one = json_pack("{sisisisi}", "n", 0, "total_ns", 0,
			"with_node", 0, "with_range", 0);
		json_object_set_new(by, name, one);
	}
	captured_add(one, "n", 1);
	captured_add(one, "total_ns", dur > 0 ? dur : 0);
	captured_add(one, "with_node", node > 0);
	captured_add(one, "with_range", node > 0 && has_range(c, node));
	captured_add(c->all, "kernels", 1);
	captured_add(c->all, "odd", dur < 0);
	widen(c, "first_kernel_ns", "last_kernel_ns",
		c->base_ns + CELL(kernel, start_ns));
}

void captured_print(struct captured *c, const struct kst_chunk *ch, uint32_t i)
{
	printf("%" PRId64 " %" PRId64 " %" PRId64 " %" PRId64 " %" PRId64
	       " %s\n",
		c->base_ns + CELL(kernel, start_ns), CELL(kernel, dur_ns),
		CELL(kernel, device), CELL(kernel, stream),
		CELL(kernel, graph_node), text(c, CELL(kernel, name)));
}

static void surroundings(struct captured *c, const struct kst_chunk *ch,
	uint32_t i)
{
	switch (ch->kind) {
	case KST_drop:
		count(c, "drops", text(c, CELL(drop, where)),
			CELL(drop, count));
		break;
	case KST_note:
		count(c, "notes", text(c, CELL(note, code)), CELL(note, count));
		json_array_append_new(json_object_get(c->all, "details"),
			json_string(text(c, CELL(note, detail))));
		break;
	case KST_fact:
		json_object_set_new(json_object_get(c->all, "facts"),
			text(c, CELL(fact, name)),
			json_string(text(c, CELL(fact, value))));
		break;
	case KST_process:
		json_array_append_new(json_object_get(c->all, "pids"),
			json_integer(CELL(process, pid)));
		break;
	case KST_clock:
		captured_add(c->all, "clocks", 1);
		widen(c, "first_clock_ns", "last_clock_ns",
			c->base_ns + CELL(clock, start_ns));
		break;
	default:
		break;
	}
}

void captured_row(struct captured *c, const struct kst_chunk *ch, uint32_t i)
{
	count(c, "rows", kst_kind_name((int)ch->kind), 1);
	switch (ch->kind) {
	case KST_kernel:
		kernel(c, ch, i);
		break;
	case KST_copy:
		captured_add(c->all, CELL(copy, is_set) ? "sets" : "copies", 1);
		captured_add(c->all, "odd", CELL(copy, dur_ns) < 0);
		break;
	case KST_graph:
		captured_add(c->all, "graphs", 1);
		captured_add(c->all, "odd", CELL(graph, dur_ns) < 0);
		break;
	case KST_call:
		captured_add(c->all, "calls", 1);
		count(c, "by_call", text(c, CELL(call, name)), 1);
		break;
	case KST_range:
		if (strcmp(text(c, CELL(range, domain)), "CUPTI") == 0) {
			captured_add(c->all, "overheads", 1);
			break;
		}
		captured_add(c->all, "ranges", 1);
		count(c, "by_range", text(c, CELL(range, name)), 1);
		break;
	case KST_counter:
		count(c, "counters", text(c, CELL(counter, name)), 1);
		break;
	case KST_node:
		captured_add(c->all, "nodes", 1);
		if (c->each)
			json_array_append_new(json_object_get(c->all,
						      "node_rows"),
				json_pack("[IIss]",
					(json_int_t)CELL(node, node),
					(json_int_t)CELL(node, depth),
					text(c, CELL(node, name)),
					text(c, CELL(node, domain))));
		break;
	default:
		surroundings(c, ch, i);
		break;
	}
}
