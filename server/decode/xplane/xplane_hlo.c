/* xplane_hlo.c - HLO operators: their shapes, from the modules that the file
 * contains, and the rows of those that launched kernels. */
#include "xplane.h"
#include "proto.h"
#include "number.h"
#include "utf8.h"
#include <inttypes.h>
#include <stdlib.h>

/* ---- modules (xla/service/hlo.proto and xla/xla_data.proto) */

enum { PROTO_MODULE = 1, MODULE_COMPUTATION = 3, COMPUTATION_INSTRUCTION = 2 };
enum {
	INSTRUCTION_NAME = 1,
	INSTRUCTION_SHAPE = 3,
	INSTRUCTION_ID = 35,
	INSTRUCTION_OPERANDS = 36,
};
enum { SHAPE_TYPE = 2, SHAPE_DIMENSIONS = 3 };

/* Tensors of models have at most about 8 dimensions, fusions a few dozen
 * operands. A shape with more is unknown. */
enum { DIMENSIONS_MOST = 16, OPERANDS_MOST = 64, NUMBER_ROOM = 21 };

/* By number of PrimitiveType, as PyTorch writes it; types that PyTorch does not
 * have are written as XLA does. */
static const char *const xplane_hlo_types[] = { "", "bool", "signed char",
	"short int", "int", "long int", "unsigned char", "u16", "u32", "u64",
	"c10::Half", "float", "double", "", "", "c10::complex<float>",
	"c10::BFloat16", "", "c10::complex<double>", "c10::Float8_e5m2",
	"c10::Float8_e4m3fn", "s4", "u4", "f8e4m3b11fnuz",
	"c10::Float8_e5m2fnuz", "c10::Float8_e4m3fnuz", "s2", "u2", "f8e4m3",
	"f8e3m4", "s1", "u1", "f4e2m1fn", "f8e8m0fnu" };
enum { XPLANE_HLO_TYPES = sizeof xplane_hlo_types / sizeof *xplane_hlo_types };

static uint32_t xplane_hlo_put(struct xplane *x, const char *text, size_t len)
{
	uint32_t id = names_put(&x->trace->names, text, len);
	if (id != NAMES_NONE)
		return id;
	xplane_full(x);
	return 0;
}

/* Adds a number to a list's JSON text; the count of numbers so far. */
static int xplane_hlo_dimension(struct xplane *x, int n, char *text,
	size_t *len)
{
	if (n < DIMENSIONS_MOST)
		*len += (size_t)snprintf(text + *len, NUMBER_ROOM + 1,
			"%s%" PRId64, n ? "," : "", xplane_number(x));
	return n + 1;
}

/* Reads a shape: its dimensions as JSON, and its type. Tuples have neither. */
static void xplane_hlo_shape(struct xplane *x, struct xplane_instruction *i)
{
	char text[2 + DIMENSIONS_MOST * (NUMBER_ROOM + 1)] = "[";
	struct proto *p = &x->proto;
	size_t len = 1;
	int n = 0;
	uint64_t type = 0;
	if (!proto_enter(p))
		return;
	while (proto_next(p)) {
		if (p->field == SHAPE_TYPE && p->wire == PROTO_VARINT) {
			type = p->value;
		} else if (p->field == SHAPE_DIMENSIONS &&
			   p->wire == PROTO_VARINT) {
			n = xplane_hlo_dimension(x, n, text, &len);
		} else if (p->field == SHAPE_DIMENSIONS && proto_enter(p)) {
			while (proto_packed(p))
				n = xplane_hlo_dimension(x, n, text, &len);
			proto_leave(p);
		}
	}
	proto_leave(p);
	if (n > DIMENSIONS_MOST || type >= XPLANE_HLO_TYPES ||
		!*xplane_hlo_types[type])
		return;
	text[len++] = ']';
	i->dims = xplane_hlo_put(x, text, len);
	i->type = xplane_hlo_put(x, xplane_hlo_types[type],
		strlen(xplane_hlo_types[type]));
}

static void xplane_hlo_operand(struct xplane *x)
{
	if (!XPLANE_ROOM(x, x->hlo.operands))
		xplane_full(x);
	else
		x->hlo.operands.at[x->hlo.operands.n++] = xplane_number(x);
}

static void xplane_hlo_instruction(struct xplane *x)
{
	struct proto *p = &x->proto;
	struct xplane_instruction i = { .operands.from = x->hlo.operands.n };
	if (!proto_enter(p))
		return;
	while (proto_next(p)) {
		if (p->field == INSTRUCTION_NAME) {
			i.name = xplane_text(x);
		} else if (p->field == INSTRUCTION_SHAPE) {
			xplane_hlo_shape(x, &i);
		} else if (p->field == INSTRUCTION_ID) {
			i.id = xplane_number(x);
		} else if (p->field == INSTRUCTION_OPERANDS &&
			   p->wire == PROTO_VARINT) {
			xplane_hlo_operand(x);
		} else if (p->field == INSTRUCTION_OPERANDS && proto_enter(p)) {
			while (proto_packed(p))
				xplane_hlo_operand(x);
			proto_leave(p);
		}
	}
	proto_leave(p);
	i.operands.to = x->hlo.operands.n;
	if (!XPLANE_ROOM(x, x->hlo.instructions))
		xplane_full(x);
	else
		x->hlo.instructions.at[x->hlo.instructions.n++] = i;
}

static int xplane_hlo_by_id(const void *left, const void *right)
{
	const struct xplane_instruction *a = left, *b = right;
	return (a->id > b->id) - (a->id < b->id);
}

/* Makes the JSON of an instruction's operands: "[[8,16],[16,4]]" and
 * ["f32","f32"]. The shape of a tuple is []. */
static struct xplane_shape xplane_hlo_operands(struct xplane *x,
	const struct xplane_instruction *i)
{
	const struct names *ns = &x->trace->names;
	char dims[2 + OPERANDS_MOST * (2 + DIMENSIONS_MOST * NUMBER_ROOM)];
	char types[2 + OPERANDS_MOST * 25];
	size_t d = 0, t = 0;
	uint32_t n = i->operands.to - i->operands.from;
	if (n == 0 || n > OPERANDS_MOST)
		return (struct xplane_shape){ 0 };
	for (uint32_t k = 0; k < n; k++) {
		struct xplane_instruction key = {
			.id = x->hlo.operands.at[i->operands.from + k]
		};
		const struct xplane_instruction *of = bsearch(&key,
			x->hlo.instructions.at, x->hlo.instructions.n,
			sizeof key, xplane_hlo_by_id);
		d += (size_t)snprintf(dims + d, sizeof dims - d, "%c%s",
			k ? ',' : '[',
			of && of->dims ? names_text(ns, of->dims) : "[]");
		t += (size_t)snprintf(types + t, sizeof types - t, "%c\"%s\"",
			k ? ',' : '[',
			of && of->type ? names_text(ns, of->type) : "");
	}
	dims[d++] = types[t++] = ']';
	return (struct xplane_shape){ xplane_hlo_put(x, dims, d),
		xplane_hlo_put(x, types, t) };
}

/* What identifies an operator; hashed as bytes, so it has no gaps. */
struct xplane_hlo_key {
	int64_t program, name;
};

static void xplane_hlo_keep(struct xplane *x, int64_t program)
{
	struct xplane_hlo *h = &x->hlo;
	for (uint32_t i = 0; i < h->instructions.n && !x->proto.failed; i++) {
		struct xplane_hlo_key key = { program,
			h->instructions.at[i].name };
		uint32_t known = h->ops.n;
		uint32_t id =
			names_put(&h->ops, (const char *)&key, sizeof key);
		if (id < known)
			continue; /* the first one of a name counts */
		h->shapes.n = id;
		if (id == NAMES_NONE || !XPLANE_ROOM(x, h->shapes))
			xplane_full(x);
		else
			h->shapes.at[id] =
				xplane_hlo_operands(x, &h->instructions.at[i]);
	}
}

static void xplane_hlo_module(struct xplane *x)
{
	struct proto *p = &x->proto;
	if (!proto_enter(p))
		return;
	while (proto_next(p)) {
		if (p->field != MODULE_COMPUTATION || !proto_enter(p))
			continue;
		while (proto_next(p))
			if (p->field == COMPUTATION_INSTRUCTION)
				xplane_hlo_instruction(x);
		proto_leave(p);
	}
	proto_leave(p);
}

void xplane_hlo_read(struct xplane *x, int64_t program)
{
	struct proto *p = &x->proto;
	struct xplane_hlo *h = &x->hlo;
	if (!proto_enter(p))
		return;
	h->instructions.n = h->operands.n = 0;
	while (proto_next(p))
		if (p->field == PROTO_MODULE)
			xplane_hlo_module(x);
	proto_leave(p);
	if (p->failed || h->instructions.n == 0)
		return;
	qsort(h->instructions.at, h->instructions.n, sizeof *h->instructions.at,
		xplane_hlo_by_id);
	xplane_hlo_keep(x, program);
}

/* ---- rows */

struct xplane_hlo_call {
	int64_t correlation;
	uint32_t row;
};

static int xplane_hlo_by_correlation(const void *left, const void *right)
{
	const struct xplane_hlo_call *a = left, *b = right;
	int order = (a->correlation > b->correlation) -
		    (a->correlation < b->correlation);
	return order ? order : (a->row > b->row) - (a->row < b->row);
}

static int xplane_hlo_by_place(const void *left, const void *right)
{
	const struct xplane_use *a = left, *b = right;
	if (a->thread != b->thread)
		return a->thread > b->thread ? 1 : -1;
	if (a->start_ns != b->start_ns)
		return a->start_ns > b->start_ns ? 1 : -1;
	return (a->kernel > b->kernel) - (a->kernel < b->kernel);
}

/* Finds the call of each kernel. A kernel without one has its operator at its
 * own time, on no thread. */
static bool xplane_hlo_place(struct xplane *x)
{
	struct trace *t = x->trace;
	uint32_t n = 0;
	struct xplane_hlo_call *calls = arena_grow(t->arena, NULL,
		((size_t)t->call.n + 1) * sizeof *calls);
	if (!calls)
		return false;
	for (uint32_t i = 0; i < t->call.n; i++)
		if (t->call.correlation[i] > 0)
			calls[n++] = (struct xplane_hlo_call){
				t->call.correlation[i], i
			};
	qsort(calls, n, sizeof *calls, xplane_hlo_by_correlation);
	for (uint32_t i = 0; i < x->uses.n; i++) {
		struct xplane_use *u = &x->uses.at[i];
		struct xplane_hlo_call key = { t->kernel.correlation[u->kernel],
			0 };
		uint32_t low = 0, high = n;
		while (low < high) {
			uint32_t middle = low + (high - low) / 2;
			if (calls[middle].correlation < key.correlation)
				low = middle + 1;
			else
				high = middle;
		}
		bool found =
			low < n && calls[low].correlation == key.correlation;
		u->call = found ? calls[low].row : UINT32_MAX;
		u->start_ns = found ? t->call.start_ns[u->call]
				    : t->kernel.start_ns[u->kernel];
		u->dur_ns = found ? t->call.dur_ns[u->call]
				  : t->kernel.dur_ns[u->kernel];
		u->thread = found ? t->call.thread[u->call] : 0;
	}
	arena_drop(t->arena, calls);
	return true;
}

/* Whether two kernels, one launched after the other, belong to one execution of
 * an operator; *dur_ns is then the time of both. */
static bool xplane_hlo_same(const struct xplane_use *a,
	const struct xplane_use *b, int64_t *dur_ns)
{
	int64_t far;
	if (a->thread == 0 || a->thread != b->thread || a->op != b->op ||
		a->program != b->program ||
		__builtin_sub_overflow(b->start_ns, a->start_ns, &far) ||
		far > TRACE_TIME_MAX_NS - b->dur_ns)
		return false;
	*dur_ns = *dur_ns > far + b->dur_ns ? *dur_ns : far + b->dur_ns;
	return true;
}

/* The name of an operator's row: "hlo::gemm_fusion" for gemm_fusion.3, because
 * XLA numbers operators again at each compilation. "hlo::" separates it from
 * kernels, which XLA names after operators: the operands of a fusion are not
 * the sizes that the rules over such names expect. */
static uint32_t xplane_hlo_name(struct xplane *x, uint32_t op)
{
	enum { NAME_MOST = 4000 };
	char text[sizeof "hlo::" + NAME_MOST];
	const struct name *n = &x->trace->names.list[op];
	size_t size = n->len;
	for (size_t at = size; at > 1; at--) {
		if (n->text[at - 1] == '.' && at < size)
			size = at - 1;
		else if (!number_digit(n->text[at - 1]))
			break;
	}
	int len = snprintf(text, sizeof text, "hlo::%.*s",
		(int)utf8_clip(n->text, size, NAME_MOST), n->text);
	return names_put(&x->trace->names, text, (size_t)len);
}

/* Adds the operator of the kernels [from, to) and, if there is one, the scope of
 * the program that it was compiled from. */
static bool xplane_hlo_row(struct xplane *x, uint32_t from, uint32_t to,
	int64_t dur_ns)
{
	/* Correlations are numbers of 32 bits. */
	const int64_t external_id = (INT64_C(1) << 32) + from;
	struct trace *t = x->trace;
	const struct xplane_use *u = &x->uses.at[from];
	struct xplane_hlo_key key = { u->program, u->op };
	uint32_t id = names_find(&x->hlo.ops, (const char *)&key, sizeof key);
	uint32_t name = xplane_hlo_name(x, u->op);
	struct xplane_shape shape = { 0 };
	if (id != NAMES_NONE)
		shape = x->hlo.shapes.at[id];
	for (uint32_t i = from; i < to; i++) {
		t->kernel.external_id[x->uses.at[i].kernel] = external_id;
		if (x->uses.at[i].call != UINT32_MAX)
			t->call.external_id[x->uses.at[i].call] = external_id;
	}
	return name != NAMES_NONE &&
	       trace_op_add(t, &(struct op_row){ .start_ns = u->start_ns,
				       .dur_ns = dur_ns,
				       .name = name,
				       .thread = u->thread,
				       .external_id = external_id,
				       .dims = shape.dims,
				       .types = shape.types }) &&
	       (!u->scope || !u->thread ||
		       trace_range_add(t, &(struct range_row){
						  .start_ns = u->start_ns,
						  .dur_ns = dur_ns,
						  .name = u->scope,
						  .kind = RANGE_ANNOTATION,
						  .thread = u->thread,
						  .id = -1,
						  .parent = -1,
					  }));
}

bool xplane_hlo_rows(struct xplane *x)
{
	const struct xplane_use *u = x->uses.at;
	int64_t total_ns = 0;
	uint32_t to;
	if (x->uses.n == 0)
		return true;
	if (!xplane_hlo_place(x))
		return false;
	qsort(x->uses.at, x->uses.n, sizeof *u, xplane_hlo_by_place);
	for (uint32_t from = 0; from < x->uses.n; from = to) {
		int64_t dur_ns = u[from].dur_ns;
		for (to = from + 1; to < x->uses.n; to++)
			if (!xplane_hlo_same(&u[from], &u[to], &dur_ns))
				break;
		if (dur_ns > TRACE_TIME_MAX_NS - total_ns)
			break;
		total_ns += dur_ns;
		if (!xplane_hlo_row(x, from, to, dur_ns))
			return false;
	}
	return true;
}
