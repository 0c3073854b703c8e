/* gemm_rates.c - matrix products per dtype, with cuBLASLt. */
#include "bench.h"
#include "calibration.h"
#include "gpu_library.h"

/* The masks (bench_fill) give numbers from 1/2 to 1 of both signs. */
struct gemm_type {
	const char *dtype;
	int a, b, d, compute, scale; /* of cuBLASLt */
	size_t in_bytes, out_bytes; /* of a number */
	uint32_t mask[4];
	const char *with; /* the type of the second operand, if it differs */
};

static const struct gemm_type gemm_rates_types[] = {
	{ "fp64", GPU_R_64F, GPU_R_64F, GPU_R_64F, GPU_COMPUTE_64F, GPU_R_64F,
		8, 8, { 0xffffffff, 0, 0x800fffff, 0x3fe00000 }, "" },
	{ "fp32", GPU_R_32F, GPU_R_32F, GPU_R_32F, GPU_COMPUTE_32F, GPU_R_32F,
		4, 4, { 0x807fffff, 0x3f000000, 0x807fffff, 0x3f000000 }, "" },
	{ "tf32", GPU_R_32F, GPU_R_32F, GPU_R_32F, GPU_COMPUTE_32F_FAST_TF32,
		GPU_R_32F, 4, 4,
		{ 0x807fffff, 0x3f000000, 0x807fffff, 0x3f000000 }, "" },
	{ "fp16", GPU_R_16F, GPU_R_16F, GPU_R_16F, GPU_COMPUTE_32F, GPU_R_32F,
		2, 2, { 0x83ff83ff, 0x38003800, 0x83ff83ff, 0x38003800 }, "" },
	{ "bf16", GPU_R_16BF, GPU_R_16BF, GPU_R_16BF, GPU_COMPUTE_32F,
		GPU_R_32F, 2, 2,
		{ 0x807f807f, 0x3f003f00, 0x807f807f, 0x3f003f00 }, "" },
	{ "fp8_e4m3", GPU_R_8F_E4M3, GPU_R_8F_E4M3, GPU_R_16BF, GPU_COMPUTE_32F,
		GPU_R_32F, 1, 2,
		{ 0x87878787, 0x30303030, 0x87878787, 0x30303030 }, "" },
	/* cuBLASLt has no product of two fp8_e5m2 matrices. */
	{ "fp8_e5m2", GPU_R_8F_E5M2, GPU_R_8F_E4M3, GPU_R_16BF, GPU_COMPUTE_32F,
		GPU_R_32F, 1, 2,
		{ 0x83838383, 0x38383838, 0x83838383, 0x38383838 },
		" with fp8_e4m3" },
	{ "int8", GPU_R_8I, GPU_R_8I, GPU_R_32I, GPU_COMPUTE_32I, GPU_R_32I, 1,
		4, { 0xffffffff, 0, 0xffffffff, 0 }, "" },
};

/* Rows and columns of the square matrices: small enough for a GPU with little
 * memory, large enough to use all of a large one. */
static const int gemm_rates_sizes[] = { 2048, 4096, 8192 };
enum { SIZES = sizeof gemm_rates_sizes / sizeof *gemm_rates_sizes };

struct gemm_product {
	const struct gemm_type *type;
	void *handle, *product, *in, *out, *b, *preference;
	struct gpu_choice choice;
	union {
		double fp64;
		float fp32;
		int32_t int32;
	} one, zero;
};

static bool gemm_rates_ok(int result, const char *function,
	const struct gemm_type *t, struct err *e)
{
	return result == GPU_OK ||
	       err_set(e, ERR_INPUT, "gemm %s: %s returns status %d", t->dtype,
		       function, result);
}

static void gemm_rates_release(const struct gpu_library *l,
	struct gemm_product *p)
{
	if (p->preference)
		l->blas_preference_free(p->preference);
	if (p->out)
		l->blas_matrix_free(p->out);
	if (p->b)
		l->blas_matrix_free(p->b);
	if (p->in)
		l->blas_matrix_free(p->in);
	if (p->product)
		l->blas_product_free(p->product);
}

/* A transposed, as products of 8-bit types require. */
static bool gemm_rates_make(const struct gpu_library *l, struct gemm_product *p,
	int size, struct err *e)
{
	const struct gemm_type *t = p->type;
	const int32_t transposed = GPU_TRANSPOSED;
	const uint64_t workspace = BENCH_WORKSPACE, n = (uint64_t)size;

	p->one.fp64 = 0;
	p->zero.fp64 = 0;
	if (t->scale == GPU_R_64F)
		p->one.fp64 = 1;
	else if (t->scale == GPU_R_32I)
		p->one.int32 = 1;
	else
		p->one.fp32 = 1;
	return gemm_rates_ok(l->blas_product_new(&p->product, t->compute,
				     t->scale),
		       "cublasLtMatmulDescCreate", t, e) &&
	       gemm_rates_ok(l->blas_product_set(p->product,
				     GPU_PRODUCT_TRANSPOSE_A, &transposed,
				     sizeof transposed),
		       "cublasLtMatmulDescSetAttribute", t, e) &&
	       gemm_rates_ok(l->blas_matrix_new(&p->in, t->a, n, n, size),
		       "cublasLtMatrixLayoutCreate", t, e) &&
	       gemm_rates_ok(l->blas_matrix_new(&p->b, t->b, n, n, size),
		       "cublasLtMatrixLayoutCreate", t, e) &&
	       gemm_rates_ok(l->blas_matrix_new(&p->out, t->d, n, n, size),
		       "cublasLtMatrixLayoutCreate", t, e) &&
	       gemm_rates_ok(l->blas_preference_new(&p->preference),
		       "cublasLtMatmulPreferenceCreate", t, e) &&
	       gemm_rates_ok(l->blas_preference_set(p->preference,
				     GPU_PREFERENCE_WORKSPACE, &workspace,
				     sizeof workspace),
		       "cublasLtMatmulPreferenceSetAttribute", t, e);
}

/* Chooses cuBLASLt's first algorithm. *has is false if the device has none. */
static bool gemm_rates_choose(const struct gpu_library *l,
	struct gemm_product *p, bool *has, struct err *e)
{
	int n = 0, result = l->blas_choose(p->handle, p->product, p->in, p->b,
			   p->out, p->out, p->preference, 1, &p->choice, &n);

	*has = result == GPU_OK && n > 0 && p->choice.status == GPU_OK;
	return result == GPU_NOT_SUPPORTED ||
	       gemm_rates_ok(result, "cublasLtMatmulAlgoGetHeuristic", p->type,
		       e);
}

static bool gemm_rates_multiply(struct bench *b, void *arg, struct err *e)
{
	struct gemm_product *p = arg;

	return gemm_rates_ok(b->lib->blas_multiply(p->handle, p->product,
				     &p->one, b->buffer[0], p->in, b->buffer[1],
				     p->b, &p->zero, b->buffer[2], p->out,
				     b->buffer[2], p->out, p->choice.algorithm,
				     b->workspace, BENCH_WORKSPACE, b->stream),
		"cublasLtMatmul", p->type, e);
}

struct gemm_best {
	double flop_per_s;
	int size;
	struct bench_clocks clocks;
};

/* Measures one size. *has is false if the device has no such product. */
static bool gemm_rates_size(struct calibration *c, struct gemm_product *p,
	int size, bool *has, struct gemm_best *best, struct err *e)
{
	struct bench_clocks clocks;
	double s, n = size;
	bool ok = gemm_rates_make(&c->lib, p, size, e) &&
		  gemm_rates_choose(&c->lib, p, has, e);

	if (ok && *has)
		ok = bench_time(&c->bench, gemm_rates_multiply, p, &s, &clocks,
			e);
	gemm_rates_release(&c->lib, p);
	if (ok && *has && 2 * n * n * n / s > best->flop_per_s)
		*best = (struct gemm_best){ 2 * n * n * n / s, size, clocks };
	return ok;
}

static bool gemm_rates_type(struct calibration *c, void *handle,
	const struct gemm_type *t, struct gemm_best *best, struct err *e)
{
	struct bench *b = &c->bench;
	size_t widest = t->in_bytes > t->out_bytes ? t->in_bytes : t->out_bytes;
	bool has = true;

	if (!bench_fill(b, b->buffer[0], b->buffer_bytes, t->mask, e) ||
		!bench_fill(b, b->buffer[1], b->buffer_bytes, t->mask, e))
		return false;
	for (int i = 0; has && i < SIZES; i++) {
		struct gemm_product p = { .type = t, .handle = handle };
		size_t n = (size_t)gemm_rates_sizes[i];

		if (n * n * widest > b->buffer_bytes)
			break;
		if (!gemm_rates_size(c, &p, gemm_rates_sizes[i], &has, best, e))
			return false;
	}
	return true;
}

void gemm_rates_measure(struct calibration *c)
{
	struct err e = { 0 };
	void *handle = NULL;

	if (!gpu_library_open(&c->lib, GPU_BLAS, &e)) {
		calibration_say(c, true, "gemm: %s", e.text);
		return;
	}
	int result = c->lib.blas_handle_new(&handle);
	if (result != GPU_OK) {
		calibration_say(c, true,
			"gemm: cublasLtCreate returns status %d", result);
		return;
	}
	for (size_t i = 0;
		i < sizeof gemm_rates_types / sizeof *gemm_rates_types; i++) {
		const struct gemm_type *t = &gemm_rates_types[i];
		struct gemm_best best = { 0 };
		struct err why = { 0 };

		if (!gemm_rates_type(c, handle, t, &best, &why)) {
			calibration_say(c, true, "%s", why.text);
			continue;
		}
		if (!best.size) {
			calibration_say(c, false,
				"gemm %s: cuBLASLt has no such product for "
				"this GPU",
				t->dtype);
			continue;
		}
		struct calibrate_row *r = calibration_row_new(c, "gemm",
			"flop_per_s", best.flop_per_s, &best.clocks);
		r->dtype = t->dtype;
		snprintf(r->method, sizeof r->method,
			"cublasLtMatmul%s, %d x %d x %d, best of 5 batches",
			t->with, best.size, best.size, best.size);
	}
	c->lib.blas_handle_free(handle);
}
