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
	enum pack_kind kind = pack_kind(o->compress);
	struct feed *f = *o->counters ? feed_joined(path, o->counters, kind, e)
				      : feed_new(path, kind, e);
	*last = (struct attempt){ .end = ATTEMPT_HOPELESS };
	return f && deliver_feed(w, o, f, most, m, out, last, e);
}

bool deliver_feed(struct wire *w, const struct options *o, struct feed *f,
	int most, struct meter *m, struct upload_answer *out,
	struct attempt *last, struct err *e)
{
	struct delivery d = { .meter = m, .feed = f };
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
