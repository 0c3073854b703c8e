/* input_shape_conv.c - computes the output size of convolutions and pooling, as
 * PyTorch documents it for Conv2d, ConvTranspose2d and MaxPool2d. */
#include "input_shape_words.h"

/* 128 bits, so that only the result must be checked. Every input is below
 * 2^31. */
typedef __int128 wide;

static wide input_shape_conv_one(const struct input_shape_image *c, int i)
{
	wide reach = (wide)c->dilation[i] * (c->kernel[i] - 1) + 1;
	wide stride = c->stride[i], padding = c->padding[i];

	if (c->transposed)
		return (c->in[i] - 1) * stride - 2 * padding + reach +
		       c->output_padding[i];
	wide room = c->in[i] + 2 * padding - reach;
	if (room < 0)
		return -1;
	wide out = room / stride + 1;
	if (!c->ceil || room % stride == 0)
		return out;
	/* A last window that begins in the padding is left out. */
	return out * stride < c->in[i] + padding ? out + 1 : out;
}

static bool input_shape_conv_can_be(const struct input_shape_image *c, int i)
{
	return c->in[i] > 0 && c->in[i] <= INT32_MAX && c->kernel[i] > 0 &&
	       c->kernel[i] <= INT32_MAX && c->stride[i] > 0 &&
	       c->stride[i] <= INT32_MAX && c->padding[i] >= 0 &&
	       c->padding[i] <= INT32_MAX && c->dilation[i] > 0 &&
	       c->dilation[i] <= INT32_MAX && c->output_padding[i] >= 0 &&
	       c->output_padding[i] <= INT32_MAX;
}

bool input_shape_conv_out(const struct input_shape_image *c,
	int64_t out[INPUT_SHAPE_IMAGE])
{
	for (int i = 0; i < c->n; i++) {
		if (!input_shape_conv_can_be(c, i))
			return false;
		wide v = input_shape_conv_one(c, i);
		if (v < 1 || v > INT64_MAX)
			return false;
		out[i] = (int64_t)v;
	}
	return true;
}

/* The convolution or pooling that a word describes. */
struct input_shape_conv {
	struct input_shape_image size;
	const struct input_dims_tensor *x, *w; /* w is NULL for pooling */
	int64_t groups; /* 0 not given */
};

/* Reads one number for each dimension of the image. Without a value, or with an
 * empty list, `list` is left as it is. One number is used for all. */
static bool input_shape_conv_list(struct input_shape_made *m, uint32_t arg,
	int n, int64_t *list)
{
	int64_t v[INPUT_SHAPE_IMAGE];

	if (concrete_inputs_none(&m->dims->concrete, arg))
		return arg < m->dims->concrete.n;
	int got = concrete_inputs_list(&m->dims->concrete, arg, v, n);
	if (got != 0 && got != 1 && got != n) {
		input_shape_odd(m, arg);
		return false;
	}
	for (int i = 0; got && i < n; i++)
		list[i] = v[got == 1 ? 0 : i];
	return true;
}

static bool input_shape_conv_number(struct input_shape_made *m, char what,
	uint32_t arg, struct input_shape_conv *k)
{
	const struct concrete_inputs *c = &m->dims->concrete;
	int64_t v;
	bool known = what == 'g' ? concrete_inputs_whole(c, arg, &k->groups) &&
					   k->groups > 0
				 : concrete_inputs_bool(c, arg, &v);

	if (!known)
		input_shape_odd(m, arg);
	else if (what == 't')
		k->size.transposed = v;
	else if (what == 'c')
		k->size.ceil = v;
	return known;
}

/* Applies the letters of a word, each with the argument that has the value. */
static bool input_shape_conv_letters(struct input_shape_made *m, const char *at,
	struct input_shape_conv *k)
{
	struct input_shape_image *s = &k->size;

	while (*at && *at != ' ') {
		char what = *at++;
		uint32_t arg = (uint32_t)input_shape_whole(&at);
		int64_t *list = what == 'k'   ? s->kernel
				: what == 's' ? s->stride
				: what == 'p' ? s->padding
				: what == 'd' ? s->dilation
				: what == 'o' ? s->output_padding
					      : NULL;
		if (what == 'T')
			s->transposed = true;
		else if (list ? !input_shape_conv_list(m, arg, s->n, list)
			      : !input_shape_conv_number(m, what, arg, k))
			return false;
		if (what == 'k') /* the stride's default */
			memcpy(s->stride, s->kernel, sizeof s->stride);
	}
	return true;
}

/* Sets the sizes of the image and of the kernel, and the defaults. The letters
 * of pooling begin with that of its kernel. */
static bool input_shape_conv_begin(const struct input_shape_made *m,
	struct input_shape_conv *k, const char *at)
{
	int64_t list[INPUT_SHAPE_LIST];
	int lead = 2, n;

	if (!k->x || (k->w && k->w->n != k->x->n))
		return false;
	if (!k->w) { /* the image may have no batch */
		n = concrete_inputs_list(&m->dims->concrete,
			(uint32_t)strtol(at + 1, NULL, 10), list,
			INPUT_SHAPE_LIST);
		lead = n > 1 ? (int)k->x->n - n : 2;
	}
	k->size.n = (int)k->x->n - lead;
	if (lead < 1 || lead > 2 || k->size.n < 1 ||
		k->size.n > INPUT_SHAPE_IMAGE)
		return false;
	for (int i = 0; i < k->size.n; i++) {
		k->size.in[i] =
			m->dims->values[k->x->from + (uint32_t)(lead + i)];
		k->size.stride[i] = k->size.dilation[i] = 1;
		if (k->w)
			k->size.kernel[i] =
				m->dims->values[k->w->from + (uint32_t)(2 + i)];
	}
	return true;
}

/* The number of channels of a convolution's output; -1 if image and kernel do
 * not fit. */
static int64_t input_shape_conv_channels(const struct input_shape_made *m,
	struct input_shape_conv *k)
{
	int64_t channels = m->dims->values[k->x->from + 1], out;
	const int64_t *w = m->dims->values + k->w->from;

	if (k->size.transposed)
		return channels == w[0] &&
				       !__builtin_mul_overflow(w[1],
					       k->groups ? k->groups : 1, &out)
			       ? out
			       : -1;
	if (!w[1] || channels % w[1] ||
		(k->groups && channels / w[1] != k->groups))
		return -1;
	k->groups = channels / w[1];
	return w[0];
}

/* Puts a list unless all of its numbers are `neutral`. */
static enum input_shape_result input_shape_put_unless(struct input_shape_made
							      *m,
	const char *name, const int64_t *list, int n, int64_t neutral)
{
	for (int i = 0; i < n; i++)
		if (list[i] != neutral)
			return input_shape_put(m, name, list, (size_t)n, true);
	return INPUT_SHAPE_FOUND;
}

/* Puts what determines the output of a convolution. Usual values are left out,
 * so that operators with different schemas have equal shapes. */
static enum input_shape_result input_shape_put_conv(struct input_shape_made *m,
	const struct input_shape_conv *k)
{
	const struct input_shape_image *s = &k->size;
	enum input_shape_result how =
		input_shape_put_unless(m, "stride", s->stride, s->n, 1);

	if (how == INPUT_SHAPE_FOUND)
		how = input_shape_put_unless(m, "padding", s->padding, s->n, 0);
	if (how == INPUT_SHAPE_FOUND)
		how = input_shape_put_unless(m, "dilation", s->dilation, s->n,
			1);
	if (how == INPUT_SHAPE_FOUND && s->transposed)
		how = input_shape_put_one(m, "transposed", 1);
	if (how == INPUT_SHAPE_FOUND && k->groups > 1)
		how = input_shape_put_one(m, "groups", k->groups);
	return how;
}

enum input_shape_result input_shape_conv(struct input_shape_made *m,
	const char *name, const char *at)
{
	struct input_shape_conv k = { 0 };
	int64_t dims[INPUT_SHAPE_LIST], image[INPUT_SHAPE_IMAGE];

	if (!m->dims->concrete.n)
		return INPUT_SHAPE_NONE;
	k.x = input_shape_tensor(m->dims, (uint32_t)input_shape_whole(&at));
	if (*at == ',') {
		at++;
		k.w = input_shape_tensor(m->dims,
			(uint32_t)input_shape_whole(&at));
		if (!k.w)
			return INPUT_SHAPE_NONE;
	}
	at++;
	if (!input_shape_conv_begin(m, &k, at) ||
		!input_shape_conv_letters(m, at, &k) ||
		!input_shape_conv_out(&k.size, image))
		return INPUT_SHAPE_NONE;
	uint32_t lead = k.x->n - (uint32_t)k.size.n;
	memcpy(dims, m->dims->values + k.x->from, lead * sizeof *dims);
	memcpy(dims + lead, image, (size_t)k.size.n * sizeof *dims);
	if (k.w && (dims[1] = input_shape_conv_channels(m, &k)) < 0)
		return INPUT_SHAPE_NONE;
	enum input_shape_result how =
		input_shape_put(m, name, dims, k.x->n, true);
	return how == INPUT_SHAPE_FOUND && k.w ? input_shape_put_conv(m, &k)
					       : how;
}
