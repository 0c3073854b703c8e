/* module_kind_name.h - kinds of layers that have one name get names of their own.
 *
 * Of stacks in different places: "Owlv2TextTransformer Owlv2EncoderLayer", by the
 * innermost module around that differs, else by its number. Of one stack: by what
 * only that kind has in it, "DecoderLayer (MoE)". */
#pragma once
#include "module_kind.h"

/* False where the arena is full. */
bool module_kind_names(const struct layer_seq *s, const struct module_marks *m,
	struct module_kinds *k);
