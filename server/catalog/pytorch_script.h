/* pytorch_script.h - a Python script that runs an operator at one shape with
 * PyTorch, and measures it.
 *
 * data/pytorch_operators.py has one function per operator, and some operators
 * have several, for different sizes. data/pytorch_frame.py is the rest of each
 * script. The parameters of a function are the sizes that it uses; a shape must
 * have those without a default. Of a trace, a script contains only whole
 * numbers: names of sizes are those of the function. */
#pragma once
#include "arena.h"
#include "err.h"
#include "shape.h"

/* Whether there is a script for the operator at this shape. Otherwise
 * ERR_NOT_FOUND with a sentence, which names the missing size. */
bool pytorch_script_fits(const char *op, const struct shape *s, struct err *e);

/* Writes the script. `facts` are lines about the measurements, which its first
 * comment shows; characters other than printable ASCII are replaced there. The
 * caller frees the text. NULL with *e as for pytorch_script_fits(). */
char *pytorch_script_write(const char *op, const struct shape *s,
	const char *facts, struct err *e);
