/* SPDX-License-Identifier: MIT */
#include "base/new_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/hash.h"

/* ---- names ---- */

static const char MARK[] = ".tmp-"; /* then HOST, 8 hexadecimal digits; the process; RANDOM, 12 hexadecimal digits */
enum { MARK_LENGTH = sizeof MARK - 1, HOST_DIGITS = 8, RANDOM_DIGITS = 12, ATTEMPTS = 100, PATH_BYTES = 4096 };

/* Locks need not hold between hosts that share a folder: only a host's own leftovers are removed. */
static uint32_t host_number(void)
{
    struct utsname name;
    return uname(&name) ? 0 : (uint32_t)sl_hash64(name.nodename, strlen(name.nodename));
}

static char *temporary_name(const char *path)
{
    uint64_t random = 0;
    char *name = NULL;
    if (getrandom(&random, RANDOM_DIGITS / 2, 0) != RANDOM_DIGITS / 2 ||
        asprintf(&name, "%s%s%08x-%ld-%012llx", path, MARK, host_number(), (long)getpid(), (unsigned long long)random) <
            0)
        return NULL;
    return name;
}

static size_t hex_digits(const char *text)
{
    return strspn(text, "0123456789abcdef");
}

/* Whether it is the temporary name of a file of this host; then *length is that of the file's own name. */
static bool is_temporary(const char *name, size_t *length, long *pid)
{
    const char *mark = NULL;
    for (const char *at = name; (at = strstr(at, MARK)); at++)
        mark = at;
    if (!mark)
        return false;
    const char *host = mark + MARK_LENGTH, *process = host + HOST_DIGITS + 1;
    char *end;
    if (hex_digits(host) != HOST_DIGITS || process[-1] != '-' || !isdigit((unsigned char)*process) ||
        (uint32_t)strtoul(host, NULL, 16) != host_number())
        return false;
    *pid = strtol(process, &end, 10);
    *length = (size_t)(mark - name);
    return *end == '-' && hex_digits(end + 1) == RANDOM_DIGITS && !end[1 + RANDOM_DIGITS];
}

/* ---- folders, without allocating: readdir would ---- */

typedef struct listing {
    int fd;
    long got, at;
    _Alignas(8) char buffer[4096];
} listing;

static bool list_open(listing *l, const char *folder)
{
    l->got = l->at = 0;
    l->fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return l->fd >= 0;
}

static const char *list_next(listing *l)
{
    struct entry {
        uint64_t inode;
        int64_t offset;
        uint16_t length;
        unsigned char type;
        char name[];
    };
    if (l->at == l->got) {
        l->at = 0;
        l->got = syscall(SYS_getdents64, l->fd, l->buffer, sizeof l->buffer);
        if (l->got <= 0)
            return NULL;
    }
    const struct entry *e = (const struct entry *)(l->buffer + l->at);
    l->at += e->length;
    return e->name;
}

static void empty(int folder)
{
    listing l = {.fd = folder};
    for (const char *name; (name = list_next(&l));)
        unlinkat(folder, name, 0); /* "." and ".." refuse */
}

void sl_folder_remove(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    empty(fd);
    close(fd);
    rmdir(folder);
}

/* Removes a leftover, file or folder, of a process that ended: nobody holds its lock. */
static void remove_dead(int folder, const char *name)
{
    struct stat info;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    if (!fstat(fd, &info) && info.st_uid == geteuid() && !flock(fd, LOCK_EX | LOCK_NB)) {
        if (S_ISDIR(info.st_mode))
            empty(fd);
        if (S_ISDIR(info.st_mode) || S_ISREG(info.st_mode))
            unlinkat(folder, name, S_ISDIR(info.st_mode) ? AT_REMOVEDIR : 0);
    }
    close(fd);
}

void sl_leftovers_remove(const char *folder, const char *name, pid_t pid)
{
    listing l;
    size_t length;
    long process;
    if (!list_open(&l, folder))
        return;
    for (const char *entry; (entry = list_next(&l));) {
        if (!is_temporary(entry, &length, &process) || (name && (strncmp(entry, name, length) || name[length])) ||
            (pid && process != pid))
            continue;
        if (pid)
            unlinkat(l.fd, entry, 0);
        else
            remove_dead(l.fd, entry);
    }
    close(l.fd);
}

/* The folder of a path, and the name in it. */
static const char *split(const char *path, char folder[PATH_BYTES])
{
    const char *slash = strrchr(path, '/');
    if (!slash)
        memcpy(folder, ".", 2);
    else
        snprintf(folder, PATH_BYTES, "%.*s", slash == path ? 1 : (int)(slash - path), path);
    return slash ? slash + 1 : path;
}

/* ---- making ---- */

/* Whether the lock was taken while the name still led here: another process may just have taken it for a leftover. */
static bool lock(int fd)
{
    struct stat info;
    if (flock(fd, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK)
        return false;
    return !fstat(fd, &info) && info.st_nlink; /* without locks, as on some network file systems, nothing is removed */
}

sl_status sl_new_file_open(const char *path, sl_new_file *file, sl_error *error)
{
    char folder[PATH_BYTES];
    const char *name = split(path, folder);
    *file = (sl_new_file){.fd = -1, .path = strdup(path)};
    if (!file->path)
        return sl_fail_memory(error);
    sl_leftovers_remove(folder, name, 0);
    for (int i = 0; i < ATTEMPTS && file->fd < 0; i++) {
        free(file->temporary);
        file->temporary = temporary_name(path);
        if (!file->temporary) {
            sl_new_file_discard(file);
            return sl_fail_memory(error);
        }
        file->fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file->fd < 0 && errno != EEXIST)
            break;
        if (file->fd >= 0 && !lock(file->fd)) {
            close(file->fd);
            unlink(file->temporary);
            file->fd = -1;
        }
    }
    if (file->fd >= 0)
        return SL_OK;
    sl_status status = sl_fail_io(error, "write", path);
    sl_new_file_discard(file);
    return status;
}

sl_status sl_new_file_keep(sl_new_file *file, sl_error *error)
{
    /* Closing a copy says what the file system only says on closing, while the lock is held. */
    int copy = dup(file->fd);
    bool whole = copy >= 0 && !close(copy) && !rename(file->temporary, file->path);
    sl_status status = whole ? SL_OK : sl_fail_io(error, "write", file->path);
    if (whole) {
        close(file->fd);
        file->fd = -1; /* it has its name: there is nothing to remove */
    }
    sl_new_file_discard(file);
    return status;
}

void sl_new_file_discard(sl_new_file *file)
{
    if (file->fd >= 0) {
        unlink(file->temporary);
        close(file->fd);
    }
    free(file->path);
    free(file->temporary);
    *file = (sl_new_file){.fd = -1};
}

int sl_unnamed_file(const char *folder)
{
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT))
        return fd;
    /* The file system cannot: a file that loses its name at once. */
    char path[PATH_BYTES];
    if (snprintf(path, sizeof path, "%s/sluice", folder) >= (int)sizeof path)
        return -1;
    char *name = temporary_name(path);
    fd = name ? open(name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;
    if (fd >= 0)
        unlink(name);
    free(name);
    return fd;
}

bool sl_new_file_rescue(const char *path, pid_t pid)
{
    char folder[PATH_BYTES];
    const char *name = split(path, folder);
    listing l;
    size_t length;
    long process;
    bool found = false;
    if (!list_open(&l, folder))
        return false;
    for (const char *entry; !found && (entry = list_next(&l));)
        found = is_temporary(entry, &length, &process) && process == pid && !strncmp(entry, name, length) &&
                !name[length] && !renameat(l.fd, entry, l.fd, name);
    close(l.fd);
    return found;
}

sl_status sl_new_folder(const char *prefix, char *folder, size_t size, int *held, sl_error *error)
{
    char parent[PATH_BYTES];
    const char *name = split(prefix, parent);
    sl_leftovers_remove(parent, name, 0);
    for (int i = 0; i < ATTEMPTS; i++) {
        char *path = temporary_name(prefix);
        if (!path)
            return sl_fail_memory(error);
        bool fits = (size_t)snprintf(folder, size, "%s", path) < size;
        free(path);
        if (!fits)
            return sl_fail(error, SL_INVALID, "the path %.60s... is too long", prefix);
        if (mkdir(folder, 0700)) {
            if (errno == EEXIST)
                continue;
            break;
        }
        *held = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (*held >= 0 && lock(*held))
            return SL_OK;
        if (*held >= 0)
            close(*held);
        rmdir(folder);
    }
    return sl_fail_io(error, "create", folder);
}
