// SPDX-License-Identifier: GPL-2.0
/*
 * -b FILE: one command per line, without "mrcctl" and options. A # begins a
 * comment, a backslash at the end joins lines, quotes keep words together.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mrcctl.h"

#define WORDS_MAX	64

/**
 * struct script - a file of commands
 * @f: the file
 * @name: for messages
 * @line: number of the line read last
 * @buf: it, and those joined to it
 * @size: of @buf
 */
struct script {
	FILE *f;
	const char *name;
	unsigned int line;
	char *buf;
	size_t size;
};

static void cut_comment(char *s)
{
	char quote = 0;

	for (; *s; s++) {
		if (quote && *s == quote)
			quote = 0;
		else if (!quote && (*s == '"' || *s == '\''))
			quote = *s;
		else if (!quote && *s == '#')
			break;
	}
	*s = '\0';
}

/* Reads a command. Return: 1, 0 at the end, -1 on an error */
static int read_command(struct script *s)
{
	char *line = NULL;
	size_t size = 0, len = 0;
	bool more = true;
	ssize_t n;

	while (more) {
		n = getline(&line, &size, s->f);
		if (n < 0)
			break;
		s->line++;
		cut_comment(line);
		n = strcspn(line, "\n");
		more = n && line[n - 1] == '\\';
		if (more)
			n--;
		s->buf = xrealloc(s->buf, len + n + 1, 1);
		memcpy(s->buf + len, line, n);
		len += n;
		s->buf[len] = '\0';
	}
	free(line);
	if (ferror(s->f))
		return -1;
	return len || !feof(s->f);
}

/* Splits a line in place. Return: number of words, -1 if there are too many */
static int split(char *line, char **words)
{
	int n = 0;
	char *end;

	for (;;) {
		line += strspn(line, " \t\r");
		if (!*line)
			break;
		if (n == WORDS_MAX)
			return -1;
		if (*line == '"' || *line == '\'') {
			char quote = *line++;

			end = strchrnul(line, quote);
		} else {
			end = line + strcspn(line, " \t\r");
		}
		words[n++] = line;
		if (!*end)
			break;
		*end = '\0';
		line = end + 1;
	}
	return n;
}

static int run_line(struct script *s)
{
	char *words[WORDS_MAX + 1];
	struct args args = { .argv = words };
	int ret;

	args.argc = split(s->buf, words);
	if (!args.argc)
		return EX_DONE;
	if (args.argc < 0)
		ret = err_usage("more than %d words", WORDS_MAX);
	else
		ret = run_command(&args);
	if (ret) {
		fflush(stdout);
		fprintf(stderr, "Command failed %s:%u\n", s->name, s->line);
	}
	return ret;
}

/**
 * batch_run() - run the commands of a file
 * @file: its name, "-" for standard input
 *
 * Return: exit code of the first command that failed
 */
int batch_run(const char *file)
{
	bool is_stdin = !strcmp(file, "-");
	struct script s = { .name = file };
	int ret = EX_DONE, err, got;

	s.f = is_stdin ? stdin : fopen(file, "r");
	if (!s.f)
		return err_fail("%s: %s", file, strerror(errno));
	while ((got = read_command(&s)) > 0) {
		err = run_line(&s);
		if (err && !ret)
			ret = err;
		if (err && !opt.force)
			break;
	}
	if (got < 0)
		ret = err_fail("%s: %s", file, strerror(errno));
	free(s.buf);
	if (!is_stdin)
		fclose(s.f);
	return ret;
}
