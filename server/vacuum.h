/* vacuum.h - what a vacuum did, in words. */
#pragma once
#include "keep.h"

enum { VACUUM_TEXT = 200 };

/* "runs=3 uploads=12 gates=0 bytes=1048576" */
void vacuum_text(const struct keep_report *r, char text[VACUUM_TEXT]);
