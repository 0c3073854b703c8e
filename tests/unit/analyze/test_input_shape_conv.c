/* test_input_shape_conv.c - compares output sizes with windows that are counted
 * one by one. */
#include "input_shape_words.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

/* Counts the windows: each begins a stride after the last one and ends inside
 * the padded image. Rounded up, a window only has to begin before the border on
 * the right. */
static int64_t windows(int64_t in, int64_t kernel, int64_t stride,
	int64_t padding, int64_t dilation, bool ceil)
{
	int64_t n = 0, end = in + 2 * padding;
	int64_t reach = dilation * (kernel - 1) + 1;
	bool cut = false;

	for (int64_t at = 0; !cut; at += stride) {
		cut = at + reach > end;
		if (!cut || (ceil && n && at < in + padding &&
				    at - stride + reach < end))
			n++;
	}
	return n;
}

/* The numbers that a transposed convolution writes: from the first one that the
 * first window reaches to the last one, without the border. */
static int64_t transposed(int64_t in, int64_t kernel, int64_t stride,
	int64_t padding, int64_t dilation, int64_t extra)
{
	int64_t last = 0;

	for (int64_t i = 0; i < in; i++)
		for (int64_t k = 0; k < kernel; k++)
			if (i * stride + k * dilation > last)
				last = i * stride + k * dilation;
	return last + 1 - 2 * padding + extra;
}

static void one(int in, int kernel, int stride, int padding, int dilation)
{
	struct input_shape_image c = { .n = 1 };
	int64_t out[INPUT_SHAPE_IMAGE];

	for (int way = 0; way < 3; way++) {
		c.in[0] = in;
		c.kernel[0] = kernel;
		c.stride[0] = stride;
		c.padding[0] = padding;
		c.dilation[0] = dilation;
		c.ceil = way == 1;
		c.transposed = way == 2;
		c.output_padding[0] = way == 2 ? stride - 1 : 0;
		int64_t is = way == 2 ? transposed(in, kernel, stride, padding,
						dilation, stride - 1)
				      : windows(in, kernel, stride, padding,
						dilation, way == 1);
		assert_int_equal(input_shape_conv_out(&c, out), is > 0);
		if (is > 0)
			assert_int_equal(out[0], is);
	}
}

static void counted(void **state)
{
	(void)state;
	for (int in = 1; in < 9; in++)
		for (int kernel = 1; kernel < 5; kernel++)
			for (int stride = 1; stride < 4; stride++)
				for (int padding = 0; padding <= kernel / 2;
					padding++)
					for (int dilation = 1; dilation < 3;
						dilation++)
						one(in, kernel, stride, padding,
							dilation);
}

static void impossible(void **state)
{
	static const int64_t bad[][5] = {
		/* in, kernel, stride, padding, dilation */
		{ 8, 3, 0, 0, 1 }, { 8, 3, -1, 0, 1 }, { 8, 0, 1, 0, 1 },
		{ 8, 3, 1, -1, 1 }, { 8, 3, 1, 0, 0 }, { 0, 3, 1, 1, 1 },
		{ INT64_MAX, 3, 1, 0, 1 }, { 8, 3, 1, INT64_MAX, 1 },
		{ 8, INT64_MAX, 1, 0, INT64_MAX }
	};
	int64_t out[INPUT_SHAPE_IMAGE];

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		for (int t = 0; t < 2; t++)
			assert_false(input_shape_conv_out(
				&(struct input_shape_image){ .n = 1,
					.in = { bad[i][0] },
					.kernel = { bad[i][1] },
					.stride = { bad[i][2] },
					.padding = { bad[i][3] },
					.dilation = { bad[i][4] },
					.transposed = t },
				out));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counted),
		cmocka_unit_test(impossible),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
