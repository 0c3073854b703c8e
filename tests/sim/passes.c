/* passes.c - converts letters to kernels with times. */
#include "passes.h"
#include "xoshiro.h"
#include <stdlib.h>
#include <string.h>

enum { LETTERS = 128, DUR_NS = 1000, GAP_NS = 100, DRAWN_MAX = 96 };
enum { RIM = 2 /* launches at a layer's ends */ };

/* The names of the letters if names are real. */
static const struct {
	char letter;
	const char *name;
} real[] = {
	{ 'n', "void vllm::rms_norm_kernel<c10::BFloat16>(c10::BFloat16*)" },
	{ 'N', "void vllm::fused_add_rms_norm_kernel<c10::BFloat16, 8>()" },
	{ 'q', "nvjet_sm90_tst_64x16_64x16_4x1_v_bz_TNT" },
	{ 'h', "void vllm::qk_norm_rms_norm_kernel<c10::BFloat16>()" },
	{ 'r', "void vllm::rotary_embedding_kernel<c10::BFloat16, true>()" },
	{ 's', "void vllm::reshape_and_cache_flash_kernel<unsigned short>()" },
	{ 'f', "fmhaSm100fKernel_QkvBfloat16OBfloat16H128PagedKvCausalP64" },
	{ 'F', "fmhaSm100fKernel_QkvBfloat16OBfloat16H128PagedKvSliding" },
	{ 'o', "nvjet_sm90_tst_32x64_64x16_4x1_v_bz_TNN" },
	{ 'g', "nvjet_sm90_tst_256x16_64x6_4x1_v_bz_TNT" },
	{ 'a', "void vllm::act_and_mul_kernel<c10::BFloat16>()" },
	{ 'd', "nvjet_sm90_tst_64x16_64x16_2x1_2cta_v_bz_splitK_TNT" },
	{ 'k', "void cublasLt::splitKreduce_kernel<32, 16, int, float>()" },
	{ 'R', "nvjet_sm90_tst_64x32_64x16_2x4_2" },
	{ 't', "void vllm::moe::topkGating<8, 256, 4, 16>()" },
	{ 'e', "void cutlass::device_kernel<GemmGroupedExperts>()" },
	{ 'x', "void elementwise_a<float>()" },
	{ 'y', "void elementwise_b<float>()" },
	{ 'z', "void elementwise_c<float>()" },
	{ 'Q', "void per_token_group_quant_8bit_kernel<c10::BFloat16>()" },
	{ 'C', "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgs)" },
	{ 'E', "void indexSelectSmallIndex<c10::BFloat16, long>()" },
	{ 'L', "nvjet_sm90_tst_128x16_64x12_2x1_2cta_v_bz_TNT" },
	{ 'S', "void sampling_from_probs<float>()" },
};

struct drawer {
	struct passes *p;
	const struct passes_model *m;
	struct xoshiro x;
	struct arena *a;
	struct attributed *is; /* by letter */
	const char *kind[2];
	uint32_t room;
	int64_t at_ns;
	uint32_t pass, number; /* PASSES_NO_LAYER outside */
	bool dropping; /* not in the recording */
	bool torn; /* the kernel before was lost or inserted */
	uint32_t rim; /* preceding item + 1, if at a layer's end; else 0 */
};

static bool chance(struct drawer *d, uint32_t of_1000)
{
	return xoshiro_below(&d->x, 1000) < of_1000;
}

static void item(struct drawer *d, int letter, uint32_t lane, int64_t at_ns,
	uint32_t layer)
{
	struct layer_seq *s = &d->p->s;

	if (s->n == d->room) {
		d->room = d->room * 2 + 1024;
		s->items =
			arena_grow(d->a, s->items, d->room * sizeof *s->items);
		d->p->layer = arena_grow(d->a, d->p->layer,
			d->room * sizeof *d->p->layer);
	}
	d->p->layer[s->n] = layer;
	s->items[s->n++] = (struct layer_item){ .start_ns = at_ns,
		.dur_ns = DUR_NS,
		.symbol = (uint32_t)letter,
		.lane = lane,
		.pass = d->pass,
		.kind = LAYER_KERNEL,
		.is = &d->is[letter] };
}

/* Inserts another launch of an existing kernel, or a launch of a kernel that
 * occurs nowhere else. */
static void put_in(struct drawer *d, const char *among)
{
	uint32_t n = (uint32_t)strlen(among);
	int letter = n && chance(d, 500) ? among[xoshiro_below(&d->x, n)]
					 : 'u' + (int)xoshiro_below(&d->x, 6);

	item(d, letter, 0, d->at_ns, PASSES_ANY);
	d->at_ns += DUR_NS + GAP_NS;
}

static void launch(struct drawer *d, const char *letters)
{
	uint32_t n = (uint32_t)strlen(letters);

	for (const char *at = letters; *at; at++) {
		uint32_t i = (uint32_t)(at - letters);
		bool lost = chance(d, d->m->noise / 2);
		bool more = chance(d, d->m->noise / 2);
		/* Next to a lost or inserted kernel at a layer's end, the side
		 * of a launch cannot be determined. */
		bool inner =
			d->number != PASSES_NO_LAYER && i >= RIM && i + RIM < n;
		bool certain = inner || (!d->torn && !more);
		d->torn = lost || more;
		if (lost && d->rim)
			d->p->layer[d->rim - 1] = PASSES_ANY;
		if (!lost && !d->dropping) {
			item(d, *at, 0, d->at_ns,
				certain ? d->number : PASSES_ANY);
			d->rim = inner ? 0 : d->p->s.n;
			if (chance(d, 150))
				item(d, 'W' + (int)xoshiro_below(&d->x, 3), 2,
					d->at_ns + GAP_NS, PASSES_ANY);
			d->at_ns += DUR_NS + GAP_NS;
		}
		if (more && !d->dropping)
			put_in(d, letters);
	}
	/* A side kernel of the layer runs next to its end, on another stream. */
	if (d->number != PASSES_NO_LAYER && !d->dropping)
		item(d, 'C', 1, d->at_ns - GAP_NS / 2, PASSES_ANY);
}

uint32_t passes_kind(const struct passes *p, enum passes_order order,
	uint32_t layer)
{
	switch (order) {
	case ORDER_GROUPED:
	case ORDER_STACKS:
		return layer < p->alone;
	case ORDER_ALTERNATE:
		return layer % 2;
	default:
		return 0;
	}
}

/* Makes the recording start in the middle of a layer of the first pass and end
 * in the middle of a layer of the last pass. */
static void cut(struct drawer *d, uint32_t layer)
{
	uint32_t half = d->p->layers / 2;

	if (d->m->how != HOW_CUT)
		return;
	if (d->pass == 0)
		d->dropping = layer < half;
	else if (d->pass + 1 == d->m->passes)
		d->dropping = layer > half;
}

static void pass(struct drawer *d)
{
	const struct passes_model *m = d->m;
	struct layer_pass *to = &d->p->s.passes[d->pass];

	to->start_ns = d->at_ns;
	d->number = PASSES_NO_LAYER;
	cut(d, 0);
	launch(d, m->before);
	for (uint32_t i = 0; i < d->p->layers; i++) {
		if (m->order == ORDER_STACKS && i == d->p->alone) {
			d->number = PASSES_NO_LAYER;
			launch(d, m->between);
		}
		cut(d, i);
		d->number = i;
		launch(d, d->kind[passes_kind(d->p, m->order, i)]);
	}
	d->number = PASSES_NO_LAYER;
	cut(d, d->p->layers);
	launch(d, m->behind);
	if (m->how == HOW_AHEAD) {
		launch(d, "EnnxL");
		launch(d, d->kind[0]);
		launch(d, "nLS");
	}
	d->dropping = false;
	to->end_ns = d->at_ns;
	to->iteration = d->pass;
	d->at_ns += 100 * GAP_NS;
}

/* A layer with meaningless names: some of its kernels occur more than once. */
static char *drawn(struct drawer *d, int from)
{
	uint32_t n = 8 + xoshiro_below(&d->x, DRAWN_MAX - 8);
	uint32_t names = n * 2 / 3 < 26 ? n * 2 / 3 : 26;
	char *text = arena_array(d->a, char, n + 1);

	for (uint32_t i = 0; i < n; i++)
		text[i] = (char)(from + (int)xoshiro_below(&d->x, names));
	/* Layers cannot be determined if no kernel occurs exactly once per
	 * layer. */
	text[0] = from == 'A' ? '!' : '#';
	return text;
}

/* The same layer with up to one in eight kernels replaced, but not the first. */
static char *varied(struct drawer *d, const char *text)
{
	uint32_t n = (uint32_t)strlen(text);
	char *other = arena_strdup(d->a, text);

	for (uint32_t i = 0; i < n / 8 + 1; i++)
		other[4 + xoshiro_below(&d->x, n - 4)] =
			(char)('a' + (int)xoshiro_below(&d->x, 20));
	return other;
}

static int by_start(const void *left, const void *right)
{
	const struct layer_item *a = left, *b = right;

	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* Sorts items and their truth by start. */
static void sort(struct drawer *d)
{
	struct layer_seq *s = &d->p->s;
	uint32_t *layer = arena_array(d->a, uint32_t, s->n + 1);

	for (uint32_t i = 0; i < s->n; i++) {
		layer[i] = d->p->layer[i];
		s->items[i].row = i;
	}
	qsort(s->items, s->n, sizeof *s->items, by_start);
	for (uint32_t i = 0; i < s->n; i++)
		d->p->layer[i] = layer[s->items[i].row];
}

static void name(struct drawer *d, const struct catalog *c)
{
	struct profile *profile = arena_new(d->a, struct profile);

	d->is = arena_array(d->a, struct attributed, LETTERS);
	profile->kernels = arena_array(d->a, struct profile_kernel, LETTERS);
	profile->kernels_n = LETTERS;
	for (int i = 0; i < LETTERS; i++) {
		profile->kernels[i].name = arena_printf(d->a, "k%d", i);
		d->is[i].call = LAUNCH_NO_CALL;
	}
	for (size_t i = 0;
		d->m->how != HOW_BLANK && i < sizeof real / sizeof *real; i++) {
		const char *text = real[i].name;
		int letter = real[i].letter;
		profile->kernels[letter].name = text;
		d->is[letter].op =
			catalog_kernel_operator(c, text, strlen(text));
	}
	d->p->s = (struct layer_seq){ .profile = profile,
		.catalog = c,
		.lanes = 3,
		.symbols = LETTERS,
		.passes = arena_array(d->a, struct layer_pass, d->m->passes),
		.passes_n = d->m->passes,
		.arena = d->a };
}

void passes_draw(struct passes *p, const struct passes_model *m, uint64_t seed,
	const struct catalog *c, struct arena *a)
{
	struct drawer d = { .p = p, .m = m, .a = a };

	*p = (struct passes){ 0 };
	xoshiro_init(&d.x, seed);
	name(&d, c);
	p->layers = m->layers_min +
		    xoshiro_below(&d.x, m->layers_max - m->layers_min + 1);
	if (m->order == ORDER_GROUPED)
		p->alone = 1 + xoshiro_below(&d.x, 4);
	else if (m->order == ORDER_STACKS)
		p->alone = p->layers / 3;
	d.kind[0] = m->kind[0] ? m->kind[0] : drawn(&d, 'A');
	d.kind[1] = m->kind[1] ? m->kind[1] : varied(&d, d.kind[0]);
	for (d.pass = 0; d.pass < m->passes; d.pass++)
		pass(&d);
	sort(&d);
}
