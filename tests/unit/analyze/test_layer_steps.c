/* test_layer_steps.c - tests layers of programs that call one operator at a
 * time. */
#include "layer_hand.h"

static void test_eager(void **state)
{
	hand_check(*state, "one operator at a time", SECTION_LAYER,
		"copy attention input_norm\n"
		"pow attention input_norm\n"
		"mean attention input_norm\n"
		"add attention input_norm\n"
		"rsqrt attention input_norm\n"
		"mul attention input_norm\n"
		"copy attention input_norm\n"
		"mul attention input_norm\n"
		"gemm attention qkv\n"
		"gemm attention qkv\n"
		"gemm attention qkv\n"
		"mul attention rope\n"
		"neg attention rope\n"
		"cat attention rope\n"
		"mul attention rope\n"
		"add attention rope\n"
		"copy attention -\n"
		"flash attention attention\n"
		"copy attention -\n"
		"gemm attention o_proj\n"
		"add attention residual\n"
		"copy mlp post_norm\n"
		"pow mlp post_norm\n"
		"mean mlp post_norm\n"
		"add mlp post_norm\n"
		"rsqrt mlp post_norm\n"
		"mul mlp post_norm\n"
		"copy mlp post_norm\n"
		"mul mlp post_norm\n"
		"gemm mlp gate_up\n"
		"silu mlp activation\n"
		"gemm mlp gate_up\n"
		"mul mlp activation\n"
		"gemm mlp down\n"
		"add mlp residual\n");
	hand_check(*state, "attention of products around a softmax",
		SECTION_LAYER,
		"layernorm attention input_norm\n"
		"gemm attention qkv\n"
		"gemm attention qkv\n"
		"gemm attention qkv\n"
		"copy attention -\n"
		"gemm attention attention\n"
		"add attention attention\n"
		"softmax attention attention\n"
		"gemm attention attention\n"
		"copy attention -\n"
		"gemm attention o_proj\n"
		"add attention residual\n"
		"layernorm mlp post_norm\n"
		"gemm mlp gate_up\n"
		"gelu mlp activation\n"
		"gemm mlp down\n"
		"add mlp residual\n");
	hand_check(*state, "a softmax step by step", SECTION_LAYER,
		"norm attention input_norm\n"
		"gemm attention qkv\n"
		"gemm attention attention\n"
		"mul attention attention\n"
		"fill attention attention\n"
		"max attention attention\n"
		"unknown attention attention\n"
		"exp attention attention\n"
		"sum attention attention\n"
		"unknown attention attention\n"
		"gemm attention attention\n"
		"gemm attention o_proj\n"
		"norm mlp post_norm\n"
		"gemm mlp gate_up\n"
		"silumul mlp activation\n"
		"gemm mlp down\n");
	hand_check(*state, "attention to another sequence", SECTION_LAYER,
		"layernorm attention input_norm\n"
		"gemm attention qkv\n"
		"flash attention attention\n"
		"gemm attention o_proj\n"
		"layernorm attention post_norm\n"
		"gemm attention cross_qkv\n"
		"flash attention cross_attention\n"
		"gemm attention cross_o_proj\n"
		"layernorm mlp post_norm\n"
		"gemm mlp gate_up\n"
		"gelu mlp activation\n"
		"gemm mlp down\n");
}

static void test_activation(void **state)
{
	hand_check(*state, "an activation step by step, with tanh",
		SECTION_LAYER,
		"norm attention input_norm\n"
		"gemm attention qkv\n"
		"flash attention attention\n"
		"gemm attention o_proj\n"
		"norm mlp post_norm\n"
		"gemm mlp gate_up\n"
		"add mlp -\n"
		"mul mlp activation\n"
		"pow mlp activation\n"
		"mul mlp activation\n"
		"add mlp activation\n"
		"mul mlp activation\n"
		"tanh mlp activation\n"
		"add mlp activation\n"
		"mul mlp activation\n"
		"gemm mlp down\n"
		"add mlp residual\n");
	hand_check(*state, "… with erf; a sum behind it is a residual",
		SECTION_LAYER,
		"norm attention input_norm\n"
		"gemm attention qkv\n"
		"flash attention attention\n"
		"gemm attention o_proj\n"
		"norm mlp post_norm\n"
		"gemm mlp gate_up\n"
		"mul mlp activation\n"
		"erf mlp activation\n"
		"add mlp activation\n"
		"mul mlp activation\n"
		"gemm mlp down\n"
		"add mlp residual\n");
}

int main(void)
{
#define HAND(name) cmocka_unit_test_setup_teardown(name, hand_start, hand_stop)
	const struct CMUnitTest tests[] = { HAND(test_eager),
		HAND(test_activation) };
#undef HAND
	return cmocka_run_group_tests(tests, NULL, NULL);
}
