/* test_layer_modules.c - finds layers from modules around launches. */
#include "module_scene.h"

static void siblings_of_one_class_are_layers(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"Model_0{ Embedding_0{E}"
		" DecLayer_0{ RMSNorm_0{A} Attention_0{ Linear_0{B}"
		" Linear_1{B} Linear_2{B} C Linear_3{B} } D RMSNorm_1{A}"
		" MLP_0{ Linear_4{F} SiLU_0{G} Linear_5{F} H Linear_6{F} } D }"
		" DecLayer_1{ RMSNorm_2{A} Attention_1{ Linear_7{B}"
		" Linear_8{B} Linear_9{B} C Linear_10{B} } D RMSNorm_3{A}"
		" MLP_1{ Linear_11{F} SiLU_1{G} Linear_12{F} H"
		" Linear_13{F} } D }"
		" RMSNorm_4{A} }",
		"before 1: E:Embedding/embed\n"
		"layer 2 DecLayer: A:RMSNorm[0]/input_norm"
		" B:Attention.Linear[0]/qkv B:Attention.Linear[1]/qkv"
		" B:Attention.Linear[2]/qkv C:Attention"
		" B:Attention.Linear[3]/o_proj D A:RMSNorm[1]/post_norm"
		" F:MLP.Linear[0]/gate_up G:MLP.SiLU/activation"
		" F:MLP.Linear[1]/gate_up H:MLP F:MLP.Linear[2]/down D\n"
		"after 1: A:RMSNorm/final_norm\n");
	assert_int_equal(w->l.detector, LAYERS_MODULES);
	assert_string_equal(w->l.anchor, "DecLayer");
	assert_true(w->l.confidence == 1);
}

/* Roles of launches inside a module: the part of a projection that sums over
 * ranks, and the part of attention that stores. */
static void a_launch_may_do_something_else(void **state)
{
	struct scene *w = *state;
	const struct attributed sums = { .op = catalog_operator(w->catalog,
						 "collective") };
	const struct attributed stores = { .op = catalog_operator(w->catalog,
						   "reshape_and_cache") };

	assert_non_null(sums.op);
	assert_non_null(stores.op);
	scene_made(w, "M_0{"
		      " ALayer_0{ Attn_0{ RadixAttention_0{K C}"
		      " RowParallelLinear_0{O S} } }"
		      " ALayer_1{ Attn_1{ RadixAttention_1{K C}"
		      " RowParallelLinear_1{O S} } } }");
	for (uint32_t i = 0; i < w->s.n; i++)
		w->items[i].is = w->items[i].symbol == 'S' - 'A'   ? &sums
				 : w->items[i].symbol == 'K' - 'A' ? &stores
								   : NULL;
	assert_true(layering_by_ranges(&w->s, NULL, &w->l));
	assert_string_equal(scene_text(w),
		"layer 2 ALayer: K:Attn.RadixAttention"
		" C:Attn.RadixAttention/attention"
		" O:Attn.RowParallelLinear/o_proj"
		" S:Attn.RowParallelLinear\n");
	for (uint32_t i = 0; i < w->l.places_n; i++)
		assert_int_equal(w->l.places[i].block, BLOCK_ATTENTION);
}

static void two_stacks_of_one_class(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"Model_0{"
		" Vision_0{ Encoder_0{ EncLayer_0{ N_0{A} B }"
		" EncLayer_1{ N_1{A} B } } }"
		" Glue_0{X}"
		" Text_0{ Encoder_1{ EncLayer_2{ N_2{A} B }"
		" EncLayer_3{ N_3{A} B } } } }",
		"layer 2 Vision EncLayer: A:N B\n"
		"between 1: X:Glue\n"
		"layer 2 Text EncLayer: A:N B\n");
	assert_int_equal(w->l.instances[0].number, 0);
	assert_int_equal(w->l.instances[4].number, 3);
}

static void two_kinds_of_one_class(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"Model_0{"
		" DecLayer_0{ Attn_0{A} MLP_0{B} }"
		" DecLayer_1{ Attn_1{A} MoE_0{C C} }"
		" DecLayer_2{ Attn_2{A} MoE_1{C C} } }",
		"layer 1 DecLayer (MLP): A:Attn B:MLP\n"
		"layer 2 DecLayer (MoE): A:Attn C:MoE C:MoE\n");
}

static void two_classes_below_one_parent(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"Model_0{"
		" EmbedBlock_0{ Thing_0{X} }"
		" DenseLayer_0{ Attn_0{A} MLP_0{B} }"
		" MoELayer_0{ Attn_1{A} MoE_0{C} }"
		" MoELayer_1{ Attn_2{A} MoE_1{C} } }",
		"before 1: X:EmbedBlock.Thing\n"
		"layer 1 DenseLayer: A:Attn B:MLP\n"
		"layer 2 MoELayer: A:Attn C:MoE\n");
}

/* The recording begins in the first layer. */
static void a_layer_that_is_cut_off_is_of_its_kind(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"Model_0{ DecLayer_0{ MLP_0{B} }"
		" DecLayer_1{ Attn_1{A} MLP_1{B} }"
		" DecLayer_2{ Attn_2{A} MLP_2{B} } }",
		"layer 3 DecLayer: A:Attn B:MLP\n");
}

static void modules_named_layer_come_first(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"Net_0{"
		" Stage_0{ SwinLayer_0{ N_0{A} B } SwinLayer_1{ N_1{A} B } }"
		" Stage_1{ SwinLayer_2{ N_2{A} B } SwinLayer_3{ N_3{A} B } } }",
		"layer 2 Stage[0] SwinLayer: A:N B\n"
		"layer 2 Stage[1] SwinLayer: A:N B\n");
}

static void else_the_outermost(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"Net_0{"
		" Stage_0{ Part_0{ N_0{A} B } Part_1{ N_1{A} B } }"
		" Stage_1{ Part_2{ N_2{A} B } Part_3{ N_3{A} B } } }",
		"layer 2 Stage: A:Part[0].N B:Part[0] A:Part[1].N B:Part[1]\n");
}

static void a_layer_runs_several_times(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"Model_0{ AlbertLayer_0{ N_0{A} B } AlbertLayer_0{ N_0{A} B }"
		" AlbertLayer_0{ N_0{A} B } }",
		"layer 3 AlbertLayer: A:N B\n");
}

static void passes_are_apart(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"M_0{ X_0{E} ALayer_0{ N_0{A} } ALayer_1{ N_1{A} } }|"
		"M_0{ X_0{E} ALayer_0{ N_0{A} } ALayer_1{ N_1{A} } }",
		"before 2: E:X\nlayer 4 ALayer: A:N\n");
	assert_int_equal(w->l.instances[4].number, 0);
}

/* One pass runs the model twice. */
static void launches_between_two_executions(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"M_0{ X_0{E} ALayer_0{ N_0{A} } Q ALayer_1{ N_1{A} } }"
		"M_0{ X_0{E} ALayer_0{ N_0{A} } Q ALayer_1{ N_1{A} } }",
		"before 1: E:X\nlayer 4 ALayer: A:N Q\nbetween 1: E:X\n");
}

/* Launches of the second stream come while the next layer runs. */
static void streams_that_lag(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"M_0{ ALayer_0{ N_0{A} C_0{c} B B } ALayer_1{ N_1{A} C_1{c} B"
		" B } ALayer_2{ N_2{A} C_2{c} B B } }",
		"layer 3 ALayer: A:N B B c:C\n");
}

static void unknown_calls_are_around(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"?A ?B M_0{ ALayer_0{ N_0{A} B ?Z } ALayer_1{ N_1{A} B }"
		" ALayer_2{ N_2{A} B } } ?Y",
		"before 1: A B\nlayer 3 ALayer: A:N B Z\nafter 1: Y\n");
	assert_true(w->l.confidence > 0.5 && w->l.confidence < 0.7);
}

static void mostly_unknown_calls_give_no_layers(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"?A ?B ?A ?B ?A ?B M_0{ ALayer_0{ N_0{A} B }"
		" ALayer_1{ N_1{A} B } }",
		"modules are known for only 40 % of the GPU time, too little to "
		"find layers");
}

static void one_layer_alone_is_not_detected(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL, "M_0{ X_0{E} ALayer_0{ N_0{A} B } }",
		"modules around launches give only one layer per pass");
}

static void leaves_are_no_layers(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL, "M_0{ Conv2d_0{A} ReLU_0{B} Conv2d_1{A} ReLU_1{B} }",
		"no modules or numbered ranges around launches repeat as "
		"layers do");
}

static void wrappers_are_looked_through(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"FullyShardedDataParallel_0{ Model_0{"
		" FullyShardedDataParallel_1{ ALayer_0{ N_0{A}"
		" MLP_0{ Sequential_0{ Linear_0{B} Linear_1{B} } } } }"
		" FullyShardedDataParallel_2{ ALayer_1{ N_1{A}"
		" MLP_1{ Sequential_1{ Linear_2{B} Linear_3{B} } } } } } }",
		"layer 2 ALayer: A:N B:MLP.Linear[0]/gate_up"
		" B:MLP.Linear[1]/down\n");
}

static void little_that_repeats(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"M_0{ Big_0{ A A A A A A A A } E_0{ ALayer_0{ N_0{B} }"
		" ALayer_1{ N_1{B} } } }",
		"the modules that repeat hold less than a quarter of the GPU "
		"time");
}

static void no_ranges(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL, "A B A B",
		"no modules or numbered ranges are around launches");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(siblings_of_one_class_are_layers),
		SCENE_TEST(a_launch_may_do_something_else),
		SCENE_TEST(two_stacks_of_one_class),
		SCENE_TEST(two_kinds_of_one_class),
		SCENE_TEST(two_classes_below_one_parent),
		SCENE_TEST(a_layer_that_is_cut_off_is_of_its_kind),
		SCENE_TEST(modules_named_layer_come_first),
		SCENE_TEST(else_the_outermost),
		SCENE_TEST(a_layer_runs_several_times),
		SCENE_TEST(passes_are_apart),
		SCENE_TEST(launches_between_two_executions),
		SCENE_TEST(streams_that_lag),
		SCENE_TEST(unknown_calls_are_around),
		SCENE_TEST(mostly_unknown_calls_give_no_layers),
		SCENE_TEST(one_layer_alone_is_not_detected),
		SCENE_TEST(leaves_are_no_layers),
		SCENE_TEST(wrappers_are_looked_through),
		SCENE_TEST(little_that_repeats),
		SCENE_TEST(no_ranges),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
