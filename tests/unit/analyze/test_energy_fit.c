/* test_energy_fit.c - tests the fit of energies against a search over all sets of
 * causes. */
#include "iteration_parts.h"
#include "world.h"
#include "xoshiro.h"
#include <math.h>

#define S INT64_C(1000000000)

enum { WINDOWS = 80, CAUSES = 5 };

/* Windows of 1 s, in each of which every operator has one launch. */
struct fitted {
	int64_t from_ns[WINDOWS], to_ns[WINDOWS];
	double energy_j[WINDOWS], time_s[WINDOWS][CAUSES];
	int64_t start_ns[WINDOWS * CAUSES], dur_ns[WINDOWS * CAUSES];
	uint8_t cause[WINDOWS * CAUSES];
	struct energy_windows w;
	struct energy_share is[CAUSES];
};

/* Launches of random length, from 0.2 s after the start of the window on. */
static void draw(struct fitted *f, struct xoshiro *x)
{
	uint32_t n = 0;
	*f = (struct fitted){ 0 };
	for (int i = 0; i < WINDOWS; i++) {
		f->from_ns[i] = i * S;
		f->to_ns[i] = (i + 1) * S;
		f->time_s[i][0] = 1;
		for (uint8_t c = 1; c < CAUSES; c++) {
			int64_t ns = xoshiro_below(x, 600000000);
			f->time_s[i][c] = (double)ns / 1e9;
			f->start_ns[n] = i * S + S / 5;
			f->dur_ns[n] = ns;
			f->cause[n++] = c;
		}
	}
	f->w = (struct energy_windows){ f->from_ns, f->to_ns, f->energy_j,
		WINDOWS, CAUSES, { { f->start_ns, f->dur_ns, f->cause, n } },
		0 };
}

/* Least squares for the causes of `on`: Gauss with pivots. False if one of
 * them is negative. */
static bool squares(const struct fitted *f, uint32_t on, double *x)
{
	double a[CAUSES][CAUSES + 1] = { 0 };
	for (int i = 0; i < CAUSES; i++)
		for (int k = 0; k <= CAUSES; k++) {
			bool used = on >> i & 1 && (k == CAUSES || on >> k & 1);
			for (int w = 0; used && w < WINDOWS; w++)
				a[i][k] += f->time_s[w][i] *
					   (k < CAUSES ? f->time_s[w][k]
						       : f->energy_j[w]);
			if (i == k && !(on >> i & 1))
				a[i][k] = 1;
		}
	for (int i = 0; i < CAUSES; i++)
		for (int r = 0; r < CAUSES; r++) {
			double by = a[r][i] / a[i][i];
			for (int k = i; r != i && k <= CAUSES; k++)
				a[r][k] -= by * a[i][k];
		}
	bool ok = true;
	for (int i = 0; i < CAUSES; i++) {
		x[i] = a[i][CAUSES] / a[i][i];
		ok = ok && x[i] >= 0;
	}
	return ok;
}

static double error_of(const struct fitted *f, const double *x)
{
	double sum = 0;
	for (int w = 0; w < WINDOWS; w++) {
		double e = f->energy_j[w];
		for (int i = 0; i < CAUSES; i++)
			e -= f->time_s[w][i] * x[i];
		sum += e * e;
	}
	return sum;
}

static void fit(struct world *w, struct fitted *f)
{
	assert_true(energy_fit(&f->w, &w->arena, f->is));
}

/* Energies that have nothing to do with the times, so that some powers are 0. */
static void the_best_of_all_sets(void **state)
{
	static struct fitted f;
	struct xoshiro x;
	int zeros = 0;
	xoshiro_init(&x, 1);
	for (int n = 0; n < 50; n++) {
		double best[CAUSES] = { 0 }, try[CAUSES];
		draw(&f, &x);
		for (int i = 0; i < WINDOWS; i++)
			f.energy_j[i] = xoshiro_below(&x, 1000);
		for (uint32_t on = 1; on < 1 << CAUSES; on++)
			if (squares(&f, on, try) &&
				error_of(&f, try) < error_of(&f, best))
				memcpy(best, try, sizeof best);
		fit(*state, &f);
		for (int i = 0; i < CAUSES; i++) {
			if (!(fabs(f.is[i].watts - best[i]) < 1e-4))
				fail_msg("%d: %g is not %g", n, f.is[i].watts,
					best[i]);
			assert_true(f.is[i].low_w >= 0 &&
				    f.is[i].low_w <= f.is[i].watts &&
				    f.is[i].high_w >= f.is[i].watts);
			zeros += best[i] == 0;
		}
	}
	assert_in_range(zeros, 20, 200);
}

static void power(struct fitted *f, const double *watts)
{
	for (int i = 0; i < WINDOWS; i++)
		for (int c = 0; c < CAUSES; c++)
			f->energy_j[i] += f->time_s[i][c] * watts[c];
}

static void expect(const struct fitted *f, const double *watts)
{
	for (int c = 0; c < CAUSES; c++) {
		assert_true(fabs(f->is[c].watts - watts[c]) <
			    1e-5 * watts[c] + 1e-4);
		assert_int_equal(f->is[c].state, ENERGY_SHARE_KNOWN);
	}
}

/* All launches are 0.3 s earlier than the energy that they used. */
static void a_counter_that_is_late(void **state)
{
	static const double watts[CAUSES] = { 60, 400, 30, 200, 10 };
	static struct fitted f;
	struct xoshiro x;
	xoshiro_init(&x, 2);
	draw(&f, &x);
	power(&f, watts);
	fit(*state, &f);
	expect(&f, watts);
	for (uint32_t i = 0; i < f.w.launches[0].n; i++)
		f.start_ns[i] -= S / 5 + S / 10;
	f.w.delay_max_ns = S;
	fit(*state, &f);
	expect(&f, watts);
}

/* The second operator has twice the time of the first; the fourth has none. */
static void causes_that_cannot_be_separated(void **state)
{
	static const double watts[CAUSES] = { 60, 400, 30, 200, 0 };
	static struct fitted f;
	struct xoshiro x;
	xoshiro_init(&x, 3);
	draw(&f, &x);
	for (int i = 0; i < WINDOWS; i++) {
		int64_t *ns = &f.dur_ns[(size_t)i * (CAUSES - 1)];
		ns[0] /= 2;
		ns[1] = 2 * ns[0];
		ns[3] = 0;
		for (int c = 1; c < CAUSES; c++)
			f.time_s[i][c] = (double)ns[c - 1] / 1e9;
	}
	power(&f, watts);
	fit(*state, &f);
	assert_int_equal(f.is[0].state, ENERGY_SHARE_KNOWN);
	assert_int_equal(f.is[1].state, ENERGY_SHARE_DEPENDENT);
	assert_int_equal(f.is[2].state, ENERGY_SHARE_DEPENDENT);
	assert_int_equal(f.is[3].state, ENERGY_SHARE_KNOWN);
	assert_true(fabs(f.is[3].watts - 200) < 0.01);
	assert_int_equal(f.is[4].state, ENERGY_SHARE_DEPENDENT);
}

enum { LONG = 60000, MANY = 100000 };

/* Launches of the third cause begin in the middle of the first window and end in
 * the middle of the last one: 1.3e11 pairs of a launch and a window for 22 delays.
 * The first cause has the even windows, and the second one half of each third odd
 * window. */
static void launches_that_contain_most_windows(void **state)
{
	struct world *w = *state;
	struct energy_share is[4];
	int64_t *from_ns = arena_array(&w->arena, int64_t, LONG);
	int64_t *to_ns = arena_array(&w->arena, int64_t, LONG);
	double *energy_j = arena_array(&w->arena, double, LONG);
	int64_t *start_ns = arena_array(&w->arena, int64_t, LONG);
	int64_t *dur_ns = arena_array(&w->arena, int64_t, LONG);
	uint8_t *cause = arena_array(&w->arena, uint8_t, LONG);
	int64_t *early_ns = arena_array(&w->arena, int64_t, MANY);
	int64_t *whole_ns = arena_array(&w->arena, int64_t, MANY);
	uint8_t *third = arena_array(&w->arena, uint8_t, MANY);
	uint32_t n = 0;

	for (uint32_t i = 0; i < LONG; i++) {
		from_ns[i] = i * S;
		to_ns[i] = (i + 1) * S;
		energy_j[i] = 60 + (i % 2 ? 0 : 100) +
			      (i % 3 || i % 2 == 0 ? 0 : 150);
		if (i % 2 && i % 3)
			continue;
		start_ns[n] = i * S;
		dur_ns[n] = i % 2 ? S / 2 : S;
		cause[n++] = i % 2 ? 2 : 1;
	}
	for (uint32_t i = 0; i < MANY; i++) {
		early_ns[i] = S / 2;
		whole_ns[i] = (LONG - 1) * S;
		third[i] = 3;
	}
	energy_j[0] += 0.5 * MANY * 0.001;
	for (uint32_t i = 1; i < LONG - 1; i++)
		energy_j[i] += MANY * 0.001;
	energy_j[LONG - 1] += 0.5 * MANY * 0.001;
	assert_true(energy_fit(&(struct energy_windows){ from_ns, to_ns,
				       energy_j, LONG, 4,
				       { { start_ns, dur_ns, cause, n },
					       { early_ns, whole_ns, third,
						       MANY } },
				       S },
		&w->arena, is));
	assert_true(fabs(is[1].watts - 100) < 1e-3);
	assert_true(fabs(is[2].watts - 300) < 1e-3);
	assert_int_equal(is[0].state, ENERGY_SHARE_DEPENDENT);
	assert_int_equal(is[3].state, ENERGY_SHARE_DEPENDENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		WORLD_TEST(the_best_of_all_sets),
		WORLD_TEST(a_counter_that_is_late),
		WORLD_TEST(causes_that_cannot_be_separated),
		WORLD_TEST(launches_that_contain_most_windows),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
