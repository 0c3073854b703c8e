/* test_measure.c - tests which measures are read from the files of each tool, and
 * the message for every file that is refused. The files have the keys that the tools
 * write; the numbers are made up. */
#include "measure.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

/* "source: name value unit; …", or the message. */
static const char *read_text(struct arena *a, const char *bytes, size_t len)
{
	struct measure_list l;
	static struct err e;

	e = (struct err){ 0 };
	if (!measure_read(bytes, len, a, &l, &e)) {
		assert_int_equal(e.code, ERR_INPUT);
		return e.text;
	}
	const char *text =
		arena_printf(a, "%s:", measure_source_word[l.source]);
	for (uint32_t i = 0; i < l.n; i++)
		text = arena_printf(a, "%s%s %s %.9g %s", text, i ? ";" : "",
			l.rows[i].name, l.rows[i].value, l.rows[i].unit);
	return text;
}

struct text_case {
	const char *odd, *file, *expected;
};

static void check(const struct text_case *cases, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct arena a = { 0 };
		const char *file = cases[i].file;
		const char *is = read_text(&a, file, strlen(file));
		if (strcmp(is, cases[i].expected) != 0)
			fail_msg("%s: %s", cases[i].odd, is);
		arena_release(&a);
	}
}
#define CHECK(cases) check(cases, sizeof cases / sizeof *cases)

static void what_the_tools_write(void **state)
{
	static const struct text_case cases[] = {
		{ "vLLM: settings, lists, null and a deviation are skipped",
			"{\"date\": \"20250101\", \"backend\": \"vllm\", "
			"\"num_prompts\": 8, \"request_rate\": \"inf\", "
			"\"duration\": 2.5, \"completed\": 8, "
			"\"request_throughput\": 3.2, "
			"\"request_goodput:\": null, "
			"\"output_throughput\": 410.5, "
			"\"total_token_throughput\": 1000, "
			"\"ttfts\": [0.1, 0.2], \"mean_ttft_ms\": 150.25, "
			"\"median_ttft_ms\": 140, \"std_ttft_ms\": 9, "
			"\"p99_ttft_ms\": 400, \"p99.9_tpot_ms\": 21.5, "
			"\"mean_e2el_ms\": 900}",
			"vllm: benchmark_time 2500 ms; completed_requests 8 "
			"requests; request_throughput 3.2 requests/s; "
			"output_throughput 410.5 tokens/s; total_throughput "
			"1000 tokens/s; ttft_mean 150.25 ms; ttft_median 140 "
			"ms; ttft_p99 400 ms; tpot_p99.9 21.5 ms; "
			"e2e_latency_mean 900 ms" },
		{ "vLLM: answers of one token, so that tpot is written as 0",
			"{\"completed\": 2, \"failed\": 0, "
			"\"spec_decode_acceptance_rate\": 72.5, "
			"\"mean_ttft_ms\": 8, \"mean_tpot_ms\": 0.0}",
			"vllm: completed_requests 2 requests; failed_requests 0 "
			"requests; accept_rate 72.5 %; ttft_mean 8 ms" },
		{ "vLLM: p50 equals the median, so it is no second value",
			"{\"median_itl_ms\": 7.5, \"p50_itl_ms\": 7.5}",
			"vllm: itl_median 7.5 ms" },
		{ "SGLang: a line with its end, sent as fast as possible",
			"{\"backend\": \"sglang\", \"request_rate\": Infinity, "
			"\"tag\": \"a \\\"NaN\\\" NaN\", "
			"\"total_output_tokens\": 100, "
			"\"total_output_tokens_retokenized\": 99, "
			"\"input_throughput\": 51.5, "
			"\"median_e2e_latency_ms\": 800.5, "
			"\"accept_length\": 2.75, \"concurrency\": 3.9}\n",
			"sglang: output_tokens 100 tokens; input_throughput "
			"51.5 tokens/s; e2e_latency_median 800.5 ms; "
			"accept_length 2.75 tokens" },
		{ "AIPerf: units are converted, percentiles and counts differ",
			"{\"request_throughput\": {\"unit\": \"requests/sec\", "
			"\"avg\": 5.5}, \"request_latency\": {\"unit\": \"sec\", "
			"\"avg\": 1.5, \"p50\": 1.25, \"p99\": 2, \"std\": 0.1, "
			"\"min\": 1, \"max\": 3}, \"inter_token_latency\": "
			"{\"unit\": \"us\", \"avg\": 9500}, "
			"\"output_sequence_length\": {\"unit\": \"tokens\", "
			"\"avg\": 100}, \"input_config\": {\"model\": \"m\"}}",
			"aiperf: request_throughput 5.5 requests/s; "
			"e2e_latency_mean 1500 ms; e2e_latency_median 1250 ms; "
			"e2e_latency_p99 2000 ms; e2e_latency_min 1000 ms; "
			"e2e_latency_max 3000 ms; tpot_mean 9.5 ms" },
		{ "LoadGen: a server with tokens; the settings are no measures",
			"================\nMLPerf Results Summary\n"
			"================\nSUT name : PySUT\n"
			"Scenario : Server\n"
			"Scheduled samples per second : 104.15\n"
			"Completed samples per second    : 103.5\n"
			"Completed tokens per second: 29522.56\n"
			"Result is : VALID\n"
			"Mean latency (ns)               : 37756807070\n"
			"99.90 percentile latency (ns)   : 145708791529\n"
			"Completed tokens per second                 : "
			"29522.56\n"
			"Min First Token latency (ns)                : 46040396\n"
			"50.00 percentile first token latency (ns)   : "
			"950532291\n"
			"Max Time per Output Token (ns)                : "
			"1358427611\n"
			"97.00 percentile time to output token (ns)   : "
			"154075958\n"
			"Test Parameters Used\n"
			"target_qps : 104\nMean latency (ns) : 5\n",
			"mlperf: sample_throughput 103.5 samples/s; "
			"output_throughput 29522.56 tokens/s; e2e_latency_mean "
			"37756.8071 ms; e2e_latency_p99.9 145708.792 ms; "
			"ttft_min 46.040396 ms; ttft_median 950.532291 ms; "
			"tpot_max 1358.42761 ms; tpot_p97 154.075958 ms" },
		{ "GenAI-Perf: requests and tokens have the unit count",
			"{\"request_count\": {\"unit\": \"count\", \"avg\": 50}, "
			"\"request_goodput\": {\"unit\": \"requests/sec\", "
			"\"avg\": 2.5}, \"time_to_first_token\": {\"unit\": "
			"\"ms\", \"avg\": 20.5, \"p99\": null}}",
			"aiperf: completed_requests 50 requests; request_goodput "
			"2.5 requests/s; ttft_mean 20.5 ms" },
		{ "lines: a comment, no unit, spaces, CRLF, an own name",
			"# from the nightly job\r\n\r\nloss=2.25\r\n"
			" ttft_p99 = 1.5 s \r\nmy.score-2 = -3e2 %\r\n"
			"peak=71 GB",
			"plain: loss 2.25 1; ttft_p99 1500 ms; my.score-2 -300 "
			"%; peak 71 GB" },
		{ "lines: a name that only looks like a latency keeps its unit",
			"ttft_worst=3 s\nttft_p101=4 s\nttft=5 s\n"
			"ttft_p1.2.3=6 s\nttft_p99.=7 s\nloss_p99=-1",
			"plain: ttft_worst 3 s; ttft_p101 4 s; ttft 5 s; "
			"ttft_p1.2.3 6 s; ttft_p99. 7 s; loss_p99 -1 1" },
		{ "lines: other words for the mean and the median",
			"itl_avg=3 ms\nitl_p50=2 ms\nloss=-0.5\n",
			"plain: itl_mean 3 ms; itl_median 2 ms; loss -0.5 1" },
	};
	(void)state;

	CHECK(cases);
}

static void files_that_are_refused(void **state)
{
	static const char nothing[] =
		"no measure was found: send a result of vLLM, SGLang, AIPerf, "
		"GenAI-Perf or MLPerf LoadGen, or lines NAME=VALUE UNIT";
	static const struct text_case cases[] = {
		{ "empty", "", nothing },
		{ "another object", "{\"traceEvents\": []}", nothing },
		{ "only texts of a summary", "MLPerf Results Summary\nx : y\n",
			nothing },
		{ "a list of results", " [{\"mean_ttft_ms\": 1}]",
			"the file is a list; send one result, which is a JSON "
			"object" },
		{ "no JSON", "{\"a\": }", "line 1: unexpected token near '}'" },
		{ "NaN, as Python writes it", "{\n\"mean_ttft_ms\": NaN}",
			"mean_ttft_ms is not a finite number" },
		{ "an infinite throughput",
			"{\"output_throughput\": -Infinity}",
			"output_throughput is not a finite number" },
		{ "AIPerf: an average that is NaN",
			"{\"goodput\": {\"unit\": \"requests/sec\", \"avg\": "
			"NaN}}",
			"request_goodput is not a finite number" },
		{ "a result that LoadGen calls invalid",
			"MLPerf Results Summary\nSamples per second: 3\n"
			"Result is : INVALID\n",
			"line 3: LoadGen calls the result invalid: a requirement, "
			"such as the minimum duration, is not met" },
		{ "infinite after the conversion", "ttft_p99=1e306 s",
			"line 1: ttft_p99 is too large, or not a number" },
		{ "more than 31 years", "tpot_mean=1.1e12 ms",
			"line 1: tpot_mean is too large, or not a number" },
		{ "fewer tokens than steps", "accept_length=0.25 tokens",
			"line 1: accept_length is 0.25, but each step of "
			"speculative decoding has at least one token" },
		{ "larger than anything", "score=1e101",
			"line 1: score is too large, or not a number" },
		{ "a negative latency", "ttft_mean=-5 ms",
			"line 1: ttft_mean is negative: -5 ms" },
		{ "two spellings of one statistic",
			"tpot_p99.0=3 ms\ntpot_p99=4 ms\n",
			"line 2: tpot_p99 has two values: 3 and 4 ms" },
		{ "two results of SGLang",
			"{\"mean_ttft_ms\": 1}\n{\"mean_ttft_ms\": 2}\n",
			"the file has more than one result; send the line that "
			"belongs to this run" },
		{ "all requests failed",
			"{\"completed\": 0, \"failed\": 8, \"duration\": 0.005, "
			"\"mean_ttft_ms\": 0.0}",
			"no request was completed, so the file has no results" },
		{ "a key twice", "{\"mean_ttft_ms\": 1, \"mean_ttft_ms\": 2}",
			"line 1: duplicate object key near '\"mean_ttft_ms\"'" },
		{ "an unknown unit of AIPerf",
			"{\"request_latency\": {\"unit\": \"minutes\", \"avg\": "
			"1}}",
			"the unit 'minutes' of e2e_latency_mean is unknown; "
			"known are s, sec, ms, us, µs, ns, tokens/s, tokens/sec, "
			"tok/s, requests/s, requests/sec, req/s, samples/s, "
			"tokens, requests, samples, B, GB, GB/s, W, J, J/token, "
			"%, 1" },
		{ "a unit of another quantity", "a=1\nttft_mean=3 tokens/s",
			"line 2: 'tokens/s' is no unit of ttft_mean; its units "
			"are s, sec, ms, us, µs, ns" },
		{ "a latency without a unit", "tpot_mean=3",
			"line 1: '1' is no unit of tpot_mean; its units are s, "
			"sec, ms, us, µs, ns" },
		{ "a unit for a plain number", "loss=3 ms",
			"line 1: 'ms' is no unit of loss; its unit is 1" },
		{ "two values",
			"ttft_p50=3 ms\nttft_p50=3000 us\n"
			"ttft_p50=4 ms\n",
			"line 3: ttft_median has two values: 3 and 4 ms" },
		{ "two plain numbers", "loss=3\nloss=4\n",
			"line 2: loss has two values: 3 and 4" },
		{ "not a number", "loss=nan",
			"line 1: 'nan' of loss is not a "
			"finite number" },
		{ "infinite", "loss=1e999",
			"line 1: '1e999' of loss is not a finite number" },
		{ "no value", "loss=",
			"line 1: '' of loss is not a finite "
			"number" },
		{ "no line of a measure", "loss 3",
			"line 1: 'loss 3' is not NAME=VALUE UNIT" },
		{ "no name", "=3",
			"line 1: '' is no name: it has 1 to 100 "
			"letters, digits, '_', '-' and '.'" },
		{ "a name with markup", "<b>=3",
			"line 1: '<b>' is no name: it has 1 to 100 letters, "
			"digits, '_', '-' and '.'" },
		{ "no UTF-8", "loss=\xff",
			"the file is not valid UTF-8 (send the JSON or the text "
			"that the benchmark wrote)" },
	};
	(void)state;

	CHECK(cases);
}

static void too_many(void **state)
{
	struct arena a = { 0 };
	const char *text = "";
	(void)state;

	for (int i = 0; i <= MEASURES_MAX; i++)
		text = arena_printf(&a, "%sm%d=1\n", text, i);
	assert_string_equal(read_text(&a, text, strlen(text)),
		"line 201: there are more than 200 measures");
	assert_string_equal(read_text(&a, "a=1\0b=2", 7),
		"the file is not valid UTF-8 (send the JSON or the text that "
		"the benchmark wrote)");
	arena_release(&a);
}

static void what_names_mean(void **state)
{
	static const struct {
		const char *name, *text;
		enum measure_better better;
	} cases[] = {
		{ "ttft_p99", "time from a request to its first token: p99",
			MEASURE_LOWER },
		{ "output_throughput", "output tokens per second",
			MEASURE_HIGHER },
		{ "completed_requests", "requests that were completed",
			MEASURE_NEITHER },
		{ "output_throughput_mean", NULL, MEASURE_NEITHER },
		{ "ttft", NULL, MEASURE_NEITHER },
		{ "score", NULL, MEASURE_NEITHER },
	};
	struct arena a = { 0 };
	(void)state;

	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		enum measure_better better;
		const char *text = measure_meaning(&a, cases[i].name, &better);
		assert_int_equal(better, cases[i].better);
		if (cases[i].text)
			assert_string_equal(text, cases[i].text);
		else
			assert_null(text);
	}
	arena_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_the_tools_write),
		cmocka_unit_test(files_that_are_refused),
		cmocka_unit_test(too_many),
		cmocka_unit_test(what_names_mean),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
