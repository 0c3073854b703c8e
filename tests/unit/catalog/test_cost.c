/* test_cost.c - tests W and Q from built-in and overriding formulas, and the
 * reason if there are none. */
#include "catalog.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

struct given {
	const char *operators; /* site overrides, or NULL */
	const char *op, *dtype, *shape;
	enum convention convention;
};

/* The built-in catalog is read once; NULL if the site overrides are invalid. */
static struct catalog *carried;

static struct catalog *with(const char *operators, struct err *e)
{
	struct catalog_own own = { .operators = operators, .version = 1 };
	return operators ? catalog_new(&own, e) : carried;
}

static bool costed(const struct given *g, struct cost *out, struct err *e)
{
	struct catalog *c = with(g->operators, e);
	struct arena a = { 0 };
	struct shape s;
	bool ok =
		c && shape_read(g->shape,
			     dtype_from(g->dtype, strlen(g->dtype)), &a, &s, e);

	if (ok) {
		const struct operator_info *op = catalog_operator(c, g->op);
		assert_non_null(op);
		ok = catalog_cost(c, op, &s, g->convention, out, e);
	}
	arena_release(&a);
	if (c != carried)
		catalog_free(c);
	return ok;
}

static int setup(void **state)
{
	struct err e = { 0 };
	(void)state;
	carried = catalog_new(NULL, &e);
	return carried ? 0 : 1;
}

static int teardown(void **state)
{
	(void)state;
	catalog_free(carried);
	return 0;
}

#define OWN(cost)                                                      \
	"{\"items\": [{\"name\": \"ours\", \"sizes\": [\"m\", \"x\"]," \
	" \"cost\": " cost "}]}"

/* Every number is worked out by hand. */
static void test_costs(void **state)
{
	static const struct {
		struct given given;
		enum dtype type;
		uint64_t flops, read, write;
	} rows[] = {
		/* 2*7*5*3; 2*(21 + 15); 2*35 */
		{ { NULL, "gemm", "bf16", "m=7 n=5 k=3", 0 }, DTYPE_BF16, 210,
			72, 70 },
		{ { NULL, "gemm", "fp64", "batch=2 m=7 n=5 k=3", 0 },
			DTYPE_FP64, 420, 576, 560 },
		/* odd counts of half bytes are rounded up: 36/2, 35/2 */
		{ { NULL, "gemm", "fp4", "m=7 n=5 k=3", 0 }, DTYPE_FP4, 210, 18,
			18 },
		/* integers: bytes are moved, but no operations count */
		{ { NULL, "elementwise", "int64", "x=[3,4] y=[4]", 0 },
			DTYPE_INT64, 0, 128, 96 },
		{ { NULL, "elementwise", "bf16", "x=[3,4] y=[4]", 0 },
			DTYPE_FP32, 12, 32, 24 },
		{ { NULL, "elementwise", "fp64", "x=[3,1] y=[4] out=[3,4]", 0 },
			DTYPE_FP64, 12, 56, 96 },
		/* a scalar is one number */
		{ { NULL, "elementwise", "fp32", "x=[]", 0 }, DTYPE_FP32, 1, 4,
			4 },
		/* W: 4*2*8*(10 + 2 + 1), because one query attends to 10 keys
		 * and two queries attend to 2 and 1; bytes read: 2*(3*2*8 +
		 * 12*1*16); bytes written: 2*3*2*8 */
		{ { NULL, "unified_attention", "bf16",
			  "heads=2 kv_heads=1 head_dim=8 q_lens=[1,2] "
			  "seq_lens=[10,2]",
			  0 },
			DTYPE_BF16, 832, 480, 96 },
		/* decoding: the total number of keys is enough */
		{ { NULL, "unified_attention", "bf16",
			  "seqs=2 tokens=2 heads=2 kv_heads=1 head_dim=8 "
			  "kv_tokens=12",
			  0 },
			DTYPE_BF16, 768, 448, 64 },
		/* lengths are enough, too, if each has one token:
		 * 4*8*64*2000; 2*(2*8*64 + 2*2000*8*64); 2*2*8*64 */
		{ { NULL, "unified_attention", "bf16",
			  "seqs=2 tokens=2 heads=8 kv_heads=8 head_dim=64 "
			  "seq_lens=[1000,1000]",
			  0 },
			DTYPE_BF16, 4096000, 4098048, 2048 },
		/* all are new: 4*2*8*(1 + 2 + 1 + 2 + 3); 2*5*(16 + 16);
		 * 2*5*16 */
		{ { NULL, "unified_attention", "bf16",
			  "tokens=5 heads=2 kv_heads=1 head_dim=8 "
			  "seq_lens=[2,3]",
			  0 },
			DTYPE_BF16, 576, 320, 160 },
		/* of a sum of backward and forward the first counts */
		{ { NULL, "softmax", "bf16", "x=[2,8]", 0 }, DTYPE_FP32, 64, 32,
			32 },
		{ { NULL, "softmax", "bf16", "x=[2,8] grads=1", 0 }, DTYPE_FP32,
			64, 64, 32 },
		{ { NULL, "copy", "", "bytes=100", 0 }, DTYPE_FP32, 0, 100,
			100 },
		{ { NULL, "cat", "", "x=[10] parts=2 element_bits=16", 0 },
			DTYPE_FP32, 0, 20, 20 },
		{ { NULL, "cat", "fp32", "x=[10] parts=2", 0 }, DTYPE_FP32, 0,
			40, 40 },
		{ { NULL, "copy", "bf16", "x=[10] from_bits=32", 0 },
			DTYPE_BF16, 0, 40, 20 },
		/* indices may be one number read repeatedly */
		{ { NULL, "index", "bf16", "x=[9,4] indices=[3,4] out=[3,4]",
			  0 },
			DTYPE_BF16, 0, 24, 24 },
		/* by the published formula: (3*1024 + 1)*2500 */
		{ { NULL, "rms_norm", "bf16", "tokens=2500 hidden=1024",
			  CONVENTION_CATALOG },
			DTYPE_BF16, 7682500, 5122048, 5120000 },
		{ { NULL, "rms_norm", "bf16", "tokens=2500 hidden=1024", 0 },
			DTYPE_FP32, 10245000, 5122048, 5120000 },
		{ { OWN("{\"physical\": {\"let\": [\"n = m*m\"], \"flops\": "
			"{\"int8\": \"n\"}, \"read\": \"n + 1\", \"write\": "
			"\"bytes(n)\"}}"),
			  "ours", "int8", "m=3", 0 },
			DTYPE_INT8, 9, 10, 9 },
		/* the first formula with known sizes and a true condition */
		{ { OWN("{\"physical\": [{\"when\": \"m > 5\", \"read\": \"1\","
			" \"write\": \"1\"}, {\"read\": \"last(x)\", "
			"\"write\": \"3\"}]}"),
			  "ours", "", "m=5 x=[2]", 0 },
			DTYPE_FP32, 0, 2, 3 },
		{ { OWN("{\"physical\": [{\"when\": \"m > 5\", \"read\": \"1\","
			" \"write\": \"1\"}, {\"read\": \"last(x)\", "
			"\"write\": \"3\"}]}"),
			  "ours", "", "m=6", 0 },
			DTYPE_FP32, 0, 1, 1 },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };
		struct cost c;
		if (!costed(&rows[i].given, &c, &e))
			fail_msg("%s: %s", rows[i].given.shape, e.text);
		for (enum dtype d = 0; d < DTYPES; d++)
			assert_int_equal(c.flops[d],
				d == rows[i].type ? rows[i].flops : 0);
		assert_int_equal(c.read_bytes, rows[i].read);
		assert_int_equal(c.write_bytes, rows[i].write);
	}
}

static void test_none(void **state)
{
	static const struct {
		struct given given;
		enum err_code code;
		const char *sentence;
	} rows[] = {
		{ { NULL, "other", "bf16", "", 0 }, ERR_NOT_FOUND,
			"the operator 'other' has no formula for its cost" },
		{ { NULL, "gemm", "bf16", "m=1 n=1 k=1", CONVENTION_CATALOG },
			ERR_NOT_FOUND,
			"the operator 'gemm' is not in the published set, so "
			"its cost by that convention is unknown" },
		{ { NULL, "gemm", "bf16", "m=1 n=1", 0 }, ERR_INPUT,
			"the cost of 'gemm' needs its size 'k', which is "
			"unknown" },
		{ { NULL, "gemm", "", "m=1 n=1 k=1", 0 }, ERR_INPUT,
			"the cost of 'gemm' needs its dtype, which is "
			"unknown" },
		{ { NULL, "memset", "", "x=[4]", 0 }, ERR_INPUT,
			"the cost of 'memset' needs its dtype, which is "
			"unknown" },
		{ { NULL, "paged_attention_decode", "bf16",
			  "heads=2 kv_heads=1 head_dim=8 seqs=1", 0 },
			ERR_INPUT,
			"the cost of 'paged_attention_decode' needs its size "
			"'seq_lens' or 'kv_tokens' or 'context', which is "
			"unknown" },
		/* prefill of several sequences: the work cannot be computed
		 * from the total number of tokens */
		{ { NULL, "unified_attention", "bf16",
			  "seqs=2 tokens=5 heads=2 kv_heads=1 head_dim=8 "
			  "kv_tokens=12",
			  0 },
			ERR_INPUT,
			"the cost of 'unified_attention' needs its size "
			"'seq_lens', which is unknown" },
		/* the number of new tokens per sequence is not given */
		{ { NULL, "unified_attention", "bf16",
			  "seqs=2 tokens=4 heads=2 kv_heads=1 head_dim=8 "
			  "seq_lens=[2,3]",
			  0 },
			ERR_INPUT,
			"the cost of 'unified_attention' needs its size "
			"'q_lens', which is unknown" },
		{ { NULL, "unified_attention", "bf16",
			  "heads=2 kv_heads=1 head_dim=8 seq_lens=[2,3]", 0 },
			ERR_INPUT,
			"the cost of 'unified_attention' needs its size "
			"'q_lens', which is unknown" },
		{ { NULL, "attention_forward", "bf16",
			  "heads=16 head_dim=72 q_lens=[720]", 0 },
			ERR_INPUT,
			"the cost of 'attention_forward' needs its size "
			"'causal', which is unknown" },
		/* no gradient is requested for these */
		{ { NULL, "convolution", "bf16", "x=[1,3,8,8] w=[4,3,3,3]", 0 },
			ERR_INPUT,
			"the cost of 'convolution' needs its size 'out', "
			"which is unknown" },
		{ { NULL, "gemm", "bf16",
			  "m=4294967296 n=4294967296 k=4294967296", 0 },
			ERR_TOO_LARGE,
			"a figure of the cost of 'gemm' exceeds 64 bits" },
		{ { NULL, "fused_moe", "bf16",
			  "tokens=1 hidden=8 intermediate=8 experts=4 top_k=8",
			  0 },
			ERR_INPUT,
			"the cost of 'fused_moe' cannot be computed: a token "
			"uses more experts than exist" },
		{ { NULL, "silu_and_mul", "bf16", "x=[3,5]", 0 }, ERR_INPUT,
			"the cost of 'silu_and_mul' cannot be computed: a "
			"division has a remainder" },
		{ { OWN("{\"physical\": {\"when\": \"m > 5\", \"read\": \"1\", "
			"\"write\": \"1\"}}"),
			  "ours", "", "m=5", 0 },
			ERR_INPUT,
			"the cost of 'ours' is unknown for these sizes" },
		{ { OWN("{\"physical\": {\"flops\": {\"fp32\": "
			"\"18446744073709551615\", \"vector\": \"1\"}, "
			"\"read\": \"1\", \"write\": \"1\"}}"),
			  "ours", "bf16", "m=5", 0 },
			ERR_TOO_LARGE,
			"a figure of the cost of 'ours' exceeds 64 bits" },
	};
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct err e = { 0 };
		struct cost c;
		assert_false(costed(&rows[i].given, &c, &e));
		assert_string_equal(e.text, rows[i].sentence);
		assert_int_equal(e.code, rows[i].code);
	}
}

/* A site's operator that replaces a built-in one keeps its formulas if it has
 * the sizes that the formulas use. */
static void test_stand_in(void **state)
{
	static const struct given same = {
		"{\"items\": [{\"name\": \"gemm\", \"sizes\": "
		"[\"k\", \"n\", \"m\", \"batch\"]}]}",
		"gemm", "bf16", "k=3 n=5 m=7", 0
	};
	static const struct given other = {
		"{\"items\": [{\"name\": \"gemm\", \"sizes\": "
		"[\"rows\"]}]}",
		"gemm", "bf16", "rows=3", 0
	};
	struct err e = { 0 };
	struct cost c;
	(void)state;
	assert_true(costed(&same, &c, &e));
	assert_int_equal(c.flops[DTYPE_BF16], 210);
	assert_false(costed(&other, &c, &e));
	assert_string_equal(e.text,
		"the operator 'gemm' has no formula for its cost");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_costs),
		cmocka_unit_test(test_none),
		cmocka_unit_test(test_stand_in),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
