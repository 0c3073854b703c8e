/* attribute_op.c - what was open at the call, unless the name contradicts. */
#include "attribute_op.h"
#include "attribute_host.h"
#include "correlation.h"
#include <string.h>

bool attribute_replayed(const struct attribution *at, uint32_t i)
{
	const struct trace *t = at->trace;
	uint32_t row = at->proc->kernel.from + i, call = at->call_of[i];

	if (t->kernel.graph_node[row] > 0)
		return true;
	return call != CORRELATION_NONE &&
	       strstr(names_text(&t->names, t->call.name[call]), "GraphLaunch");
}

static bool take(struct attribution *at, uint32_t row,
	const struct operator_info *is, struct attributed *to)
{
	uint32_t *call = &at->host->call[row - at->proc->op.from];

	if (!*call)
		*call = ++at->calls;
	to->operator= is;
	to->call = *call - 1;
	bool ok = host_shape(at->host, row, is, &to->sizes);
	to->known = to->sizes ? KNOWN_OP_SIZES : KNOWN_OP;
	return ok;
}

/* Whether a kernel's name knows better than the operator around it: work of
 * its own that was only called from there, or an exchange between devices. */
static bool by_rule_alone(const struct operator_info *host,
	const struct operator_info *by_rule)
{
	return by_rule && (catalog_fit(host, by_rule) == FIT_HELD ||
				  by_rule->collective != host->collective);
}

static bool from_row(struct attribution *at, uint32_t row, const char *kernel,
	const struct operator_info *by_rule, struct attributed *to)
{
	if (row == HOST_NONE)
		return true;
	const struct name *op = &at->trace->names.list[at->trace->op.name[row]];
	bool own = !strcmp(op->text, kernel) ||
		   !strncmp(op->text, "triton_", strlen("triton_"));
	if (own && by_rule && !host_operator(at->host, row))
		return take(at, row, by_rule, to);
	row = host_known(at->host, row);
	if (row == HOST_NONE)
		return true;
	const struct operator_info *is = host_operator(at->host, row);
	return by_rule_alone(is, by_rule) || take(at, row, is, to);
}

/* What the rule over a kernel's name as the trace has it says. */
static const struct operator_info *rule_of(const struct attribution *at,
	uint32_t name)
{
	const struct name *n = &at->trace->names.list[name];
	return catalog_kernel_operator(at->catalog, n->text, n->len);
}

/* Calls that only recorded their launch, for a graph. */
static bool captured(struct attribution *at)
{
	const struct call_rows *c = &at->trace->call;

	for (uint32_t i = 0; i < at->captured_n; i++) {
		uint32_t call = at->captured[i];
		if (at->of_captured[i].operator)
			continue;
		uint32_t row =
			host_innermost(at->host, call, c->external_id[call]);
		if (!from_row(at, row,
			    names_text(&at->trace->names, c->kernel[call]),
			    rule_of(at, c->kernel[call]), &at->of_captured[i]))
			return false;
	}
	return true;
}

bool attribute_op(struct attribution *at)
{
	uint32_t n = at->proc->kernel.to - at->proc->kernel.from;
	const int64_t *external_id = at->trace->kernel.external_id;
	uint32_t from = at->proc->kernel.from;

	for (uint32_t i = 0; i < n; i++) {
		if (at->of[i].operator|| attribute_replayed(at, i))
			continue;
		uint32_t kernel = at->kernel_of[i];
		uint32_t row = host_innermost(at->host, at->call_of[i],
			external_id[from + i]);
		if (!from_row(at, row, at->profile->kernels[kernel].name,
			    at->by_rule[kernel], &at->of[i]))
			return false;
	}
	return captured(at);
}
