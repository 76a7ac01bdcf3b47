/* SPDX-License-Identifier: MIT */
#include "base/new_file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/statfs.h>
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

/* Removes a leftover, file or folder, of a process that ended: its lock is free. */
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

/* ---- output paths ---- */

enum { MAX_LINKS = 40 };

/* Links in /proc/PID/fd lead to open files, whatever their text says. */
static bool is_open_file(const char *link)
{
    char folder[PATH_BYTES];
    struct statfs system;
    split(link, folder);
    return !statfs(folder, &system) && system.f_type == PROC_SUPER_MAGIC;
}

/* Follows links by hand: realpath wants the last one to lead somewhere. NULL: errno says why. */
static char *follow_links(const char *path, bool *open_file)
{
    struct stat info;
    char *at = strdup(path);
    *open_file = false;
    for (int links = 0; at && !lstat(at, &info) && S_ISLNK(info.st_mode); links++) {
        char text[PATH_BYTES], folder[PATH_BYTES], *next = NULL;
        if ((*open_file = is_open_file(at)))
            return at;
        ssize_t length = links < MAX_LINKS ? readlink(at, text, sizeof text - 1) : -1;
        int reason = links < MAX_LINKS ? errno : ELOOP;
        split(at, folder);
        if (length >= 0)
            next = *text == '/' ? strndup(text, (size_t)length) : NULL;
        if (length >= 0 && *text != '/' && asprintf(&next, "%s/%.*s", folder, (int)length, text) < 0)
            next = NULL;
        free(at);
        at = next;
        if (length < 0)
            errno = reason;
    }
    return at;
}

sl_status sl_output_decide(const char *path, sl_output_kind *kind, char **target, sl_error *error)
{
    struct stat info;
    bool open_file;
    char *followed = follow_links(path, &open_file);
    sl_status status = SL_OK;
    if (!followed)
        return errno == ENOMEM ? sl_fail_memory(error) : sl_fail_io(error, "write", path);
    bool there = !stat(followed, &info);
    *kind = SL_OUTPUT_REPLACED;
    if (there && S_ISDIR(info.st_mode)) {
        errno = EISDIR;
        status = sl_fail_io(error, "write", path);
    } else if (there && S_ISSOCK(info.st_mode)) {
        status = sl_fail(error, SL_IO, "cannot write %s: it is a socket", path);
    } else if (there && S_ISFIFO(info.st_mode)) {
        *kind = SL_OUTPUT_PIPE;
    } else if (there && (open_file || !S_ISREG(info.st_mode))) {
        *kind = SL_OUTPUT_DEVICE;
    }
    if (target && !status)
        *target = followed;
    else
        free(followed);
    return status;
}

sl_status sl_output_must_be_file(const char *path, const char *what, sl_error *error)
{
    sl_output_kind kind;
    sl_status status = sl_output_decide(path, &kind, NULL, error);
    if (status || kind == SL_OUTPUT_REPLACED)
        return status;
    return sl_fail(error, SL_INVALID, "cannot write %s: it is a %s, and %s needs a regular file", path,
                   kind == SL_OUTPUT_PIPE ? "pipe" : "device", what);
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

/* A name that leads to a regular file when it is opened, but did not before, was exchanged: nothing is written to it.
 * An open file is appended to: its offset is not ours to reset. */
static int open_in_place(const char *path)
{
    struct stat info;
    bool through_link = !lstat(path, &info) && S_ISLNK(info.st_mode);
    int fd = open(path, O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
    if (fd >= 0 && !through_link && !fstat(fd, &info) && S_ISREG(info.st_mode)) {
        close(fd);
        errno = EAGAIN;
        return -1;
    }
    return fd;
}

/* A file with a temporary name. NULL in file->temporary: out of memory; otherwise errno says why. */
static void open_temporary(sl_new_file *file)
{
    struct stat old;
    for (int i = 0; i < ATTEMPTS && file->fd < 0; i++) {
        free(file->temporary);
        file->temporary = temporary_name(file->path);
        if (!file->temporary)
            return;
        file->fd = open(file->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
        if (file->fd < 0 && errno != EEXIST)
            return;
        if (file->fd >= 0 && !lock(file->fd)) {
            close(file->fd);
            unlink(file->temporary);
            file->fd = -1;
        }
    }
    /* Who may read it stays as it was. */
    if (file->fd >= 0 && !stat(file->path, &old) && old.st_uid == geteuid() && fchmod(file->fd, old.st_mode & 0777))
        return;
}

sl_status sl_new_file_open(const char *path, sl_new_file *file, sl_error *error)
{
    char folder[PATH_BYTES];
    sl_output_kind kind;
    *file = (sl_new_file){.fd = -1};
    sl_status status = sl_output_decide(path, &kind, &file->path, error);
    if (status)
        return status;
    if (kind == SL_OUTPUT_REPLACED) {
        const char *name = split(file->path, folder);
        sl_leftovers_remove(folder, name, 0);
        open_temporary(file);
    } else {
        file->fd = open_in_place(file->path);
    }
    if (file->fd >= 0)
        return SL_OK;
    status = kind == SL_OUTPUT_REPLACED && !file->temporary ? sl_fail_memory(error) : sl_fail_io(error, "write", path);
    sl_new_file_discard(file);
    return status;
}

static bool sync_folder(const char *path)
{
    char folder[PATH_BYTES];
    split(path, folder);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool synced = fd >= 0 && (!fsync(fd) || errno == EINVAL); /* which some file systems cannot, and need not */
    if (fd >= 0)
        close(fd);
    return synced || errno == EACCES; /* a folder that can be written, but not read */
}

static bool keep_temporary(sl_new_file *file)
{
    bool sync = file->durable || !access(file->path, F_OK);
    /* Closing a copy says what the file system only says on closing, while the lock is held. */
    int copy = dup(file->fd);
    bool whole = copy >= 0 && !close(copy) && (!sync || !fsync(file->fd)) && !rename(file->temporary, file->path);
    if (whole) {
        close(file->fd);
        file->fd = -1; /* it has its name: there is nothing to remove */
    }
    return whole && (!sync || sync_folder(file->path));
}

sl_status sl_new_file_keep(sl_new_file *file, sl_error *error)
{
    bool whole;
    if (file->temporary) {
        whole = keep_temporary(file);
    } else {
        whole = !close(file->fd);
        file->fd = -1;
    }
    sl_status status = whole ? SL_OK : sl_fail_io(error, "write", file->path);
    sl_new_file_discard(file);
    return status;
}

void sl_new_file_discard(sl_new_file *file)
{
    if (file->fd >= 0) {
        if (file->temporary)
            unlink(file->temporary);
        close(file->fd);
    }
    free(file->path);
    free(file->temporary);
    *file = (sl_new_file){.fd = -1};
}

sl_status sl_new_file_print(const char *path, sl_new_file *file, FILE **stream, sl_error *error)
{
    sl_status status = sl_new_file_open(path, file, error);
    if (status)
        return status;
    int copy = dup(file->fd);
    *stream = copy >= 0 ? fdopen(copy, "w") : NULL;
    if (*stream)
        return SL_OK;
    status = sl_fail_io(error, "write", path);
    if (copy >= 0)
        close(copy);
    sl_new_file_discard(file);
    return status;
}

sl_status sl_new_file_finish(sl_new_file *file, FILE *stream, sl_error *error)
{
    errno = 0;
    bool good = !fflush(stream) && !ferror(stream);
    if (!good && !errno)
        errno = EIO; /* which an earlier write met */
    int reason = errno;
    if (fclose(stream) && good) {
        good = false;
        reason = errno;
    }
    if (good)
        return sl_new_file_keep(file, error);
    errno = reason;
    sl_status status = sl_fail_io(error, "write", file->path);
    sl_new_file_discard(file);
    return status;
}

sl_status sl_new_file_probe(const char *path, sl_error *error)
{
    sl_output_kind kind;
    sl_new_file file;
    sl_status status = sl_output_decide(path, &kind, NULL, error);
    if (!status && kind != SL_OUTPUT_REPLACED)
        return access(path, W_OK) ? sl_fail_io(error, "write", path) : SL_OK;
    if (!status)
        status = sl_new_file_open(path, &file, error);
    if (!status)
        sl_new_file_discard(&file);
    return status;
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

int sl_memory_file(const char *name)
{
    return memfd_create(name, MFD_CLOEXEC);
}

int sl_scratch_file(const char *path, sl_scratch how)
{
    static const int flags[] = {O_EXCL, O_TRUNC, O_APPEND};
    return open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC | flags[how], 0600);
}

bool sl_new_file_rescue(const char *path, pid_t pid)
{
    char folder[PATH_BYTES], *target = NULL;
    sl_output_kind kind;
    if (sl_output_decide(path, &kind, &target, NULL))
        return false;
    const char *name = split(target, folder);
    listing l;
    size_t length;
    long process;
    bool found = false;
    if (kind == SL_OUTPUT_REPLACED && list_open(&l, folder)) {
        for (const char *entry; !found && (entry = list_next(&l));)
            found = is_temporary(entry, &length, &process) && process == pid && !strncmp(entry, name, length) &&
                    !name[length] && !renameat(l.fd, entry, l.fd, name);
        close(l.fd);
    }
    free(target);
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
