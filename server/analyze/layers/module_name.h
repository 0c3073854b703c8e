/* module_name.h - splits the name of a range into parts. Each part is a class,
 * an attribute or words, with or without a number.
 *
 *   nn.Module: Qwen2DecoderLayer_5        Qwen2DecoderLayer, 5
 *   model.layers.3.self_attn (a module)   model · layers, 3 · self_attn
 *   decoder.layers.3, decoder/layer_3     decoder · layers, 3
 *   layer 3, layer_3, Layer[3], layer3    layer, 3
 *   layer 3 attention                     layer, 3 · attention
 *   self.o_proj                           self.o_proj
 *
 * Points and slashes split a name only if it is the path of a module, or if
 * there is a number between two of them. A number directly after letters is
 * split off only from words for a layer or block ("layer3"); "w13" is not
 * split. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MODULE_NAME_PARTS = 24 };

struct module_name_part {
	const char *text; /* within the name */
	size_t len;
	int64_t number; /* -1: none */
};

struct module_name {
	struct module_name_part parts[MODULE_NAME_PARTS];
	uint32_t n; /* 0: the name has no usable part */
	bool class_name; /* a module's class; else attributes or words */
	bool wraps; /* a class that only contains others: Sequential, FSDP's */
};

/* `module`: the text is a module's name, as frame_name.h computes it. */
void module_name_read(const char *text, bool module, struct module_name *out);

/* Returns whether a text is a name for a layer or block: it ends with such a
 * word, or is GPT-2's "h". */
bool module_name_is_layer(const char *text, size_t len);
