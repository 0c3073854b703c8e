/* nvtx_json.h - writes JSON text into memory of a given size.
 *
 * The text has the form in which the server writes the payloads of other
 * profilers' files: no blanks, all digits of a number, control characters as
 * \u00XX, bytes that are not UTF-8 as U+FFFD. It does not depend on a locale.
 * If the text does not fit, `full` is set and the bytes must not be used. */
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
/* Writes a comma, unless the object or list that was just opened is empty. */
void nvtx_json_comma(struct nvtx_json *j);
void nvtx_json_text(struct nvtx_json *j, const char *s, size_t len);
void nvtx_json_int(struct nvtx_json *j, int64_t v);
void nvtx_json_uint(struct nvtx_json *j, uint64_t v);
/* Writes null if `v` is not finite. */
void nvtx_json_real(struct nvtx_json *j, double v);
/* Writes a number that printf formatted with the decimal point of the
 * locale. */
void nvtx_json_printed(struct nvtx_json *j, const char *text, size_t len);

/* The largest length up to `len` that does not cut a character of `s`. */
size_t nvtx_utf8_clip(const char *s, size_t len);
/* Converts wide characters to UTF-8. An invalid character becomes U+FFFD.
 * Returns the number of bytes written, at most `room`. The text ends before a
 * character that does not fit. */
size_t nvtx_utf8_from(char *to, size_t room, const void *wide);
