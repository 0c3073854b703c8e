/* test_layer_blocks.c - tests the blocks and roles of layers, for launches of
 * several machines and programs. */
#include "layer_hand.h"

static void test_dense(void **state)
{
	hand_check(*state, "NVIDIA, one kernel each", SECTION_LAYER,
		"norm*1 attention input_norm\n"
		"addnorm*9 attention input_norm\n"
		"gemm attention qkv\n"
		"rope attention rope\n"
		"store attention kv_store\n"
		"fmha attention attention\n"
		"gemm attention o_proj\n"
		"addnorm mlp post_norm\n"
		"gemm mlp gate_up\n"
		"silumul mlp activation\n"
		"gemm mlp down\n"
		"splitk mlp down\n");
	hand_check(*state, "AMD, attention in two kernels", SECTION_LAYER,
		"norm attention input_norm\n"
		"amdgemm attention qkv\n"
		"ropestore attention rope+kv_store\n"
		"paged attention attention\n"
		"pagedreduce attention attention\n"
		"amdgemm attention o_proj\n"
		"norm mlp post_norm\n"
		"amdgemm mlp gate_up\n"
		"silumul mlp activation\n"
		"amdgemm mlp down\n");
	hand_check(*state, "norms of queries and keys", SECTION_LAYER,
		"addnorm attention input_norm\n"
		"gemm attention qkv\n"
		"copy attention -\n"
		"norm attention qk_norm\n"
		"norm attention qk_norm\n"
		"rope attention rope\n"
		"fmha attention attention\n"
		"gemm attention o_proj\n"
		"addnorm mlp post_norm\n"
		"gemm mlp gate_up+activation\n"
		"gemm mlp down\n");
	hand_check(*state, "no norm between: both read one", SECTION_LAYER,
		"norm attention input_norm\n"
		"gemm attention qkv\n"
		"fmha attention attention\n"
		"gemm attention o_proj\n"
		"gemm mlp gate_up\n"
		"gelu mlp activation\n"
		"gemm mlp down\n");
	hand_check(*state, "norms behind both as well", SECTION_LAYER,
		"norm attention input_norm\n"
		"gemm attention qkv\n"
		"fmha attention attention\n"
		"gemm attention o_proj\n"
		"norm mlp post_norm\n"
		"norm mlp post_norm\n"
		"gemm mlp gate_up\n"
		"gelu mlp activation\n"
		"gemm mlp down\n"
		"norm mlp -\n");
	hand_check(*state, "it begins behind its norm", SECTION_LAYER,
		"gemm attention qkv\n"
		"fmha attention attention\n"
		"gemm attention o_proj\n"
		"norm mlp post_norm\n"
		"gemm mlp gate_up\n"
		"silumul mlp activation\n"
		"gemm mlp down\n"
		"norm attention input_norm\n");
}

static void test_parallel(void **state)
{
	hand_check(*state, "sums over ranks; one of them with the norm",
		SECTION_LAYER,
		"norm attention input_norm\n"
		"gemm attention qkv\n"
		"fmha attention attention\n"
		"gemm attention o_proj\n"
		"reducenorm mlp post_norm+all_reduce\n"
		"gemm mlp gate_up\n"
		"silumul mlp activation\n"
		"gemm mlp down\n"
		"reduce communication all_reduce\n");
}

static void test_experts(void **state)
{
	hand_check(*state,
		"latent attention; experts on other ranks, the shared one "
		"beside them",
		SECTION_LAYER,
		"addnorm attention input_norm\n"
		"fp8 attention q_a_kv_a\n"
		"norm attention qk_norm\n"
		"quant attention q_b+quantize\n"
		"fp8 attention q_b\n"
		"gemm attention q_absorb\n"
		"rope attention rope\n"
		"fmha attention attention\n"
		"gemm attention v_absorb\n"
		"quant attention o_proj+quantize\n"
		"fp8 attention o_proj\n"
		"addnorm gate post_norm\n"
		"gemm gate router\n"
		"splitk gate router\n"
		"unknown gate -\n"
		"topk gate topk\n"
		"dispatch@1 moe dispatch\n"
		"grouped moe gate_up\n"
		"silumul moe activation\n"
		"grouped moe down\n"
		"combine@1 moe combine\n"
		"quant shared gate_up+quantize\n"
		"fp8 shared gate_up\n"
		"silumul shared activation\n"
		"fp8 shared down\n"
		"combine@1 moe combine\n");
	hand_check(*state, "the shared expert on a stream of its own",
		SECTION_LAYER,
		"addnorm attention input_norm\n"
		"gemm attention qkv\n"
		"fmha attention attention\n"
		"gemm attention o_proj\n"
		"addnorm gate post_norm\n"
		"gemm gate router\n"
		"fp8@1 shared gate_up\n"
		"topk gate topk\n"
		"silumul@1 shared activation\n"
		"align moe dispatch\n"
		"fp8@1 shared down\n"
		"moe moe gate_up\n"
		"silumul moe activation\n"
		"moe moe down\n"
		"moesum moe combine\n");
	hand_check(*state, "the shared expert first; one kernel is all experts",
		SECTION_LAYER,
		"addnorm attention input_norm\n"
		"gemm attention qkv\n"
		"fmha attention attention\n"
		"gemm attention o_proj\n"
		"addnorm gate post_norm\n"
		"gemm shared gate_up\n"
		"silumul shared activation\n"
		"gemm shared down\n"
		"gemm gate router\n"
		"topk gate topk\n"
		"moe moe gate_up+activation+down\n");
}

static void test_router_from_module(void **state)
{
	hand_check(*state,
		"a module identifies the product that scores experts",
		SECTION_LAYER,
		"addnorm attention input_norm\n"
		"gemm attention qkv\n"
		"fmha attention attention\n"
		"gemm attention o_proj\n"
		"addnorm gate post_norm\n"
		"gemm=router gate router\n"
		"topk gate topk\n"
		"fill moe -\n"
		"moe moe gate_up+activation\n"
		"fill moe -\n"
		"moe moe down\n");
}

static void test_odd(void **state)
{
	hand_check(*state, "a helper without its product", SECTION_LAYER,
		"norm attention input_norm\n"
		"gemm attention qkv\n"
		"fmha attention attention\n"
		"gemm attention o_proj\n"
		"norm mlp post_norm\n"
		"splitk mlp -\n"
		"gemm mlp gate_up\n"
		"gelu mlp activation\n"
		"gemm mlp down\n");
	hand_check(*state, "kernels that few layers have", SECTION_LAYER,
		"addnorm attention input_norm\n"
		"gemm attention qkv\n"
		"gemm*1 attention qkv\n"
		"fmha attention attention\n"
		"gemm attention o_proj\n"
		"copy@1*2 other -\n"
		"addnorm mlp post_norm\n"
		"gemm mlp gate_up\n"
		"silumul mlp activation\n"
		"unknown*1 mlp -\n"
		"gemm mlp down\n");
	hand_check(*state, "two kernels take turns in one place", SECTION_LAYER,
		"addnorm attention input_norm\n"
		"gemm*4 attention qkv\n"
		"fp8*3 attention qkv\n"
		"amdgemm*3 attention qkv\n"
		"fmha attention attention\n"
		"gemm attention o_proj\n");
	hand_check(*state, "roles from modules take precedence", SECTION_LAYER,
		"norm attention input_norm\n"
		"unknown=qkv attention qkv\n"
		"fmha attention attention\n"
		"gemm=o_proj attention o_proj\n"
		"norm=input_norm mlp post_norm\n"
		"gemm mlp gate_up\n"
		"silumul mlp activation\n"
		"gemm mlp down\n");
	hand_check(*state, "no operator is known", SECTION_LAYER,
		"unknown other -\n"
		"copy other -\n");
	hand_check(*state, "products alone", SECTION_LAYER,
		"gemm other -\n"
		"gemm other -\n");
}

static void test_unsure(void **state)
{
	hand_check(*state, "exponents without rows' sums are no softmax",
		SECTION_LAYER,
		"norm other -\n"
		"gemm other -\n"
		"gemm other -\n"
		"gemm other -\n"
		"gemm other -\n"
		"exp other -\n"
		"gemm other -\n"
		"gemm other -\n"
		"norm mlp -\n"
		"gemm mlp gate_up\n"
		"silumul mlp activation\n"
		"gemm mlp down\n");
	hand_check(*state, "too many products before the activation",
		SECTION_LAYER,
		"norm other -\n"
		"gemm other -\n"
		"gemm other -\n"
		"gemm other -\n"
		"gelu other -\n"
		"gemm other -\n");
	hand_check(*state, "a rotation without attention", SECTION_LAYER,
		"norm other -\n"
		"gemm other -\n"
		"rope other rope\n"
		"store other kv_store\n"
		"gemm other -\n");
	hand_check(*state, "convolutions and an activation", SECTION_LAYER,
		"unknown other -\n"
		"gelu other -\n"
		"conv other convolution\n");
	hand_check(*state, "it begins with the feed-forward part",
		SECTION_LAYER,
		"norm mlp -\n"
		"gemm mlp gate_up\n"
		"silumul mlp activation\n"
		"gemm mlp down\n"
		"norm attention input_norm\n"
		"gemm attention qkv\n"
		"fmha attention attention\n"
		"gemm attention o_proj\n");
}

int main(void)
{
#define HAND(name) cmocka_unit_test_setup_teardown(name, hand_start, hand_stop)
	const struct CMUnitTest tests[] = { HAND(test_dense),
		HAND(test_parallel), HAND(test_experts),
		HAND(test_router_from_module), HAND(test_odd),
		HAND(test_unsure) };
#undef HAND
	return cmocka_run_group_tests(tests, NULL, NULL);
}
