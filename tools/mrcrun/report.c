// SPDX-License-Identifier: GPL-2.0
/*
 * One line per decision, to a file or to what standard error was when the
 * program began. A daemon that has something else under that descriptor now
 * gets nothing written into it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib.h"

static const char *log_file;
static unsigned long long err_dev, err_ino;

void report_init(void)
{
	const char *err = getenv("MRCRUN_STDERR");

	log_file = getenv("MRCRUN_LOG");
	if (err && sscanf(err, "%llu:%llu", &err_dev, &err_ino) != 2)
		err_ino = 0;
}

bool reporting(void) { return log_file || err_ino; }

static int report_open(void)
{
	struct stat st;

	if (log_file)
		return open(log_file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC,
			    0666);
	if (fstat(STDERR_FILENO, &st) || st.st_dev != err_dev ||
	    st.st_ino != err_ino)
		return -1;
	return STDERR_FILENO;
}

void report(int fd, const char *format, ...)
{
	int saved = errno, out, n, more;
	char line[300];
	va_list ap;

	if (!reporting())
		return;
	out = report_open();
	if (out < 0)
		goto end;
	n = snprintf(line, sizeof(line), "mrcrun: %s[%d]: fd %d: ",
		     program_invocation_short_name, (int)getpid(), fd);
	va_start(ap, format);
	more = vsnprintf(line + n, sizeof(line) - n, format, ap);
	va_end(ap);
	n += more;
	if (n > (int)sizeof(line) - 1)
		n = sizeof(line) - 1;
	line[n++] = '\n';
	/* Nobody to tell if that fails. */
	if (write(out, line, n) < 0)
		n = 0;
	if (out != STDERR_FILENO)
		close(out);
end:
	errno = saved;
}
