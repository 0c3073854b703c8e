/* nsys_payload.h - what an NVTX range carries besides its name, as text.
 *
 * A number is its digits, JSON text stays as it is, and bytes whose layout the
 * program registered (as NCCL does: sizes, ranks) become a JSON object of its
 * fields. */
#pragma once
#include "buf.h"
#include "nsys.h"

struct nsys_payload {
	struct nsys *nsys;
	struct nsys_field *fields; /* of all schemas, sorted */
	uint32_t fields_n, fields_cap;
	struct buf buf;
};

/* The columns it reads from NVTX_EVENTS, in this order, from `first` on. */
/* clang-format off */
#define NSYS_PAYLOAD_COLUMNS(COLUMN)   \
	COLUMN(UINT64,  "uint64Value") \
	COLUMN(INT64,   "int64Value")  \
	COLUMN(DOUBLE,  "doubleValue") \
	COLUMN(UINT32,  "uint32Value") \
	COLUMN(INT32,   "int32Value")  \
	COLUMN(FLOAT,   "floatValue")  \
	COLUMN(JSON_ID, "jsonTextId")  \
	COLUMN(JSON,    "jsonText")    \
	COLUMN(BINARY,  "binaryData")
/* clang-format on */
enum nsys_payload_column {
#define COLUMN(code, name) NSYS_PAYLOAD_##code,
	NSYS_PAYLOAD_COLUMNS(COLUMN)
#undef COLUMN
		NSYS_PAYLOAD_COLUMNS_N
};

/* nsys_payload_release() in any case. */
bool nsys_payload_init(struct nsys_payload *p, struct nsys *n, struct err *e);
/* The row's payload: 0 where it has none. False only with *e. */
bool nsys_payload_of(struct nsys_payload *p, struct sqlite_rows *r, int first,
	uint32_t *id, struct err *e);
void nsys_payload_release(struct nsys_payload *p);
