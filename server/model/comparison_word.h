/* comparison_word.h - the text for each value of a comparison's enums, used in
 * API answers, tables and sentences. */
#pragma once
#include "comparison.h"

static const char *const comparison_word_class[] = {
	[CHANGE_REGRESSED] = "regressed",
	[CHANGE_APPEARED] = "appeared",
	[CHANGE_IMPROVED] = "improved",
	[CHANGE_VANISHED] = "vanished",
	[CHANGE_LIKELY] = "likely",
	[CHANGE_WITHIN_MARGIN] = "within_margin",
	[CHANGE_UNDECIDED] = "undecided",
	[CHANGE_UNCHANGED] = "unchanged",
};
enum {
	CHANGE_CLASSES =
		sizeof comparison_word_class / sizeof *comparison_word_class
};

static const char *const comparison_word_evidence[] = {
	[EVIDENCE_NONE] = "none",
	[EVIDENCE_RUNS] = "runs",
	[EVIDENCE_ITERATIONS] = "iterations",
	[EVIDENCE_LAUNCHES] = "launches",
};

static const char *const comparison_word_floor[] = {
	[FLOOR_DEFAULT] = "default",
	[FLOOR_LEARNED] = "estimated",
	[FLOOR_GIVEN] = "given",
};

static const char *const comparison_word_identity[] = {
	[ROW_BY_NAME] = "name",
	[ROW_RENAMED] = "renamed",
	[ROW_VARIANT] = "variant",
	[ROW_SEVERAL] = "several",
};

static const char *const comparison_word_match[] = {
	[GROUP_ALONE] = "alone",
	[GROUP_BY_LABEL] = "label",
	[GROUP_BY_SIZES] = "sizes",
	[GROUP_BY_EXCLUSION] = "exclusion",
};

static const char *const comparison_word_decomposed[] = {
	[DECOMPOSED_ITERATION] = "iteration",
	[DECOMPOSED_TOKEN] = "output_token",
};

static const char *const comparison_word_severity[] = {
	[FINDING_INFO] = "info",
	[FINDING_WARN] = "warn",
	[FINDING_REFUSE] = "refuse",
};

static const struct {
	const char *word, *what;
} comparison_word_part[] = {
#define SPLIT_PART(code, word, what) { word, what },
#include "split_part.def"
#undef SPLIT_PART
};
