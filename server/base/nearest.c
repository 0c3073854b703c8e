/* nearest.c - counts the letters in which two words differ. */
#include "nearest.h"
#include <ctype.h>

static char nearest_folded(char c)
{
	return c == '_' ? '-' : (char)tolower((unsigned char)c);
}

static int nearest_min3(int a, int b, int c)
{
	int minimum = a < b ? a : b;

	return minimum < c ? minimum : c;
}

/* The number of letters to insert, remove, replace or swap with a neighbor. */
static int nearest_edits(const char *a, size_t n, const char *b, size_t m)
{
	int d[NEAREST_LEN + 1][NEAREST_LEN + 1];

	for (size_t i = 0; i <= n; i++)
		d[i][0] = (int)i;
	for (size_t j = 0; j <= m; j++)
		d[0][j] = (int)j;
	for (size_t i = 1; i <= n; i++)
		for (size_t j = 1; j <= m; j++) {
			int other = nearest_folded(a[i - 1]) !=
				    nearest_folded(b[j - 1]);
			d[i][j] = nearest_min3(d[i - 1][j] + 1, d[i][j - 1] + 1,
				d[i - 1][j - 1] + other);
			if (i > 1 && j > 1 &&
				nearest_folded(a[i - 1]) ==
					nearest_folded(b[j - 2]) &&
				nearest_folded(a[i - 2]) ==
					nearest_folded(b[j - 1]) &&
				d[i - 2][j - 2] + 1 < d[i][j])
				d[i][j] = d[i - 2][j - 2] + 1;
		}
	return d[n][m];
}

struct nearest nearest_to(const char *typed, size_t len)
{
	return (struct nearest){ typed, len, NULL, 0, (int)len / 2 + 1 };
}

void nearest_offer(struct nearest *n, const char *name, size_t len)
{
	if (n->len > NEAREST_LEN || len > NEAREST_LEN)
		return;
	int d = nearest_edits(n->typed, n->len, name, len);

	/* The beginning of a name counts as near, however many letters are
	 * missing. */
	if (d > 1 && n->len >= 3 && n->len < len &&
		!nearest_edits(n->typed, n->len, name, n->len))
		d = 1;
	if (d < n->edits) {
		n->edits = d;
		n->name = name;
		n->name_len = len;
	}
}
