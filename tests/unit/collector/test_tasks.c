/* test_tasks.c - tests run and wait times of threads that start and end. */
#include "tasks.h"
#include "proc_folder.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

struct world {
	struct proc_folder f;
	struct tasks t;
};

static int start(void **state)
{
	static struct world w;
	proc_folder_make(&w.f);
	proc_folder_write(&w.f, "self/task/.keep", "x");
	tasks_init(&w.t, w.f.at);
	*state = &w;
	return 0;
}

static int stop(void **state)
{
	struct world *w = *state;
	tasks_release(&w->t);
	proc_folder_remove(&w->f, "");
	return 0;
}

static void thread(struct world *w, int tid, unsigned long long ran,
	unsigned long long waited)
{
	char name[64];
	snprintf(name, sizeof name, "self/task/%d/schedstat", tid);
	proc_folder_write(&w->f, name, "%llu %llu 12\n", ran, waited);
}

static void gone(struct world *w, int tid)
{
	char name[64];
	snprintf(name, sizeof name, "self/task/%d", tid);
	proc_folder_remove(&w->f, name);
}

static void assert_totals(struct world *w, uint64_t ran, uint64_t waited)
{
	assert_true(tasks_read(&w->t));
	assert_int_equal(w->t.ran_ns, ran);
	assert_int_equal(w->t.waited_ns, waited);
}

/* Totals begin with the first reading. The complete time of a thread that
 * starts later is added. */
static void test_come_and_go(void **state)
{
	struct world *w = *state;
	thread(w, 10, 5000, 100);
	thread(w, 11, 900, 7);
	assert_totals(w, 0, 0);
	thread(w, 10, 5600, 130);
	thread(w, 12, 50, 3);
	assert_totals(w, 650, 33);
	gone(w, 11);
	thread(w, 10, 5700, 130);
	thread(w, 12, 80, 4);
	assert_totals(w, 780, 34);
	/* another thread with the same number and less time */
	thread(w, 12, 20, 1);
	assert_totals(w, 800, 35);
	/* and one with a number that was unused in between */
	gone(w, 12);
	assert_totals(w, 800, 35);
	thread(w, 12, 20, 1);
	assert_totals(w, 820, 36);
}

static void test_unreadable(void **state)
{
	struct world *w = *state;
	assert_false(tasks_read(&w->t));
	thread(w, 10, 100, 1);
	thread(w, 11, 100, 1);
	assert_totals(w, 0, 0);
	proc_folder_write(&w->f, "self/task/11/schedstat", "nothing\n");
	thread(w, 10, 150, 2);
	assert_totals(w, 50, 1);
	/* it lost its place and counts again from its start */
	thread(w, 11, 130, 1);
	assert_totals(w, 180, 2);
	struct tasks none;
	tasks_init(&none, "/nonexistent");
	assert_false(tasks_read(&none));
	tasks_release(&none);
}

/* The host closes all descriptors and opens a file under the same number. */
static void test_closed_by_the_host(void **state)
{
	struct world *w = *state;
	thread(w, 10, 100, 1);
	assert_totals(w, 0, 0);
	FILE *theirs = tmpfile();
	assert_non_null(theirs);
	int fd = w->t.folder;
	assert_int_equal(dup2(fileno(theirs), fd), fd);
	assert_int_equal(write(fd, "theirs", 6), 6);
	thread(w, 10, 150, 3);
	assert_totals(w, 50, 2);
	assert_int_not_equal(w->t.folder, fd);
	assert_int_equal(lseek(fd, 0, SEEK_CUR), 6);
	/* One more turn, then it ends. */
	int ours = w->t.folder;
	assert_int_equal(dup2(fileno(theirs), ours), ours);
	tasks_release(&w->t);
	assert_int_equal(close(ours), 0);
	assert_int_equal(close(fd), 0);
	fclose(theirs);
}

/* There are 300 threads: 256 are in the totals, 44 are not. When threads end,
 * some of the 44 use their entries. These threads existed before, so only
 * their time after that is added. */
static void test_too_many(void **state)
{
	struct world *w = *state;
	for (int i = 1; i <= 300; i++)
		thread(w, i, 1000, 10);
	assert_totals(w, 0, 0);
	assert_int_equal(atomic_load(&w->t.most_beyond), 44);
	for (int i = 1; i <= 300; i++)
		thread(w, i, 1100, 11);
	assert_totals(w, 25600, 256);
	for (int i = 101; i <= 300; i++)
		gone(w, i);
	assert_true(tasks_read(&w->t));
	assert_int_equal(w->t.n, 100);
	for (int i = 1; i <= 100; i++)
		thread(w, i, 1200, 12);
	assert_totals(w, 25600 + 10000, 256 + 100);
	assert_int_equal(atomic_load(&w->t.most_beyond), 44);
	thread(w, 500, 7, 1);
	assert_totals(w, 35607, 357);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, start, stop)
	const struct CMUnitTest tests[] = {
		TEST(test_come_and_go),
		TEST(test_unreadable),
		TEST(test_closed_by_the_host),
		TEST(test_too_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
