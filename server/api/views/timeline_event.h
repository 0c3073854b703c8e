/* timeline_event.h - a row of a capture becomes events of a Chrome trace.
 *
 *   kernel, copy    X on their stream, with the end of the flow from the call
 *   graph           X on its stream
 *   call            X on its thread, with the start of the flow
 *   op, range       X on its thread; a GPU annotation on a GPU's; a range that
 *                   may cross others is b and e
 *   counter         C of its GPU, or of the host
 *
 * Arguments are spelt as PyTorch's profiler spells them, so that tools which
 * read its traces read these, our own decoder among them. Other kinds have no
 * place in time and give nothing. */
#pragma once
#include "kernsift/kst_reader.h"
#include "tracks.h"

struct timeline_event {
	struct tracks tracks;
	const struct kst_reader *reader;
	/* By text: whether it is JSON; 0 not looked at yet. */
	unsigned char *is_json;
	size_t is_json_n;
};

void timeline_event_row(struct timeline_event *ev, const struct kst_chunk *c,
	uint32_t row);
void timeline_event_release(struct timeline_event *ev);
