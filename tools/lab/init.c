// SPDX-License-Identifier: GPL-2.0
/*
 * PID 1 of the lab's guests, linked statically.
 *
 * It loads the modules that lie beside it (QEMU), mounts the host's root
 * read-only (9p in QEMU, hostfs in User-Mode Linux) under a tmpfs overlay,
 * and moves there. Then it runs the script "cmd" of the run directory,
 * passes its output on, and hands the host the kernel log and, last, a token
 * with the exit status (virtio-serial ports in QEMU, files in User-Mode
 * Linux). A guest that panics or hangs writes no token, so it cannot look
 * like a success.
 *
 * The kernel command line says: mrc.run=DIR (the run directory, a path of
 * the host), mrc.tty, mrc.rows=, mrc.cols= (interactive), mrc.mods=DIR (the guest's /lib/modules).
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/random.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define MODULE_INIT_COMPRESSED_FILE 4
#define BASE "/mnt"
#define P9_OPTS "trans=virtio,version=9p2000.L,msize=262144,cache=loose"
#define PATH_DIRS "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
#define KLOG_READ_ALL 3
#define KLOG_SIZE_BUFFER 10

static char run_dir[256];
static char mods_dir[256];
static bool interactive;
static int rows, cols;
static bool uml;

static void die(const char *what)
{
	int fd = open("/dev/console", O_WRONLY);

	if (fd >= 0)
		dprintf(fd, "init: %s: %s\n", what, strerror(errno));
	sync();
	reboot(RB_POWER_OFF);
	for (;;)
		pause();
}

static void mount_or_die(const char *src, const char *dir, const char *type,
			 unsigned long flags, const char *opts)
{
	mkdir(dir, 0755);
	if (mount(src, dir, type, flags, opts))
		die(dir);
}

/* The boot parameters this program understands, see the top of the file. */
static void read_cmdline(void)
{
	char buf[4096], *word, *next = buf;
	int fd = open("/proc/cmdline", O_RDONLY);
	ssize_t len = read(fd, buf, sizeof(buf) - 1);

	if (len <= 0)
		die("/proc/cmdline");
	close(fd);
	buf[len] = 0;
	buf[strcspn(buf, "\n")] = 0;
	while ((word = strsep(&next, " "))) {
		if (!strncmp(word, "mrc.run=", 8))
			snprintf(run_dir, sizeof(run_dir), "%s", word + 8);
		else if (!strncmp(word, "mrc.mods=", 9))
			snprintf(mods_dir, sizeof(mods_dir), "%s", word + 9);
		else if (!strncmp(word, "mrc.rows=", 9))
			rows = atoi(word + 9);
		else if (!strncmp(word, "mrc.cols=", 9))
			cols = atoi(word + 9);
		else if (!strcmp(word, "mrc.tty"))
			interactive = true;
	}
	if (!run_dir[0])
		die("no mrc.run= on the command line");
}

/*
 * Modules lie in the initramfs as /mods/NN-name.ko[.xz], NN giving the order.
 * The loader of a compressed one needs CONFIG_MODULE_DECOMPRESS.
 */
static void load_modules(void)
{
	struct dirent **list;
	int i, n = scandir("/mods", &list, NULL, alphasort);

	for (i = 0; i < n; i++) {
		const char *name = list[i]->d_name;
		size_t len = strlen(name);
		char path[300];
		int fd, flags;

		if (name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/mods/%s", name);
		flags = strcmp(name + len - 3, ".ko") ?
			MODULE_INIT_COMPRESSED_FILE : 0;
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (syscall(SYS_finit_module, fd, "", flags) && errno != EEXIST)
			die(path);
		close(fd);
	}
}

/*
 * The host's root, read-only under an overlay, becomes our root: all the
 * host's programs are there, and nothing written ever reaches the host.
 */
static void enter_host_root(void)
{
	static const char *const moved[] = { "/proc", "/sys", "/dev" };
	char to[64];
	size_t i;

	mount_or_die("base", BASE, "tmpfs", 0, "mode=755,size=60%");
	if (uml)
		mount_or_die("none", BASE "/host", "hostfs", MS_RDONLY, "/");
	else
		mount_or_die("host", BASE "/host", "9p", MS_RDONLY, P9_OPTS);
	mkdir(BASE "/upper", 0755);
	mkdir(BASE "/work", 0755);
	mount_or_die("root", BASE "/root", "overlay", 0,
		     "lowerdir=" BASE "/host,upperdir=" BASE "/upper,workdir="
		     BASE "/work");
	for (i = 0; i < sizeof(moved) / sizeof(moved[0]); i++) {
		snprintf(to, sizeof(to), BASE "/root%s", moved[i]);
		if (mount(moved[i], to, NULL, MS_MOVE, NULL))
			die(to);
	}
	if (chdir(BASE "/root") || mount(".", "/", NULL, MS_MOVE, NULL) ||
	    chroot(".") || chdir("/"))
		die("switching to the host's root");
	if (mods_dir[0])
		mount_or_die(mods_dir, "/lib/modules", NULL, MS_BIND, NULL);
}

/* Without this getrandom() may wait for ever, under virtual time it does. */
static void seed_entropy(void)
{
	struct {
		struct rand_pool_info head;
		char bytes[64];
	} pool = { 0 };
	int fd = open("/dev/urandom", O_RDWR | O_CLOEXEC);

	pool.head.entropy_count = 8 * sizeof(pool.bytes);
	pool.head.buf_size = sizeof(pool.bytes);
	if (fd < 0 || read(fd, pool.bytes, sizeof(pool.bytes)) < 0 ||
	    ioctl(fd, RNDADDENTROPY, &pool))
		die("seeding the random pool");
	close(fd);
}

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		perror(path);
	close(fd);
}

static void prepare(void)
{
	mount_or_die("run", "/run", "tmpfs", 0, "mode=755");
	mount_or_die("shm", "/dev/shm", "tmpfs", 0, "mode=1777");
	mount_or_die("pts", "/dev/pts", "devpts", 0, "mode=620,ptmxmode=666");
	mount("debug", "/sys/kernel/debug", "debugfs", 0, NULL);
	mount("trace", "/sys/kernel/tracing", "tracefs", 0, NULL);
	mount("cgroup", "/sys/fs/cgroup", "cgroup2", 0, NULL);
	if (uml)
		mount_or_die("none", "/run/lab", "hostfs", 0, run_dir);
	else
		mount_or_die("run", "/run/lab", "9p", 0, P9_OPTS);
	mkdir("/run/netns", 0755);
	mkdir("/run/lock", 0755);
	symlink("/proc/self/fd", "/dev/fd");
	symlink("/proc/self/fd/0", "/dev/stdin");
	symlink("/proc/self/fd/1", "/dev/stdout");
	symlink("/proc/self/fd/2", "/dev/stderr");
	if (sethostname("lab", 3))
		die("sethostname");
	put("/proc/sys/kernel/printk", "4 4 1 4\n");
	put("/proc/sys/fs/file-max", "200000\n");
}

/* A virtio-serial port by its name on QEMU's command line. */
static int open_port(const char *name)
{
	char path[300], got[64];
	struct dirent *ent;
	DIR *dir;
	int fd;

	dir = opendir("/sys/class/virtio-ports");
	while (dir && (ent = readdir(dir))) {
		ssize_t len;

		snprintf(path, sizeof(path),
			 "/sys/class/virtio-ports/%s/name", ent->d_name);
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			continue;
		len = read(fd, got, sizeof(got) - 1);
		close(fd);
		if (len <= 0)
			continue;
		got[len] = 0;
		got[strcspn(got, "\n")] = 0;
		if (strcmp(got, name))
			continue;
		snprintf(path, sizeof(path), "/dev/%s", ent->d_name);
		closedir(dir);
		return open(path, O_WRONLY | O_CLOEXEC);
	}
	if (dir)
		closedir(dir);
	errno = ENOENT;
	return -1;
}

static int open_result(const char *name)
{
	char path[300];

	if (!uml)
		return open_port(name);
	snprintf(path, sizeof(path), "/run/lab/%s", name);
	return open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
}

static void write_all(int fd, const char *buf, size_t len)
{
	while (len) {
		ssize_t done = write(fd, buf, len);

		if (done <= 0)
			return;
		buf += done;
		len -= done;
	}
}

static void become_tty(void)
{
	struct winsize ws = {
		.ws_row = rows ? rows : 24,
		.ws_col = cols ? cols : 80,
	};
	int fd;

	setsid();
	fd = open(uml ? "/dev/console" : "/dev/hvc0", O_RDWR);
	if (fd < 0)
		die("the terminal");
	ioctl(fd, TIOCSCTTY, 1);
	ioctl(fd, TIOCSWINSZ, &ws);
	dup2(fd, 0);
	dup2(fd, 1);
	dup2(fd, 2);
	if (fd > 2)
		close(fd);
}

/* Runs the script of the run directory; its output ends in @out. */
static pid_t start_command(int out)
{
	char path[300];
	pid_t pid = fork();
	int null;

	if (pid)
		return pid;
	if (interactive) {
		become_tty();
	} else {
		setsid();
		null = open("/dev/null", O_RDONLY);
		dup2(null, 0);
		dup2(out, 1);
		dup2(out, 2);
		close(null);
	}
	snprintf(path, sizeof(path), "%s/cmd", run_dir);
	execl("/bin/sh", "sh", path, NULL);
	_exit(127);
}

/*
 * Copies the command's output and reaps everything, until the command is
 * gone. Whoever it left behind may still hold the pipe: that is not waited
 * for. Returns the command's exit status.
 */
static int run_command(int out)
{
	int fds[2], status = 0;
	bool done = false;
	char buf[16384];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		die("pipe");
	pid = start_command(fds[1]);
	close(fds[1]);
	while (!done) {
		struct pollfd pfd = { .fd = fds[0], .events = POLLIN };
		ssize_t len;
		pid_t got;
		int st;

		while ((got = waitpid(-1, &st, WNOHANG)) > 0)
			if (got == pid) {
				status = st;
				done = true;
			}
		/* One waits for the pipe, SIGCHLD ends the wait. */
		while (poll(&pfd, 1, done ? 0 : 1000) > 0) {
			len = read(fds[0], buf, sizeof(buf));
			if (len <= 0) {
				if (!done && waitpid(pid, &status, 0) == pid)
					done = true;
				break;
			}
			write_all(out, buf, len);
			if (done)
				continue;
			break;
		}
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) :
				   128 + WTERMSIG(status);
}

static void save_kernel_log(int fd)
{
	int size = klogctl(KLOG_SIZE_BUFFER, NULL, 0);
	char *buf = size > 0 ? malloc(size) : NULL;
	int len = buf ? klogctl(KLOG_READ_ALL, buf, size) : -1;

	if (len > 0)
		write_all(fd, buf, len);
	free(buf);
}

static void on_sigchld(int sig)
{
	(void)sig;
}

static int open_output(void)
{
	struct termios tio;
	int fd;

	if (!uml)
		return open_port("out");
	fd = open("/dev/console", O_WRONLY | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0 && !tcgetattr(fd, &tio)) {
		tio.c_oflag &= ~OPOST;
		tcsetattr(fd, TCSANOW, &tio);
	}
	return fd;
}

int main(void)
{
	struct sigaction act = { .sa_handler = on_sigchld };
	int out, log, result, status;

	uml = access("/mods", F_OK);
	setenv("PATH", PATH_DIRS, 1);
	setenv("HOME", "/tmp", 1);
	setenv("TERM", "linux", 0);
	mount_or_die("proc", "/proc", "proc", 0, NULL);
	mount_or_die("sys", "/sys", "sysfs", 0, NULL);
	if (mount("dev", "/dev", "devtmpfs", 0, NULL) && errno != EBUSY)
		die("/dev");
	read_cmdline();
	if (!uml)
		load_modules();
	enter_host_root();
	mkdir("/dev/shm", 0755);
	mkdir("/dev/pts", 0755);
	prepare();
	seed_entropy();
	out = open_output();
	log = open_result("dmesg");
	result = open_result("result");
	if (out < 0 || log < 0 || result < 0)
		die("the ports of the host");
	sigaction(SIGCHLD, &act, NULL);
	status = run_command(out);
	save_kernel_log(log);
	dprintf(result, "MRC-LAB-DONE %d\n", status);
	close(log);
	close(out);
	close(result);
	sync();
	reboot(RB_POWER_OFF);
	return 0;
}
