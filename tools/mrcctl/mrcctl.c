// SPDX-License-Identifier: GPL-2.0
/*
 * mrcctl - configure and inspect the MRC transport
 *
 * Options, and the way from the words of a command to the function that does
 * it. The habits are those of iproute2: mrcctl [ OPTIONS ] OBJECT { COMMAND }.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"

struct options opt;

static const char help[] =
	"Usage: mrcctl [ OPTIONS ] OBJECT { COMMAND | help }\n"
	"       mrcctl [ OPTIONS ] apply FILE\n"
	"       mrcctl [ OPTIONS ] export\n"
	"       mrcctl [ -force ] -b[atch] FILE\n"
	"where  OBJECT := { node | plane | route | profile | path | peer | sock | net |\n"
	"                   cc | stats | monitor | probe | trace | linkmap | check }\n"
	"       OPTIONS := { -j[son] | -p[retty] | -s[tatistics] | -d[etails] |\n"
	"                    -o[neline] | -t[imestamp] | -N[etns] NAME | -V[ersion] }\n";

static int help_cmd(struct args *args)
{
	return usage(help);
}

static const struct verb objects[] = {
	{ "node",	node_cmd },
	{ "plane",	plane_cmd },
	{ "route",	route_cmd },
	{ "path",	path_cmd },
	{ "peer",	peer_cmd },
	{ "profile",	profile_cmd },
	{ "sock",	sock_cmd },
	{ "net",	net_cmd },
	{ "cc",		cc_cmd },
	{ "stats",	stats_cmd },
	{ "monitor",	monitor_cmd },
	{ "probe",	probe_cmd },
	{ "trace",	trace_cmd },
	{ "linkmap",	linkmap_cmd },
	{ "check",	check_cmd },
	{ "apply",	apply_cmd },
	{ "export",	export_cmd },
	{ "help",	help_cmd },
	{ }
};

/* Help that was asked for. */
int usage(const char *text)
{
	fputs(text, stdout);
	return EX_DONE;
}

/*
 * Finds a word, which may be cut short as long as only one is meant; two
 * words for the same thing are one. Return: NULL after a message
 */
static const struct verb *find_verb(const char *what,
				    const struct verb *table,
				    const char *word)
{
	const struct verb *v, *found = NULL;
	char names[256] = "";
	bool many = false;
	size_t len = 0;

	for (v = table; v->name; v++) {
		if (!strcmp(v->name, word))
			return v;
		if (strncmp(v->name, word, strlen(word)))
			continue;
		if (len < sizeof(names))
			len += snprintf(names + len, sizeof(names) - len,
					"%s%s", found ? ", " : "", v->name);
		many |= found && found->fn != v->fn;
		if (!found)
			found = v;
	}
	if (!found)
		err_usage("%s \"%s\" is unknown, try \"help\"", what, word);
	if (many)
		err_usage("\"%s\" may be one of %s", word, names);
	return many ? NULL : found;
}

/**
 * run_verb() - run the command of an object
 * @object: name of the object
 * @table: its commands, the first of which ("show") is meant if there is no
 *	word, or one that is no command's: with a digit, a colon or a "*"
 * @args: the words
 *
 * Return: an exit code
 */
int run_verb(const char *object, const struct verb *table, struct args *args)
{
	const struct verb *v = table;
	char what[32];

	if (args->argc && !strpbrk(args->argv[0], "0123456789:*")) {
		snprintf(what, sizeof(what), "%s command", object);
		v = find_verb(what, table, args->argv[0]);
		if (!v)
			return EX_USAGE_ERR;
		next_arg(args);
	}
	return v->fn(args);
}

/**
 * run_command() - run a command
 * @args: its words, at least one
 *
 * Return: an exit code
 */
int run_command(struct args *args)
{
	const struct verb *v = find_verb("object", objects, args->argv[0]);

	if (!v)
		return EX_USAGE_ERR;
	next_arg(args);
	return v->fn(args);
}

/* Is @arg the option @name, written with at least @min letters? */
static bool is_option(const char *arg, const char *name, size_t min)
{
	size_t len;

	arg++;
	if (*arg == '-')
		arg++;
	len = strlen(arg);
	return len >= min && !strncmp(arg, name, len);
}

struct settings {
	const char *netns;
	const char *batch;
};

/* Return: an exit code, or -1 to go on */
static int parse_option(struct args *args, struct settings *set)
{
	const char *arg = next_arg(args);

	if (is_option(arg, "json", 1))
		opt.json = true;
	else if (is_option(arg, "pretty", 1))
		opt.pretty = true;
	else if (is_option(arg, "statistics", 1))
		opt.stats = true;
	else if (is_option(arg, "details", 1))
		opt.details = true;
	else if (is_option(arg, "oneline", 1))
		opt.oneline = true;
	else if (is_option(arg, "timestamp", 1))
		opt.timestamp = true;
	else if (is_option(arg, "force", 1))
		opt.force = true;
	else if (is_option(arg, "Netns", 1) || is_option(arg, "netns", 1))
		return need_arg(args, "network namespace", &set->netns) ? :
		       -1;
	else if (is_option(arg, "batch", 1))
		return need_arg(args, "file name", &set->batch) ? : -1;
	else if (is_option(arg, "Version", 1))
		return printf("mrcctl %s\n", MRCCTL_VERSION) < 0;
	else if (is_option(arg, "help", 1))
		return usage(help);
	else
		return err_usage("option \"%s\" is unknown, try \"help\"",
				 arg);
	return -1;
}

static int run(struct args *args)
{
	struct settings set = { };
	int ret;

	while (args->argc && args->argv[0][0] == '-' && args->argv[0][1]) {
		ret = parse_option(args, &set);
		if (ret >= 0)
			return ret;
	}
	if (set.netns && netns_enter(set.netns))
		return EX_FAIL;
	if (set.batch)
		return no_more_args(args) ? : batch_run(set.batch);
	if (!args->argc) {
		fputs(help, stderr);
		return EX_USAGE_ERR;
	}
	return run_command(args);
}

int main(int argc, char **argv)
{
	struct args args = { .argc = argc - 1, .argv = argv + 1 };
	int ret;

	ret = run(&args);
	nl_close();
	if (fflush(stdout) || ferror(stdout))
		ret = ret ? ret : EX_FAIL;
	return ret;
}
