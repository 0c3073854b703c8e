/* nvtx_json.h - JSON text into a piece of memory of given size.
 *
 * Written as the server writes the payloads it reads from other profilers'
 * files: no blanks, numbers in full, control characters as \u00XX, bytes that
 * are no UTF-8 as U+FFFD. No locale has a say. Past the room it is `full` and
 * its bytes are none. */
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nvtx_json {
	char *at;
	size_t len, room;
	bool full;
};

void nvtx_json_raw(struct nvtx_json *j, const char *s, size_t len);
/* A comma, except if the thing just opened is still empty. */
void nvtx_json_comma(struct nvtx_json *j);
void nvtx_json_text(struct nvtx_json *j, const char *s, size_t len);
void nvtx_json_int(struct nvtx_json *j, int64_t v);
void nvtx_json_uint(struct nvtx_json *j, uint64_t v);
/* null if it is not finite. */
void nvtx_json_real(struct nvtx_json *j, double v);
/* A number as printf wrote it, with the point of the host's locale. */
void nvtx_json_printed(struct nvtx_json *j, const char *text, size_t len);

/* At most `len`, and not within a character. */
size_t nvtx_utf8_clip(const char *s, size_t len);
/* Wide characters as UTF-8; an invalid one is U+FFFD. Returns the bytes
 * written, at most `room`; a character that does not fit ends the text. */
size_t nvtx_utf8_from(char *to, size_t room, const void *wide);
