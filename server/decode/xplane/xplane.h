/* xplane.h - what the parts of the XSpace decoder share.
 *
 * An XSpace (tsl/profiler/protobuf/xplane.proto) is a list of planes. A plane
 * is a device or the host. It contains lines (streams, threads) of events, and
 * behind them the tables that name the events and their statistics. So the
 * events of a plane are kept until its end is reached (xplane.c), and are then
 * stored as rows (xplane_rows.c). The next plane uses the same memory. */
#pragma once
#include "fact_list.h"
#include "proto.h"
#include "text.h"
#include "trace.h"

enum xplane_key {
	XPLANE_OTHER,
#define KEY(id, text) XPLANE_##id,
#include "xplane.def"
#undef KEY
	XPLANE_KEYS
};

/* A statistic's value: a number, the id of a text, or the id of the statistic
 * whose name is the text. Other values are not used. */
enum xplane_value { XPLANE_NUMBER, XPLANE_TEXT, XPLANE_REF, XPLANE_NONE };

struct xplane_stat {
	int64_t of; /* id in the plane's table of statistics */
	int64_t value;
	enum xplane_value kind;
};

struct xplane_event {
	int64_t metadata; /* id in the plane's table of events */
	int64_t offset_ps, dur_ps;
	struct slice stats;
	bool summed; /* a sum of several events, without a time */
};

struct xplane_line {
	int64_t id, start_ns;
	uint32_t name; /* text; 0 if it has none */
	struct slice events;
};

/* An entry of the table of events. */
struct xplane_meta {
	int64_t id;
	uint32_t name, display; /* texts */
	struct slice stats;
};

/* An entry of the table of statistics. */
struct xplane_word {
	int64_t id;
	uint32_t name; /* text */
	enum xplane_key key;
};

/* A list that grows in the arena and is used again for the next plane. */
#define XPLANE_LIST(type)        \
	struct {                 \
		type *at;        \
		uint32_t n, cap; \
	}

struct xplane_plane {
	int64_t id;
	uint32_t name; /* text */
	XPLANE_LIST(struct xplane_line) lines;
	XPLANE_LIST(struct xplane_event) events;
	XPLANE_LIST(struct xplane_stat) stats;
	XPLANE_LIST(struct xplane_stat) own; /* statistics of the plane */
	XPLANE_LIST(struct xplane_meta) metas; /* by id */
	XPLANE_LIST(struct xplane_word) words; /* by id */
};

/* A kernel that an HLO operator launched. */
struct xplane_use {
	uint32_t kernel; /* row */
	uint32_t op, scope; /* texts */
	int64_t program;
	/* the operator's place on the host; see xplane_hlo_rows() */
	int64_t start_ns, dur_ns;
	uint32_t thread, call;
};

/* The operands of an HLO operator as JSON, as Kineto writes Input Dims and Input
 * type; 0 unknown. */
struct xplane_shape {
	uint32_t dims, types; /* texts */
};

struct xplane_instruction {
	int64_t id;
	uint32_t name, dims, type; /* texts; dims and type of the result */
	struct slice operands;
};

/* The operators of the HLO modules that the file contains. */
struct xplane_hlo {
	struct names ops; /* program and name of an operator */
	XPLANE_LIST(struct xplane_shape) shapes; /* by id of `ops` */
	/* of the module that is being read */
	int64_t program;
	XPLANE_LIST(struct xplane_instruction) instructions;
	XPLANE_LIST(int64_t) operands; /* ids of instructions */
};

enum xplane_time {
	XPLANE_KERNELS,
	XPLANE_COPIES,
	XPLANE_CALLS,
	XPLANE_RANGES,
	XPLANE_TIMES
};

struct xplane {
	struct trace *trace;
	struct text text;
	struct proto proto;
	struct xplane_plane plane; /* the one that is being read */
	struct fact_list facts;
	int64_t total_ns[XPLANE_TIMES];
	int64_t events, used; /* events read, and stored as rows */
	int64_t profile_start_ns; /* since 1970; 0 unknown */
	uint32_t host; /* text; 0 unknown */
	uint32_t devices_cap;
	bool jax;
	XPLANE_LIST(struct xplane_use) uses;
	struct xplane_hlo hlo;
};

/* Room for one more element of a list; false if the arena is full. */
bool xplane_grow(struct xplane *x, void **at, uint32_t n, uint32_t *cap,
	size_t size);
#define XPLANE_ROOM(x, list)                                         \
	xplane_grow((x), (void **)&(list).at, (list).n, &(list).cap, \
		sizeof *(list).at)

/* Stores the plane's events as rows. False with *e if the arena is full. */
bool xplane_rows(struct xplane *x, struct err *e);

/* Sets the error of a full arena, and ends reading. */
bool xplane_full(struct xplane *x);
/* Reads the current field as a text's id; 0 if it has no text. */
uint32_t xplane_text(struct xplane *x);
int64_t xplane_number(const struct xplane *x);

/* Reads the operators of the HLO module in the current field, an HloProto. */
void xplane_hlo_read(struct xplane *x, int64_t program);

/* Adds an operator for each run of kernels that one HLO operator launched, and
 * joins the kernels and their calls to it. False if the arena is full. */
bool xplane_hlo_rows(struct xplane *x);
