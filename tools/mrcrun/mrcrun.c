// SPDX-License-Identifier: GPL-2.0
/*
 * mrcrun - run a program over MRC that knows nothing of it. It looks at the
 * program and at the rules, sets up the environment of libmrcrun.so, and
 * becomes the program.
 */
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "map.h"
#include "reach.h"

#define LIBRARY		"libmrcrun.so"
#define DEFAULT_RULES	"/etc/mrcrun.map"

/* As env(1) and others that run something */
enum {
	EXIT_OWN	= 125,	/* mrcrun failed, or cannot reach the program */
	EXIT_NOEXEC	= 126,	/* the program is there and does not run */
	EXIT_NOENT	= 127,	/* it is not there */
};

struct options {
	const char	*map;		/* rules of the command line */
	const char	*map_file;
	const char	*log;
	bool		verbose;
	bool		force;
	bool		check;
};

static const char usage_text[] =
	"Usage: mrcrun [OPTION]... PROGRAM [ARGUMENT]...\n"
	"Run PROGRAM; its TCP connections to MRC nodes go over MRC.\n"
	"\n"
	"  -v, --verbose        say on standard error what became of each socket\n"
	"  -o, --log FILE       say it in FILE instead\n"
	"  -m, --map RULES      which addresses are which nodes, before the rules\n"
	"                       of the file: \"10.0.0.0/24 = fd00:6d::/120\"\n"
	"  -f, --map-file FILE  the file (" DEFAULT_RULES ", if it exists)\n"
	"  -c, --check          only say whether PROGRAM can be reached\n"
	"      --force          run PROGRAM even if it cannot\n"
	"  -h, --help\n";

static void __attribute__((noreturn, format(printf, 1, 2)))
fail(const char *format, ...)
{
	va_list ap;

	fputs("Error: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(EXIT_OWN);
}

static void set(const char *name, const char *value)
{
	if (value ? setenv(name, value, 1) : unsetenv(name))
		fail("%s: %s", name, strerror(errno));
}

/* --- rules ----------------------------------------------------------------- */

static char *read_file(const char *path, bool must)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	ssize_t n;

	if (!f && (must || errno != ENOENT))
		fail("%s: %s", path, strerror(errno));
	if (!f)
		return NULL;
	n = getdelim(&text, &size, 0, f);
	if (n < 0 && ferror(f))
		fail("%s: %s", path, strerror(errno));
	fclose(f);
	return n < 0 ? NULL : text;
}

static void check_rules(struct map *map, const char *text, const char *where)
{
	const char *why;
	char bad[80];

	why = map_add(map, text, bad, sizeof(bad));
	if (why)
		fail("%s: \"%s\": %s", where, bad, why);
}

/* Those of the command line first: the first that matches counts. A mrcrun
 * that another one runs goes on with its rules unless it is given some.
 */
static void set_rules(const struct options *o)
{
	const char *file = o->map_file ?: DEFAULT_RULES;
	struct map map = {};
	char *text, *all;

	if (!o->map && !o->map_file && getenv("MRCRUN_MAP")) {
		check_rules(&map, getenv("MRCRUN_MAP"), "MRCRUN_MAP");
		return;
	}
	text = read_file(file, o->map_file);
	if (o->map)
		check_rules(&map, o->map, "--map");
	if (text)
		check_rules(&map, text, file);
	if (asprintf(&all, "%s\n%s", o->map ?: "", text ?: "") < 0)
		fail("no memory");
	set("MRCRUN_MAP", all);
}

/* --- the library ----------------------------------------------------------- */

/* Beside this program, as in the source tree, or where it was installed */
static void find_library(char *path, size_t size)
{
	ssize_t n = readlink("/proc/self/exe", path, size - 1);
	char *slash;

	if (n > 0) {
		path[n] = 0;
		slash = strrchr(path, '/');
		snprintf(slash, size - (slash - path), "/" LIBRARY);
		if (!access(path, R_OK))
			return;
	}
	snprintf(path, size, LIBDIR "/" LIBRARY);
	if (access(path, R_OK))
		fail("%s: %s", path, strerror(errno));
}

static void set_preload(void)
{
	const char *others = getenv("LD_PRELOAD");
	char path[PATH_MAX], *all;

	find_library(path, sizeof(path));
	if (strpbrk(path, " :"))
		fail("%s: a preloaded library's path has no blanks and colons",
		     path);
	if (others && strstr(others, path))
		return;
	if (asprintf(&all, "%s%s%s", path, others ? ":" : "", others ?: "") < 0)
		fail("no memory");
	set("LD_PRELOAD", all);
}

static void set_report(const struct options *o)
{
	char path[PATH_MAX], text[48];
	struct stat st;

	if (o->log) {
		FILE *f = fopen(o->log, "ae");

		if (!f || !realpath(o->log, path))
			fail("%s: %s", o->log, strerror(errno));
		fclose(f);
		set("MRCRUN_LOG", path);
	}
	if (!o->verbose || o->log || fstat(STDERR_FILENO, &st))
		return;
	snprintf(text, sizeof(text), "%llu:%llu",
		 (unsigned long long)st.st_dev, (unsigned long long)st.st_ino);
	set("MRCRUN_STDERR", text);
}

/* --- the program ----------------------------------------------------------- */

/* Return: can it be reached, if only in part? */
static bool check_program(const struct options *o, const char *program)
{
	char path[PATH_MAX], why[200];
	enum reach r;

	if (!reach_find(program, path, sizeof(path))) {
		fprintf(stderr, "Error: %s: %s\n", program, strerror(errno));
		exit(EXIT_NOENT);
	}
	r = reach_of(path, why, sizeof(why));
	if (r == REACH_ALL) {
		if (o->check)
			printf("%s: can be reached\n", path);
		return true;
	}
	if (r == REACH_PART || o->force) {
		fprintf(stderr, "Warning: %s %s\n", path, why);
		return r == REACH_PART;
	}
	fprintf(stderr, "Error: %s %s: mrcrun cannot reach it\n", path, why);
	return false;
}

static void parse(int argc, char **argv, struct options *o)
{
	static const struct option longs[] = {
		{ "verbose",	no_argument,		NULL, 'v' },
		{ "log",	required_argument,	NULL, 'o' },
		{ "map",	required_argument,	NULL, 'm' },
		{ "map-file",	required_argument,	NULL, 'f' },
		{ "check",	no_argument,		NULL, 'c' },
		{ "force",	no_argument,		NULL, 'F' },
		{ "help",	no_argument,		NULL, 'h' },
		{ }
	};
	int c;

	while ((c = getopt_long(argc, argv, "+vo:m:f:ch", longs, NULL)) >= 0) {
		switch (c) {
		case 'v':
			o->verbose = true;
			break;
		case 'o':
			o->log = optarg;
			break;
		case 'm':
			o->map = optarg;
			break;
		case 'f':
			o->map_file = optarg;
			break;
		case 'c':
			o->check = true;
			break;
		case 'F':
			o->force = true;
			break;
		case 'h':
			fputs(usage_text, stdout);
			exit(0);
		default:
			fputs(usage_text, stderr);
			exit(EXIT_OWN);
		}
	}
	if (optind == argc) {
		fputs(usage_text, stderr);
		exit(EXIT_OWN);
	}
}

int main(int argc, char **argv)
{
	struct options o = {};
	bool reached;

	parse(argc, argv, &o);
	argv += optind;
	set_rules(&o);
	reached = check_program(&o, *argv);
	if (o.check)
		return reached ? 0 : EXIT_OWN;
	if (!reached && !o.force)
		return EXIT_OWN;
	set_report(&o);
	set_preload();
	execvp(*argv, argv);
	fprintf(stderr, "Error: %s: %s\n", *argv, strerror(errno));
	return errno == ENOENT ? EXIT_NOENT : EXIT_NOEXEC;
}
