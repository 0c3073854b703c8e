/* test_gate_badge.c - a complete badge, and its text escaped for XML. */
#include "view_gate.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

static void assert_svg(const char *label, const char *outcome, const char *want)
{
	struct buf b;
	size_t len;
	buf_init(&b, 1 << 20);
	gate_text_svg(label, outcome, &b);
	char *text = buf_take(&b, &len);
	assert_string_equal(text, want);
	free(text);
}

/* A character is 7 wide, with a margin of 6 on either side of the text. */
static void test_svg(void **state)
{
	(void)state;
	assert_svg("gate", "pass",
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"80\" "
		"height=\"20\" role=\"img\" aria-labelledby=\"t\">\n"
		"<title id=\"t\">gate: pass</title>\n"
		"<rect width=\"80\" height=\"20\" rx=\"3\" fill=\"#1a7f37\"/>\n"
		"<path d=\"M3 0h37v20h-37a3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3z\" "
		"fill=\"#32383f\"/>\n"
		"<g fill=\"#fff\" font-family=\"Verdana,DejaVu "
		"Sans,sans-serif\" font-size=\"11\" aria-hidden=\"true\">\n"
		"<text x=\"6\" y=\"14\" textLength=\"28\">gate</text>\n"
		"<text x=\"46\" y=\"14\" textLength=\"28\">pass</text>\n"
		"</g>\n</svg>\n");
	assert_svg("é<", NULL,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"87\" "
		"height=\"20\" role=\"img\" aria-labelledby=\"t\">\n"
		"<title id=\"t\">é&lt;: no gate</title>\n"
		"<rect width=\"87\" height=\"20\" rx=\"3\" fill=\"#57606a\"/>\n"
		"<path d=\"M3 0h23v20h-23a3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3z\" "
		"fill=\"#32383f\"/>\n"
		"<g fill=\"#fff\" font-family=\"Verdana,DejaVu "
		"Sans,sans-serif\" font-size=\"11\" aria-hidden=\"true\">\n"
		"<text x=\"6\" y=\"14\" textLength=\"14\">é&lt;</text>\n"
		"<text x=\"32\" y=\"14\" textLength=\"49\">no gate</text>\n"
		"</g>\n</svg>\n");
}

static void test_xml(void **state)
{
	(void)state;
	static const char s[] = "\x01\t\n\r\x1f\x7f<>&\"'\xef\xbf\xbe"
				"\xef\xbf\xbf\xef\xbf\xbd";
	struct buf b;
	size_t len;
	buf_init(&b, 1000);
	gate_text_xml(&b, s, sizeof s - 1);
	char *text = buf_take(&b, &len);
	assert_string_equal(text,
		"\xef\xbf\xbd&#9;&#10;&#13;\xef\xbf\xbd\x7f&lt;&gt;&amp;&quot;'"
		"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_svg),
		cmocka_unit_test(test_xml),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
