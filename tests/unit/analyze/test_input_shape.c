/* test_input_shape.c - converts Input Dims and types to named sizes. */
#include "input_shape.h"
#include "catalog.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

/* `text` NULL: unknown. */
static const struct {
	const char *op, *is, *dims, *types, *text;
	enum dtype dtype;
} cases[] = {
	{ "aten::mm", "gemm", "[[8192,512],[512,4096]]",
		"[\"c10::Half\",\"c10::Half\"]", "m=8192 n=4096 k=512",
		DTYPE_FP16 },
	/* 2020: no types */
	{ "aten::addmm", "gemm", "[[1000],[32,2048],[2048,1000],[],[]]", "[]",
		"m=32 n=1000 k=2048", DTYPE_UNKNOWN },
	{ "aten::bmm", "gemm", "[[16,5,7],[16,7,64]]",
		"[\"c10::BFloat16\",\"c10::BFloat16\"]",
		"batch=16 m=5 n=64 k=7", DTYPE_BF16 },
	{ "_C::rms_norm", "rms_norm", "[[888,2880],[888,2880],[2880],[]]",
		"[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\","
		"\"Scalar\"]",
		"tokens=888 hidden=2880", DTYPE_BF16 },
	{ "aiter::rmsnorm", "rms_norm", "[[3,4,128],[3,4,128],[128],[]]",
		"[\"c10::BFloat16\",\"c10::BFloat16\",\"c10::BFloat16\","
		"\"Scalar\"]",
		"tokens=12 hidden=128", DTYPE_BF16 },
	/* a scalar wrapped in a tensor is no second input */
	{ "aten::mul", "elementwise", "[[4,8],[]]", "[\"float\",\"double\"]",
		"x=[4,8]", DTYPE_FP32 },
	{ "aten::add", "elementwise", "[[8],[4,8],[]]",
		"[\"float\",\"float\",\"Scalar\"]", "x=[8] y=[4,8] out=[4,8]",
		DTYPE_FP32 },
	{ "aten::sub", "elementwise", "[[4,1],[1,8],[]]",
		"[\"float\",\"float\",\"Scalar\"]", "x=[4,1] y=[1,8] out=[4,8]",
		DTYPE_FP32 },
	/* an output tensor that is passed in contains no input data */
	{ "aten::logical_and", "elementwise", "[[92,4],[92,4],[0]]",
		"[\"bool\",\"bool\",\"bool\"]", "x=[92,4] y=[92,4] to_bits=8",
		DTYPE_BOOL },
	{ "aten::mul", "elementwise", "[[],[]]", "[\"float\",\"float\"]",
		"x=[]", DTYPE_FP32 },
	{ "aten::copy_", "copy", "[[16],[16],[]]",
		"[\"int\",\"long int\",\"Scalar\"]",
		"x=[16] from_bits=64 to_bits=32", DTYPE_INT32 },
	{ "aten::_flash_attention_forward", "attention_forward",
		"[[2,559,16,64],[2,600,4,64],[2,600,4,64],[],[]]",
		"[\"c10::Half\",\"c10::Half\",\"c10::Half\",\"\",\"\"]",
		"heads=16 kv_heads=4 head_dim=64 v_dim=64 q_lens=[559,559] "
		"seq_lens=[600,600]",
		DTYPE_FP16 },
	{ "aten::cat", "cat", "[[[1,2,3],[1,5,3]],[]]",
		"[\"TensorList\",\"Scalar\"]", "x=[21] parts=2",
		DTYPE_UNKNOWN },
	/* a list whose members are not recorded, as before 2023 */
	{ "aten::cat", "cat", "[[],[]]", "[\"TensorList\",\"Scalar\"]", NULL,
		DTYPE_UNKNOWN },
	{ "record_param_comms", "collective", "[[1,25136],[],[]]",
		"[\"c10::BFloat16\",\"\",\"\"]", "bytes=50272", DTYPE_BF16 },
	{ "aten::convolution_backward", "convolution",
		"[[256,512,1,1],[256,2048,1,1],[512,2048,1,1],[],[]]",
		"[\"c10::Half\",\"c10::Half\",\"c10::Half\",\"ScalarList\","
		"\"ScalarList\"]",
		"x=[256,2048,1,1] w=[512,2048,1,1] out=[256,512,1,1] grads=2",
		DTYPE_FP16 },
	{ "vllm::unified_attention_with_output", "unified_attention",
		"[[888,8,64],[888,1,64],[888,1,64],[888,8,64],[],[],[]]",
		"[\"c10::Float8_e4m3fn\",\"c10::BFloat16\",\"c10::BFloat16\","
		"\"c10::BFloat16\",\"\",\"\",\"\"]",
		"tokens=888 heads=8 kv_heads=1 head_dim=64", DTYPE_BF16 },
	/* without a catalog entry the first tensor is x */
	{ "unlisted::softmax", "softmax", "[[],[16,5,7]]", "[\"\",\"float\"]",
		"x=[16,5,7]", DTYPE_FP32 },
	/* an operator without x: tensors as they are */
	{ "unlisted::routing", "moe_routing", "[[16,5],[3]]",
		"[\"float\",\"int\"]", "in0=[16,5] in1=[3]", DTYPE_FP32 },
	{ "aten::arange", "range", "[[],[],[0]]",
		"[\"Scalar\",\"Scalar\",\"long int\"]", NULL, DTYPE_UNKNOWN },
};

static void each_case(void **state)
{
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	struct arena a = { .ceiling = 64 << 20 };
	struct input_shapes s;

	(void)state;
	assert_non_null(c);
	assert_true(input_shape_init(&s, &a));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct shape *shape;
		enum input_shape_result how = input_shape_from(&s, cases[i].op,
			catalog_operator(c, cases[i].is), cases[i].dims,
			cases[i].types, &shape);
		if (!cases[i].text) {
			assert_int_equal(how, INPUT_SHAPE_NONE);
			continue;
		}
		assert_int_equal(how, INPUT_SHAPE_FOUND);
		assert_string_equal(shape_text(shape, &a), cases[i].text);
		assert_int_equal(shape->dtype, cases[i].dtype);
	}
	arena_release(&a);
	catalog_free(c);
}

static const char *const unreadable[] = { "", "[", "[[1,2]", "[[1,2]]x",
	"[[-1]]", "[[1.5]]", "[[9223372036854775808]]", "[[1,]]", "[1]",
	"[[[1,2],3]]", "null" };

static void invalid_lists_are_not_read(void **state)
{
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	struct arena a = { .ceiling = 64 << 20 };
	struct input_shapes s;
	const struct shape *shape;

	(void)state;
	assert_true(input_shape_init(&s, &a));
	for (size_t i = 0; i < sizeof unreadable / sizeof *unreadable; i++)
		assert_int_equal(input_shape_from(&s, "aten::add",
					 catalog_operator(c, "elementwise"),
					 unreadable[i], "", &shape),
			INPUT_SHAPE_UNREADABLE);
	/* each list fits in a shape, both together do not; one is too long */
	static const char *const attention[] = { "[[40000,1,1,8],[40000,1,1,8],"
						 "[40000,1,1,8]]",
		"[[65537,1,1,8],[1,1,1,8],[1,1,1,8]]" };
	for (int i = 0; i < 2; i++)
		assert_int_equal(input_shape_from(&s,
					 "aten::_efficient_attention_forward",
					 catalog_operator(c,
						 "attention_forward"),
					 attention[i], "", &shape),
			INPUT_SHAPE_UNREADABLE);
	/* the product of a norm's rows exceeds 64 bits */
	assert_int_equal(input_shape_from(&s, "aiter::rmsnorm",
				 catalog_operator(c, "rms_norm"),
				 "[[4294967296,4294967296,8],[8]]", "", &shape),
		INPUT_SHAPE_UNREADABLE);
	arena_release(&a);
	catalog_free(c);
}

/* The operator that an entry describes: one of the catalog or a host
 * operator. */
static const struct operator_info *about(const struct catalog *c,
	const char *of)
{
	const struct operator_info *is = catalog_operator(c, of);
	return is ? is : catalog_op(c, of, strlen(of));
}

static void all_sizes_are_in_the_catalog(void **state)
{
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	const char *of, *what;
	int lacking = 0;

	(void)state;
	for (uint32_t i = 0; (of = input_shape_entry(i, &what)); i++) {
		const struct operator_info *is = about(c, of);
		if (!is)
			continue; /* it only calls others, according to the catalog */
		for (const char *w = what; *w; w += strspn(w, " ")) {
			size_t len = strcspn(w, " ");
			size_t name = strcspn(w, "?=: ");
			bool found =
				w[0] == '@' || w[0] == '-' || w[name] == ':';
			for (uint32_t k = 0; k < is->sizes_n; k++)
				found |= strlen(is->sizes[k]) == name &&
					 !strncmp(is->sizes[k], w, name);
			if (!found)
				print_error("%s: the operator %s has no size "
					    "'%.*s'\n",
					of, is->name, (int)name, w);
			lacking += !found;
			w += len;
		}
	}
	assert_int_equal(lacking, 0);
	catalog_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_case),
		cmocka_unit_test(invalid_lists_are_not_read),
		cmocka_unit_test(all_sizes_are_in_the_catalog),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
