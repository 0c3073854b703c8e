/* archive_frame.h - where the manifest lies: in a frame that zstd skips. */
#pragma once
#include "manifest.h"

enum {
	FRAME_BYTES = 4096, /* before the stream */
	FRAME_HEAD = 8, /* a number zstd knows, and how much to skip */
};

static const unsigned char frame_head[FRAME_HEAD] = { 0x50, 0x2a, 0x4d, 0x18,
	(FRAME_BYTES - FRAME_HEAD) & 0xff, (FRAME_BYTES - FRAME_HEAD) >> 8, 0,
	0 };

_Static_assert(MANIFEST_TEXT <= FRAME_BYTES - FRAME_HEAD, "it fits");
