/* stream.h - what writers.c and stream.c know of each other. */
#pragma once
#include "writers.h"

/* The queue's link; under the pool's lock. */
void stream_link(struct stream *s, struct stream *next);
struct stream *stream_linked(const struct stream *s);
/* Does one piece of work; whether more is waiting. May free the stream, and
 * says false then. */
bool stream_serve(struct stream *s);

void writers_push(struct writers *w, struct stream *s);
/* Counts a suspended connection; false where none may be any more. */
bool writers_suspend(struct writers *w);
void writers_resume(struct writers *w);
