/* observer.c - decodes an execution trace of PyTorch: which memory each host
 * operator reads and writes. */
#include "format.h"
#include "json_reader.h"
#include "number.h"
#include <stdlib.h>
#include <string.h>

enum observer_does { DOES_WORK, DOES_VIEW, DOES_ALLOCATE };

/* One call of a host operator. */
struct observer_node {
	int64_t id, parent, function;
	uint32_t from, to; /* its uses in observer.uses */
	/* Its place if each node is followed by those that it calls, directly or
	 * not, and the place behind them. */
	uint32_t place, end;
	enum observer_does does;
	bool calls; /* others that work on tensors */
};

/* A use of memory by the node at a place. */
struct observer_place {
	int64_t storage;
	uint32_t place;
	bool read;
};

struct observer {
	struct trace *trace;
	struct json_reader json;
	struct word_table words; /* enum observer_does + 1 */
	struct tensor_use *uses; /* `function` is not set */
	struct observer_node *nodes;
	uint32_t uses_n, uses_cap, nodes_n, nodes_cap;
	struct observer_node node; /* the one that is being read */
	bool backward; /* so is its name */
	bool full;
	bool listed; /* a list of nodes was found */
};

static bool observer_is(const struct text_span *key, const char *word)
{
	return key->len == strlen(word) && !memcmp(key->at, word, key->len);
}

/* ---- one node */

static void observer_use_add(struct observer *x, const struct tensor_use *u)
{
	struct tensor_use *list = trace_list_room(x->trace, x->uses,
		sizeof *list, x->uses_n, &x->uses_cap);

	x->full |= !list;
	if (!list)
		return;
	x->uses = list;
	list[x->uses_n++] = *u;
}

/* Reads `[tensor, storage, offset, elements, bytes of an element, "device"` at
 * p. False if it is anything else, such as a list of tensors. */
static bool observer_tensor(const char *p, int64_t number[5],
	const char **device)
{
	for (int i = 0; i < 5; i++) {
		p = scan_ws(p + 1);
		if (!number_digit(*p))
			return false;
		for (number[i] = 0; number_digit(*p); p++)
			if (__builtin_mul_overflow(number[i], 10, &number[i]) ||
				__builtin_add_overflow(number[i], *p - '0',
					&number[i]))
				return false;
		p = scan_ws(p);
		if (*p != ',')
			return false;
	}
	p = scan_ws(p + 1);
	*device = p + 1;
	return *p == '"';
}

/* Adds the tensors in the list [p, end), which may contain lists of tensors. */
static void observer_tensors(struct observer *x, struct scan *s, const char *p,
	const char *end, bool written)
{
	enum { STORAGE = 1, ELEMENTS = 3, ELEMENT_BYTES = 4 };
	int64_t v[5];
	const char *device;

	for (; p && p < end; p++) {
		if (*p == '"') {
			p = scan_string(s, p + 1);
			if (!p)
				return;
			continue;
		}
		if (*p != '[' || !observer_tensor(p, v, &device) ||
			!strncmp(device, "cpu", 3) || !v[STORAGE])
			continue;
		struct tensor_use u = { .storage = v[STORAGE],
			.written = written };
		if (__builtin_mul_overflow(v[ELEMENTS], v[ELEMENT_BYTES],
			    &u.bytes) ||
			!u.bytes)
			continue;
		observer_use_add(x, &u);
	}
}

/* A list of values, or an object that has it as `values`. */
static const char *observer_values(struct observer *x, struct scan *s,
	const char *p, bool written)
{
	bool end = *p != '{';

	if (*p == '[') {
		const char *q = scan_skip(s, p, true);
		if (q)
			observer_tensors(x, s, p, q, written);
		return q;
	}
	if (end)
		return scan_skip(s, p, true);
	for (p = scan_first(s, p, &end); p && !end;
		p = p ? scan_next(s, p, &end) : NULL) {
		struct text_span key;
		if (!(p = scan_key(s, p, &key)))
			return NULL;
		const char *q = scan_skip(s, p, true);
		if (q && *p == '[' && observer_is(&key, "values"))
			observer_tensors(x, s, p, q, written);
		p = q;
	}
	return p;
}

static const char *observer_whole(struct scan *s, const char *p, int64_t *to)
{
	struct number n;

	p = number_int(s, p, &n);
	*to = n.kind == NUMBER_OK ? n.value : 0;
	return p;
}

struct observer_attribute {
	struct text_span name;
	int64_t value;
};

static const char *observer_attribute(struct scan *s, const char *p,
	const struct text_span *key, void *to)
{
	struct observer_attribute *a = to;

	if (observer_is(key, "name"))
		return scan_text(s, p, &a->name);
	if (observer_is(key, "value") && *p != '"')
		return observer_whole(s, p, &a->value);
	return scan_skip(s, p, true);
}

static const char *observer_attributes(struct observer *x, struct scan *s,
	const char *p)
{
	if (*p != '[')
		return scan_skip(s, p, true);
	p = scan_ws(p + 1);
	while (p && *p == '{') {
		struct observer_attribute a = { 0 };
		p = scan_fields(s, p, observer_attribute, &a);
		if (a.name.at && observer_is(&a.name, "rf_id"))
			x->node.function = a.value;
		p = p ? scan_ws(p) : NULL;
		if (p && *p == ',')
			p = scan_ws(p + 1);
	}
	if (!p || *p == ']')
		return p ? p + 1 : NULL;
	return scan_stop(s, p);
}

static const char *observer_name(struct observer *x, struct scan *s,
	const char *p)
{
	struct text_span name;

	p = scan_text(s, p, &name);
	if (!p || !name.at)
		return p;
	uint32_t does = word_table_find(&x->words, name.at, name.len);
	x->node.does = does ? (enum observer_does)(does - 1) : DOES_WORK;
	x->backward = memmem(name.at, name.len, "Backward", 8);
	return p;
}

static const char *observer_field(struct scan *s, const char *p,
	const struct text_span *key, void *to)
{
	struct observer *x = to;

	if (observer_is(key, "id"))
		return observer_whole(s, p, &x->node.id);
	if (observer_is(key, "ctrl_deps") || observer_is(key, "parent"))
		return observer_whole(s, p, &x->node.parent);
	if (observer_is(key, "rf_id"))
		return observer_whole(s, p, &x->node.function);
	if (observer_is(key, "name"))
		return observer_name(x, s, p);
	if (observer_is(key, "inputs"))
		return observer_values(x, s, p, false);
	if (observer_is(key, "outputs"))
		return observer_values(x, s, p, true);
	if (observer_is(key, "attrs"))
		return observer_attributes(x, s, p);
	return scan_skip(s, p, true);
}

/* May be called again for the same node, with more text. */
static const char *observer_node_read(void *ctx, struct scan *s, const char *p)
{
	struct observer *x = ctx;

	x->uses_n = x->nodes_n ? x->nodes[x->nodes_n - 1].to : 0;
	x->node = (struct observer_node){ .from = x->uses_n };
	x->backward = false;
	p = scan_fields(s, p, observer_field, x);
	x->node.to = x->uses_n;
	return p;
}

/* ---- the file */

static bool observer_damaged(const struct observer *x, struct err *e)
{
	return err_set(e, ERR_TRACE,
		"the execution trace of PyTorch is damaged or cut off at byte "
		"%lld, so that readers of tensors may be missing; send the "
		"trace without it",
		(long long)json_reader_offset(&x->json));
}

/* Reads an item at `at`, which must be complete. */
static bool observer_item(struct observer *x, json_reader_fn *read,
	struct err *e)
{
	enum json_reading got = json_reader_read(&x->json, read, x, false, e);

	if (x->full)
		return arena_err(x->trace->arena, e);
	return got == READ || (got != READ_ERR && observer_damaged(x, e));
}

static bool observer_node_add(struct observer *x, struct err *e)
{
	if (!observer_item(x, observer_node_read, e))
		return false;
	struct observer_node *list = trace_list_room(x->trace, x->nodes,
		sizeof *list, x->nodes_n, &x->nodes_cap);
	if (!list)
		return arena_err(x->trace->arena, e);
	x->nodes = list;
	list[x->nodes_n++] = x->node;
	x->trace->backward_uses |= x->backward;
	return true;
}

/* From inside the list to the position after its bracket. */
static bool observer_nodes(struct observer *x, struct err *e)
{
	struct byte_window *w = x->json.window;
	char c;

	x->listed = true;
	while (json_reader_token(&x->json, &c, e)) {
		if (c == ',' || c == ']')
			w->at++;
		else if (c != '{')
			return observer_damaged(x, e);
		else if (!observer_node_add(x, e))
			return false;
		if (c == ']')
			return true;
	}
	return false;
}

static const char *observer_key(void *ctx, struct scan *s, const char *p)
{
	struct observer *x = ctx;
	struct text_span key;

	p = scan_key(s, p, &key);
	x->listed = p && observer_is(&key, "nodes");
	return p;
}

static const char *observer_value(void *ctx, struct scan *s, const char *p)
{
	(void)ctx;
	return scan_skip(s, p, true);
}

static bool observer_text(struct observer *x, struct err *e)
{
	struct byte_window *w = x->json.window;
	bool nodes = false;
	char c;

	/* file_magic recognized the bracket and the first key. */
	if (!json_reader_token(&x->json, &c, e))
		return false;
	for (w->at++; json_reader_token(&x->json, &c, e);) {
		if (c == '}')
			break;
		if (c == ',') {
			w->at++;
			continue;
		}
		if (!observer_item(x, observer_key, e) ||
			!json_reader_token(&x->json, &c, e))
			return false;
		nodes |= x->listed && c == '[';
		if (x->listed && c == '[')
			w->at++;
		if (!(x->listed && c == '['
				    ? observer_nodes(x, e)
				    : observer_item(x, observer_value, e)))
			return false;
	}
	if (c != '}' || !nodes)
		return observer_damaged(x, e);
	w->at++;
	return json_reader_end(&x->json, x->trace, e);
}

/* ---- what a call uses itself */

static int observer_by_id(const void *a, const void *b)
{
	const struct observer_node *x = a, *y = b;
	return (x->id > y->id) - (x->id < y->id);
}

static struct observer_node *observer_find(const struct observer *x, int64_t id)
{
	const struct observer_node key = { .id = id };
	return bsearch(&key, x->nodes, x->nodes_n, sizeof key, observer_by_id);
}

/* A caller has a smaller number, so that a circle ends. NULL if there is none. */
static struct observer_node *observer_caller(const struct observer *x,
	const struct observer_node *n)
{
	return n->parent < n->id ? observer_find(x, n->parent) : NULL;
}

/* Whether it works on data, under a number by which it can be joined. */
static bool observer_works(const struct observer_node *n)
{
	return n->does == DOES_WORK && n->function > 0;
}

/* Sets `calls` and the places. Nodes are sorted by number, so that callers come first. */
static void observer_set_places(const struct observer *x)
{
	uint32_t free = 0;

	/* First `end` is how many nodes it calls, itself included. */
	for (uint32_t i = 0; i < x->nodes_n; i++)
		x->nodes[i].end = 1;
	for (uint32_t i = x->nodes_n; i-- > 0;) {
		const struct observer_node *n = &x->nodes[i];
		struct observer_node *caller = observer_caller(x, n);
		if (!caller)
			continue;
		caller->end += n->end;
		caller->calls |=
			n->calls || (observer_works(n) && n->from < n->to);
	}
	/* Then it is the next free place among the nodes that it calls. All
	 * are placed when it has the place behind them. */
	for (uint32_t i = 0; i < x->nodes_n; i++) {
		struct observer_node *n = &x->nodes[i];
		struct observer_node *caller = observer_caller(x, n);
		uint32_t *next = caller ? &caller->end : &free, size = n->end;
		n->place = *next;
		*next += size;
		n->end = n->place + 1;
	}
}

static int observer_by_storage(const void *a, const void *b)
{
	const struct observer_place *x = a, *y = b;

	if (x->storage != y->storage)
		return x->storage < y->storage ? -1 : 1;
	if (x->read != y->read)
		return x->read ? 1 : -1;
	return (x->place > y->place) - (x->place < y->place);
}

/* Lists the uses of calls that work, by storage. `to` has room for all. */
static uint32_t observer_list_places(const struct observer *x,
	struct observer_place *to)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->nodes_n; i++) {
		const struct observer_node *c = &x->nodes[i];
		if (!observer_works(c))
			continue;
		for (uint32_t k = c->from; k < c->to; k++)
			to[n++] = (struct observer_place){ x->uses[k].storage,
				c->place, !x->uses[k].written };
	}
	if (n)
		qsort(to, n, sizeof *to, observer_by_storage);
	return n;
}

/* Whether a node that `c` calls, directly or not, uses the memory so. */
static bool observer_called_uses(const struct observer_place *places,
	uint32_t n, const struct observer_node *c, int64_t storage, bool read)
{
	const struct observer_place key = { storage, c->place + 1, read };
	uint32_t at = 0, to = n;

	while (at < to) {
		uint32_t middle = at + (to - at) / 2;
		if (observer_by_storage(&places[middle], &key) < 0)
			at = middle + 1;
		else
			to = middle;
	}
	return at < n && places[at].storage == storage &&
	       places[at].read == read && places[at].place < c->end;
}

static int observer_by_number(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
	return (x > y) - (x < y);
}

/* Lists the storages of the tensors that a call reads, ascending. `to` has room for
 * all uses. */
static uint32_t observer_inputs(const struct observer *x,
	const struct observer_node *c, int64_t *to)
{
	uint32_t n = 0;

	for (uint32_t i = c->from; i < c->to; i++)
		if (!x->uses[i].written)
			to[n++] = x->uses[i].storage;
	if (n)
		qsort(to, n, sizeof *to, observer_by_number);
	return n;
}

/* Keeps the uses of a call that are not those of calls that it makes. A caller
 * may read more in a kernel of its own. What it only returns, it does not
 * write. `to` and `inputs` have room for all. */
static void observer_take(const struct observer *x,
	const struct observer_place *places, uint32_t n,
	const struct observer_node *c, int64_t *inputs, struct tensor_use *to,
	uint32_t *kept)
{
	if (c->does == DOES_VIEW || c->function <= 0)
		return;
	uint32_t inputs_n = c->calls ? observer_inputs(x, c, inputs) : 0;
	for (uint32_t i = c->from; i < c->to; i++) {
		struct tensor_use u = x->uses[i];
		bool called = observer_called_uses(places, n, c, u.storage,
			!u.written);
		u.function = c->function;
		if (u.written && inputs_n)
			called |= bsearch(&u.storage, inputs, inputs_n,
					  sizeof *inputs,
					  observer_by_number) != NULL;
		if (!called && (c->does == DOES_WORK || u.written))
			to[(*kept)++] = u;
	}
}

static bool observer_finish(struct observer *x, struct err *e)
{
	struct trace *t = x->trace;

	t->tensor_uses = arena_grow(t->arena, NULL,
		((size_t)x->uses_n + 1) * sizeof *t->tensor_uses);
	struct observer_place *places = arena_grow(t->arena, NULL,
		((size_t)x->uses_n + 1) * sizeof *places);
	int64_t *inputs = arena_grow(t->arena, NULL,
		((size_t)x->uses_n + 1) * sizeof *inputs);
	if (!t->tensor_uses || !places || !inputs)
		return arena_err(t->arena, e);
	if (x->nodes_n)
		qsort(x->nodes, x->nodes_n, sizeof *x->nodes, observer_by_id);
	observer_set_places(x);
	uint32_t n = observer_list_places(x, places);
	for (uint32_t i = 0; i < x->nodes_n; i++)
		observer_take(x, places, n, &x->nodes[i], inputs,
			t->tensor_uses, &t->tensor_uses_n);
	arena_drop(t->arena, inputs);
	arena_drop(t->arena, places);
	arena_drop(t->arena, x->nodes);
	arena_drop(t->arena, x->uses);
	t->format = "pytorch_execution_trace";
	t->framework = "pytorch";
	return t->tensor_uses_n ||
	       err_set(e, ERR_TRACE,
		       "the execution trace of PyTorch has no operator with "
		       "tensors on a GPU; was the observer active while the "
		       "work was done?");
}

bool observer_decode(struct byte_window *w, struct trace *t, struct err *e)
{
	struct observer x = { .trace = t, .json = { .window = w } };

#define VIEW(op) word_table_add(&x.words, op, DOES_VIEW + 1);
#define ALLOCATION(op) word_table_add(&x.words, op, DOES_ALLOCATE + 1);
#define SCALAR(op)
#include "view_operators.def"
#undef VIEW
#undef ALLOCATION
#undef SCALAR
	return observer_text(&x, e) && observer_finish(&x, e);
}
