/* test_module_words.c - tests which role in a layer a module has: by its class
 * or name, by the modules around it, and by its index among several. */
#include "breakdown_word.h"
#include "layer_words.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

/* A class name begins with a capital letter. `in` lists the modules around
 * `is`, innermost first, separated by blanks. */
struct row {
	const char *is, *in;
	uint32_t ordinal, siblings;
	const char *due; /* "attention: qkv", or "" if unknown */
};

static const struct row rows[] = {
	/* Hugging Face, as Kineto records it */
	{ "Qwen2RMSNorm", "layer Qwen2Model", 0, 2, "attention: input_norm" },
	{ "Qwen2RMSNorm", "layer Qwen2Model", 1, 2, ": post_norm" },
	{ "Qwen2RMSNorm", "Qwen2Model", 0, 1, "head: final_norm" },
	{ "LayerNorm", "layer Owlv2Encoder", 0, 2, "attention: input_norm" },
	{ "LayerNorm", "Owlv2VisionTransformer", 0, 2, "embedding:" },
	{ "Gemma2RMSNorm", "layer", 2, 4, ": post_norm" },
	{ "Gemma2RMSNorm", "layer", 3, 4, "" },
	{ "Qwen3RMSNorm", "Qwen3Attention layer", 1, 2, "attention: qk_norm" },
	{ "Linear", "Qwen2Attention layer", 0, 4, "attention: qkv" },
	{ "Linear", "Qwen2Attention layer", 2, 4, "attention: qkv" },
	{ "Linear", "Qwen2Attention layer", 3, 4, "attention: o_proj" },
	{ "Linear", "Qwen2Attention layer", 0, 1, "attention:" },
	{ "Linear", "Qwen2MLP layer", 1, 3, "mlp: gate_up" },
	{ "Linear", "Qwen2MLP layer", 2, 3, "mlp: down" },
	{ "Linear", "Owlv2MLP layer", 0, 2, "mlp: gate_up" },
	{ "Linear", "Owlv2MLP layer", 1, 2, "mlp: down" },
	{ "SiLU", "Qwen2MLP layer", 0, 1, "mlp: activation" },
	{ "QuickGELUActivation", "Owlv2MLP layer", 0, 1, "mlp: activation" },
	{ "Linear", "BertSelfAttention BertAttention layer", 1, 3,
		"attention: qkv" },
	{ "Linear", "BertSelfOutput BertAttention layer", 0, 1,
		"attention: o_proj" },
	{ "LayerNorm", "BertSelfOutput BertAttention layer", 0, 1,
		"attention: post_norm" },
	{ "Linear", "BertIntermediate layer", 0, 1, "mlp: gate_up" },
	{ "Linear", "BertOutput layer", 0, 1, "mlp: down" },
	{ "T5LayerNorm", "T5LayerSelfAttention layer", 0, 1,
		"attention: input_norm" },
	{ "Conv1D", "GPT2Attention layer", 0, 2, "attention: qkv" },
	{ "Conv1D", "GPT2Attention layer", 1, 2, "attention: o_proj" },
	{ "Linear", "Qwen2ForCausalLM", 0, 1, "head: lm_head" },
	{ "Linear", "Qwen2MoeMLP Qwen2MoeSparseMoeBlock layer", 0, 3,
		"moe: gate_up" },
	{ "Linear", "Qwen2MoeSparseMoeBlock layer", 0, 1, "gate: router" },
	{ "Qwen2RotaryEmbedding", "Qwen2Model", 0, 1, "embedding:" },
	{ "Qwen2Attention", "layer", 0, 1, "attention:" },
	{ "Embedding", "Qwen2Model", 0, 1, "embedding: embed" },
	{ "Conv2d", "Owlv2VisionEmbeddings", 0, 1, "embedding: embed" },
	{ "Conv2d", "layer", 0, 1, ": convolution" },
	/* vLLM and SGLang */
	{ "RowParallelLinear", "LlamaAttention layer", 0, 1,
		"attention: o_proj" },
	{ "RowParallelLinear", "LlamaMLP layer", 0, 1, "mlp: down" },
	{ "QKVParallelLinear", "LlamaAttention layer", 0, 1, "attention: qkv" },
	{ "MergedColumnParallelLinear", "LlamaMLP layer", 0, 1,
		"mlp: gate_up" },
	{ "SiluAndMul", "LlamaMLP layer", 0, 1, "mlp: activation" },
	{ "RotaryEmbedding", "LlamaAttention layer", 0, 1, "attention: rope" },
	{ "RadixAttention", "LlamaAttention layer", 0, 1,
		"attention: attention" },
	{ "Attention", "LlamaAttention layer", 0, 1, "attention: attention" },
	{ "ReplicatedLinear", "MixtralMoE layer", 0, 1, "gate: router" },
	{ "TopK", "Qwen3MoeSparseMoeBlock layer", 0, 1, "gate: topk" },
	{ "MoEGate", "DeepseekV2MoE layer", 0, 1, "gate: router" },
	{ "Linear", "MLPBlock layer", 0, 1, "gate: router" },
	{ "FusedMoE", "MixtralMoE layer", 0, 1, "moe:" },
	{ "VocabParallelEmbedding", "LlamaModel", 0, 1, "embedding: embed" },
	{ "ParallelLMHead", "LlamaForCausalLM", 0, 1, "head: lm_head" },
	{ "LogitsProcessor", "", 0, 1, "head: lm_head" },
	{ "Sampler", "", 0, 1, "sampling: sample" },
	/* Megatron */
	{ "TELayerNormColumnParallelLinear", "SelfAttention layer", 0, 1,
		"attention: input_norm qkv" },
	{ "TELayerNormColumnParallelLinear", "MLP layer", 0, 1,
		"mlp: post_norm gate_up" },
	{ "TERowParallelLinear", "SelfAttention layer", 0, 1,
		"attention: o_proj" },
	{ "TERowParallelLinear", "MLP layer", 0, 1, "mlp: down" },
	{ "FusedScaleMaskSoftmax", "CoreAttention SelfAttention layer", 0, 1,
		"attention:" },
	/* attribute names, as layerwise ranges give them */
	{ "input_layernorm", "layer layers", 0, 1, "attention: input_norm" },
	{ "post_attention_layernorm", "layer", 0, 1, ": post_norm" },
	{ "qkv_proj", "self_attn layer", 0, 1, "attention: qkv" },
	{ "k_proj", "self_attn layer", 0, 1, "attention: qkv" },
	{ "o_proj", "self_attn layer", 0, 1, "attention: o_proj" },
	{ "q_a_layernorm", "self_attn layer", 0, 1, "attention: qk_norm" },
	{ "fused_qkv_a_proj_with_mqa", "self_attn layer", 0, 1,
		"attention: q_a_kv_a" },
	{ "kv_a_proj_with_mqa", "self_attn layer", 0, 1,
		"attention: q_a_kv_a" },
	{ "q_b_proj", "self_attn layer", 0, 1, "attention: q_b" },
	{ "attn_mqa", "self_attn layer", 0, 1, "attention: attention" },
	{ "attn", "layer", 0, 1, "attention:" },
	{ "attn", "self_attn layer", 0, 1, "attention: attention" },
	{ "c_proj", "attn layer", 0, 1, "attention: o_proj" },
	{ "c_proj", "mlp layer", 0, 1, "mlp: down" },
	{ "gate_up_proj", "mlp layer", 0, 1, "mlp: gate_up" },
	{ "gate_up_proj", "shared_experts mlp layer", 0, 1, "shared: gate_up" },
	{ "down_proj", "mlp layer", 0, 1, "mlp: down" },
	{ "gate", "mlp layer", 0, 1, "gate: router" },
	{ "experts", "mlp layer", 0, 1, "moe:" },
	{ "topk", "mlp layer", 0, 1, "gate: topk" },
	{ "q_proj", "encoder_attn layer", 0, 1, "attention: cross_qkv" },
	{ "out_proj", "encoder_attn layer", 0, 1, "attention: cross_o_proj" },
	{ "embed_tokens", "model", 0, 1, "embedding: embed" },
	{ "norm", "model", 0, 1, "head: final_norm" },
	{ "lm_head", "", 0, 1, "head: lm_head" },
	/* range names as people write them */
	{ "self.input_layernorm", "layer", 0, 1, "attention: input_norm" },
	{ "q_a_kv_a", "layer", 0, 1, "attention: q_a_kv_a" },
	{ "q_proj_b", "layer", 0, 1, "attention: q_b" },
	{ "self.rotary_emb", "layer", 0, 1, "attention: rope" },
	{ "self.attn_mqa", "layer", 0, 1, "attention: attention" },
	{ "self.o_proj", "layer", 0, 1, "attention: o_proj" },
	{ "dispatch", "layer", 0, 1, "moe: dispatch" },
	{ "up_gate_gemm", "moe layer", 0, 1, "moe: gate_up" },
	{ "silu", "moe layer", 0, 1, "moe: activation" },
	{ "down_gemm", "moe layer", 0, 1, "moe: down" },
	{ "combine", "layer", 0, 1, "moe: combine" },
	/* unknown names */
	{ "Dropout", "layer", 0, 1, "" },
	{ "Frobnicator", "", 0, 1, "" },
	{ "layer", "", 0, 1, "" },
};

static void text_of(const struct layer_word *w, bool known, char *out,
	size_t size)
{
	size_t n = 0;

	out[0] = '\0';
	if (!known)
		return;
	n += (size_t)snprintf(out, size,
		"%s:", w->block < BLOCKS ? breakdown_word_block[w->block] : "");
	for (uint32_t r = 0; r < ROLES && n < size; r++)
		if (w->roles >> r & 1)
			n += (size_t)snprintf(out + n, size - n, " %s",
				breakdown_word_role[r]);
}

static void words(void **state)
{
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);

	(void)state;
	assert_non_null(c);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct row *r = &rows[i];
		const char *parents[8];
		char in[128], text[128], *rest = in;
		struct module_at at = { .parents = parents,
			.ordinal = r->ordinal,
			.siblings = r->siblings };
		struct layer_word w;

		if (r->is[0] >= 'A' && r->is[0] <= 'Z')
			at.class_name = r->is;
		else
			at.name = r->is;
		snprintf(in, sizeof in, "%s", r->in);
		for (char *p; (p = strsep(&rest, " "));)
			if (*p)
				parents[at.parents_n++] = p;
		bool known = catalog_module_word(c, &at, &w);
		text_of(&w, known, text, sizeof text);
		if (strcmp(text, r->due) != 0)
			print_error("%s in %s\n", r->is, r->in);
		assert_string_equal(text, r->due);
	}
	catalog_free(c);
}

/* An unknown class is used if the attribute is given. */
static void name_before_class(void **state)
{
	struct err e = { 0 };
	struct catalog *c = catalog_new(NULL, &e);
	struct module_at at = { .class_name = "Linear", .name = "o_proj" };
	struct layer_word w;

	(void)state;
	assert_non_null(c);
	assert_true(catalog_module_word(c, &at, &w));
	assert_true(w.roles == ROLE_BIT(O_PROJ));
	at = (struct module_at){ .class_name = "Sampler", .name = "strange" };
	assert_true(catalog_module_word(c, &at, &w));
	assert_true(w.roles == ROLE_BIT(SAMPLE));
	at = (struct module_at){ 0 };
	assert_false(catalog_module_word(c, &at, &w));
	catalog_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(name_before_class),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
