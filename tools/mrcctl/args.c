// SPDX-License-Identifier: GPL-2.0
/*
 * Walking through the words of a command.
 */
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"

/* Return: the next word, NULL if there is none */
const char *next_arg(struct args *args)
{
	if (!args->argc)
		return NULL;
	args->argc--;
	return *args->argv++;
}

/* Return: true if the next word is @word, which is then used up */
bool take_word(struct args *args, const char *word)
{
	if (!args->argc || strcmp(args->argv[0], word))
		return false;
	args->argc--;
	args->argv++;
	return true;
}

int need_arg(struct args *args, const char *what, const char **val)
{
	*val = next_arg(args);
	if (!*val)
		return err_usage("%s is missing", what);
	return EX_DONE;
}

int no_more_args(struct args *args)
{
	if (args->argc)
		return err_usage("what is \"%s\"?", args->argv[0]);
	return EX_DONE;
}

static int run_for_plane(struct args *args, unsigned int at, uint32_t plane,
			 int (*fn)(struct args *args))
{
	char **argv = xrealloc(NULL, args->argc + 1, sizeof(*argv));
	struct args one = { .argc = args->argc, .argv = argv };
	int i, ret;

	for (i = 0; i < args->argc; i++)
		argv[i] = subst_plane((unsigned int)i == at ? "{p}" :
				      args->argv[i], plane,
				      (unsigned int)i == at ||
				      (i && !strcmp(args->argv[i - 1], "dev")));
	argv[i] = NULL;
	ret = fn(&one);
	for (i = 0; i < args->argc; i++)
		free(argv[i]);
	free(argv);
	return ret;
}

/**
 * each_plane() - run a command for each plane of a list
 * @args: its words
 * @at: which of them is the list
 * @fn: the command; sees one number in place of the list and of each {p}
 *
 * Stops at the first error; a message then names the plane.
 *
 * Return: an exit code
 */
int each_plane(struct args *args, unsigned int at,
	       int (*fn)(struct args *args))
{
	uint32_t mask, plane;
	int ret = EX_DONE;
	bool many;

	if (at >= (unsigned int)args->argc)
		return err_usage("plane number is missing");
	if (parse_planes(args->argv[at], &mask))
		return EX_USAGE_ERR;
	many = mask & (mask - 1);
	for (plane = 1; plane <= MRC_PLANE_MAX && !ret; plane++) {
		if (!(mask & 1U << (plane - 1)))
			continue;
		if (many)
			err_context("plane %u", plane);
		ret = run_for_plane(args, at, plane, fn);
		if (many)
			err_context("%s", "");
	}
	return ret;
}
