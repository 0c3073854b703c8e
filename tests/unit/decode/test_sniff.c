/* test_sniff.c - tests how the format of a file is detected, and the
 * explanation if a file is not a trace. */
#include "fixture.h"
#include "file_magic.h"
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#define BYTES(text) text, sizeof text - 1
#define NO_TEXT                                                          \
	"neither a trace nor a table known here; upload a trace "        \
	"(torch.profiler's JSON, an SQLite export of nsys) or a kernel " \
	"summary of `nsys stats`"

static const struct {
	const char *bytes;
	size_t len;
	const char *sentence;
} not_traces[] = {
	{ BYTES(""), "the file is empty" },
	{ BYTES(" \n\t"), "the file holds only white space" },
	{ BYTES("\x89PNG\r\n\x1A\n\0\0\0\rIHDR"),
		"this is a PNG image; upload the trace it was made from" },
	{ BYTES("\xFF\xD8\xFF\xE0"),
		"this is a JPEG image; upload the trace it was made from" },
	{ BYTES("%PDF-1.7\n"),
		"this is a PDF document; upload the trace it was made from" },
	{ BYTES("\x7F"
		"ELF\2\1\1"),
		"this is a program or library (ELF); upload the trace it "
		"wrote" },
	{ BYTES("PK\3\4\24"),
		"this is a zip archive; unpack it and upload the trace "
		"inside" },
	{ BYTES("NVIDIA Tegra Profiler Report 2024@6@2@225-246"),
		"this is an Nsight Systems report (.nsys-rep), which only "
		"nsys can read; run `nsys export --type sqlite` and upload "
		"what that writes" },
	{ BYTES("version https://git-lfs.github.com/spec/v1\noid sha256:4d"),
		"this is a Git LFS pointer, not the file it refers to; run "
		"`git lfs pull` and upload that" },
	{ BYTES("<!DOCTYPE HTML><html><head><title>Sign in</title>"),
		"this is an HTML page (of a login, or an error?); check how "
		"the file was downloaded" },
	{ BYTES("<html lang=\"en\">"),
		"this is an HTML page (of a login, or an error?); check how "
		"the file was downloaded" },
	{ BYTES("counter_name,timestamp,value,hostname\nusage,1.0,2.0,\n"),
		"this is a file of counters, which belongs behind its pattern "
		"file; upload both as one (`cat patterns.csv counters.csv`, or "
		"`kernsift upload --counters counters.csv patterns.csv`)" },
	{ BYTES("{}"), "this is an empty JSON object; a trace has a list "
		       "'traceEvents'" },
	{ BYTES("[ ]"),
		"this is an empty JSON list; was the profiler running while "
		"the work was done?" },
	{ BYTES("[[1, 2], [3, 4]]"),
		"this is a JSON list, but not of events ({…}); upload a "
		"trace of torch.profiler" },
	{ BYTES("[1, 2]"),
		"this is a JSON list, but not of events ({…}); upload a "
		"trace of torch.profiler" },
	{ BYTES("{"), "the file breaks off after its first bracket" },
	{ BYTES("{traceEvents: []}"),
		"this begins like JSON, but its first key has no quotes" },
	{ BYTES("\"traceEvents\""),
		"this is text that begins with '\"traceEvents\"', " NO_TEXT },
	{ BYTES("\xFF\xFET\0i\0m\0e\0"),
		"this is text in UTF-16; save it as UTF-8 and upload that" },
	/* nine cells, but the average is not total divided by instances */
	{ BYTES("1.0,30,3,9.0,8.0,7,12,1.0,f\n"),
		"this is text that begins with "
		"'1.0,30,3,9.0,8.0,7,12,1.', " NO_TEXT },
	{ BYTES("==PROF== Connected to process 7\n\"ID\",\"Process ID\",\"Process "
		"Name\",\"Host Name\",\"Kernel Name\"\n"),
		"this is a table of Nsight Compute, which measures single "
		"kernels and not a run; attach it to a run (`kernsift attach "
		"RUN FILE`)" },
	{ BYTES("12345"), "this is text that begins with '12345', " NO_TEXT },
	{ BYTES("Dear all,\nplease find attached"),
		"this is text that begins with 'Dear all,', " NO_TEXT },
	{ BYTES("\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E\xE3\x81\xAE\xE6\x96"
		"\x87\xE6\x9B\xB8\xE3\x81\xA7\xE3\x81\x99\xE3\x80\x82"),
		"this is text that begins with '\xE6\x97\xA5\xE6\x9C\xAC\xE8"
		"\xAA\x9E\xE3\x81\xAE\xE6\x96\x87\xE6\x9B\xB8\xE3\x81\xA7"
		"\xE3\x81\x99', " NO_TEXT },
	{ BYTES("\x00\x01\x02\x03\xFE\xFF\x06\x07\x08"),
		"this is no format known here; its first bytes are 00 01 02 "
		"03 fe ff 06 07" },
};

static const char *const traces[] = {
	"{\"traceEvents\": []}",
	" \r\n{ \"schemaVersion\" : 1",
	"[{\"ph\": \"X\"}]",
	"[\n  {",
	"\xEF\xBB\xBF{\"traceEvents\"",
};

/* Formats that magic bytes identify, whatever follows them. */
static const struct {
	const char *bytes;
	size_t len;
	enum sniffed is;
} magics[] = {
	{ BYTES("SQLite format 3\0\20\0"), SNIFF_SQLITE },
	{ BYTES("{\"rocprofiler-sdk-tool\": [{"), SNIFF_ROCPROF_JSON },
	{ BYTES("\xEF\xBB\xBF\n{ \"a\": 1,\n\"rocprofiler-sdk-tool\" :"),
		SNIFF_ROCPROF_JSON },
	{ BYTES("{\"rocprofiler-sdk-tool\", "), SNIFF_TRACE_JSON },
	{ BYTES("{\n \"header\": {},\n\"metadata\": "
		"{\"inspector_output_format_version\" : "),
		SNIFF_INSPECTOR },
	{ BYTES("{\"coll_perf\":{"), SNIFF_INSPECTOR },
	{ BYTES("{\"traceEvents\": [{\"inspector_output_format_version\":1"),
		SNIFF_TRACE_JSON },
	{ BYTES("[\n  {\n    \"children\": ["), SNIFF_HATCHET },
	{ BYTES("[{\"frame\":{\"name\":"), SNIFF_HATCHET },
	{ BYTES("[{\"metrics\" :{}"), SNIFF_HATCHET },
	{ BYTES("[{\"frames\":{}}]"), SNIFF_TRACE_JSON },
	/* events may contain anything */
	{ BYTES("{\"traceEvents\": [{\"args\": {\"importance_score\": 1"),
		SNIFF_TRACE_JSON },
};

static void test_magics(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof magics / sizeof *magics; i++) {
		struct err e = { 0 };
		enum sniffed s = file_magic_sniff(magics[i].bytes,
			magics[i].len, false, &e);
		assert_int_equal(s, magics[i].is);
		assert_int_equal(e.code, ERR_NONE);
	}
}

static const struct {
	const char *text;
	enum sniffed is;
} tables[] = {
	{ "Time (%),Total Time (ns),Instances,Name\n", SNIFF_STATS_TABLE },
	{ "\"Time (%)\",\"Total Time (ns)\",\"Name\"\n", SNIFF_STATS_TABLE },
	{ "Time(%),Total Time (ns),Instances,Average,Name\r\n",
		SNIFF_STATS_TABLE },
	{ "Time\tTotal Time\tInstances\tName\n", SNIFF_STATS_TABLE },
	{ "\n ** CUDA GPU Kernel Summary (cuda_gpu_kern_sum):\n\n"
	  " Time (%)  Total Time (ns)  Instances  Name\n",
		SNIFF_STATS_TABLE },
	{ "Processing [a.sqlite] with [kern.py]... \n\n"
	  "Time (%),Total Time (ns),Num Calls,Name\n",
		SNIFF_STATS_TABLE },
	{ "\xEF\xBB\xBF"
	  "Time (%),Total Time (ns),Instances,Name\n",
		SNIFF_STATS_TABLE },
	{ "cycle,pid,hostname,beta_pct,function_name,metric_name\n",
		SNIFF_PATTERNS },
	{ "\n\"function_name\",\"cycle\"\n", SNIFF_PATTERNS },
	{ "\n1.0,30,3,10.0,11.0,7,12,1.0,f\n", SNIFF_STATS_TABLE },
};

static void test_tables(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
		const char *text = tables[i].text;
		struct err e = { 0 };
		assert_int_equal(file_magic_sniff(text, strlen(text), false,
					 &e),
			tables[i].is);
		/* A text may be recognized while it still arrives. */
		for (size_t n = 0; n < strlen(text); n++) {
			enum sniffed s = file_magic_sniff(text, n, false, &e);
			assert_true(s == SNIFF_MORE || s == tables[i].is);
		}
		assert_int_equal(e.code, ERR_NONE);
	}
}

static void test_not(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof not_traces / sizeof *not_traces; i++) {
		struct err e = { 0 };
		enum sniffed s = file_magic_sniff(not_traces[i].bytes,
			not_traces[i].len, true, &e);
		assert_string_equal(e.text, not_traces[i].sentence);
		assert_int_equal(s, SNIFF_UNKNOWN);
		assert_int_equal(e.code, ERR_FORMAT);
	}
}

/* Published fleet figures are JSON, too. Their keys identify them as soon as
 * these have been received. */
static void test_operator_catalog(void **state)
{
	static const char *const texts[] = {
		"{\"num_profiles\": 3, \"platforms\": {\"H20\": "
		"{\"p_peak_flops\": {",
		"{\"operators\":[{\"importance_score\":0.1",
	};
	(void)state;
	for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
		struct err e = { 0 };
		assert_int_equal(file_magic_sniff(texts[i], strlen(texts[i]),
					 false, &e),
			SNIFF_UNKNOWN);
		assert_string_equal(e.text,
			"this is a catalog of operators, no trace; `kernsift "
			"import` takes it as a set to compare with");
		assert_int_equal(e.code, ERR_FORMAT);
	}
}

static void test_traces(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
		struct err e = { 0 };
		assert_int_equal(file_magic_sniff(traces[i], strlen(traces[i]),
					 false, &e),
			SNIFF_TRACE_JSON);
		assert_int_equal(e.code, ERR_NONE);
	}
}

/* While more bytes are expected, a short input is not rejected. An early
 * result never changes later. */
static void test_more(void **state)
{
	struct err e = { 0 };
	(void)state;
	assert_int_equal(file_magic_sniff("", 0, false, &e), SNIFF_MORE);
	assert_int_equal(file_magic_sniff("\x89PNG", 4, false, &e), SNIFF_MORE);
	assert_int_equal(file_magic_sniff("   \n ", 5, false, &e), SNIFF_MORE);
	assert_int_equal(file_magic_sniff("{    ", 5, false, &e), SNIFF_MORE);
	assert_int_equal(e.code, ERR_NONE);
	for (size_t i = 0; i < sizeof not_traces / sizeof *not_traces; i++)
		for (size_t n = 0; n < not_traces[i].len; n++) {
			struct err early = { 0 };
			enum sniffed s = file_magic_sniff(not_traces[i].bytes,
				n, false, &early);
			assert_int_not_equal(s, SNIFF_TRACE_JSON);
		}
}

static size_t gzip(char *to, size_t cap, const char *text, size_t len)
{
	struct isal_zstream z;
	isal_deflate_stateless_init(&z);
	z.gzip_flag = IGZIP_GZIP;
	z.end_of_stream = 1;
	z.next_in = (uint8_t *)(uintptr_t)text;
	z.avail_in = (uint32_t)len;
	z.next_out = (uint8_t *)to;
	z.avail_out = (uint32_t)cap;
	assert_int_equal(isal_deflate_stateless(&z), COMP_OK);
	return z.total_out;
}

/* One layer of gzip or zstd is decompressed, but not both. */
static void test_compressed(void **state)
{
	static const char trace[] = "{\"traceEvents\": []}",
			  png[] = "\x89PNG\r\n\x1A\n";
	char once[500], twice[1000];
	struct err e = { 0 };
	(void)state;
	size_t n = gzip(once, sizeof once, trace, strlen(trace));
	assert_int_equal(file_magic_sniff(once, n, true, &e), SNIFF_TRACE_JSON);
	/* Ten bytes are the header of gzip without any text. */
	assert_int_equal(file_magic_sniff(once, 10, false, &e), SNIFF_MORE);
	size_t m = gzip(twice, sizeof twice, once, n);
	assert_int_equal(file_magic_sniff(twice, m, true, &e), SNIFF_UNKNOWN);
	assert_string_equal(e.text,
		"this is compressed twice; undo one of them");

	e = (struct err){ 0 };
	n = gzip(once, sizeof once, png, strlen(png));
	assert_int_equal(file_magic_sniff(once, n, true, &e), SNIFF_UNKNOWN);
	assert_string_equal(e.text,
		"this is a PNG image; upload the trace it was made from");

	e = (struct err){ 0 };
	n = ZSTD_compress(once, sizeof once, trace, strlen(trace), 3);
	assert_int_equal(file_magic_sniff(once, n, true, &e), SNIFF_TRACE_JSON);
	assert_int_equal(file_magic_sniff(once, 8, false, &e), SNIFF_MORE);

	e = (struct err){ 0 };
	n = gzip(once, sizeof once, "", 0);
	assert_int_equal(file_magic_sniff(once, n, true, &e), SNIFF_UNKNOWN);
	assert_string_equal(e.text, "the gzip data holds nothing");

	e = (struct err){ 0 };
	assert_int_equal(file_magic_sniff(once, 15, true, &e), SNIFF_UNKNOWN);
	assert_string_equal(e.text,
		"the gzip data breaks off before anything comes out");

	e = (struct err){ 0 };
	assert_int_equal(
		file_magic_sniff("\x1F\x8B\x08\0\0\0\0\0\0\3\xFF\xFF\xFF\xFF",
			14, true, &e),
		SNIFF_UNKNOWN);
	assert_string_equal(e.text, "the gzip data is damaged from the start");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_not),
		cmocka_unit_test(test_tables),
		cmocka_unit_test(test_magics),
		cmocka_unit_test(test_operator_catalog),
		cmocka_unit_test(test_traces),
		cmocka_unit_test(test_more),
		cmocka_unit_test(test_compressed),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
