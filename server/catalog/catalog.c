/* catalog.c - opens a catalog: reads its documents in order, and closes
 * them. */
#include "inside.h"
#include <stdio.h>
#include <stdlib.h>

static bool catalog_open_all(struct catalog *c, const struct catalog_own *own,
	struct err *e)
{
	static const struct catalog_own none = { 0 };

	own = own ? own : &none;
	return entries_carried(&c->operators[CARRIED], "operators.json",
		       "operators", e) &&
	       entries_own(&c->operators[OWN], own->operators, e) &&
	       entries_carried(&c->ops, "ops.json", "ops", e) &&
	       entries_carried(&c->modules, "modules.json", "modules", e) &&
	       entries_carried(&c->rules[CARRIED], "rules.json", "rules", e) &&
	       entries_own(&c->rules[OWN], own->rules, e) &&
	       entries_carried(&c->platforms[CARRIED], "platforms.json",
		       "platforms", e) &&
	       entries_own(&c->platforms[OWN], own->platforms, e) &&
	       entries_carried(&c->operator_blocks, "operator_blocks.json",
		       "operators", e) &&
	       entries_carried(&c->kernel_blocks, "operator_blocks.json",
		       "kernels", e) &&
	       entries_carried(&c->module_words, "module_roles.json", "words",
		       e) &&
	       entries_carried(&c->module_roles, "module_roles.json", "roles",
		       e) &&
	       entries_carried(&c->step_labels, "step_labels.json", "labels",
		       e) &&
	       entries_carried(&c->kernel_names, "kernel_names.json", "names",
		       e);
}

struct catalog *catalog_new(const struct catalog_own *own, struct err *e)
{
	struct catalog *c = calloc(1, sizeof *c);

	if (!c)
		abort();
	for (int part = OWN; part < PARTS; part++) {
		c->operators[part] = (struct entries){ .entry = "operator",
			.called = "name" };
		c->rules[part] =
			(struct entries){ .entry = "rule", .called = "match" };
		c->platforms[part] = (struct entries){ .entry = "platform",
			.called = "name" };
	}
	c->ops = c->modules = c->kernel_blocks = c->rules[CARRIED];
	c->operator_blocks =
		(struct entries){ .entry = "operator", .called = "operator" };
	c->module_words = c->module_roles =
		(struct entries){ .entry = "module", .called = "word" };
	c->step_labels =
		(struct entries){ .entry = "label", .called = "example" };
	c->kernel_names = (struct entries){ .entry = "name", .called = "of" };
	snprintf(c->version, sizeof c->version, "%d", CATALOG_VERSION);
	if (own && own->version)
		snprintf(c->version, sizeof c->version, "%d+%lld",
			CATALOG_VERSION, (long long)own->version);
	if (catalog_open_all(c, own, e) && operators_read(c, e) &&
		rules_read(c, e) && platforms_read(c, e) &&
		layer_words_read(c, e) && step_labels_read(c, e) &&
		kernel_stem_read(c, e) && (c->costs = costs_new(c, e)))
		return c;
	catalog_free(c);
	return NULL;
}

void catalog_free(struct catalog *c)
{
	if (!c)
		return;
	costs_free(c->costs);
	step_labels_free(c);
	matcher_free(c->names_matcher);
	matcher_free(c->op.matcher);
	matcher_free(c->module.matcher);
	matcher_free(c->device.matcher);
	matcher_free(c->kernel_word.matcher);
	matcher_free(c->module_match.matcher);
	kernel_stem_release(c);
	for (int part = OWN; part < PARTS; part++) {
		entries_release(&c->operators[part]);
		entries_release(&c->rules[part]);
		entries_release(&c->platforms[part]);
	}
	entries_release(&c->ops);
	entries_release(&c->modules);
	entries_release(&c->operator_blocks);
	entries_release(&c->kernel_blocks);
	entries_release(&c->module_words);
	entries_release(&c->module_roles);
	entries_release(&c->step_labels);
	entries_release(&c->kernel_names);
	arena_release(&c->arena);
	free(c);
}

const char *catalog_version(const struct catalog *c)
{
	return c->version;
}
