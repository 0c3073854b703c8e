/* test_cli.c - the tables of a small program: arguments, values, nearest
 * names, help. */
#include "cli.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { EAT = 1, EAT_ALL = 2, DRINK = 4, ARGS = 8 };

struct meal {
	const char *dish, *when, *sauce;
	int plates;
	int64_t grams;
	bool hot;
	struct text_list guest;
};

#define AT(field) offsetof(struct meal, field)
static const struct cli_option options[] = {
	{ "dish", CLI_TEXT, "soup", "MEAL_DISH", EAT | EAT_ALL, "NAME", "rice",
		0, 0, "What to eat", AT(dish) },
	{ "plates_n", CLI_NUM, "2", "MEAL_PLATES", EAT | DRINK, "N", "2", 1, 9,
		"Number of plates", AT(plates) },
	{ "grams", CLI_WHOLE, "", "", EAT, "N", "300", 0, INT64_MAX,
		"Weight of a serving", AT(grams) },
	{ "when", CLI_WORD, "", "", EAT, "noon|evening", "noon", 0, 0,
		"Time of day", AT(when) },
	{ "sauce", CLI_GIVEN, "", "", EAT, "NAME", "curry", 0, 0, "Sauce",
		AT(sauce) },
	{ "hot", CLI_FLAG, "", "MEAL_HOT", EAT | DRINK, "", "", 0, 0,
		"Heat it before it is served, for as long as it takes until "
		"steam rises from it",
		AT(hot) },
	{ "guest", CLI_LIST, "", "", EAT, "NAME", "Ada", 0, 0,
		"Guest; may be repeated", AT(guest) },
};
static const struct cli_command commands[] = {
	{ "eat", "PLACE", 1, 1, false, EAT, "Have a meal", "" },
	{ "eat all", "", 0, 0, false, EAT_ALL, "Leave nothing", "More." },
	{ "drink", "CUP...", 1, -1, true, DRINK, "Have a drink", "" },
	{ "hidden", "", 0, 0, false, 0, NULL, "" },
};
static const struct cli_program program = { .name = "meal",
	.about = "meal has meals.",
	.commands = commands,
	.commands_n = 4,
	.groups = { { "Options", options, 7, NULL } } };

static int count(char *const argv[])
{
	int n = 0;
	while (argv[n])
		n++;
	return n;
}

/* The message for a command line; "" if it is valid. */
static const char *message_of(struct meal *m, struct text_list *operands,
	char *const argv[])
{
	static struct err e;
	int used, n = count(argv);

	e = (struct err){ 0 };
	*m = (struct meal){ 0 };
	*operands = (struct text_list){ 0 };
	const struct cli_command *c =
		cli_command_find(&program, n, argv, &used, &e);
	if (c)
		cli_read(&program, c, n - used, argv + used, m, operands, &e);
	return e.text;
}

static void test_refused(void **state)
{
	(void)state;
	static char long_word[600];
	memset(long_word, 'x', sizeof long_word - 1);
	static const struct {
		char *argv[ARGS];
		const char *message;
	} rows[] = {
		{ { "meal", NULL }, "a command is missing (see 'meal help')" },
		{ { "meal", "eta", NULL },
			"'eta' is not a command (did you mean 'eat'? see 'meal "
			"help')" },
		{ { "meal", "hiden", NULL },
			"'hiden' is not a command (see 'meal help')" },
		{ { "meal", "", NULL },
			"'' is not a command (see 'meal help')" },
		{ { "meal", "eat", "--plate_n=3", NULL },
			"'--plate_n' is not an option of 'meal eat' (did you "
			"mean '--plates-n'? see 'meal eat --help')" },
		{ { "meal", "eat", "--=3", NULL },
			"'--' is not an option of 'meal eat' (see 'meal eat "
			"--help')" },
		{ { "meal", "drink", "--dish", "x", NULL },
			"'--dish' is an option of other commands, not of 'meal "
			"drink' (see 'meal drink --help')" },
		{ { "meal", "eat", "home", "now", NULL },
			"'now' is one argument too many for 'meal eat' (see "
			"'meal eat --help')" },
		{ { "meal", "eat", "home", "al", NULL },
			"'al' is one argument too many for 'meal eat' (did you "
			"mean 'eat all'? see 'meal eat --help')" },
		{ { "meal", "eat", "home", "--when", "mom", NULL },
			"--when: 'mom' is not one of noon, evening" },
		{ { "meal", "eat", "home", "--when", "even", NULL },
			"--when: 'even' is not one of noon, evening (did you "
			"mean 'evening'?)" },
		{ { "meal", "eat", "home", "--grams", "9223372036854775808",
			  NULL },
			"--grams: '9223372036854775808' is not a whole number "
			"of at least 0 (for example 300)" },
		{ { "meal", "eat", "home", "--plates_n", "10", NULL },
			"--plates-n: '10' is not a whole number from 1 to 9 "
			"(for example 2)" },
	};
	struct text_list operands;
	struct meal m;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		assert_string_equal(message_of(&m, &operands, rows[i].argv),
			rows[i].message);
		cli_release(&program, &m, &operands);
	}
	char *argv[] = { "meal", long_word, NULL };
	assert_non_null(
		strstr(message_of(&m, &operands, argv), "not a command"));
	cli_release(&program, &m, &operands);
	char option[620] = "--";
	memcpy(option + 2, long_word, sizeof long_word);
	char *argv2[] = { "meal", "eat", option, NULL };
	assert_non_null(
		strstr(message_of(&m, &operands, argv2), "not an option"));
	cli_release(&program, &m, &operands);
}

static void test_values(void **state)
{
	(void)state;
	struct text_list operands;
	struct meal m;
	char *plain[] = { "meal", "eat", "home", NULL };
	assert_string_equal(message_of(&m, &operands, plain), "");
	assert_string_equal(m.dish, "soup");
	assert_string_equal(m.when, "");
	assert_null(m.sauce);
	assert_int_equal(m.plates, 2);
	assert_int_equal(m.grams, -1);
	assert_false(m.hot);
	assert_int_equal(m.guest.n, 0);
	assert_string_equal(operands.at[0], "home");
	assert_null(operands.at[1]);
	cli_release(&program, &m, &operands);

	setenv("MEAL_DISH", "rice", 1);
	setenv("MEAL_HOT", "1", 1);
	setenv("MEAL_PLATES", "ten", 1);
	char *given[] = { "meal", "eat", "--guest=a", "--guest", "b",
		"--grams=0", "--plates-n=", NULL };
	/* the environment is ignored if the default was requested */
	assert_string_equal(message_of(&m, &operands, given),
		"'meal eat' needs PLACE (see 'meal eat --help')");
	assert_string_equal(m.dish, "rice");
	assert_true(m.hot);
	assert_int_equal(m.plates, 2);
	assert_int_equal(m.grams, 0);
	assert_int_equal(m.guest.n, 2);
	assert_string_equal(m.guest.at[1], "b");
	cli_release(&program, &m, &operands);

	/* and if it is invalid */
	char *all[] = { "meal", "eat", "all", "--dish", "--hot", NULL };
	assert_string_equal(message_of(&m, &operands, all), "");
	assert_string_equal(m.dish, "--hot");
	assert_false(m.hot);
	cli_release(&program, &m, &operands);

	unsetenv("MEAL_PLATES");
	char *rest[] = { "meal", "drink", "--hot", "cup", "--plates-n", "--",
		NULL };
	assert_string_equal(message_of(&m, &operands, rest), "");
	assert_int_equal(operands.n, 3);
	assert_string_equal(operands.at[2], "--");
	cli_release(&program, &m, &operands);
	unsetenv("MEAL_DISH");
	unsetenv("MEAL_HOT");
}

static void test_help(void **state)
{
	(void)state;
	char *text = NULL;
	size_t len;
	FILE *f = open_memstream(&text, &len);

	cli_command_help(&program, &commands[2], f);
	fclose(f);
	assert_string_equal(text,
		"Usage: meal drink [OPTION]... CUP...\n"
		"\n"
		"Have a drink\n"
		"\n"
		"Options:\n"
		"  --plates-n N  Number of plates (default: 2) [MEAL_PLATES]\n"
		"  --hot         Heat it before it is served, for as long as it takes "
		"until steam\n"
		"                rises from it [MEAL_HOT]\n"
		"\n"
		"A variable in brackets sets the option if the command line does "
		"not.\n");
	free(text);
	/* not listed, and without its own text */
	f = open_memstream(&text, &len);
	cli_command_help(&program, &commands[3], f);
	fclose(f);
	assert_non_null(strstr(text, "Usage: meal hidden [OPTION]...\n"));
	free(text);
	f = open_memstream(&text, &len);
	cli_program_help(&program, f);
	fclose(f);
	assert_string_equal(text,
		"Usage: meal COMMAND [OPTION]...\n"
		"\n"
		"meal has meals.\n"
		"\n"
		"Commands:\n"
		"  eat PLACE     Have a meal\n"
		"  eat all       Leave nothing\n"
		"  drink CUP...  Have a drink\n"
		"\n"
		"'meal COMMAND --help' and 'meal help COMMAND' list the\n"
		"options of a command.\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_help),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
