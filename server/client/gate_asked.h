/* gate_asked.h - what the command line asks of a gate, as POST /gates takes it.
 *
 * The rules of a policy file, then what flags say: a flag's member takes the
 * place of the file's, an operator's limit that of the same operator. What a
 * member may be is the server's to judge; here is refused what is no number
 * or no text, and a file that names the sides, which stand on the command line. */
#pragma once
#include "buf.h"
#include "options.h"

enum { GATE_ASKED_MAX = 1 << 20 };

/* Adds the document to a buf_init()ed buffer, ceiling GATE_ASKED_MAX. False with
 * a sentence that names the flag, or the file. */
bool gate_asked(struct buf *b, const struct options *o, struct err *e);
