/* cycle_work_text.c - the largest sizes, counted and cut short. */
#include "cycle_work_text.h"
#include <inttypes.h>
#include <string.h>

enum { SIZE_SHOWN = 48, ITEMS_SHOWN = 2 };

static bool is_gemm(const char *name)
{
	static const char *const words[] = { "mm", "addmm", "bmm", "baddbmm",
		"addbmm", "linear", "matmul", "_scaled_mm", "_int_mm",
		"_grouped_mm", "_scaled_grouped_mm", "einsum" };
	const char *last = strrchr(name, ':');

	name = last ? last + 1 : name;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (!strcmp(name, words[i]))
			return true;
	return strstr(name, "conv") || strstr(name, "gemm");
}

uint8_t *cycle_work_gemms(const struct cycle_items *ops, const struct trace *t,
	struct arena *a)
{
	uint8_t *counts = arena_grow(a, NULL, (size_t)ops->n + 1);

	for (uint32_t i = 0; counts && i < ops->n; i++)
		counts[i] = is_gemm(
			names_text(&t->names, cycle_items_at(ops, i).name));
	return counts;
}

static const char *phase_text(enum phase phase)
{
	static const char *const texts[] = { [PHASE_UNKNOWN] = "step",
		[PHASE_PREFILL] = "prefill",
		[PHASE_DECODE] = "decode",
		[PHASE_MIXED] = "prefill and decode" };

	return texts[phase];
}

const char *cycle_work_serving(const struct serving *s, struct arena *a)
{
	const char *text = arena_printf(a, "%s, %" PRId64 " sequence%s",
		phase_text(s->phase), s->sequences,
		s->sequences == 1 ? "" : "s");

	if (!text || s->tokens < 0)
		return text;
	text = arena_printf(a, "%s, %" PRId64 " token%s", text, s->tokens,
		s->tokens == 1 ? "" : "s");
	if (!text || s->phase != PHASE_MIXED || s->context_tokens < 0)
		return text;
	return arena_printf(a, "%s (%" PRId64 " of %" PRId64 " in prefill)",
		text, s->context_tokens, s->context);
}

/* Elements of the first tensor of dims, so that large ones come first. */
static double elements(const char *dims)
{
	double n = 1, number = 0;
	bool any = false, digits = false;

	for (const char *c = dims + strspn(dims, "["); *c && *c != ']'; c++) {
		if (*c >= '0' && *c <= '9') {
			number = number * 10 + (*c - '0');
			digits = true;
		} else if (digits) {
			n *= number;
			number = 0;
			digits = false;
			any = true;
		}
	}
	return digits ? n * number : any ? n : 0;
}

/* How often each item is in the cycle, in s->item_met. */
static void count(const struct cycle_alike *s, uint32_t cycle, uint32_t by)
{
	const struct cycle_items *x = s->items;

	for (uint32_t i = x->from[cycle]; i < x->from[cycle + 1]; i++)
		if (!s->counts || s->counts[x->entry[i]])
			s->item_met[x->entry[i]] += by;
}

/* The item with most elements but for those taken; UINT32_MAX none. */
static uint32_t largest(const struct cycle_alike *s, uint32_t cycle,
	const struct trace *t, const uint32_t *taken, uint32_t taken_n)
{
	const struct cycle_items *x = s->items;
	uint32_t found = UINT32_MAX;
	double most = -1;

	for (uint32_t i = x->from[cycle]; i < x->from[cycle + 1]; i++) {
		uint32_t item = x->entry[i];
		bool new = s->item_met[item];
		for (uint32_t k = 0; k < taken_n; k++)
			new &= item != taken[k];
		if (!new)
			continue;
		double size = elements(names_text(&t->names,
				      cycle_items_at(x, item).size)) *
			      s->item_met[item];
		if (size > most || (size >= most && item < found)) {
			most = size;
			found = item;
		}
	}
	return found;
}

/* Where a text is cut, so that no character is. */
static int cut(const char *text)
{
	size_t n = strlen(text);

	if (n <= SIZE_SHOWN)
		return (int)n;
	for (n = SIZE_SHOWN; n && ((unsigned char)text[n] & 0xC0) == 0x80;)
		n--;
	return (int)n;
}

static const char *join(struct arena *a, const char *before, const char *name,
	const char *size, uint32_t n)
{
	int shown = cut(size);

	return arena_printf(a, "%s%s%.80s %.*s%s ×%" PRIu32, before,
		*before ? ", " : "", name, shown, size, size[shown] ? "…" : "",
		n);
}

const char *cycle_work_ops(const struct cycle_alike *s, uint32_t cycle,
	const struct trace *t, struct arena *a)
{
	const char *text = "";
	uint32_t taken[ITEMS_SHOWN], n = 0, item;

	count(s, cycle, 1);
	while (text && n < ITEMS_SHOWN &&
		(item = largest(s, cycle, t, taken, n)) != UINT32_MAX) {
		struct cycle_item key = cycle_items_at(s->items, item);
		text = join(a, text, names_text(&t->names, key.name),
			names_text(&t->names, key.size), s->item_met[item]);
		taken[n++] = item;
	}
	if (text && largest(s, cycle, t, taken, n) != UINT32_MAX)
		text = arena_printf(a, "%s, …", text);
	count(s, cycle, -1u);
	return text;
}

const char *cycle_work_grids(const struct cycle_alike *s, uint32_t cycle,
	struct arena *a)
{
	const struct cycle_items *x = s->items;
	uint32_t n = 0;

	for (uint32_t i = x->from[cycle]; i < x->from[cycle + 1]; i++)
		n += !s->name_met[cycle_items_at(x, x->entry[i]).name]++;
	for (uint32_t i = x->from[cycle]; i < x->from[cycle + 1]; i++)
		s->name_met[cycle_items_at(x, x->entry[i]).name] = 0;
	return arena_printf(a, "grids of %" PRIu32 " kernel%s", n,
		n == 1 ? "" : "s");
}
