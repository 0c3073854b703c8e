/* test_frame_name.c - a table of names as paths contain them. */
#include "frame_name.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

static const struct {
	enum frame_kind kind;
	const char *name_in, *name_out;
	enum frame_kind becomes;
} cases[] = {
#define SAME(kind, name_in)                  \
	{                                    \
		kind, name_in, name_in, kind \
	}
#define AS(kind, name_in, name_out)           \
	{                                     \
		kind, name_in, name_out, kind \
	}
	/* emit_nvtx() */
	AS(FRAME_ANNOTATION,
		"aten::mul, seq = 5, op_id = 871, sizes = [[4, 256, 512], [4, "
		"256, 1]], input_op_ids = [(867,0), (866,0)]",
		"aten::mul"),
	AS(FRAME_ANNOTATION, "aten::mm, op_id = 1515155", "aten::mm"),
	AS(FRAME_ANNOTATION, "aten::mm, sizes = [[2]]", "aten::mm"),
	AS(FRAME_ANNOTATION, "aten::mm, seq = -2", "aten::mm"),
	AS(FRAME_ANNOTATION, "a, b, input_op_ids = []", "a, b"),
	AS(FRAME_ANNOTATION, ", seq = 4", "(unnamed)"),
	SAME(FRAME_ANNOTATION, "load, then seq = 4"),
	SAME(FRAME_ANNOTATION, "load,seq = 4"),
	SAME(FRAME_ANNOTATION, "load, seq = 3 of 9"),
	SAME(FRAME_ANNOTATION, "load, sizes = large"),
	SAME(FRAME_ANNOTATION, "load, op_id = "),
	SAME(FRAME_ANNOTATION, "load, seq"),
	SAME(FRAME_ANNOTATION, "load, "),
	SAME(FRAME_PYTHON, "f, seq = 4"),
	/* layer-wise markers */
	{ FRAME_ANNOTATION,
		"{'Module': 'model.layers.0.self_attn.qkv_proj', "
		"'TrainableParams': {'weight': [6144, 4096]}, 'Inputs': [[1, "
		"4096]]}",
		"model.layers.0.self_attn.qkv_proj", FRAME_MODULE },
	{ FRAME_ANNOTATION, "{'Module': 'top'}", "top", FRAME_MODULE },
	SAME(FRAME_ANNOTATION, "{'Module': ''}"),
	SAME(FRAME_ANNOTATION, "{'Module': 'top"),
	SAME(FRAME_ANNOTATION, "{'Module': "),
	/* steps */
	AS(FRAME_ANNOTATION, "ProfilerStep#12", "ProfilerStep#*"),
	AS(FRAME_OP, "ProfilerStep#12", "ProfilerStep#*"),
	AS(FRAME_ANNOTATION,
		"execute_16_context_0(sq0sk0)_generation_16(sq16sk8209)",
		"execute_*_context_*(sq*sk*)_generation_*(sq*sk*)"),
	AS(FRAME_ANNOTATION, "execute_context_1(888_788544)_generation_0(0)",
		"execute_context_*(*_*)_generation_*(*)"),
	AS(FRAME_ANNOTATION, "step[DECODE bs=16]", "step[DECODE bs=*]"),
	AS(FRAME_ANNOTATION, "Iteration 7 of 10", "Iteration * of *"),
	AS(FRAME_ANNOTATION, "STEP_3", "STEP_*"),
	AS(FRAME_ANNOTATION, "iter5", "iter*"),
	AS(FRAME_ANNOTATION, "batch: 5, op_id = 3", "batch: *"),
	SAME(FRAME_ANNOTATION, "step"),
	SAME(FRAME_ANNOTATION, "steps 4"),
	SAME(FRAME_ANNOTATION, "batch_norm_2"),
	SAME(FRAME_ANNOTATION, "Optimizer.step#Adam2.step"),
	SAME(FRAME_ANNOTATION, "layer 3"),
	SAME(FRAME_ANNOTATION, "capture_8192_PIECEWISE"),
	SAME(FRAME_PYTHON, "step 4"),
	/* addresses */
	AS(FRAME_PYTHON, "<built-in method mm of Tensor object at 0x7f0c>",
		"<built-in method mm of Tensor object>"),
	AS(FRAME_PYTHON, "a at 0xFf1 at 0x b at 0x1", "a b"),
	AS(FRAME_PYTHON, " at 0x12", "(unnamed)"),
	SAME(FRAME_PYTHON, "train.py(12): look at 0"),
	SAME(FRAME_ANNOTATION, "look at 0x12"),
	/* a module's number is its position */
	SAME(FRAME_MODULE, "nn.Module: Linear_3"),
	AS(FRAME_MODULE, "", "(unnamed)"),
};

static void names(void **state)
{
	struct arena a = { 0 };
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		enum frame_kind kind = cases[i].kind;
		const char *name;
		size_t len;
		assert_true(frame_name_from(&a, &kind, cases[i].name_in,
			strlen(cases[i].name_in), &name, &len));
		char *name_out = arena_strndup(&a, name, len);
		assert_string_equal(name_out, cases[i].name_out);
		assert_int_equal(kind, cases[i].becomes);
	}
	arena_release(&a);
}

/* `name_out` NULL: the name stays. */
static const struct {
	enum frame_kind kind;
	const char *name_in, *name_out;
} merged[] = {
	{ FRAME_MODULE, "nn.Module: Owlv2EncoderLayer_12",
		"nn.Module: Owlv2EncoderLayer_*" },
	{ FRAME_MODULE, "nn.Module: Conv2d_0", "nn.Module: Conv2d_*" },
	{ FRAME_MODULE, "nn.Module: Float16Module", NULL },
	{ FRAME_MODULE, "nn.Module: Stage_2_0", "nn.Module: Stage_*_*" },
	{ FRAME_MODULE, "model.layers.12.mlp", "model.layers.*.mlp" },
	{ FRAME_MODULE, "h.3", "h.*" },
	{ FRAME_MODULE, "layers.3.experts.17.w13", "layers.*.experts.*.w13" },
	{ FRAME_MODULE, "self_attn.q_proj", NULL },
	{ FRAME_ANNOTATION, "Layer_12", "Layer_*" },
	{ FRAME_ANNOTATION, "layer 3 attention", "layer * attention" },
	{ FRAME_ANNOTATION, "Layer[3]", "Layer[*]" },
	{ FRAME_ANNOTATION, "block12", "block*" },
	{ FRAME_ANNOTATION, "decoder.layers.3", "decoder.layers.*" },
	{ FRAME_ANNOTATION, "decoder/stage_3/block_1",
		"decoder/stage_*/block_*" },
	{ FRAME_ANNOTATION, "Layer_5 \xd7\x90 \xf0\x9f\x98\x80 <b>",
		"Layer_* \xd7\x90 \xf0\x9f\x98\x80 <b>" },
	/* digits that distinguish code */
	{ FRAME_ANNOTATION, "Conv2d", NULL },
	{ FRAME_ANNOTATION, "cast float32", NULL },
	{ FRAME_ANNOTATION, "fp16", NULL },
	{ FRAME_ANNOTATION, "sm_90", NULL },
	{ FRAME_ANNOTATION, "v1.2", NULL },
	{ FRAME_ANNOTATION, "loss 3.5", NULL },
	{ FRAME_ANNOTATION, "layer2norm", NULL },
	{ FRAME_ANNOTATION, "Torch-Compiled Region: 3/1", NULL },
	{ FRAME_ANNOTATION, "7", NULL },
	{ FRAME_ANNOTATION, "", NULL },
	{ FRAME_PYTHON, "layer_3.py(12): forward", NULL },
	{ FRAME_OP, "aten::layer_3", NULL },
};

static void merged_names(void **state)
{
	struct arena a = { 0 };
	(void)state;
	for (size_t i = 0; i < sizeof merged / sizeof *merged; i++) {
		const char *in = merged[i].name_in;
		const char *out = merged[i].name_out;
		assert_string_equal(frame_name_merged(&a, merged[i].kind, in),
			out ? out : in);
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(names),
		cmocka_unit_test(merged_names) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
