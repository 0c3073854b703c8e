/* test_layer_ends.c - tests the sections before and after all layers, and the
 * names of layers. */
#include "layer_hand.h"

static void test_ends(void **state)
{
	hand_check(*state, "before", SECTION_BEFORE,
		"copy other -\n"
		"select embedding embed\n"
		"norm embedding -\n");
	hand_check(*state, "behind: a token", SECTION_AFTER,
		"addnorm head final_norm\n"
		"gemm head lm_head\n"
		"splitk head -\n"
		"copy sampling -\n"
		"argmax sampling sample\n");
	hand_check(*state, "behind: no token", SECTION_AFTER,
		"layernorm head final_norm\n"
		"gemm head -\n"
		"gelu head activation\n"
		"gemm head -\n"
		"softmax head -\n");
	hand_check(*state, "between two stacks", SECTION_BETWEEN,
		"layernorm head final_norm\n"
		"select embedding embed\n"
		"add embedding -\n");
	hand_check(*state, "rows of the last tokens", SECTION_AFTER,
		"norm head final_norm\n"
		"select other -\n"
		"gemm head lm_head\n"
		"argmax sampling sample\n");
	hand_check(*state, "a token more is predicted", SECTION_BETWEEN,
		"norm head final_norm\n"
		"select other -\n"
		"gemm head lm_head\n"
		"argmax sampling sample\n"
		"select embedding embed\n"
		"norm embedding -\n"
		"gemm embedding -\n");
	hand_check(*state, "behind: a loss, and the way back", SECTION_AFTER,
		"norm head final_norm\n"
		"gemm head -\n"
		"softmax head -\n"
		"loss other -\n"
		"gemm other -\n"
		"gelu other -\n"
		"conv other convolution\n");
	hand_check(*state, "a norm one step at a time", SECTION_AFTER,
		"pow head final_norm\n"
		"mean head final_norm\n"
		"add head final_norm\n"
		"rsqrt head final_norm\n"
		"mul head final_norm\n"
		"gemm head lm_head\n");
	hand_check(*state, "without layers a kernel is what it is",
		SECTION_FLAT,
		"gemm other -\n"
		"norm norm -\n"
		"fmha attention attention\n"
		"rope attention rope\n"
		"reduce communication all_reduce\n");
}

static void test_names(void **state)
{
	static const char experts[] = "fmha - -\ngemm - -\nnorm - -\ngemm - -\n"
				      "topk - -\nmoe - -\n",
			  none[] = "unknown - -\n";
	struct hand *m = *state;

	hand_make(m, experts, SECTION_LAYER);
	assert_string_equal(layer_section_name(&m->l, m->named, 0, &m->arena),
		"attention + moe");
	hand_make(m, none, SECTION_LAYER);
	assert_null(layer_section_name(&m->l, m->named, 0, &m->arena));
	hand_make(m, none, SECTION_AFTER);
	assert_null(layer_section_name(&m->l, m->named, 0, &m->arena));
	m->section.name = "Qwen2DecoderLayer";
	assert_string_equal(layer_section_name(&m->l, m->named, 0, &m->arena),
		"Qwen2DecoderLayer");
}

int main(void)
{
#define HAND(name) cmocka_unit_test_setup_teardown(name, hand_start, hand_stop)
	const struct CMUnitTest tests[] = { HAND(test_ends), HAND(test_names) };
#undef HAND
	return cmocka_run_group_tests(tests, NULL, NULL);
}
