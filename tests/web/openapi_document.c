/* openapi_document.c - prints the OpenAPI document, for tests without a
 * server. */
#include "openapi.h"
#include <stdio.h>
#include <stdlib.h>

int main(void)
{
	size_t len;
	struct err e = { 0 };
	char *text = openapi_text(&len, &e);
	if (!text) {
		fprintf(stderr, "openapi_document: %s\n", e.text);
		return 1;
	}
	fwrite(text, 1, len, stdout);
	free(text);
	return 0;
}
