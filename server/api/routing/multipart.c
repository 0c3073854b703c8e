/* multipart.c - parses the bytes of a form with a state machine.
 *
 * The delimiter contains only one CR, its first byte. So after a mismatch the
 * search for the delimiter continues at the byte that did not match, and no
 * byte is read twice. */
#include "multipart.h"
#include "utf8.h"
#include <string.h>
#include <strings.h>

/* Extracts the value of the parameter `name` from a header, without quotes. */
static bool multipart_parameter(const char *header, const char *name, char *out,
	size_t size)
{
	size_t len = strlen(name), n = 0;
	const char *s = header;
	while ((s = strchr(s, ';'))) {
		s += 1 + strspn(s + 1, " \t");
		if (!strncasecmp(s, name, len) && s[len] == '=')
			break;
	}
	if (!s)
		return false;
	s += len + 1;
	bool quoted = *s == '"';
	for (s += quoted; *s && n + 1 < size; s++) {
		if (quoted ? *s == '"' : strchr("; \t\r\n", *s) != NULL)
			break;
		if (quoted && *s == '\\' && (s[1] == '"' || s[1] == '\\'))
			s++;
		out[n++] = *s;
	}
	out[n] = '\0';
	return !quoted || *s == '"';
}

bool multipart_init(struct multipart *m, const char *content_type,
	struct err *e)
{
	const char *kind = "multipart/form-data";
	char boundary[MULTIPART_BOUNDARY + 2];
	if (!content_type || strncasecmp(content_type, kind, strlen(kind)))
		return false;
	if (!multipart_parameter(content_type, "boundary", boundary,
		    sizeof boundary) ||
		!*boundary || strlen(boundary) > MULTIPART_BOUNDARY)
		return err_set(e, ERR_INPUT,
			"the form's Content-Type has no boundary of 1 to %d "
			"characters",
			MULTIPART_BOUNDARY);
	/* The first delimiter of a body has no line break before it. */
	*m = (struct multipart){ .matched = 2 };
	m->delimiter_len = (size_t)snprintf(m->delimiter, sizeof m->delimiter,
		"\r\n--%s", boundary);
	return true;
}

/* Stores the file name as valid text. */
static bool multipart_name_keep(char to[static 256], const char *raw,
	struct err *e)
{
	char clean[3 * MULTIPART_HEADERS];
	size_t len = utf8_sanitize(clean, raw, strlen(raw));
	if (len >= 256)
		return err_set(e, ERR_INPUT,
			"the name of the form's file is longer than %d bytes",
			255);
	memcpy(to, clean, len);
	to[len] = '\0';
	return true;
}

static bool multipart_part_begins(struct multipart *m, struct err *e)
{
	char name[256] = "", file[MULTIPART_HEADERS];
	const char *line = m->headers;
	const char *want = "Content-Disposition:";
	while (line && strncasecmp(line, want, strlen(want)))
		line = (line = strstr(line, "\r\n")) ? line + 2 : NULL;
	if (!line)
		return err_set(e, ERR_INPUT,
			"a part of the form has no Content-Disposition");
	char one[MULTIPART_HEADERS];
	snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\r"), line);
	multipart_parameter(one, "name", name, sizeof name);
	if (!multipart_parameter(one, "filename", file, sizeof file))
		return err_set(e, ERR_INPUT,
			"the form's field '%.60s' is not a file; give it in "
			"the "
			"query",
			name);
	m->in_provenance = !strcmp(name, "provenance");
	if (m->in_provenance) {
		m->provenances++;
		return multipart_name_keep(m->provenance_name, file, e);
	}
	bool several = !strcmp(name, MULTIPART_SEVERAL);
	if (m->files && !(several && m->several))
		return err_set(e, ERR_INPUT,
			"the form has several files; name the field of each "
			"'" MULTIPART_SEVERAL "' if they belong together (a "
			"trace and its captures), or send one at a time");
	m->several = several;
	m->files++;
	return multipart_name_keep(m->file_name, file, e);
}

/* Collects the headers of a form part; *used is the number of bytes read. */
static bool multipart_headers_feed(struct multipart *m, const char *s,
	size_t len, size_t *used, struct err *e)
{
	for (*used = 0; *used < len; ++*used) {
		if (m->headers_len + 1 >= sizeof m->headers || !s[*used])
			return err_set(e, ERR_INPUT,
				"a part of the form has headers of over %d "
				"bytes",
				MULTIPART_HEADERS);
		m->headers[m->headers_len++] = s[*used];
		m->headers[m->headers_len] = '\0';
		if (m->headers_len < 4 ||
			memcmp(m->headers + m->headers_len - 4, "\r\n\r\n", 4))
			continue;
		++*used;
		m->at = FORM_FILE;
		m->matched = 0;
		return multipart_part_begins(m, e);
	}
	return true;
}

/* The two bytes after a delimiter say whether another form part follows; blanks
 * may precede them. */
static bool multipart_after_feed(struct multipart *m, const char *s,
	size_t *used, struct err *e)
{
	*used = 1;
	if (!m->headers_len && (*s == ' ' || *s == '\t'))
		return true;
	m->headers[m->headers_len++] = *s;
	if (m->headers_len < 2)
		return true;
	bool end = !memcmp(m->headers, "--", 2);
	bool part = !memcmp(m->headers, "\r\n", 2);
	m->headers_len = 0;
	m->at = end ? FORM_END : FORM_HEADERS;
	return end || part ||
	       err_set(e, ERR_INPUT, "the form's boundary is damaged");
}

/* Passes on the bytes before the next delimiter. */
static bool multipart_file_feed(struct multipart *m, const char *s, size_t len,
	size_t *used, multipart_sink *sink, void *ctx, struct err *e)
{
	bool keep = m->at == FORM_FILE;
	size_t i = 0;
	while (i < len && m->matched < m->delimiter_len) {
		if (s[i] == m->delimiter[m->matched]) {
			m->matched++;
			i++;
			continue;
		}
		if (m->matched) { /* the bytes only looked like a delimiter */
			size_t n = m->matched;
			m->matched = 0;
			if (keep && !sink(ctx, m->delimiter, n, e))
				return false;
			continue;
		}
		const char *cr = memchr(s + i, '\r', len - i);
		size_t n = cr ? (size_t)(cr - s) - i : len - i;
		if (keep && !sink(ctx, s + i, n, e))
			return false;
		i += n;
	}
	*used = i;
	if (m->matched == m->delimiter_len) {
		m->at = FORM_AFTER;
		m->headers_len = 0;
	}
	return true;
}

bool multipart_feed(struct multipart *m, const void *bytes, size_t len,
	multipart_sink *sink, void *ctx, struct err *e)
{
	const char *s = bytes;
	for (size_t used = 0; len && m->at != FORM_END;
		s += used, len -= used) {
		bool ok = true;
		if (m->at == FORM_AFTER)
			ok = multipart_after_feed(m, s, &used, e);
		else if (m->at == FORM_HEADERS)
			ok = multipart_headers_feed(m, s, len, &used, e);
		else
			ok = multipart_file_feed(m, s, len, &used, sink, ctx,
				e);
		if (!ok)
			return false;
	}
	return true;
}

bool multipart_end(const struct multipart *m, struct err *e)
{
	if (m->at != FORM_END)
		return err_set(e, ERR_INPUT,
			"the form ends before its closing boundary; send it "
			"again");
	if (!m->files)
		return err_set(e, ERR_INPUT,
			"the form has no file; add a part with a filename");
	return true;
}
