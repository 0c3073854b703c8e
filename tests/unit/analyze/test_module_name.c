/* test_module_name.c - tests what the names of ranges show about layers. */
#include "module_name.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

struct row {
	const char *text;
	bool module;
	const char *due; /* parts with their numbers; "" for none */
};

static const struct row rows[] = {
	{ "nn.Module: Qwen2DecoderLayer_5", true, "Qwen2DecoderLayer 5" },
	{ "nn.Module: Conv2d_0", true, "Conv2d 0" },
	{ "nn.Module: Strange", true, "Strange" },
	{ "nn.Module: Net.Part_3", true, "Net.Part 3" },
	{ "model.layers.3.self_attn.qkv_proj", true,
		"model|layers 3|self_attn|qkv_proj" },
	{ "model.layers.3", true, "model|layers 3" },
	{ "lm_head", true, "lm_head" },
	{ "model.layer_3.w2", true, "model|layer_3|w2" },
	{ "a.0.1.b", true, "a 0|1|b" },
	{ "layer 3", false, "layer 3" },
	{ "layer_3", false, "layer 3" },
	{ "layer3", false, "layer 3" },
	{ "Layer[3]", false, "Layer 3" },
	{ "layer #12", false, "layer 12" },
	{ "TransformerBlock(7)", false, "TransformerBlock 7" },
	{ "layer 3 attention", false, "layer 3|attention" },
	{ "layer_3/mlp", false, "layer 3|mlp" },
	{ "decoder.layers.3", false, "decoder|layers 3" },
	{ "decoder/layer_3/mlp", false, "decoder|layer 3|mlp" },
	{ "model.layers.3.mlp", false, "model|layers 3|mlp" },
	{ "request 12", false, "request 12" },
	{ "w13", false, "w13" },
	{ "self.o_proj", false, "self.o_proj" },
	{ "up_gate_gemm", false, "up_gate_gemm" },
	{ "forward pass v1.5", false, "forward pass v1.5" },
	{ "a..3", false, "a..3" },
	{ "layer 12345678901", false, "layer 12345678901" },
	{ "aten::mm", false, "" },
	{ "ProfilerStep#*", false, "" },
	{ "nccl:all_reduce", false, "" },
	{ "## Call CompiledFxGraph", false, "" },
	{ "12", false, "" },
	{ "", false, "" },
};

static void names(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct module_name m;
		char text[256] = "";
		size_t n = 0;

		module_name_read(rows[i].text, rows[i].module, &m);
		for (uint32_t k = 0; k < m.n; k++) {
			const struct module_name_part *p = &m.parts[k];
			n += (size_t)snprintf(text + n, sizeof text - n,
				"%s%.*s", k ? "|" : "", (int)p->len, p->text);
			if (p->number >= 0)
				n += (size_t)snprintf(text + n, sizeof text - n,
					" %lld", (long long)p->number);
		}
		assert_string_equal(text, rows[i].due);
	}
}

/* More parts than are kept: the result is one name and no path. */
static void deep(void **state)
{
	struct module_name m;
	char text[512] = "a.0";
	size_t n = strlen(text);

	(void)state;
	for (int i = 0; i < 100; i++)
		n += (size_t)snprintf(text + n, sizeof text - n, ".b");
	module_name_read(text, false, &m);
	assert_int_equal(m.n, 1);
	module_name_read(text, true, &m);
	assert_int_equal(m.n, 1);
	assert_int_equal(m.parts[0].len, strlen(text));
}

static void layers(void **state)
{
	static const struct {
		const char *text;
		bool due;
	} is[] = { { "DecoderLayer", true }, { "layers", true },
		{ "resblocks", true }, { "BLOCK", true }, { "h", true },
		{ "LayerNorm", false }, { "head", false }, { "", false } };

	(void)state;
	for (size_t i = 0; i < sizeof is / sizeof *is; i++)
		assert_int_equal(module_name_is_layer(is[i].text,
					 strlen(is[i].text)),
			is[i].due);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(deep),
		cmocka_unit_test(layers),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
