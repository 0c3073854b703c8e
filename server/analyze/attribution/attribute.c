/* attribute.c - the ways of knowing, one after the other, then rows. */
#include "attribute.h"
#include "attribute_graph.h"
#include "attribute_host.h"
#include "attribute_node.h"
#include "attribute_op.h"
#include "attribute_range.h"
#include "attribute_rows.h"
#include "attribute_serving.h"
#include "profile.h"

/* The platform of a device's name; NULL. */
static const struct platform *named(const struct catalog *c, const char *name)
{
	return name && *name ? catalog_device(c, name) : NULL;
}

/* The platform of all devices that the file lists for a process; NULL where
 * they are not alike. ROCm's traces number the devices that ran otherwise than
 * those they list, but a process runs on none it does not see. */
static const struct platform *listed(const struct attribution *at)
{
	const struct trace *t = at->trace;
	const struct platform *all = NULL;

	for (uint32_t i = 0; i < t->devices_n; i++) {
		const struct device *d = &t->devices[i];
		if (d->process >= 0 && (uint32_t)d->process != at->process)
			continue;
		const struct platform *own =
			named(at->catalog, names_text(&t->names, d->name));
		if (!own || (all && own != all))
			return NULL;
		all = own;
	}
	return all;
}

/* The platform of all devices that ran something, NULL where one's is unknown
 * or another. */
static const struct platform *platform_of(const struct attribution *at)
{
	const struct profile *p = at->profile;
	const struct platform *all = NULL;

	for (uint32_t i = 0; i < p->devices_n; i++) {
		const struct platform *own =
			p->devices[i].name
				? named(at->catalog, p->devices[i].name)
				: listed(at);
		if (!own || (all && own != all))
			return NULL;
		all = own;
	}
	return all;
}

static void begin(struct attribution *at, const struct cycle_rows *cycles)
{
	const struct profile *p = at->profile;
	uint32_t n = at->proc->kernel.to - at->proc->kernel.from;

	for (uint32_t i = 0; i < p->kernels_n; i++)
		if (p->kernels[i].operator)
			at->by_rule[i] = catalog_operator(at->catalog,
				p->kernels[i].operator);
	for (uint32_t i = 0; i < n; i++)
		at->of[i] = (struct attributed){ .known = KNOWN_NOT,
			.phase = attribute_phase(p, cycles->kernel[i]),
			.call = LAUNCH_NO_CALL };
}

static void by_rule(struct attribution *at)
{
	for (uint32_t i = 0; i < at->proc->kernel.to - at->proc->kernel.from;
		i++) {
		struct attributed *to = &at->of[i];
		if (to->operator|| !at->by_rule[at->kernel_of[i]])
			continue;
		to->operator= at->by_rule[at->kernel_of[i]];
		to->known = KNOWN_RULE;
	}
}

bool attribute_from(const struct trace *t, uint32_t process,
	const struct catalog *c, const struct graph_book *book,
	const uint32_t *kernel_of, const uint32_t *call_of,
	const struct cycle_rows *cycles, struct profile *p,
	struct attribution *at)
{
	const struct process *proc = &t->processes[process];
	size_t n = (size_t)(proc->kernel.to - proc->kernel.from) + 1;
	struct host host;

	*at = (struct attribution){ .trace = t,
		.process = process,
		.proc = proc,
		.catalog = c,
		.profile = p,
		.kernel_of = kernel_of,
		.call_of = call_of,
		.host = &host,
		.book = book,
		.arena = p->arena };
	at->platform = platform_of(at);
	at->of = arena_grow(p->arena, NULL, n * sizeof *at->of);
	at->by_rule = arena_grow(p->arena, NULL,
		((size_t)p->kernels_n + 1) * sizeof *at->by_rule);
	bool ok = host_init(&host, at) && at->of && at->by_rule;
	if (ok)
		begin(at, cycles);
	ok = ok && attribute_captures(at) && attribute_ranges(at) &&
	     attribute_op(at) && attribute_modules(at) && attribute_nodes(at) &&
	     attribute_graphs(at);
	if (ok)
		by_rule(at);
	ok = ok && attribute_serving(at) && attribute_rows(at, cycles);
	host_release(&host);
	at->host = NULL;
	return ok;
}

void attribute_release(struct attribution *at)
{
	if (!at->arena)
		return;
	arena_drop(at->arena, at->of);
	arena_drop(at->arena, at->by_rule);
}
