/* gate_text_svg.c - two words side by side; the widths are those that a font of
 * 11 px takes at most, and textLength holds any font to them. */
#include "gate_text.h"
#include "gate_text_parts.h"
#include "xml_text.h"

enum { EM = 7, PAD = 6, LABEL_BYTES = 60 };

static const char *color(const char *outcome)
{
	/* white on each of these has a contrast of 4.5 and more */
	static const char *const colors[][2] = { { "pass", "#1a7f37" },
		{ "regressed", "#cf222e" }, { "undecided", "#8a5a00" },
		{ "bad_data", "#8250df" } };
	for (size_t i = 0; outcome && i < sizeof colors / sizeof *colors; i++)
		if (!strcmp(outcome, colors[i][0]))
			return colors[i][1];
	return "#57606a";
}

static int width(const char *s, size_t len)
{
	int n = 0;
	for (size_t i = 0; i < len; i++)
		n += ((unsigned char)s[i] & 0xc0) != 0x80;
	return n * EM;
}

static void word(struct buf *b, int at, int wide, const char *s, size_t len)
{
	buf_printf(b, "<text x=\"%d\" y=\"14\" textLength=\"%d\">", at, wide);
	xml_text(b, s, len);
	buf_puts(b, "</text>\n");
}

void gate_text_svg(const char *label, const char *outcome, struct buf *b)
{
	const char *said = outcome ? gate_outcome_said(outcome) : "no gate";
	size_t len = utf8_clip(label, strlen(label), LABEL_BYTES);
	int left = width(label, len), right = width(said, strlen(said));
	int split = left + 2 * PAD, whole = split + right + 2 * PAD;
	buf_printf(b,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" "
		"height=\"20\" role=\"img\" aria-labelledby=\"t\">\n"
		"<title id=\"t\">",
		whole);
	xml_text(b, label, len);
	buf_printf(b,
		": %s</title>\n"
		"<rect width=\"%d\" height=\"20\" rx=\"3\" fill=\"%s\"/>\n"
		"<path d=\"M3 0h%dv20h-%da3 3 0 0 1-3-3v-14a3 3 0 0 1 3-3z\" "
		"fill=\"#32383f\"/>\n"
		"<g fill=\"#fff\" font-family=\"Verdana,DejaVu "
		"Sans,sans-serif\" "
		"font-size=\"11\" aria-hidden=\"true\">\n",
		said, whole, color(outcome), split - 3, split - 3);
	word(b, PAD, left, label, len);
	word(b, split + PAD, right, said, strlen(said));
	buf_puts(b, "</g>\n</svg>\n");
}
