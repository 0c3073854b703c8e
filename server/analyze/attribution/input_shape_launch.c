/* input_shape_launch.c - bytes that a Triton kernel moves, from the arguments
 * of its launch.
 *
 * PyTorch records the launch of a Triton kernel like a host operator: the Input
 * Dims are those of the kernel's pointers, and the Concrete Inputs hold its
 * whole numbers: sizes that change between calls, then xnumel, r0_numel and so
 * on, then block sizes in older versions. Names of arguments are not recorded,
 * so it is unknown which tensors are inputs and which are outputs. The bytes
 * are therefore a minimum:
 *
 * - Each tensor counts once. A tensor that is read and written counts twice
 *   only if the arguments show it (input_shape_launch_in_place).
 * - A kernel visits xnumel times r0_numel points and reads or writes at most
 *   one number of a tensor at each. So of a larger tensor, from which the kernel
 *   picks rows or a slice, it moves at most this many numbers.
 *
 * TorchInductor passes tensors that it changes in place first, then inputs, then
 * outputs (KernelArgs.python_argdefs in torch/_inductor/codegen/common.py). So
 * the last tensor is an output, unless the kernel only changes tensors in
 * place. */
#include "input_shape_words.h"

struct input_shape_launch_tensor {
	const struct input_dims_tensor *dims;
	int64_t elements, moved;
	int bits;
	bool is_index; /* its type is a whole number of 32 or 64 bits */
};

struct input_shape_launch {
	const struct input_shape_made *m;
	const char *kernel;
	struct input_shape_launch_tensor tensor[INPUT_DIMS_ARGS];
	uint32_t n;
	bool partial; /* a tensor is omitted, because its type is unknown */
	int64_t points; /* 0 unknown */
	int64_t rows; /* the first of the numbers whose product they are */
};

/* Lists the tensors; false if a product exceeds 64 bits. */
static bool input_shape_launch_tensors(struct input_shape_launch *l)
{
	const struct input_dims *d = l->m->dims;

	for (uint32_t i = 0; i < d->args_n; i++) {
		const struct input_dims_tensor *t = input_shape_tensor(d, i);
		enum dtype type = d->args[i].dtype;
		int64_t bits;
		if (!t || !dtype_bits(type)) {
			l->partial |= t || d->args[i].is_list;
			continue;
		}
		struct input_shape_launch_tensor *to = &l->tensor[l->n++];
		*to = (struct input_shape_launch_tensor){ .dims = t,
			.elements = input_shape_elements(d, t),
			.bits = dtype_bits(type),
			.is_index =
				type == DTYPE_INT64 || type == DTYPE_INT32 };
		if (to->elements < 0 || __builtin_mul_overflow(to->elements,
						(int64_t)to->bits, &bits))
			return false;
	}
	return l->n > 0;
}

static bool input_shape_launch_has_elements(const struct input_shape_launch *l,
	int64_t elements)
{
	for (uint32_t i = 0; i < l->n; i++)
		if (l->tensor[i].elements == elements)
			return true;
	return false;
}

/* A whole number among the arguments; false for a tensor, any other value and
 * beyond the end. */
static bool input_shape_launch_number(const struct input_shape_launch *l,
	uint32_t arg, int64_t *v)
{
	const struct input_dims *d = l->m->dims;

	return arg < d->args_n && !d->args[arg].n && !d->args[arg].is_list &&
	       concrete_inputs_whole(&d->concrete, arg, v) && *v > 0;
}

static bool input_shape_launch_is_pointwise(const struct input_shape_launch *l)
{
	return !strncmp(l->kernel, "triton_poi_", strlen("triton_poi_"));
}

/* Whether the product of neighboring numbers is the number of elements of a
 * tensor. A product of two or three numbers may by chance be that of a tensor
 * from which the kernel picks a part: if one of them is a size that changes
 * between calls, such as a batch size of 2. So of two products that are less
 * than this factor apart, the smaller one is used. A smaller tensor of one
 * dimension is a weight. */
enum { MIN_RATIO = 8 };

static bool input_shape_launch_fits(const struct input_shape_launch *l,
	int64_t product)
{
	bool found = false;

	for (uint32_t i = 0; i < l->n; i++)
		found |= l->tensor[i].elements == product &&
			 (product > l->points || l->tensor[i].dims->n > 1);
	if (!found)
		return false;
	return product < l->points
		       ? product > l->points / MIN_RATIO
		       : !l->points || product / MIN_RATIO >= l->points;
}

/* Sets the points: a product of one to three neighboring numbers, of a reduction
 * at least two, that is the number of elements of a tensor. This holds for each
 * order in which versions of PyTorch write these numbers, because a kernel
 * nearly always has a tensor with one element per point. */
static void input_shape_launch_points(struct input_shape_launch *l)
{
	enum { NUMBERS = 3 };
	uint32_t fewest = input_shape_launch_is_pointwise(l) ? 1 : 2;
	int64_t v, rows = 0, product;

	for (uint32_t i = 0; i < l->m->dims->args_n; i++) {
		product = 1;
		for (uint32_t k = i; k < i + NUMBERS; k++) {
			if (!input_shape_launch_number(l, k, &v) ||
				__builtin_mul_overflow(product, v, &product))
				break;
			rows = k == i ? v : rows;
			if (k + 1 < i + fewest ||
				!input_shape_launch_fits(l, product))
				continue;
			l->points = product;
			l->rows = rows;
		}
	}
}

/* Whether the kernel's name has this word between underscores. */
static bool input_shape_launch_named(const struct input_shape_launch *l,
	const char *word)
{
	size_t len = strlen(word);

	for (const char *at = strstr(l->kernel, word); at;
		at = strstr(at + 1, word))
		if (at > l->kernel && at[-1] == '_' &&
			(at[len] == '_' || !at[len]))
			return true;
	return false;
}

/* How many numbers of the largest tensor a kernel with an index can read if its
 * points are unknown: the index picks rows, if a tensor has the size of these
 * rows; otherwise, no more than the next largest tensor has. */
static int64_t input_shape_launch_gathered(const struct input_shape_launch *l,
	const struct input_shape_launch_tensor *of)
{
	const int64_t *dims = l->m->dims->values + of->dims->from;
	int64_t rows, largest = 0, next = 0;

	for (uint32_t i = 0; i < l->n; i++) {
		const struct input_shape_launch_tensor *t = &l->tensor[i];
		if (t->is_index && t->elements > largest)
			largest = t->elements;
		if (t != of && t->elements > next)
			next = t->elements;
	}
	if (!largest || of->elements <= next)
		return of->elements;
	if (of->dims->n > 1 && largest < dims[0] &&
		!__builtin_mul_overflow(of->elements / dims[0], largest,
			&rows) &&
		input_shape_launch_has_elements(l, rows))
		return rows;
	return next;
}

static void input_shape_launch_move(struct input_shape_launch *l)
{
	for (uint32_t i = 0; i < l->n; i++) {
		struct input_shape_launch_tensor *t = &l->tensor[i];
		t->moved = !l->points ? input_shape_launch_gathered(l, t)
			   : t->elements < l->points ? t->elements
						     : l->points;
	}
}

/* The tensors that have at least one element per point. */
static uint32_t input_shape_launch_full(const struct input_shape_launch *l)
{
	uint32_t full = 0;

	for (uint32_t i = 0; i < l->n; i++)
		full += l->tensor[i].elements >= l->points;
	return full;
}

/* Whether a gated activation (SiLU or GELU of one tensor times another) has two
 * full tensors: a product needs two inputs, so it overwrites one of them. */
static bool input_shape_launch_is_gate(const struct input_shape_launch *l)
{
	return input_shape_launch_named(l, "mul") &&
	       (input_shape_launch_named(l, "silu") ||
		       input_shape_launch_named(l, "gelu")) &&
	       !input_shape_launch_named(l, "backward") &&
	       input_shape_launch_full(l) == 2;
}

/* If a gated activation reads both halves of its first tensor, it moves all of
 * it. */
static void input_shape_launch_halves(struct input_shape_launch *l)
{
	struct input_shape_launch_tensor *x = &l->tensor[0];

	if (l->points && l->n > 1 && input_shape_launch_is_pointwise(l) &&
		input_shape_launch_is_gate(l) && x->elements / 2 == l->points &&
		x->elements % 2 == 0 &&
		l->tensor[l->n - 1].elements == l->points)
		x->moved = x->elements;
}

/* Whether the arguments show that a pointwise kernel only writes to the
 * tensors that it changes in place. These are passed first. An output has one
 * number per point, so:
 *
 * - The last tensor is none if it is smaller. Kernels that write to picked
 *   places are an exception.
 * - _unsafe_view gives the result of a matrix product, which has two dimensions,
 *   the dimensions of the activations. If the last tensor is such a result, it
 *   is an input. A kernel that copies may write one, for the next product.
 * - A gated activation has two inputs. */
static bool input_shape_launch_in_place(const struct input_shape_launch *l)
{
	static const char *const picks[] = { "index", "scatter", "embedding" },
				 *const copies[] = { "clone", "copy", "cat",
					 "pad", "slice" };
	const struct input_shape_launch_tensor *x = &l->tensor[0],
					       *last = &l->tensor[l->n - 1];

	if (!l->points || l->partial || !input_shape_launch_is_pointwise(l) ||
		x->elements < l->points)
		return false;
	for (size_t i = 0; i < sizeof picks / sizeof *picks; i++)
		if (input_shape_launch_named(l, picks[i]))
			return false;
	if (last->elements < l->points)
		return true;
	if (l->n > 1 && x->elements == l->points &&
		last->elements == l->points && input_shape_launch_is_gate(l))
		return true;
	for (size_t i = 0; i < sizeof copies / sizeof *copies; i++)
		if (input_shape_launch_named(l, copies[i]))
			return false;
	return input_shape_launch_named(l, "_unsafe_view") &&
	       last->dims->n == 2 && x->dims->n > 2 &&
	       last->elements == x->elements && input_shape_launch_full(l) > 2;
}

/* Whether the last tensor of a reduction is too small for an output, which has
 * at least one number per row. Then the first tensor is written. Whether it is
 * also read is unknown: a loop may only read what it wrote before. */
static bool input_shape_launch_writes_first(const struct input_shape_launch *l)
{
	return l->points && !l->partial && l->n > 1 &&
	       !input_shape_launch_is_pointwise(l) &&
	       l->tensor[l->n - 1].elements < l->rows &&
	       l->tensor[0].elements >= l->rows;
}

static int64_t input_shape_launch_bytes(
	const struct input_shape_launch_tensor *t)
{
	int64_t bits = t->moved * t->bits;
	return bits / 8 + (bits % 8 != 0);
}

/* The bytes of tensors [from, to) as a list; left out if it is empty. */
static enum input_shape_result input_shape_launch_put(
	const struct input_shape_launch *l, struct input_shape_made *m,
	const char *name, uint32_t from, uint32_t to)
{
	int64_t bytes[INPUT_DIMS_ARGS];

	for (uint32_t i = from; i < to; i++)
		bytes[i - from] = input_shape_launch_bytes(&l->tensor[i]);
	return to > from ? input_shape_put(m, name, bytes, to - from, true)
			 : INPUT_SHAPE_FOUND;
}

/* The type of the tensor of which most bytes are moved. */
static enum dtype input_shape_launch_dtype(const struct input_shape_launch *l)
{
	const struct input_dims *d = l->m->dims;
	int64_t most = -1;
	enum dtype type = DTYPE_UNKNOWN;
	uint32_t next = 0;

	for (uint32_t i = 0; i < d->args_n && next < l->n; i++) {
		if (input_shape_tensor(d, i) != l->tensor[next].dims)
			continue;
		int64_t bytes = input_shape_launch_bytes(&l->tensor[next++]);
		if (bytes > most) {
			most = bytes;
			type = d->args[i].dtype;
		}
	}
	return type;
}

enum input_shape_result input_shape_launch(struct input_shape_made *m,
	const char *kernel)
{
	struct input_shape_launch l = { .m = m, .kernel = kernel };
	enum input_shape_result how = INPUT_SHAPE_FOUND;

	if (!input_shape_launch_tensors(&l))
		return INPUT_SHAPE_NONE;
	input_shape_launch_points(&l);
	input_shape_launch_move(&l);
	input_shape_launch_halves(&l);
	bool in_place = input_shape_launch_in_place(&l);
	bool first = input_shape_launch_writes_first(&l);
	uint32_t inputs = in_place || first ? l.n : l.n - 1;
	m->dtype = input_shape_launch_dtype(&l);
	if (l.points)
		how = input_shape_put_one(m, "points", l.points);
	if (how == INPUT_SHAPE_FOUND)
		how = input_shape_launch_put(&l, m, "min_read_bytes", first,
			inputs);
	return how == INPUT_SHAPE_FOUND
		       ? input_shape_launch_put(&l, m, "min_written_bytes",
				 inputs < l.n ? inputs : 0,
				 inputs < l.n ? l.n : 1)
		       : how;
}
