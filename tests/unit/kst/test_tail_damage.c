/* test_tail_damage.c - damaged tails and captures: intact rows are
 * recovered, and damage is reported. */
#include "stopped.h"

/* The tail is truncated or has a changed byte. All rows that are recovered
 * must have been written, in this order, and lost rows must be reported. */
static void tail_damaged(struct stopped *s, const struct bytes *tail,
	const char *want, int min_rows)
{
	struct kst_merged m;
	struct reading got = merged(&s->at_stop, tail, &m);
	int n = rows_read(&got);
	assert_true(part_of(got.text, want));
	assert_int_equal(m.rows + m.tail_rows, n);
	assert_true(n >= min_rows);
	assert_true(n == s->given || m.damaged);
	assert_true(got.damage.damaged == 0 && got.damage.missing == 0);
	reading_free(&got);
}

static void tail_torn_at_every_byte(void **state)
{
	struct stopped s;
	left_behind(&s);
	struct reading want = undisturbed(7);
	struct kst_merged m;
	struct reading got = merged(&s.at_stop, NULL, &m);
	int in_chunks = rows_read(&got);
	(void)state;
	assert_true(got.damage.cut && !m.whole && in_chunks < s.given);
	reading_free(&got);
	/* After the last entry, no damage is possible. */
	size_t used = KST_LOG + kst_get32(s.tail_at_stop.at + KST_COMMIT + 4);
	assert_in_range(used, KST_LOG + 512, TAIL);
	for (size_t len = 0; len < used; len++) {
		struct bytes cut = { s.tail_at_stop.at, len };
		tail_damaged(&s, &cut, want.text, in_chunks);
	}
	for (size_t at = 0; at < used; at += 3) {
		s.tail_at_stop.at[at] ^= 0x5a;
		tail_damaged(&s, &s.tail_at_stop, want.text, in_chunks);
		s.tail_at_stop.at[at] ^= 0x5a;
	}
	reading_free(&want);
	stopped_release(&s);
}

static void tail_is_any_bytes(void **state)
{
	struct stopped s;
	left_behind(&s);
	struct reading want = undisturbed(7);
	struct bytes any = bytes_new();
	(void)state;
	srand(1);
	any.len = TAIL;
	for (int turn = 0; turn < 50; turn++) {
		for (size_t i = 0; i < any.len; i++)
			any.at[i] = (uint8_t)(rand() >> 7);
		/* Every second time with a valid magic. */
		if (turn & 1)
			memcpy(any.at, KST_TAIL_MAGIC, 8);
		tail_damaged(&s, &any, want.text, 1);
	}
	free(any.at);
	reading_free(&want);
	stopped_release(&s);
}

/* Damaged chunks are lost with their rows. The tail does not contain these
 * rows, because it was emptied when the chunks were written. Nothing else is
 * lost. */
static void capture_damaged(void **state)
{
	struct stopped s;
	left_behind(&s);
	struct reading want = undisturbed(7);
	struct kst_merged m;
	(void)state;
	for (size_t at = KST_OPENING; at < s.at_stop.len; at += 29) {
		s.at_stop.at[at] ^= 0x5a;
		struct reading got = merged(&s.at_stop, &s.tail_at_stop, &m);
		s.at_stop.at[at] ^= 0x5a;
		assert_int_equal(m.damaged, 1);
		assert_false(m.whole);
		assert_int_equal(m.rows + m.tail_rows, rows_read(&got));
		assert_int_equal(got.damage.missing, 1);
		assert_false(got.damage.cut);
		reading_free(&got);
	}
	reading_free(&want);
	stopped_release(&s);
}

static void another_captures_tail(void **state)
{
	struct stopped s;
	left_behind(&s);
	struct bytes other = bytes_new();
	struct kst_merged m;
	struct kst_about about = sample_about;
	(void)state;
	about.base_ns++;
	struct kst_writer *w = kst_writer_new(&about, bytes_add, &other, NULL);
	text_of(w, "x");
	assert_true(kst_writer_flush(w));
	struct reading got = merged(&other, &s.tail_at_stop, &m);
	assert_int_equal(m.damaged, 1);
	assert_int_equal(m.tail_rows, 0);
	assert_false(m.whole);
	assert_int_equal(rows_read(&got), 0);
	reading_free(&got);
	kst_writer_free(w);
	free(other.at);
	stopped_release(&s);
}

/* A complete capture needs no tail, and ignores one. */
static void already_whole(void **state)
{
	struct stopped s;
	left_behind(&s);
	struct kst_merged m;
	(void)state;
	assert_true(kst_writer_end(s.w));
	struct reading got = merged(&s.part, &s.tail_at_stop, &m);
	assert_true(reading_whole(&got) && m.whole);
	assert_int_equal(rows_read(&got), s.given);
	reading_free(&got);
	got = merged(&s.part, NULL, &m);
	assert_true(reading_whole(&got) && m.whole);
	reading_free(&got);
	stopped_release(&s);
}

static void no_capture(void **state)
{
	struct bytes none = bytes_new(), words = bytes_new();
	struct kst_merged m;
	char sentence[256], want[256];
	(void)state;
	bytes_add(&words, "not a capture at all", 20);
	file_write("w.part", &words, words.len);
	file_write("n.part", &none, 0);
	unlink(path_of("w.kst"));
	assert_false(kst_tail_merge(path_of("w.part"), NULL, path_of("w.kst"),
		&m, sentence));
	snprintf(want, sizeof want, "'%s' is no capture", path_of("w.part"));
	assert_string_equal(sentence, want);
	assert_false(kst_tail_merge(path_of("n.part"), NULL, path_of("w.kst"),
		&m, sentence));
	snprintf(want, sizeof want, "'%s' is no capture", path_of("n.part"));
	assert_string_equal(sentence, want);
	assert_false(kst_tail_merge(path_of("absent"), NULL, path_of("w.kst"),
		&m, sentence));
	snprintf(want, sizeof want,
		"'%s' cannot be opened: No such file or directory",
		path_of("absent"));
	assert_string_equal(sentence, want);
	assert_int_equal(access(path_of("w.kst"), F_OK), -1);
	assert_int_equal(access(path_of("w.kst.merging"), F_OK), -1);
	free(none.at);
	free(words.at);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tail_torn_at_every_byte),
		cmocka_unit_test(tail_is_any_bytes),
		cmocka_unit_test(capture_damaged),
		cmocka_unit_test(another_captures_tail),
		cmocka_unit_test(already_whole),
		cmocka_unit_test(no_capture),
	};
	return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
