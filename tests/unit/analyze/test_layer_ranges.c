/* test_layer_ranges.c - finds layers from layerwise, numbered and named
 * ranges. */
#include "module_scene.h"
#include <stdio.h>

static void layerwise_ranges(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"@{'Module': 'model.embed_tokens', 'Inputs': []}{E}"
		"@{'Module': 'model.layers.0.input_layernorm'}{A}"
		"@{'Module': 'model.layers.0.self_attn.qkv_proj'}{B}"
		"@{'Module': 'model.layers.0.mlp.experts.7.w1'}{C}"
		"@{'Module': 'model.layers.1.input_layernorm'}{A}"
		"@{'Module': 'model.layers.1.self_attn.qkv_proj'}{B}"
		"@{'Module': 'model.layers.1.mlp.experts.7.w1'}{C}"
		"@{'Module': 'model.norm'}{N}"
		"@{'Module': 'lm_head'}{H}",
		"before 1: E:embed_tokens/embed\n"
		"layer 2: A:input_layernorm/input_norm B:self_attn.qkv_proj/qkv"
		" C:mlp.experts.7.w1/gate_up\n"
		"after 1: N:norm/final_norm H:lm_head/lm_head\n");
	assert_int_equal(w->l.detector, LAYERS_MODULES);
}

/* Each range gives its full path, below the path of the range around it. */
static void layerwise_ranges_in_each_other(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"@{'Module': 'model'}{"
		" @{'Module': 'model.layers.0'}{"
		" @{'Module': 'model.layers.0.self_attn'}{ A"
		" @{'Module': 'model.layers.0.self_attn.o_proj'}{B} } }"
		" @{'Module': 'model.layers.1'}{"
		" @{'Module': 'model.layers.1.self_attn'}{ A"
		" @{'Module': 'model.layers.1.self_attn.o_proj'}{B} } } }",
		"layer 2: A:self_attn B:self_attn.o_proj/o_proj\n");
}

static void a_layer_in_many_ranges(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"@decode{ @layer_0{ @layer_0 attention{A} @layer_0/mlp{B} }"
		" @layer_1{ @layer_1 attention{A} @layer_1/mlp{B} } }",
		"layer 2: A:attention B:mlp\n");
}

static void numbered_ranges(void **state)
{
	struct scene *w = *state;
	scene_is(w, NULL,
		"@request 1{ X @layer 0{ @self.input_layernorm{A} B }"
		" @layer 1{ @self.input_layernorm{A} B } Y }"
		"@request 2{ X @layer 0{ @self.input_layernorm{A} B }"
		" @layer 1{ @self.input_layernorm{A} B } Y }",
		"before 1: X\n"
		"layer 4: A:self.input_layernorm/input_norm B\n"
		"between 1: Y X\n"
		"after 1: Y\n");
	assert_int_equal(w->l.detector, LAYERS_RANGES);
	assert_string_equal(w->l.anchor, "layer");
}

static void a_requested_range(void **state)
{
	struct scene *w = *state;
	scene_is(w, "chunk",
		"M_0{ ALayer_0{ N_0{A} } ALayer_1{ N_1{A} } }"
		"@chunk{ X Y } Z @chunk{ X Y } @chunk{ X Y }",
		"before 1: A:M.ALayer[0].N A:M.ALayer[1].N\n"
		"layer 3 chunk: X Y\n"
		"between 1: Z\n");
}

static void a_requested_class(void **state)
{
	struct scene *w = *state;
	scene_is(w, "N", "M_0{ ALayer_0{ N_0{A} B } ALayer_1{ N_1{A} B } }",
		"layer 2 N: A\nbetween 1: B\nafter 1: B\n");
}

static void a_class_as_the_trace_spells_it(void **state)
{
	struct scene *w = *state;
	scene_is(w, "nn.Module: N",
		"M_0{ ALayer_0{ N_0{A} B } ALayer_1{ N_1{A} B } }",
		"layer 2 N: A\nbetween 1: B\nafter 1: B\n");
}

/* Layers in different stacks are of different kinds. */
static void a_class_within_two_stacks(void **state)
{
	struct scene *w = *state;
	scene_is(w, "N",
		"M_0{ V_0{ E_0{ ALayer_0{ N_0{A} } ALayer_1{ N_1{A} } } }"
		" T_0{ E_1{ ALayer_2{ N_2{B} } ALayer_3{ N_3{B} } } } }",
		"layer 2 V N: A\nlayer 2 T N: B\n");
}

static void one_that_is_not_there(void **state)
{
	struct scene *w = *state;
	scene_is(w, "chunk", "M_0{ ALayer_0{ N_0{A} } ALayer_1{ N_1{A} } }",
		"no range or module around launches is called 'chunk'");
}

/* Two replays: the kernels of each share a call, and one stream lags. */
static void replays_of_a_graph(void **state)
{
	static const char text[] =
		"@layer 0{ @attn{A} @mlp{b B} } @layer 1{ @attn{A} @mlp{b B} }";
	struct scene *w = *state;
	scene_made(w, arena_printf(&w->arena, "%s%s", text, text));
	for (uint32_t i = 0; i < w->s.n; i++)
		w->items[i].host_ns =
			w->items[i].host_ns < w->at_ns / 2 + 500 ? 1 : 2;
	assert_true(layering_by_ranges(&w->s, NULL, &w->l));
	assert_string_equal(scene_text(w), "layer 4: A:attn B:mlp b:mlp\n");
}

/* Scenes of any form with two passes each: each launch of a pass is in an
 * instance of that pass, and the instances are in order. */
static char *any_scene(unsigned *seed, int depth, char *to, const char *end)
{
	static const char *const names[] = { "ALayer_%d{", "BBlock_%d{",
		"Mod_%d{", "Linear_%d{", "@layer %d{", "@x.layers.%d.y{",
		"@step %d{", "@{'Module': 'm.layers.%d.z'}{" };

	for (int n = rand_r(seed) % 6; n > 0 && end - to > 400; n--) {
		int what = rand_r(seed) % 16;
		if (what < 9 && depth < 6) {
			to += sprintf(to, names[what % 8], rand_r(seed) % 4);
			to = any_scene(seed, depth + 1, to, end);
			to += sprintf(to, "} ");
		} else {
			to += sprintf(to, "%s%c ", what == 15 ? "?" : "",
				"ABCab"[rand_r(seed) % 5]);
		}
	}
	return to;
}

static void whatever_is_open(void **state)
{
	struct scene *w = *state;
	char text[4096];
	uint32_t found = 0;

	for (unsigned i = 1; i <= 400; i++) {
		unsigned seed = i;
		scene_clear(w);
		char *at = any_scene(&seed, 0, text, text + 1900);
		*at++ = '|';
		*any_scene(&seed, 0, at, at + 1900) = '\0';
		scene_made(w, text);
		assert_true(layering_by_ranges(&w->s, i % 5 ? NULL : "layers",
			&w->l));
		const struct layering *l = &w->l;
		assert_true(l->detector == LAYERS_NONE ? l->why != NULL
						       : l->why == NULL);
		if (l->detector == LAYERS_NONE)
			continue;
		found++;
		for (uint32_t k = 0; k < w->s.n; k++) {
			assert_true(l->instance[k] < l->instances_n);
			assert_int_equal(l->instances[l->instance[k]].pass,
				w->items[k].pass);
			assert_true(l->place[k] < l->places_n);
		}
		for (uint32_t k = 1; k < l->instances_n; k++)
			assert_true(l->instances[k].pass >=
				    l->instances[k - 1].pass);
	}
	assert_true(found > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		SCENE_TEST(layerwise_ranges),
		SCENE_TEST(layerwise_ranges_in_each_other),
		SCENE_TEST(a_layer_in_many_ranges),
		SCENE_TEST(numbered_ranges),
		SCENE_TEST(a_requested_range),
		SCENE_TEST(a_requested_class),
		SCENE_TEST(a_class_as_the_trace_spells_it),
		SCENE_TEST(a_class_within_two_stacks),
		SCENE_TEST(one_that_is_not_there),
		SCENE_TEST(replays_of_a_graph),
		SCENE_TEST(whatever_is_open),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
