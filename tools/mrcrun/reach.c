// SPDX-License-Identifier: GPL-2.0
/*
 * What a preloaded library cannot reach: programs without the dynamic linker
 * of our C library, programs to which the kernel gives more privileges than
 * their caller has (the linker then ignores LD_PRELOAD), and those that make
 * their system calls by themselves, as Go's do.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "reach.h"

#define DEPTH		4	/* of scripts for scripts, as in the kernel */
#define LINE		256	/* of "#!" that the kernel reads */
#define NAMES_MAX	65536	/* of sections */

#define ELF_EHDR ElfW(Ehdr)
#define ELF_PHDR ElfW(Phdr)
#define ELF_SHDR ElfW(Shdr)

const char *reach_find(const char *program, char *path, size_t size)
{
	const char *dirs = getenv("PATH") ?: "/usr/local/bin:/usr/bin:/bin";

	if (strchr(program, '/')) {
		snprintf(path, size, "%s", program);
		return access(path, F_OK) ? NULL : path;
	}
	for (;; dirs++) {
		int n = strcspn(dirs, ":");
		struct stat st;

		snprintf(path, size, "%.*s%s%s", n, dirs, n ? "/" : "",
			 program);
		if (!access(path, X_OK) && !stat(path, &st) &&
		    S_ISREG(st.st_mode))
			return path;
		dirs += n;
		if (!*dirs)
			break;
	}
	errno = ENOENT;
	return NULL;
}

/* --- ELF ------------------------------------------------------------------- */

struct elf {
	int		fd;
	ELF_EHDR	head;
};

static bool read_at(int fd, void *buf, size_t len, off_t at)
{
	return pread(fd, buf, len, at) == (ssize_t)len;
}

/* The path of the dynamic linker. Return: is there one? */
static bool elf_interp(const struct elf *e, char *buf, size_t size)
{
	ELF_PHDR ph;
	int i;

	for (i = 0; i < e->head.e_phnum; i++) {
		if (!read_at(e->fd, &ph, sizeof(ph),
			     e->head.e_phoff + i * sizeof(ph)))
			return false;
		if (ph.p_type != PT_INTERP)
			continue;
		if (!ph.p_filesz || ph.p_filesz > size ||
		    !read_at(e->fd, buf, ph.p_filesz, ph.p_offset))
			return false;
		buf[ph.p_filesz - 1] = 0;
		return true;
	}
	return false;
}

static bool elf_section(const struct elf *e, int i, ELF_SHDR *sh)
{
	return read_at(e->fd, sh, sizeof(*sh),
		       e->head.e_shoff + i * sizeof(*sh));
}

static bool elf_has_section(const struct elf *e, const char *name)
{
	ELF_SHDR sh, strings;
	bool found = false;
	char *names;
	size_t len;
	int i;

	if (!e->head.e_shoff || !elf_section(e, e->head.e_shstrndx, &strings) ||
	    !strings.sh_size || strings.sh_size > NAMES_MAX)
		return false;
	len = strings.sh_size;
	names = calloc(1, len + 1);
	if (!names)
		return false;
	if (read_at(e->fd, names, len, strings.sh_offset))
		for (i = 0; i < e->head.e_shnum && !found; i++)
			found = elf_section(e, i, &sh) && sh.sh_name < len &&
				!strcmp(names + sh.sh_name, name);
	free(names);
	return found;
}

static const ELF_EHDR *own_head(void)
{
	static ELF_EHDR head;
	int fd;

	if (head.e_machine)
		return &head;
	fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !read_at(fd, &head, sizeof(head), 0))
		memset(&head, 0, sizeof(head));
	close(fd);
	return &head;
}

static enum reach say(enum reach r, char *why, size_t size, const char *text)
{
	snprintf(why, size, "%s", text);
	return r;
}

static enum reach reach_elf(const struct elf *e, char *why, size_t size)
{
	bool go = elf_has_section(e, ".go.buildinfo");
	const ELF_EHDR *own = own_head();
	char interp[256];

	if (e->head.e_ident[EI_CLASS] != own->e_ident[EI_CLASS] ||
	    e->head.e_machine != own->e_machine)
		return say(REACH_NONE, why, size,
			   "is for another kind of machine (or 32 bits) than mrcrun");
	if (!elf_interp(e, interp, sizeof(interp)))
		return say(REACH_NONE, why, size, go ?
			   "is linked statically (Go makes its own system calls)" :
			   "is linked statically");
	if (strstr(interp, "musl"))
		return say(REACH_NONE, why, size,
			   "uses another C library (musl)");
	if (go)
		return say(REACH_PART, why, size,
			   "is written in Go: sockets of its net package are made by its own system calls and stay TCP");
	return REACH_ALL;
}

/* --- privileges ------------------------------------------------------------ */

static enum reach reach_rights(int fd, char *why, size_t size)
{
	struct stat st;

	if (fstat(fd, &st))
		return REACH_ALL;
	if ((st.st_mode & S_ISUID && st.st_uid != getuid()) ||
	    (st.st_mode & S_ISGID && st.st_mode & 0010 &&
	     st.st_gid != getgid()))
		return say(REACH_NONE, why, size,
			   "runs as another user or group (setuid, setgid)");
	if (geteuid() &&
	    fgetxattr(fd, "security.capability", NULL, 0) > 0)
		return say(REACH_NONE, why, size, "has capabilities of its own");
	return REACH_ALL;
}

/* --- scripts --------------------------------------------------------------- */

/* The program that "#!" names; of env(1) what it looks for */
static const char *script_program(char *line)
{
	char *word, *next, *base;

	line[strcspn(line, "\n")] = 0;
	word = strtok_r(line + 2, " \t", &next);
	if (!word)
		return NULL;
	base = strrchr(word, '/');
	if (strcmp(base ? base + 1 : word, "env"))
		return word;
	do
		base = strtok_r(NULL, " \t", &next);
	while (base && (*base == '-' || strchr(base, '=')));
	return base ?: word;
}

static enum reach reach_depth(const char *path, char *why, size_t size,
			      int depth)
{
	char line[LINE + 1] = "", found[4096];
	enum reach r = REACH_ALL;
	const char *next = NULL;
	struct elf e;

	e.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (e.fd < 0)
		/* Execute permission alone: exec will tell. */
		return REACH_ALL;
	if (read(e.fd, line, LINE) > 2 && !memcmp(line, "#!", 2)) {
		next = script_program(line);
	} else {
		r = reach_rights(e.fd, why, size);
		if (!r && read_at(e.fd, &e.head, sizeof(e.head), 0) &&
		    !memcmp(e.head.e_ident, ELFMAG, SELFMAG))
			r = reach_elf(&e, why, size);
	}
	close(e.fd);
	if (next && depth && reach_find(next, found, sizeof(found)))
		return reach_depth(found, why, size, depth - 1);
	return r;
}

enum reach reach_of(const char *path, char *why, size_t size)
{
	*why = 0;
	return reach_depth(path, why, size, DEPTH);
}
