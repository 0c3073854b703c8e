/* pgwire.h - PostgreSQL's binary forms: type numbers, byte order, epoch. */
#pragma once
#include <endian.h>
#include <stdint.h>
#include <string.h>

enum pgwire_type {
	PGWIRE_BOOL = 16,
	PGWIRE_BYTES = 17,
	PGWIRE_INT8 = 20,
	PGWIRE_INT4 = 23,
	PGWIRE_TEXT = 25,
	PGWIRE_FLOAT8 = 701,
	PGWIRE_BYTES_ARRAY = 1001,
	PGWIRE_TEXT_ARRAY = 1009,
	PGWIRE_INT8_ARRAY = 1016,
	PGWIRE_NUMERIC = 1700,
	PGWIRE_MOMENT = 1184, /* timestamptz: microseconds since 2000 */
	PGWIRE_JSON = 3802 /* jsonb: a version byte, then text */
};

/* Microseconds from 1970 to 2000. */
#define PGWIRE_EPOCH_US INT64_C(946684800000000)

static inline void pgwire_put16(void *to, int16_t v)
{
	uint16_t be = htobe16((uint16_t)v);
	memcpy(to, &be, sizeof be);
}

static inline void pgwire_put32(void *to, int32_t v)
{
	uint32_t be = htobe32((uint32_t)v);
	memcpy(to, &be, sizeof be);
}

static inline void pgwire_put64(void *to, int64_t v)
{
	uint64_t be = htobe64((uint64_t)v);
	memcpy(to, &be, sizeof be);
}

static inline void pgwire_put_double(void *to, double v)
{
	int64_t bits;
	memcpy(&bits, &v, sizeof bits);
	pgwire_put64(to, bits);
}

static inline int16_t pgwire_get16(const void *from)
{
	uint16_t be;
	memcpy(&be, from, sizeof be);
	return (int16_t)be16toh(be);
}

static inline int32_t pgwire_get32(const void *from)
{
	uint32_t be;
	memcpy(&be, from, sizeof be);
	return (int32_t)be32toh(be);
}

static inline int64_t pgwire_get64(const void *from)
{
	uint64_t be;
	memcpy(&be, from, sizeof be);
	return (int64_t)be64toh(be);
}

static inline double pgwire_get_double(const void *from)
{
	int64_t bits = pgwire_get64(from);
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}
