/* test_proto.c - reads protobuf messages, good and damaged, through windows. */
#include "fixture.h"
#include "proto.h"

/* Writes what proto.h reads: "1=150 2{1=1 2"ab"}" for fields with a number, a
 * message, a text; "1.8" and "1.4" for numbers of 8 and 4 bytes. Depth 1 is the
 * message in a message. */
static void show(struct proto *p, char *to, size_t room)
{
	size_t n = 0;
	int depth = 0;
	const char *at;
	size_t len;
	to[0] = 0;
	for (;;) {
		if (!proto_next(p)) {
			if (depth-- == 0)
				return;
			proto_leave(p);
			n += (size_t)snprintf(to + n, room - n, "}");
			continue;
		}
		n += (size_t)snprintf(to + n, room - n, "%s%u",
			n && to[n - 1] != '{' ? " " : "", p->field);
		if (p->wire == PROTO_VARINT)
			n += (size_t)snprintf(to + n, room - n, "=%llu",
				(unsigned long long)p->value);
		else if (p->wire != PROTO_BYTES)
			n += (size_t)snprintf(to + n, room - n, ".%c=%llu",
				p->wire == PROTO_FIXED64 ? '8' : '4',
				(unsigned long long)p->value);
		else if (p->field == 9 && proto_enter(p) && ++depth)
			n += (size_t)snprintf(to + n, room - n, "{");
		else if (proto_bytes(p, 8, &at, &len))
			n += (size_t)snprintf(to + n, room - n, "\"%.*s\"",
				(int)len, at);
	}
}

struct row {
	const char *bytes;
	size_t len;
	const char *shown;
	int64_t bad;
	bool cut;
};

#define ROW(bytes, shown, bad, cut)                      \
	{                                                \
		bytes, sizeof bytes - 1, shown, bad, cut \
	}

static const struct row rows[] = {
	ROW("", "", 0, false),
	ROW("\x08\x96\x01", "1=150", 0, false),
	ROW("\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01",
		"1=18446744073709551615", 0, false),
	ROW("\x12\x02"
	    "ab\x08\x01",
		"2\"ab\" 1=1", 0, false),
	/* a text of nine bytes is longer than the caller wants */
	ROW("\x12\x09"
	    "abcdefghi\x08\x01",
		"2 1=1", 0, false),
	ROW("\x09\x01\0\0\0\0\0\0\0\x15\x02\0\0\0", "1.8=1 2.4=2", 0, false),
	ROW("\x4A\x02\x08\x07\x08\x01", "9{1=7} 1=1", 0, false),
	ROW("\x4A\x04\x4A\x02\x08\x07", "9{9{1=7}}", 0, false),
	/* ends in a number, in a length, in a text, in a message */
	ROW("\x08\x96", "", 0, true),
	ROW("\x12", "", 0, true),
	ROW("\x12\x04"
	    "ab",
		"2", 0, true),
	ROW("\x4A\x05\x08\x07", "9{1=7}", 0, true),
	ROW("\x09\x01", "", 0, true),
	/* damage costs the rest of its message: a length beyond the message, a
	 * number of 11 bytes, field 0, the wire types 3, 6 and 7 */
	ROW("\x4A\x02\x12\x05\x08\x01", "9{} 1=1", 1, false),
	ROW("\x4A\x0D\x08\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01\x01\x08"
	    "\x01",
		"9{} 1=1", 1, false),
	ROW("\x4A\x02\x00\x01\x08\x01", "9{} 1=1", 1, false),
	ROW("\x4A\x01\x0B\x4A\x01\x0E\x4A\x01\x0F\x08\x01", "9{} 9{} 9{} 1=1",
		3, false),
	/* nothing can be found behind damage of the outermost message */
	ROW("\x08\x01\x0B\x08\x01", "1=1", 1, true),
};

static void test_messages(void **state)
{
	static const struct decode_limits limits = { 1 << 20, 200 };
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct arena a = { .ceiling = 64 << 20 };
		struct parts from = { rows[i].bytes, rows[i].len, 1 };
		struct source s = { parts_next, &from, -1 };
		struct notes notes = { 0 };
		struct err e = { 0 };
		struct plain plain;
		struct byte_window w;
		struct proto p;
		char shown[256];
		plain_init(&plain, &s, &limits, NULL, &a, &notes);
		assert_true(byte_window_init(&w, &plain, &e));
		proto_init(&p, &w, &e);
		show(&p, shown, sizeof shown);
		if (strcmp(shown, rows[i].shown) != 0 || p.failed ||
			p.bad != rows[i].bad || p.cut != rows[i].cut)
			fail_msg("row %zu: %s, %lld bad, cut %d", i, shown,
				(long long)p.bad, p.cut);
		plain_release(&plain);
		arena_release(&a);
	}
}

/* A packed list is a field of numbers without keys. */
static void test_packed(void **state)
{
	static const struct decode_limits limits = { 1 << 20, 200 };
	struct arena a = { .ceiling = 64 << 20 };
	struct parts from = { "\x1A\x04\x05\x96\x01\x07\x08\x01", 8, 3 };
	struct source s = { parts_next, &from, -1 };
	struct notes notes = { 0 };
	struct err e = { 0 };
	struct plain plain;
	struct byte_window w;
	struct proto p;
	uint64_t sum = 0;
	(void)state;
	plain_init(&plain, &s, &limits, NULL, &a, &notes);
	assert_true(byte_window_init(&w, &plain, &e));
	proto_init(&p, &w, &e);
	assert_true(proto_next(&p) && p.field == 3 && proto_enter(&p));
	while (proto_packed(&p))
		sum = sum * 1000 + p.value;
	assert_int_equal(sum, 5150007);
	proto_leave(&p);
	assert_int_equal(proto_offset(&p), 6);
	assert_true(proto_next(&p) && p.field == 1 && p.value == 1);
	assert_false(proto_next(&p));
	plain_release(&plain);
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages),
		cmocka_unit_test(test_packed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
