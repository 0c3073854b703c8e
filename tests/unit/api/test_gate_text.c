/* test_gate_text.c - tests complete gate reports for people and for CI, with
 * names that try to inject markup. */
#include "view_gate.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

/* The names of rules contain characters that end a cell, an element, an
 * attribute or a command. Sentences contain mentions, references and links. */
static const char odd[] =
	"{\"id\":7,\"created_at\":\"2026-08-22T10:11:12.500000Z\","
	"\"project\":\"p|q\",\"workload\":\"\",\"name\":\"1. <b>, @all\","
	"\"outcome\":\"regressed\",\"summary\":\"50% slower: @root, see #12 "
	"or "
	"http://x.y and www.z.org $a$\",\"runs_needed\":6,"
	"\"base\":{\"query\":\"label.a=`b`\",\"units\":3,\"iterations\":36},"
	"\"head\":{\"query\":\"4\",\"units\":1,\"iterations\":1},"
	"\"rules\":["
	"{\"rule\":\"iteration\",\"of\":null,\"device\":null,\"outcome\":\"pass\","
	"\"limit_pct\":2,\"base_ns\":10000,\"head_ns\":10100.5,"
	"\"change_pct\":1.005,\"low_pct\":-0.5,\"high_pct\":1.75,\"p\":0.25,"
	"\"summary\":\"\"},"
	"{\"rule\":\"function\",\"of\":\"f<T>(a|b, \\\"c\\\", @me, #1)\\n"
	"::error::x]]>\",\"device\":\"GPU, 0\",\"outcome\":\"regressed\","
	"\"limit_pct\":null,\"base_ns\":0,\"head_ns\":61500,"
	"\"change_pct\":null,\"low_pct\":null,\"high_pct\":null,"
	"\"iteration_limit_pct\":1,\"iteration_change_pct\":6.15,"
	"\"iteration_low_pct\":6,\"iteration_high_pct\":6.3,"
	"\"p\":0.0005,\"p_family\":0.0012,\"alpha\":0.00125,"
	"\"summary\":\"new\\u0001: 60 \\u00b5s & more\"},"
	"{\"rule\":\"operator\",\"of\":\"gemm\",\"device\":null,"
	"\"outcome\":\"undecided\",\"limit_pct\":5,\"base_ns\":1000,"
	"\"head_ns\":1100,\"change_pct\":10,\"low_pct\":-3,\"high_pct\":23,"
	"\"p\":0.06,\"summary\":\"not shown\"},"
	"{\"rule\":\"headroom\",\"of\":null,\"device\":null,"
	"\"outcome\":\"regressed\",\"limit_pct\":null,\"base_ns\":1000,"
	"\"head_ns\":1100,\"change_pct\":10,\"low_pct\":9,\"high_pct\":11,"
	"\"iteration_limit_pct\":2,\"iteration_change_pct\":2.5,"
	"\"iteration_low_pct\":2.25,\"iteration_high_pct\":2.75,"
	"\"p\":0.002,\"p_family\":null,\"alpha\":0.0025,"
	"\"summary\":\"more\"},"
	"{\"rule\":\"operator\",\"of\":\"rope\",\"device\":null,"
	"\"outcome\":\"pass\",\"limit_pct\":2,\"base_ns\":1000,"
	"\"head_ns\":1020,\"change_pct\":1.9962,\"low_pct\":1,"
	"\"high_pct\":3,\"p\":0.5,\"summary\":\"\"}],"
	"\"rules_excluded\":3,\"data_problems\":[],\"findings\":["
	"{\"code\":\"few_iterations\",\"severity\":\"warn\",\"message\":\"few "
	"*\"}],\"policy\":{\"alpha\":0.01},\"budget\":{\"commit\":\"@f<00d\","
	"\"gate\":2,\"gates\":3,\"alpha\":0.0015,\"reason\":null},"
	"\"compare\":\"/compare?base=1,2,3&head=4\"}";

static const char bad[] =
	"{\"id\":8,\"created_at\":\"2026-08-22T10:11:12.500000Z\","
	"\"project\":\"\",\"workload\":\"w\",\"name\":\"\","
	"\"outcome\":\"bad_data\",\"summary\":\"2 "
	"reasons\",\"runs_needed\":-1,"
	"\"base\":{\"query\":\"1\",\"units\":1,\"iterations\":2},"
	"\"head\":{\"query\":\"2\",\"units\":2,\"iterations\":1},"
	"\"rules\":[],\"rules_excluded\":0,\"data_problems\":["
	"{\"code\":\"runs\",\"message\":\"one run\"},"
	"{\"code\":\"iterations\",\"message\":\"a & b\"}],"
	"\"policy\":{\"alpha\":0.01},\"budget\":{\"commit\":null,"
	"\"gate\":null,\"gates\":null,\"alpha\":0.01,\"reason\":\"no label\"},"
	"\"findings\":[],\"compare\":\"/compare?base=1&head=2\"}";

typedef void rendering(const json_t *gate, const char *site, struct buf *b);

static void assert_text(rendering *render, const char *gate, const char *site,
	const char *want)
{
	struct buf b;
	size_t len;
	json_t *v = json_loads(gate, 0, NULL);
	assert_non_null(v);
	buf_init(&b, 1 << 20);
	render(v, site, &b);
	assert_false(b.full);
	char *text = buf_take(&b, &len);
	assert_string_equal(text, want);
	free(text);
	json_decref(v);
}

static void test_md(void **state)
{
	(void)state;
	assert_text(gate_text_md, odd, "https://k.example",
		"## ❌ [Gate](<https://k.example/gates/7>): regressed (1&#46; &#60;b&#62;, &#64;&#8203;all)\n"
		"\n"
		"50% slower: &#64;&#8203;root, see &#35;&#8203;12 or "
		"http&#58;//x.y and www&#46;z.org &#36;a&#36;\n"
		"\n"
		"| Outcome | Rule | Base (µs) | Head (µs) | Change | 95 % interval "
		"| Limit | p (one-sided) | p family | Alpha |\n"
		"|:---|:---|---:|---:|---:|---:|---:|---:|---:|---:|\n"
		"| pass | iteration | 10.00 | 10.10 | +1.00 % | -0.50 to +1.75 % | "
		"2 % | 0.25 |  |  |\n"
		"| regressed | function <code>f&#60;T&#62;(a&#124;b, "
		"&#34;c&#34;, &#64;me, &#35;1) &#58;&#58;error&#58;&#58;x&#93;"
		"&#93;&#62;</code> on <code>GPU, 0</code> | 0.00 | 61.50 | "
		"+6.15 % of the iteration | +6.00 to +6.30 % of the iteration | "
		"1 % of the iteration | 0.0005 | 0.0012 | 0.0013 |\n"
		"| undecided | operator <code>gemm</code> | 1.00 | 1.10 | "
		"+10.00 % | -3.00 to +23.00 % | 5 % | 0.06 |  |  |\n"
		"| regressed | headroom | 1.00 | 1.10 | "
		"+10.00 %, +2.50 % of the iteration | "
		"+2.25 to +2.75 % of the iteration | 2 % of the iteration | "
		"0.002 |  | 0.0025 |\n"
		"| pass | operator <code>rope</code> | 1.00 | 1.02 | "
		"+1.996 % | +1.00 to +3.00 % | 2 % | 0.5 |  |  |\n"
		"\n"
		"3 more are in the gate's JSON.\n"
		"\n"
		"- new : 60 µs &#38; more\n"
		"- not shown\n"
		"- more\n"
		"\n"
		"This is gate 2 of 3 of commit &#64;&#8203;f&#60;00d so far: its "
		"alpha is 0.0015 (0.01 was requested; later gates of a "
		"commit get less).\n"
		"\n"
		"### Runs needed\n"
		"\n"
		"6 runs of the head in total; it has 1.\n"
		"\n"
		"### Findings\n"
		"\n"
		"- **warn**: few &#42;\n"
		"\n"
		"Project <code>p&#124;q</code>, workload <code></code>, base "
		"<code>label.a=&#96;b&#96;</code> (3 units, 36 iterations), head "
		"<code>4</code> (1 unit, 1 iteration). "
		"[Gate 7](<https://k.example/gates/7>), "
		"[comparison](<https://k.example/"
		"compare?base=1,2,3&head=4>).\n");
	assert_text(gate_text_md, bad, NULL,
		"## ⚠️ Gate: bad data\n"
		"\n"
		"2 reasons\n"
		"\n"
		"### Data problems\n"
		"\n"
		"- one run\n"
		"- a &#38; b\n"
		"\n"
		"Alpha is 0.01: no label.\n"
		"\n"
		"### Runs needed\n"
		"\n"
		"More runs or commits of the baseline; more runs of the head are not "
		"enough.\n"
		"\n"
		"Project <code></code>, workload <code>w</code>, base "
		"<code>1</code> (1 unit, 2 iterations), head <code>2</code> "
		"(2 units, 1 iteration). Gate 8.\n");
}

static void test_junit(void **state)
{
	(void)state;
	assert_text(gate_text_junit, odd, "https://k.example",
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites name=\"1. &lt;b&gt;, @all\" tests=\"6\" "
		"failures=\"2\" errors=\"0\" skipped=\"1\" time=\"0\">\n"
		"  <testsuite name=\"1. &lt;b&gt;, @all\" tests=\"6\" "
		"failures=\"2\" errors=\"0\" skipped=\"1\" time=\"0\" "
		"timestamp=\"2026-08-22T10:11:12\" hostname=\"kernsift\">\n"
		"    <properties>\n"
		"      <property name=\"outcome\" value=\"regressed\"/>\n"
		"      <property name=\"summary\" value=\"50% slower: @root, "
		"see #12 or http://x.y and www.z.org $a$\"/>\n"
		"      <property name=\"project\" value=\"p|q\"/>\n"
		"      <property name=\"base\" value=\"label.a=`b`\"/>\n"
		"      <property name=\"head\" value=\"4\"/>\n"
		"      <property name=\"budget\" value=\"This is gate 2 of 3 of "
		"commit @f&lt;00d so far: its alpha is 0.0015 (0.01 was "
		"requested; later gates of a commit get less).\"/>\n"
		"      <property name=\"gate\" "
		"value=\"https://k.example/gates/7\"/>\n"
		"    </properties>\n"
		"    <testcase name=\"data\" classname=\"kernsift\" "
		"time=\"0\"/>\n"
		"    <testcase name=\"iteration\" classname=\"kernsift\" "
		"time=\"0\"/>\n"
		"    <testcase name=\"function f&lt;T&gt;(a|b, &quot;c&quot;, "
		"@me, #1)&#10;::error::x]]&gt; on GPU, 0\" "
		"classname=\"kernsift\" time=\"0\">\n"
		"      <failure message=\"new\xef\xbf\xbd: 60 µs &amp; more\" "
		"type=\"regressed\">base: 0 ns\nhead: 61500 ns\n"
		"change: 6.15 % of the iteration\n"
		"95 % interval from: 6 % of the iteration\n"
		"95 % interval to: 6.3 % of the iteration\n"
		"limit: 1 % of the iteration\n"
		"p (one-sided): 0.0005\np family: 0.0012\nalpha: 0.00125\n"
		"</failure>\n"
		"    </testcase>\n"
		"    <testcase name=\"operator gemm\" classname=\"kernsift\" "
		"time=\"0\">\n"
		"      <skipped message=\"not shown\"/>\n"
		"    </testcase>\n"
		"    <testcase name=\"headroom\" classname=\"kernsift\" "
		"time=\"0\">\n"
		"      <failure message=\"more\" type=\"regressed\">"
		"base: 1000 ns\nhead: 1100 ns\nchange: 10 %\n"
		"change: 2.5 % of the iteration\n"
		"95 % interval from: 2.25 % of the iteration\n"
		"95 % interval to: 2.75 % of the iteration\n"
		"limit: 2 % of the iteration\n"
		"p (one-sided): 0.002\nalpha: 0.0025\n</failure>\n"
		"    </testcase>\n"
		"    <testcase name=\"operator rope\" classname=\"kernsift\" "
		"time=\"0\"/>\n"
		"  </testsuite>\n"
		"</testsuites>\n");
	assert_text(gate_text_junit, bad, NULL,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites name=\"kernsift gate\" tests=\"1\" failures=\"0\" "
		"errors=\"1\" skipped=\"0\" time=\"0\">\n"
		"  <testsuite name=\"kernsift gate\" tests=\"1\" "
		"failures=\"0\" "
		"errors=\"1\" skipped=\"0\" time=\"0\" "
		"timestamp=\"2026-08-22T10:11:12\" hostname=\"kernsift\">\n"
		"    <properties>\n"
		"      <property name=\"outcome\" value=\"bad_data\"/>\n"
		"      <property name=\"summary\" value=\"2 reasons\"/>\n"
		"      <property name=\"project\" value=\"\"/>\n"
		"      <property name=\"base\" value=\"1\"/>\n"
		"      <property name=\"head\" value=\"2\"/>\n"
		"      <property name=\"budget\" value=\"Alpha is 0.01: no "
		"label.\"/>\n"
		"    </properties>\n"
		"    <testcase name=\"data\" classname=\"w\" time=\"0\">\n"
		"      <error message=\"one run\" type=\"bad_data\">one run\n"
		"a &amp; b\n"
		"</error>\n"
		"    </testcase>\n"
		"  </testsuite>\n"
		"</testsuites>\n");
}

static void test_github(void **state)
{
	(void)state;
	assert_text(gate_text_github, odd, "https://k.example",
		"::error title=Gate%3A regressed%2C 1. <b>%2C @all::50%25 "
		"slower: @root, see #12 or http://x.y and www.z.org $a$ "
		"(https://k.example/gates/7)\n"
		"::error title=function f<T>(a|b%2C \"c\"%2C @me%2C #1)%0A%3A"
		"%3Aerror%3A%3Ax]]>::new\x01: 60 µs & more\n"
		"::error title=headroom::more\n"
		"::warning title=operator gemm::not shown\n");
	assert_text(gate_text_github, bad, NULL,
		"::error title=Gate%3A bad data::2 reasons\n"
		"::error title=runs::one run\n"
		"::error title=iterations::a & b\n");
}

/* 200 bytes of two-byte characters are truncated between two characters. */
static void test_long(void **state)
{
	(void)state;
	struct buf b;
	size_t len;
	char name[201] = { 0 };
	for (int i = 0; i < 100; i++)
		memcpy(name + 2 * i, "é", 2);
	json_t *v = json_pack("{s:s, s:s, s:[{s:s, s:s, s:s}]}", "outcome",
		"undecided", "summary", "s", "rules", "rule", "operator", "of",
		name, "outcome", "undecided");
	buf_init(&b, 1 << 20);
	gate_text_github(v, NULL, &b);
	char *text = buf_take(&b, &len);
	name[160] = '\0';
	char want[400];
	snprintf(want, sizeof want,
		"::warning title=Gate%%3A undecided::s\n"
		"::warning title=operator %s…::\n",
		name);
	assert_string_equal(text, want);
	free(text);
	json_decref(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_md),
		cmocka_unit_test(test_junit),
		cmocka_unit_test(test_github),
		cmocka_unit_test(test_long),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
