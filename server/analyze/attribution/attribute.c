/* attribute.c - calls the attribution sources in order, completes the shapes of
 * attention from serving steps, and makes the rows of operators. */
#include "attribute.h"
#include "attribute_sources.h"
#include "collective_calls.h"
#include "graph_capture.h"
#include "correlation.h"
#include "device_clock.h"
#include "profile.h"
#include "roofline.h"
#include "serving_steps.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZES_MOST = 32 };

struct attribute_totals {
	int64_t seqs, tokens, kv_tokens, pairs; /* -1 unknown */
	int64_t kv_bits; /* of a number in the cache; -1: it is unknown, or that
		of the operator's type */
	int64_t element_bits; /* from a kernel's name; -1: the operator's type
		is known, or the name has no width */
};

/* A combination of an operator's sizes with the totals of a serving step or with
 * the width of a kernel's numbers. Each combination has one shape. */
struct attribute_joined {
	const struct operator_info *op;
	const struct shape *before;
	struct attribute_totals totals;
};

struct attribute_filler {
	struct attribution *x;
	struct serving_steps steps;
	struct names joined; /* struct attribute_joined */
	const struct shape **shapes; /* by id */
	uint32_t cap;
	int64_t kv_bits; /* of a number in the cache; -1 unknown */
};

static const struct size *attribute_size(const struct shape *s,
	const char *name)
{
	return s ? shape_size(s, name) : NULL;
}

/* How many query tokens a shape has; -1 if that is unknown. */
static int64_t attribute_query_tokens(const struct shape *s)
{
	const struct size *tokens = attribute_size(s, "tokens"),
			  *lens = attribute_size(s, "q_lens");
	int64_t n = 0;

	if (tokens)
		return tokens->values[0];
	for (uint32_t i = 0; lens && i < lens->n; i++)
		n += lens->values[i];
	return lens ? n : -1;
}

/* The pairs of a query and a key of causal attention: a request with q new
 * tokens and k tokens in all has q·k - (q² - q) / 2, because each new token
 * attends to all tokens up to itself. -1 if the sums are unknown. */
static int64_t attribute_causal_pairs(const struct step_sums *s)
{
	return s->q < 0 || s->qq < 0 || s->qk < 0 ? -1
						  : s->qk - (s->qq - s->q) / 2;
}

static bool attribute_only_decodes(const struct operator_info *is)
{
	return strcmp(is->name, "paged_attention_decode") == 0 ||
	       strcmp(is->name, "mla_decode_attention") == 0;
}

/* The requests of a step on which a launch of an operator works. NULL if it
 * works on none of them, or if this is unknown; *why is then the reason, or
 * NULL. `tokens` is how many query tokens the launch has; -1 unknown. */
static const struct step_sums *
attribute_step_requests(const struct operator_info *is,
	const struct step_label *label, int64_t tokens, const char **why)
{
	if (!strcmp(is->name, "unified_attention"))
		return &label->all;
	if (attribute_only_decodes(is))
		return label->decode.reqs > 0 ? &label->decode : NULL;
	if (strcmp(is->name, "attention_forward") != 0 ||
		label->phase == PHASE_DECODE)
		return NULL;
	if (label->phase == PHASE_PREFILL || tokens == label->prefill.q)
		return &label->prefill;
	if (tokens >= 0 && tokens == label->all.q)
		return &label->all;
	*why = "the step does both prefill and decode, and it is unknown which "
	       "of them this launch did";
	return NULL;
}

/* Whether a launch of so many query tokens can have processed these requests. A
 * launch in a CUDA graph may process more, as padding, but only attention over
 * a cache ignores them. */
static bool attribute_step_fits(const struct operator_info *is,
	const struct step_sums *s, int64_t tokens)
{
	return tokens < 0 || s->q < 0 || tokens == s->q ||
	       (tokens > s->q && strcmp(is->name, "attention_forward") != 0);
}

/* Whether queries attend to a window only. A window without an end on the left
 * and of no later keys is a causal mask. */
static bool attribute_has_window(const struct shape *s)
{
	const struct size *right = attribute_size(s, "window_right");

	return attribute_size(s, "window_left") ||
	       (right && right->values[0] > 0);
}

/* Finds the totals of a step for a launch of an operator. False if there are
 * none. *why is the reason why the context length is unknown; else NULL. */
static bool attribute_step_totals(const struct operator_info *is,
	const struct step_label *label, const struct shape *before,
	struct attribute_totals *out, const char **why)
{
	int64_t tokens = attribute_query_tokens(before);
	const struct step_sums *s =
		attribute_step_requests(is, label, tokens, why);

	if (!s)
		return false;
	if (label->contradictory) {
		*why = label->lacks;
		return false;
	}
	if (attribute_has_window(before)) {
		*why = "the label of its step has sums over whole contexts, of "
		       "which a window is a part";
		return false;
	}
	if (!attribute_step_fits(is, s, tokens)) {
		*why = "the launch has another number of tokens than the label "
		       "of its step";
		return false;
	}
	*why = s->k < 0 ? label->lacks : NULL;
	/* If each request has one new token, the sums of the requests and of
	 * their keys give all that operators with a cache need. */
	bool single = s->q == s->reqs && (tokens < 0 || tokens == s->q) &&
		      strcmp(is->name, "attention_forward") != 0;
	*out = (struct attribute_totals){ s->reqs,
		single && attribute_only_decodes(is) ? -1 : s->q, s->k,
		single ? -1 : attribute_causal_pairs(s), -1, -1 };
	return true;
}

/* Makes a shape with the operator's sizes in the catalog's order. A size that
 * the operator lacks is taken from the step. So is the number of tokens, if
 * there are pairs: that of the operator contains padding. */
static bool attribute_join_shape(struct attribute_filler *f,
	const struct attribute_joined *j, const struct shape **out)
{
	const struct {
		const char *name;
		const int64_t *value;
	} adds[] = { { "seqs", &j->totals.seqs },
		{ "tokens", &j->totals.tokens },
		{ "kv_tokens", &j->totals.kv_tokens },
		{ "kv_bits", &j->totals.kv_bits },
		{ "qk_pairs", &j->totals.pairs },
		{ "element_bits", &j->totals.element_bits } };
	const struct operator_info *is = j->op;
	bool keys = attribute_size(j->before, "seq_lens") ||
		    attribute_size(j->before, "context");
	bool padded = !keys && j->totals.pairs >= 0;
	struct arena *a = f->x->arena;
	struct size *list = arena_array(a, struct size, SIZES_MOST + 1);
	struct shape *shape = arena_new(a, struct shape);
	uint64_t values = 0;
	uint32_t n = 0;

	*out = j->before;
	if (!list || !shape)
		return false;
	for (uint32_t i = 0; i < is->sizes_n && n < SIZES_MOST; i++) {
		const struct size *has =
			attribute_size(j->before, is->sizes[i]);
		if (has && !(padded && !strcmp(is->sizes[i], "tokens"))) {
			list[n++] = *has;
			continue;
		}
		for (size_t k = 0; k < sizeof adds / sizeof *adds; k++) {
			if (strcmp(adds[k].name, is->sizes[i]) != 0 ||
				*adds[k].value < 0 || (keys && k >= 2))
				continue;
			int64_t *value = arena_new(a, int64_t);
			if (!value)
				return false;
			*value = *adds[k].value;
			list[n++] =
				(struct size){ is->sizes[i], value, 1, false };
		}
	}
	for (uint32_t i = 0; i < n; i++)
		values += list[i].n;
	/* Keeps the old shape if the step adds no size: the old one may have
	 * sizes that the catalog does not name. Also keeps it if the new one
	 * has too many values. */
	if ((j->before && n <= j->before->n) || values > SHAPE_VALUES)
		return true;
	*shape = (struct shape){ j->before ? j->before->dtype : DTYPE_UNKNOWN,
		list, n };
	*out = n ? shape : j->before;
	return true;
}

static bool attribute_joined_shape(struct attribute_filler *f,
	const struct attribute_joined *j, const struct shape **out)
{
	uint32_t known = f->joined.n;
	uint32_t id = names_put(&f->joined, (const char *)j, sizeof *j);

	if (id == NAMES_NONE)
		return false;
	if (id >= f->cap) {
		uint32_t cap = id * 2 + 64;
		void *grown = arena_grow(f->joined.arena, f->shapes,
			cap * sizeof *f->shapes);
		if (!grown)
			return false;
		f->shapes = grown;
		f->cap = cap;
	}
	if (id == known && !attribute_join_shape(f, j, &f->shapes[id]))
		return false;
	*out = f->shapes[id];
	return true;
}

/* The type at a position of Input type, such as ["float","unsigned char"].
 * DTYPE_UNKNOWN if there is none. */
static enum dtype attribute_type_at(const char *types, uint32_t position)
{
	int depth = 0;

	for (const char *at = types; *at; at++) {
		size_t len = *at == '"' ? strcspn(at + 1, "\"") : 0;
		depth += (*at == '[') - (*at == ']');
		position -= *at == ',' && depth == 1;
		if (*at != '"')
			continue;
		if (!position)
			return dtype_from(at + 1, len);
		at += len + (at[1 + len] == '"');
	}
	return DTYPE_UNKNOWN;
}

/* The width of a number in the cache of keys, from the operators that write into
 * it: their third argument is the cache. -1 if it is unknown, or if the widths
 * differ. Attention's own arguments do not always contain the cache. */
static int64_t attribute_cache_bits(const struct attribution *x,
	struct arena *scratch)
{
	const struct trace *t = x->trace;
	const struct op_rows *op = &t->op;
	bool *other = arena_grow(scratch, NULL, t->names.n);
	int64_t bits = -1;

	for (uint32_t i = x->proc->op.from; other && i < x->proc->op.to; i++) {
		const struct name *n = &t->names.list[op->name[i]];
		if (other[op->name[i]])
			continue;
		const struct operator_info *is =
			catalog_op(x->catalog, n->text, n->len);
		other[op->name[i]] =
			!is || strcmp(is->name, "reshape_and_cache") != 0;
		enum dtype d =
			attribute_type_at(names_text(&t->names, op->types[i]),
				2);
		if (other[op->name[i]] || d == DTYPE_UNKNOWN)
			continue;
		if (bits >= 0 && bits != dtype_bits(d))
			return -1;
		bits = dtype_bits(d);
	}
	return bits;
}

static bool attribute_serving_launch(struct attribute_filler *f, uint32_t call,
	struct attributed *to)
{
	const struct call_rows *c = &f->x->trace->call;
	struct attribute_joined j = { to->op, to->sizes,
		{ -1, -1, -1, -1, -1, -1 } };

	if (!to->op || call == CORRELATION_NONE ||
		strcmp(to->op->group, "attention") != 0)
		return true;
	const struct step_label *label =
		serving_steps_at(&f->steps, c->thread[call], c->start_ns[call]);
	if (!label || !attribute_step_totals(to->op, label, to->sizes,
			      &j.totals, &to->lacks))
		return true;
	const struct shape *before = to->sizes;
	if (j.totals.kv_tokens >= 0 && before &&
		f->kv_bits != dtype_bits(before->dtype))
		j.totals.kv_bits = f->kv_bits;
	if (!attribute_joined_shape(f, &j, &to->sizes))
		return false;
	if (to->sizes != before && to->known != KNOWN_GRAPH &&
		to->known != KNOWN_NODE)
		to->known = KNOWN_SIZES;
	return true;
}

/* Adds sizes from serving steps to shapes that lack them. False if the arena is
 * full. */
static bool attribute_serving(struct attribution *x)
{
	struct arena scratch = arena_scratch(x->arena);
	struct attribute_filler f = { .x = x };
	uint32_t n = x->proc->kernel.to - x->proc->kernel.from;

	bool ok = serving_steps_find(x->catalog, x->trace, x->proc, &scratch,
			  &f.steps) &&
		  names_init(&f.joined, &scratch);
	f.kv_bits = ok && f.steps.n ? attribute_cache_bits(x, &scratch) : -1;
	if (ok && f.steps.odd)
		note_add(&x->profile->notes, NOTE_step_label, f.steps.odd,
			f.steps.first_odd, strlen(f.steps.first_odd));
	for (uint32_t i = 0; ok && f.steps.n && i < n; i++)
		ok = attribute_serving_launch(&f, x->call_of[i], &x->of[i]);
	arena_scratch_release(&scratch, x->arena);
	return ok;
}

/* The width of the numbers that a kernel of PyTorch copies as OpaqueType<N>,
 * which is N bytes. -1 if the name has none. */
static int64_t attribute_opaque_bits(const char *name)
{
	static const char OPAQUE[] = "OpaqueType<",
			  COUNTED[] = "(unsigned int)";
	const char *at = strstr(name, OPAQUE);
	char *end;

	if (!at)
		return -1;
	at += sizeof OPAQUE - 1;
	if (!strncmp(at, COUNTED, sizeof COUNTED - 1))
		at += sizeof COUNTED - 1;
	long bytes = strtol(at, &end, 10);
	end += *end == 'u';
	return *end == '>' && bytes >= 1 && bytes <= 16 ? bytes * 8 : -1;
}

/* Adds the width of the numbers to shapes of operators whose type is unknown:
 * Input type calls a list of tensors TensorList, whatever the type of its
 * tensors is. False if the arena is full. */
static bool attribute_widths(struct attribution *x)
{
	struct arena scratch = arena_scratch(x->arena);
	struct attribute_filler f = { .x = x };
	uint32_t n = x->proc->kernel.to - x->proc->kernel.from;
	bool ok = names_init(&f.joined, &scratch);

	for (uint32_t i = 0; ok && i < n; i++) {
		struct attributed *to = &x->of[i];
		struct attribute_joined j = { to->op, to->sizes,
			{ -1, -1, -1, -1, -1, -1 } };
		if (!to->op || !to->sizes ||
			to->sizes->dtype != DTYPE_UNKNOWN ||
			strcmp(to->op->name, "cat") != 0)
			continue;
		j.totals.element_bits = attribute_opaque_bits(
			x->profile->kernels[x->kernel_of[i]].name);
		ok = attribute_joined_shape(&f, &j, &to->sizes);
	}
	arena_scratch_release(&scratch, x->arena);
	return ok;
}

/* Shapes of collectives from the records of their calls. */

struct attribute_moved {
	int64_t bytes, elements, ranks, nodes;
	int64_t dtype;
};

struct attribute_mover {
	struct attribution *x;
	struct names keys; /* struct attribute_moved */
	const struct shape **shapes;
	uint32_t cap;
};

/* Makes a shape of a size in bytes, or in elements if its bytes are unknown, of
 * the number of ranks, and of the number of nodes if it is more than one. */
static const struct shape *attribute_moved_shape(struct arena *a,
	const struct attribute_moved *k)
{
	struct size *list = arena_array(a, struct size, 3);
	int64_t *values = arena_array(a, int64_t, 3);
	struct shape *s = arena_new(a, struct shape);
	uint32_t n = k->ranks < 1 ? 1 : k->nodes < 2 ? 2 : 3;

	if (!list || !values || !s)
		return NULL;
	values[0] = k->bytes >= 0 ? k->bytes : k->elements;
	values[1] = k->ranks;
	values[2] = k->nodes;
	list[0] = (struct size){ k->bytes >= 0 ? "bytes" : "elements",
		&values[0], 1, false };
	list[1] = (struct size){ "ranks", &values[1], 1, false };
	list[2] = (struct size){ "nodes", &values[2], 1, false };
	*s = (struct shape){ (enum dtype)k->dtype, list, n };
	return s;
}

static bool attribute_moved(struct attribute_mover *m,
	const struct collective_call *c, struct attributed *to)
{
	struct attribute_moved k = { c->bytes, c->elements, c->group_size,
		c->nodes, c->dtype };
	uint32_t known = m->keys.n;
	uint32_t id = names_put(&m->keys, (const char *)&k, sizeof k);

	if (id == NAMES_NONE)
		return false;
	if (id >= m->cap) {
		uint32_t cap = id * 2 + 16;
		void *grown = arena_grow(m->x->arena, m->shapes,
			cap * sizeof *m->shapes);
		if (!grown)
			return false;
		m->shapes = grown;
		m->cap = cap;
	}
	if (id == known)
		m->shapes[id] = attribute_moved_shape(m->x->arena, &k);
	to->sizes = m->shapes[id];
	if (to->known == KNOWN_OP || to->known == KNOWN_RULE)
		to->known = KNOWN_OP_SIZES;
	return to->sizes;
}

/* Whether all tensors of a kind of call have the same size, so that the first
 * one of a host operator states it. */
static bool attribute_moved_whole(enum collective_kind kind)
{
	return kind == COLLECTIVE_ALL_REDUCE || kind == COLLECTIVE_BROADCAST;
}

/* Gives a call without records the size that its host operator states. */
static void attribute_moved_by_op(struct collective_call *c,
	const struct shape *s)
{
	const struct size *bytes = attribute_size(s, "bytes");

	if (!bytes || c->elements >= 0 || !attribute_moved_whole(c->kind) ||
		!dtype_bits(s->dtype) || bytes->values[0] > INT64_MAX / 8)
		return;
	c->dtype = s->dtype;
	c->bytes = bytes->values[0];
	c->elements = c->bytes * 8 / dtype_bits(s->dtype);
}

/* The rank that made the launches of a process. ROCm numbers the devices of
 * launches differently from those that it lists. */
static struct collective_host attribute_moved_host(const struct attribution *x)
{
	const struct trace *t = x->trace;
	const struct platform *p = x->platform;
	struct collective_host host = { .rank = x->proc->rank,
		.world_size = x->proc->world_size,
		.device = -1,
		.platform = p };

	for (uint32_t i = 0; i < t->devices_n; i++)
		host.devices += t->devices[i].process < 0 ||
				(uint32_t)t->devices[i].process == x->process;
	if (p && p->vendor && !strcmp(p->vendor, "NVIDIA") &&
		x->profile->devices_n == 1)
		host.device = x->profile->devices[0].number;
	return host;
}

/* Sets the nodes of a call; `last` had the same group, or is NULL. */
static void attribute_moved_nodes(struct collective_call *c,
	const struct collective_call *last, const struct collective_host *host)
{
	if (last && last->ranks == c->ranks &&
		last->group_size == c->group_size) {
		c->nodes = last->nodes;
		c->nodes_why = last->nodes_why;
	} else {
		c->nodes = collective_nodes(c, host, &c->nodes_why);
	}
}

/* Adds a note if a call has a bound by a link between assumed nodes. */
static void attribute_moved_assumed(struct attribution *x,
	const struct collective_call *c, const struct collective_host *host)
{
	const struct link_use use = { c->kind, c->bytes, c->group_size,
		c->nodes };
	const char *word = collective_word(c->kind);
	double peak;

	if (c->nodes > 0 && c->bytes >= 0 && x->platform && word &&
		!collective_host_shows(host) &&
		link_peak(x->platform, &use, &peak) == LINK_KNOWN)
		note_add(&x->profile->notes, NOTE_nodes_assumed, 1, word,
			strlen(word));
}

/* Gives collectives the sizes that the records of their calls state. The Input
 * Dims of a host operator are used if they state bytes and the records do not.
 * False if the arena is full. */
static bool attribute_collectives(struct attribution *x)
{
	uint32_t n = x->proc->kernel.to - x->proc->kernel.from;
	struct attribute_mover m = { .x = x };
	const struct collective_host host = attribute_moved_host(x);
	const struct collective_call *last = NULL;
	bool ok = names_init(&m.keys, x->arena);

	for (uint32_t i = 0; ok && i < n; i++) {
		struct collective_call *c =
			collective_calls_at(x->collectives, i);
		struct attributed *to = &x->of[i];
		if (!c || !to->op || !to->op->collective)
			continue;
		attribute_moved_by_op(c, to->sizes);
		attribute_moved_nodes(c, last, &host);
		attribute_moved_assumed(x, c, &host);
		last = c;
		if (c->bytes >= 0 ||
			(c->elements >= 0 &&
				!attribute_size(to->sizes, "bytes")))
			ok = attribute_moved(&m, c, to);
	}
	arena_drop(x->arena, m.shapes);
	return ok;
}

/* The platform of a device's name; NULL if the catalog has none. */
static const struct platform *attribute_platform_by_name(const struct catalog
								 *c,
	const char *name)
{
	return name && *name ? catalog_device(c, name) : NULL;
}

/* The platform of all devices that the file lists for a process; NULL if they
 * differ. ROCm's traces number the devices of launches differently from the
 * listed devices. But a process only runs on devices that are listed for it. */
static const struct platform *attribute_listed_platform(
	const struct attribution *at)
{
	const struct trace *t = at->trace;
	const struct platform *all = NULL;

	for (uint32_t i = 0; i < t->devices_n; i++) {
		const struct device *d = &t->devices[i];
		if (d->process >= 0 && (uint32_t)d->process != at->process)
			continue;
		const struct platform *own =
			attribute_platform_by_name(at->catalog,
				names_text(&t->names, d->name));
		if (!own || (all && own != all))
			return NULL;
		all = own;
	}
	return all;
}

/* The platform of all devices that the process used; NULL if one is unknown or
 * if they differ. */
static const struct platform *attribute_platform(const struct attribution *at)
{
	const struct profile *p = at->profile;
	const struct platform *all = NULL;

	for (uint32_t i = 0; i < p->devices_n; i++) {
		const struct platform *own =
			p->devices[i].name
				? attribute_platform_by_name(at->catalog,
					  p->devices[i].name)
				: attribute_listed_platform(at);
		if (!own || (all && own != all))
			return NULL;
		all = own;
	}
	return all;
}

/* Sets the platform at the SM clock of the run; without a clock, it is the data
 * sheet's. False if the arena is full. */
static bool attribute_clock(struct attribution *at)
{
	struct operators *o = &at->profile->operators;
	double mhz = device_clock_of_run(at->profile, &o->sm_clock_why);

	o->sm_clock_mhz = NAN;
	at->at_clock = at->platform;
	if (isnan(mhz))
		return o->sm_clock_why;
	if (!at->platform) {
		o->sm_clock_why = "the platform is unknown";
		return true;
	}
	struct platform *scaled = arena_new(at->arena, struct platform);
	if (!scaled)
		return false;
	if (!roofline_at_clock(at->platform, mhz, scaled)) {
		o->sm_clock_why = arena_printf(at->arena,
			"the catalog does not state the clock that the peaks "
			"of %s assume",
			at->platform->name);
		return o->sm_clock_why;
	}
	o->sheet = at->platform;
	at->at_clock = scaled;
	o->sm_clock_mhz = mhz;
	return true;
}

static void attribute_begin(struct attribution *at,
	const struct iteration_rows *iterations)
{
	const struct profile *p = at->profile;
	uint32_t n = at->proc->kernel.to - at->proc->kernel.from;

	for (uint32_t i = 0; i < p->kernels_n; i++)
		if (p->kernels[i].op)
			at->by_rule[i] =
				catalog_operator(at->catalog, p->kernels[i].op);
	for (uint32_t i = 0; i < n; i++)
		at->of[i] = (struct attributed){ .known = KNOWN_NOT,
			.phase = attribute_rows_phase(p, iterations->kernel[i]),
			.call = LAUNCH_NO_CALL };
}

static void attribute_by_rule(struct attribution *at)
{
	for (uint32_t i = 0; i < at->proc->kernel.to - at->proc->kernel.from;
		i++) {
		struct attributed *to = &at->of[i];
		if (to->op || !at->by_rule[at->kernel_of[i]])
			continue;
		to->op = at->by_rule[at->kernel_of[i]];
		to->known = KNOWN_RULE;
	}
}

bool attribute_from(struct attribution *at,
	const struct iteration_rows *iterations)
{
	struct profile *p = at->profile;
	struct attribute_host host;

	at->proc = &at->trace->processes[at->process];
	at->arena = p->arena;
	at->host = &host;
	size_t n = (size_t)(at->proc->kernel.to - at->proc->kernel.from) + 1;
	at->platform = attribute_platform(at);
	at->of = arena_grow(p->arena, NULL, n * sizeof *at->of);
	at->busy_of = arena_grow(p->arena, NULL, n * sizeof *at->busy_of);
	at->shape_of = arena_grow(p->arena, NULL, n * sizeof *at->shape_of);
	at->by_rule = arena_grow(p->arena, NULL,
		((size_t)p->kernels_n + 1) * sizeof *at->by_rule);
	bool ok = attribute_op_init(&host, at) && at->of && at->busy_of &&
		  at->shape_of && at->by_rule && attribute_clock(at);
	if (ok)
		attribute_begin(at, iterations);
	ok = ok && graph_captures_find(at) && attribute_range_shapes(at) &&
	     attribute_op(at) && attribute_range_modules(at) &&
	     attribute_graph(at);
	if (ok)
		attribute_by_rule(at);
	ok = ok && attribute_collectives(at) && attribute_serving(at) &&
	     attribute_widths(at) && attribute_rows(at, iterations) &&
	     attribute_devices(at);
	attribute_op_release(&host);
	at->host = NULL;
	return ok;
}

void attribute_release(struct attribution *at)
{
	if (!at->arena)
		return;
	arena_drop(at->arena, at->of);
	arena_drop(at->arena, at->busy_of);
	arena_drop(at->arena, at->shape_of);
	arena_drop(at->arena, at->op_of);
	arena_drop(at->arena, at->by_rule);
}
