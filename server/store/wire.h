/* wire.h - PostgreSQL's binary forms: type numbers, byte order, epoch. */
#pragma once
#include <endian.h>
#include <stdint.h>
#include <string.h>

enum wire_type {
	WIRE_BOOL = 16,
	WIRE_BYTES = 17,
	WIRE_INT8 = 20,
	WIRE_INT4 = 23,
	WIRE_TEXT = 25,
	WIRE_FLOAT8 = 701,
	WIRE_BYTES_ARRAY = 1001,
	WIRE_TEXT_ARRAY = 1009,
	WIRE_INT8_ARRAY = 1016,
	WIRE_MOMENT = 1184, /* timestamptz: microseconds since 2000 */
	WIRE_JSON = 3802 /* jsonb: a version byte, then text */
};

/* 1970 to 2000. */
#define WIRE_EPOCH_US INT64_C(946684800000000)

static inline void wire_put16(void *to, int16_t v)
{
	uint16_t be = htobe16((uint16_t)v);
	memcpy(to, &be, sizeof be);
}

static inline void wire_put32(void *to, int32_t v)
{
	uint32_t be = htobe32((uint32_t)v);
	memcpy(to, &be, sizeof be);
}

static inline void wire_put64(void *to, int64_t v)
{
	uint64_t be = htobe64((uint64_t)v);
	memcpy(to, &be, sizeof be);
}

static inline void wire_put_double(void *to, double v)
{
	int64_t bits;
	memcpy(&bits, &v, sizeof bits);
	wire_put64(to, bits);
}

static inline int32_t wire_get32(const void *from)
{
	uint32_t be;
	memcpy(&be, from, sizeof be);
	return (int32_t)be32toh(be);
}

static inline int64_t wire_get64(const void *from)
{
	uint64_t be;
	memcpy(&be, from, sizeof be);
	return (int64_t)be64toh(be);
}

static inline double wire_get_double(const void *from)
{
	int64_t bits = wire_get64(from);
	double v;
	memcpy(&v, &bits, sizeof v);
	return v;
}
