/* kst_resume.h - continues a capture that has no end, for kst_merge.c.
 *
 * The rows already contain ids instead of names, for texts and for launches. */
#pragma once
#include <kernsift/kst_writer.h>

/* Creates a writer whose next chunk and next text have the numbers in `place`.
 * It writes no opening. NULL if there is no memory. */
struct kst_writer *kst_writer_resume(const struct kst_place_in *place,
	kst_write_fn *write, void *ctx, const struct kst_options *options);
/* Writes a text. It gets the next id. */
bool kst_writer_put_text(struct kst_writer *w, const char *text, size_t len);
/* Writes a row given as all its cells. */
bool kst_writer_put_row(struct kst_writer *w, int kind, const uint64_t *cells);
