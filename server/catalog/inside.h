/* inside.h - structure of a catalog; private to this folder.
 *
 * In every list, an installation's entries precede those carried in the
 * program. The documents or the arena own the texts. */
#pragma once
#include "catalog.h"
#include "entries.h"
#include "matcher.h"

struct costs;
struct stem_rule;

struct catalog {
	struct arena arena;
	char version[48];
	struct entries rules[PARTS], operators[PARTS], platforms[PARTS], ops,
		modules;

	struct rule_info *rule;
	const struct operator_info **rule_op; /* operator of rule[i] */
	uint32_t rule_n, rule_own;
	struct matcher_rules names; /* the patterns of all rules */
	struct matcher *names_matcher;

	struct operator_info *op_row;
	const struct operator_info **by_name;
	uint32_t operator_n;
	struct meanings op, module;

	struct platform *platform;
	const struct platform **platform_by_name;
	uint32_t platform_n;
	struct meanings device;

	struct costs *costs;

	struct entries step_labels;
	struct step_pattern *step_pattern; /* in the order of the file */
	uint32_t step_patterns;

	struct entries operator_blocks, kernel_blocks;
	struct operator_word *operator_word; /* in the order of the file */
	uint32_t operator_words;
	struct meanings kernel_word;

	struct entries module_words, module_roles;
	struct module_word *module_word; /* in the order of the file */
	struct module_rule *module_rule;
	uint32_t module_word_n, module_rule_n;
	struct meanings module_match; /* each means a struct module_word */

	struct entries kernel_names;
	struct stem_rule *stem_rule; /* in the order of the file */
	uint32_t stem_rule_n;
	struct meanings stem_match; /* each means a struct stem_rule */
};

/* Each function reads documents that are already open. Call them in this
 * order. */
bool operators_read(struct catalog *c, struct err *e);
bool rules_read(struct catalog *c, struct err *e);
bool platforms_read(struct catalog *c, struct err *e);
bool layer_words_read(struct catalog *c, struct err *e);
bool step_labels_read(struct catalog *c, struct err *e);
void step_labels_free(struct catalog *c);
bool kernel_stem_read(struct catalog *c, struct err *e);
void kernel_stem_release(struct catalog *c);

/* Reads the carried formulas and those of own operators; requires the
 * operators. NULL with a sentence if a formula is wrong. */
struct costs *costs_new(const struct catalog *c, struct err *e);
void costs_free(struct costs *c);
