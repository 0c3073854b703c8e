/* concrete_inputs.h - reads Concrete Inputs, the values of a host operator's
 * arguments.
 *
 * They are a JSON list with one text per argument, in the order of the
 * operator's schema: "" for tensors and None, "True" and "False", numbers
 * ("1", "0.125"), lists of numbers ("[1, 1]") and other texts. A value may also
 * be written without quotes. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CONCRETE_INPUTS_MAX = 128 };

struct concrete_inputs {
	struct {
		const char *at; /* in the JSON text */
		uint32_t len;
	} value[CONCRETE_INPUTS_MAX];
	uint32_t n;
};

/* Reads the list. `json` may be "" or NULL: then there are no values. False,
 * with no values, if the text is not a list or has too many values. */
bool concrete_inputs_read(struct concrete_inputs *c, const char *json);

/* Whether the argument has no value: a tensor, None or beyond the end. */
bool concrete_inputs_none(const struct concrete_inputs *c, uint32_t arg);
/* Whether the value is exactly this text. */
bool concrete_inputs_is(const struct concrete_inputs *c, uint32_t arg,
	const char *text, size_t len);
/* Read a value; false if it has another form or exceeds 64 bits. */
bool concrete_inputs_whole(const struct concrete_inputs *c, uint32_t arg,
	int64_t *v);
bool concrete_inputs_bool(const struct concrete_inputs *c, uint32_t arg,
	int64_t *v);
/* Reads at most `max` whole numbers; a single number is a list of one. Returns
 * how many; -1 if the value has another form or is too long. */
int concrete_inputs_list(const struct concrete_inputs *c, uint32_t arg,
	int64_t *v, int max);
/* Counts the True among the first n of a list of bools; -1 if the value has
 * another form. */
int concrete_inputs_trues(const struct concrete_inputs *c, uint32_t arg, int n);
