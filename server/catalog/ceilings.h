/* ceilings.h - measured ceilings: the highest rates that a calibration reached
 * on a device of a platform.
 *
 * A document is what `kernsift calibrate` uploads:
 *
 *   {"device": "NVIDIA H200", "platform": null, "driver": "580.65.06",
 *    "cuda": "13.0", "measured_at": "2026-08-22T10:11:12Z",
 *    "items": [{"measurement": "gemm", "dtype": "bf16", "value": 7.1e14,
 *               "unit": "flop_per_s", "method": "…", "devices": 1,
 *               "sm_clock_mhz": 1755, "memory_clock_mhz": 3201}, …]}
 *
 * Rates that were not measured are unknown; none replaces another. */
#pragma once
#include "catalog.h"

enum ceiling_kind {
#define CEILING(code, word, unit, of) CEILING_##code,
#include "ceiling.def"
#undef CEILING
	CEILING_KINDS
};

struct ceiling {
	enum ceiling_kind kind;
	enum dtype dtype; /* of a GEMM; otherwise DTYPE_UNKNOWN */
	double value; /* per second */
	int64_t devices;
	int64_t sm_clock_mhz, memory_clock_mhz; /* -1 unknown */
	const char *method; /* how it was measured */
};

struct ceilings {
	const char *device; /* the driver's name of it */
	const char *platform; /* that the document names; NULL none */
	const char *driver, *cuda; /* NULL unknown */
	const char *measured_at; /* as in the document */
	struct ceiling *rows;
	uint32_t n;
};

const char *ceiling_word(enum ceiling_kind k);
const char *ceiling_unit(enum ceiling_kind k);

/* Reads a document; the texts are in the arena. Returns false with a sentence
 * that names the wrong entry. */
bool ceilings_read(const char *json, struct arena *a, struct ceilings *out,
	struct err *e);
/* The platform that the document names, otherwise that of its device. NULL
 * with a sentence if the catalog has none. */
const struct platform *ceilings_platform(const struct catalog *c,
	const struct ceilings *is, struct err *e);
/* The measured rates as a platform: its peaks and their clocks are those of the
 * GEMMs, its bandwidth is the higher one of copy and triad, its link inside a node is that
 * of the all-reduce, over as many devices as took part. Its network is unknown.
 * Its topology and launch floor are those of `p`, which may be NULL. */
struct platform ceilings_as_platform(const struct ceilings *is,
	const struct platform *p);
/* The data sheet's peak for a ceiling; NaN if it is unknown or has none. */
double ceiling_peak(const struct ceiling *r, const struct platform *p);
