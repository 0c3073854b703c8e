/* test_redact.c - a text that matches a pattern is hashed or removed in every
 * file. */
#include "siphash.h"
#include "redact.h"
#include "spooled.h"
#include "user_home.h"

/* The first and the last published test vector of SipHash. */
static void hash_as_published(void **state)
{
	struct siphash_key k;
	uint8_t bytes[16], text[63];
	(void)state;
	for (int i = 0; i < 16; i++)
		bytes[i] = (uint8_t)i;
	for (int i = 0; i < 63; i++)
		text[i] = (uint8_t)i;
	memcpy(&k, bytes, sizeof k);
	assert_true(siphash(&k, text, 0) == 0x726fdb47dd0e0e31u);
	assert_true(siphash(&k, text, 15) == 0xa129ca6149be45e5u);
	assert_true(siphash(&k, text, 63) == 0x958a324ceb064572u);
}

/* Passes a text of each kind, as a capture has it. */
static void texts_give(struct capture_writer *s, const char *text, size_t len,
	uint64_t key)
{
	struct kst_range row = {
		.start_ns = clock_real_ns(),
		.name = capture_writer_text(s, TEXT_KERNEL, key, text, len),
		.domain = capture_writer_text(s, TEXT_NVTX, key, text, len),
		.thread = capture_writer_text(s, TEXT_PATH, key, text, len),
		.payload = capture_writer_text(s, TEXT_OWN, 0, "own", 3),
	};
	assert_true(capture_writer_row(s, KST_range, &row));
}

struct redacted_case {
	const char *what, *hash, *drop, *text;
	enum redacted want;
};

static const struct redacted_case cases[] = {
	{ "no pattern", "", "", "secret_kernel", REDACT_KEPT },
	{ "another", "other", "else", "secret_kernel", REDACT_KEPT },
	{ "anywhere in it", "ret_k", "", "secret_kernel", REDACT_HASHED },
	{ "at its ends", "^secret.*l$", "", "secret_kernel", REDACT_HASHED },
	{ "dropped", "", "secret", "secret_kernel", REDACT_DROPPED },
	{ "both", "secret", "kernel", "secret_kernel", REDACT_DROPPED },
	{ "everything", ".*", "", "one more word", REDACT_HASHED },
	{ "a path", "/secret/", "", "/data/secret/train.py", REDACT_HASHED },
	{ "a command line", "", "--token=[^ ]+", "train --token=12345 --lr 3",
		REDACT_DROPPED },
	{ "bytes that are no text", "secret", "", "\xff\xfe secret \x80",
		REDACT_HASHED },
};

/* Checks that no file ever contains the bytes. */
static void has_not(void *ctx, const char *name, const char *path)
{
	FILE *f = fopen(path, "r");
	static char bytes[4 << 20];
	size_t n = fread(bytes, 1, sizeof bytes, f);
	(void)name;
	fclose(f);
	if (memmem(bytes, n, ctx, strlen(ctx)))
		fail_msg("'%s' has '%s'", path, (const char *)ctx);
}

static void one_case(const struct redacted_case *c)
{
	const char *const env[] = { "KERNSIFT_TRACE_HASH", c->hash,
		"KERNSIFT_TRACE_DROP", c->drop, NULL };
	struct spooled d;
	char cells[4][256] = { "", "", "", "" }, note[64] = "";
	spooled_init(&d, env);
	struct capture_writer *s = capture_writer_new(&d.options);
	for (int i = 0; i < 6; i++)
		texts_give(s, c->text, strlen(c->text), (uint64_t)i / 2);
	if (c->want != REDACT_KEPT)
		spooled_each(&d, has_not, (void *)(uintptr_t)c->text);
	capture_writer_free(s);
	if (c->want != REDACT_KEPT)
		spooled_each(&d, has_not, (void *)(uintptr_t)c->text);
	const char *path = spooled_count(&d, ".kst").path;
	char file[512];
	snprintf(file, sizeof file, "%s", path);
	static const uint32_t columns[] = { KST_COLUMN(range, name),
		KST_COLUMN(range, domain), KST_COLUMN(range, thread),
		KST_COLUMN(range, payload) };
	for (int i = 0; i < 4; i++)
		assert_int_equal(spooled_rows(file, KST_range, columns[i],
					 cells[i], sizeof cells[i]),
			6);
	spooled_rows(file, KST_note, KST_COLUMN(note, code), note, sizeof note);
	assert_string_equal(cells[3], "own own own own own own ");
	assert_string_equal(note,
		c->want == REDACT_DROPPED ? "text_redacted " : "");
	char one[128], want[600] = "";
	if (c->want == REDACT_KEPT)
		snprintf(one, sizeof one, "%s ", c->text);
	else if (c->want == REDACT_DROPPED)
		strcpy(one, " ");
	else
		snprintf(one, sizeof one, "%.19s", cells[0]);
	if (c->want == REDACT_HASHED) {
		assert_int_equal(strspn(one, "h:"), 2);
		assert_int_equal(strspn(one + 2, "0123456789abcdef"), 16);
		assert_string_equal(one + 18, " ");
	}
	for (int i = 0; i < 6; i++)
		strcat(want, one);
	for (int i = 0; i < 3; i++)
		assert_string_equal(cells[i], want);
	spooled_release(&d);
}

static void every_case(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		print_message("         %s\n", cases[i].what);
		one_case(&cases[i]);
	}
}

/* Patterns also match after a 0 byte. */
static void after_a_zero_byte(void **state)
{
	static const char *const env[] = { "KERNSIFT_TRACE_DROP", "b secret",
		NULL };
	struct spooled d;
	(void)state;
	spooled_init(&d, env);
	struct capture_writer *s = capture_writer_new(&d.options);
	assert_int_equal(capture_writer_text(s, TEXT_NVTX, 0, "b\0secret", 8),
		0);
	assert_true(capture_writer_text(s, TEXT_NVTX, 0, "b\0secre", 7) > 0);
	capture_writer_free(s);
	spooled_release(&d);
}

/* A text is not written if there is no memory to check it. */
static void no_memory_to_check(void **state)
{
	static const char *const env[] = { "KERNSIFT_TRACE_HASH", "secret",
		NULL };
	struct mapped memory = { 0, 0 };
	struct spooled d;
	struct redact r;
	char hash[19];
	(void)state;
	spooled_init(&d, env);
	redact_init(&r, &d.options, &memory);
	assert_int_equal(redact_text(&r, -1, "harmless", 8, hash),
		REDACT_DROPPED);
	redact_release(&r);
	spooled_release(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hash_as_published),
		cmocka_unit_test(every_case),
		cmocka_unit_test(after_a_zero_byte),
		cmocka_unit_test(no_memory_to_check),
	};
	return cmocka_run_group_tests(tests, user_home_make, user_home_remove);
}
