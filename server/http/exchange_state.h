/* exchange_state.h - what the steps of one request remember; exchange_head.c
 * and exchange.c only. */
#pragma once
#include "exchange.h"
#include "http_state.h"
#include "buf.h"
#include <sys/socket.h>

struct exchange {
	struct httpd *h;
	struct MHD_Connection *connection;
	char *path, *query; /* one block; query NULL none */
	char method[12];
	int64_t began_us, sent, drained;
	struct sockaddr_storage local;
	bool begun, refused;
	struct buf body; /* of all but uploads */
	struct stream *stream; /* of an upload */
	struct watched watched;
	struct api_answer answer;
	int status;
};

/* The first header of this name; `ctx` is the exchange. */
const char *exchange_header(void *ctx, const char *name);
/* The request as api/ sees it, valid as long as the exchange. */
struct api_request exchange_request(struct exchange *x);
enum MHD_Result exchange_answer(struct exchange *x);
/* Keeps an error as the answer; always false. */
bool exchange_error(struct exchange *x, enum err_code code, const char *text);
/* The same of a body that is larger than its route takes. */
bool exchange_too_large(struct exchange *x);
/* The answer is there before the body is: at once where `now`, else when the
 * body has come and been thrown away. */
enum MHD_Result exchange_refuse(struct exchange *x, bool now);
/* The headers are there. */
enum MHD_Result exchange_head(struct exchange *x, const char *method);
