/* ncu_table.h - reads the tables that Nsight Compute prints with `ncu --csv`.
 *
 * Both pages are read: details (a row per kernel launch and metric, with a
 * column for the unit) and raw (a row per kernel launch, a column per metric,
 * and a second heading with the units). Lines of ncu's log, the output of the
 * program and further tables may be before, between and after them. The text
 * may be compressed with gzip or zstd.
 *
 * A table is no trace: it measures single kernels of a run. */
#pragma once
#include "arena.h"
#include "kernel_profile.h"
#include <stddef.h>

/* The largest file as it is sent. A launch has about 13 KB on the page raw and
 * 11 KB on the page details with all sections, so that a file has over a
 * thousand launches even if it is not compressed. */
enum { NCU_FILE_MAX = 16 << 20 };

/* Maximum number of kernels with different grids or blocks in one run's files:
 * more than anybody profiles one by one, and their rows stay below 4 MiB. */
enum { NCU_PROFILES_MAX = 2000 };

/* Memory for reading the files of one run: 16 files of NCU_FILE_MAX that are
 * not compressed have about 1.6 million launches, of 100 bytes each. Compressed
 * files can have more, and are then refused. */
enum { NCU_ARENA_MIB = 256 };

/* Adds up files. NULL if the arena is full. */
struct ncu_reader;
struct ncu_reader *ncu_reader_new(struct arena *a);

/* Adds a file. False with a sentence that begins with `label` if it is no such
 * table, or with arena_err(). */
bool ncu_reader_add(struct ncu_reader *r, const char *label, const void *bytes,
	size_t len, struct err *e);

/* The profiles of all files, in `a`, which may live longer than the reader's. */
bool ncu_reader_end(const struct ncu_reader *r, struct arena *a,
	struct kernel_profiles *out, struct err *e);

/* Whether a line is the heading of such a table. */
bool ncu_table_is_heading(const char *line, size_t len);
