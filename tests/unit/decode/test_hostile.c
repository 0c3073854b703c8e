/* test_hostile.c - tests text that is made to be expensive to decode. */
#include "fixture.h"

#define GOOD(n)                                                         \
	"{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"good\",\"pid\":0," \
	"\"tid\":7,\"ts\":" #n ",\"dur\":1}"
/* A million nested brackets, in args and as an event, are one invalid event. */
static void test_nested(void **state)
{
	enum { DEPTH = 1000000 };
	static char text[2 * DEPTH + 1000];
	struct decoded d;
	(void)state;
	for (int closed = 0; closed < 2; closed++) {
		char *p = text;
		p += sprintf(p, "[" GOOD(1) ",{\"ph\":\"X\",\"args\":");
		memset(p, '[', DEPTH);
		p += DEPTH;
		memset(p, ']', DEPTH);
		p += closed ? DEPTH : 0;
		p += sprintf(p, "}," GOOD(2) "]");
		decode_bytes(&d, text, (size_t)(p - text), 12345);
		assert_true(d.ok);
		assert_int_equal(d.trace.kernel.n, 2);
		assert_int_equal(noted(&d, NOTE_bad_event), 1);
		decoded_release(&d);
	}
}

/* A tree of Triton Proton with 300,000 nested kernels: each keeps at most 512
 * scopes, and the time and memory are in proportion to the text. */
static void test_deep_tree(void **state)
{
	enum { DEPTH = 300000 };
	static const char open[] = "{\"children\":[",
			  close[] = "],\"frame\":"
				    "{\"name\":\"f\"},\"metrics\":{\"count\":1,"
				    "\"time (ns)\":2}}";
	char *text = malloc((size_t)DEPTH * (sizeof open + sizeof close) + 9);
	char *p = text;
	struct decoded d;
	(void)state;
	*p++ = '[';
	for (int i = 0; i < DEPTH; i++, p += sizeof open - 1)
		memcpy(p, open, sizeof open - 1);
	for (int i = 0; i < DEPTH; i++, p += sizeof close - 1)
		memcpy(p, close, sizeof close - 1);
	*p++ = ']';
	decode_bytes(&d, text, (size_t)(p - text), 1 << 20);
	assert_true(d.ok);
	assert_int_equal(d.trace.stat.n, DEPTH);
	assert_int_equal(noted(&d, NOTE_callers_cut), DEPTH - 513);
	assert_true(d.arena.taken < 192 << 20);
	decoded_release(&d);
	free(text);
}

/* An event longer than the maximum window is skipped without being held in
 * memory. */
static void test_long(void **state)
{
	enum { LONG = 40 << 20 };
	char *text = malloc(LONG + 1000), *p = text;
	struct decoded d;
	(void)state;
	p += sprintf(p, "[" GOOD(1) ",{\"ph\":\"X\",\"args\":{\"a\":\"");
	memset(p, 'x', LONG);
	p += LONG;
	p += sprintf(p, "\"}}," GOOD(2) "]");
	decode_bytes(&d, text, (size_t)(p - text), 1 << 20);
	assert_true(d.ok);
	assert_int_equal(d.trace.kernel.n, 2);
	assert_int_equal(noted(&d, NOTE_bad_event), 1);
	assert_true(d.arena.taken < 40 << 20);
	decoded_release(&d);
	free(text);
}

/* Every part of this text looks like the beginning of an event, and these
 * events are as long as possible. The decoder must read no more than a few
 * times the length of the text. */
static void test_bounded(void **state)
{
	static const char *const evil[] = { "{\"ph\":\"x},", "{\"ph\":[{},",
		"{\"ph\":{\"a\":[", "},{\"ph\":[\"x,{" };
	enum { LEN = 6 << 20 };
	char *text = malloc(LEN + 1000);
	(void)state;
	for (size_t i = 0; i < sizeof evil / sizeof *evil; i++) {
		struct decoded d;
		size_t len = (size_t)sprintf(text, "[" GOOD(1) ",");
		while (len < LEN)
			len += (size_t)sprintf(text + len, "%s", evil[i]);
		decode_bytes(&d, text, len, 1 << 20);
		assert_true(d.ok);
		assert_int_equal(d.trace.kernel.n, 1);
		decoded_release(&d);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nested),
		cmocka_unit_test(test_deep_tree),
		cmocka_unit_test(test_long),
		cmocka_unit_test(test_bounded),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
