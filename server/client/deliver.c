/* deliver.c - a file, its address, and the loop around the two. */
#include "deliver.h"
#include "address.h"
#include "patience.h"

struct delivery {
	struct feed *feed;
	struct meter *meter;
	struct pace pace;
};

static void tick(void *ctx)
{
	struct delivery *d = ctx;
	int64_t taken = feed_taken(d->feed);
	struct progress p = { .label = feed_label(d->feed),
		.stage = "",
		.done_bytes = taken,
		.total_bytes = feed_total(d->feed),
		.rate = pace_add(&d->pace, meter_now_ms(), taken) };
	meter_show(d->meter, &p);
}

/* One try: an upload, or the sentence why not. */
static bool attempt(struct wire *w, const char *url, struct delivery *d,
	struct attempt *a, struct upload_answer *out, struct err *e)
{
	struct wire_watch watch = { tick, d };
	struct buf body;
	bool ok = false;
	pace_init(&d->pace);
	buf_init(&body, WIRE_ANSWER_MAX);
	if (!wire_post(w, url, d->feed, &watch, a, &body, e))
		goto done;
	if (a->status == 200 || a->status == 202)
		ok = answer_upload(body.at, body.len, out, e);
	else
		answer_error(a->status, body.at, body.len, e);
done:
	meter_clear(d->meter);
	buf_release(&body);
	return ok;
}

static void tell(struct delivery *d, const struct upload_answer *u)
{
	char size[PROGRESS_WORD], sent[PROGRESS_WORD];
	progress_bytes(size, feed_taken(d->feed));
	progress_bytes(sent, feed_given(d->feed));
	meter_say(d->meter, "%s: %s sent as %s, upload %lld %s%s",
		feed_label(d->feed), size, sent, (long long)u->id,
		upload_state_name(u->state),
		u->existing ? " (was there already)" : "");
}

bool deliver(struct wire *w, const struct options *o, const char *path,
	int most, struct meter *m, struct upload_answer *out,
	struct attempt *last, struct err *e)
{
	struct delivery d = { .meter = m };
	*last = (struct attempt){ .end = ATTEMPT_HOPELESS };
	d.feed = feed_new(path, pack_kind(o->compress), e);
	if (!d.feed)
		return false;
	struct buf url;
	buf_init(&url, ADDRESS_MAX);
	address_send(&url, o, feed_base_name(d.feed));
	struct patience p = { .meter = m,
		.label = feed_label(d.feed),
		.most = most };
	bool ok = false;
	for (;;) {
		struct err why = { 0 };
		ok = attempt(w, url.at, &d, last, out, &why);
		if (ok || !patience_wait(&p, last, &why)) {
			if (!ok)
				err_set(e, why.code, "%s: %s",
					feed_label(d.feed), why.text);
			break;
		}
		if (!feed_restart(d.feed, e))
			break;
	}
	if (ok)
		tell(&d, out);
	buf_release(&url);
	feed_free(d.feed);
	return ok;
}
