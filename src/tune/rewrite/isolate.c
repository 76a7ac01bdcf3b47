/* SPDX-License-Identifier: MIT */
#include "tune/rewrite/llvm_file.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/new_file.h"

/* What the child sends back, before its bytes. */
typedef struct message {
    sl_status status;
    sl_error error;
    size_t bytes;
} message;

static bool send_all(int to, const void *data, size_t bytes)
{
    for (const char *at = data; bytes;) {
        ssize_t sent = write(to, at, bytes);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent <= 0)
            return false;
        at += sent;
        bytes -= (size_t)sent;
    }
    return true;
}

static bool receive_all(int from, void *data, size_t bytes)
{
    for (char *at = data; bytes;) {
        ssize_t got = read(from, at, bytes);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        at += got;
        bytes -= (size_t)got;
    }
    return true;
}

_Noreturn static void be_child(sl_isolated_work work, void *context, int to, int complaints)
{
    message head = {0};
    char *data = NULL;
    dup2(complaints, STDERR_FILENO);
    head.status = work(context, &data, &head.bytes, &head.error);
    if (head.status)
        head.bytes = 0;
    if (send_all(to, &head, sizeof head))
        send_all(to, data, head.bytes);
    raise(SIGKILL); /* ends here and now: what the parent registered to run at its end is not the child's */
    __builtin_unreachable();
}

/* The first line that names an error, or the first. */
static void last_words(FILE *complaints, char *words, size_t size)
{
    char line[512];
    words[0] = '\0';
    rewind(complaints);
    while (fgets(line, sizeof line, complaints)) {
        const char *found = strstr(line, "LLVM ERROR: ");
        line[strcspn(line, "\n")] = '\0';
        if (!words[0] || found)
            snprintf(words, size, "%s", found ? found + strlen("LLVM ERROR: ") : line);
        if (found)
            return;
    }
}

static sl_status receive(int from, char **data, size_t *bytes, bool *whole, sl_error *error)
{
    message head;
    *whole = receive_all(from, &head, sizeof head);
    if (!*whole)
        return SL_OK;
    if (head.status) {
        if (error)
            *error = head.error;
        return head.status;
    }
    *data = malloc(head.bytes + 1);
    if (!*data)
        return sl_fail_memory(error);
    (*data)[head.bytes] = '\0';
    *bytes = head.bytes;
    *whole = receive_all(from, *data, head.bytes);
    return SL_OK;
}

sl_status sl_isolate(const char *what, sl_isolated_work work, void *context, char **data, size_t *bytes,
                     sl_error *error)
{
    int ends[2];
    char words[512];
    bool whole = false;
    int heard = sl_memory_file("complaints of LLVM");
    FILE *complaints = heard < 0 ? NULL : fdopen(heard, "r+");
    if (!complaints || pipe(ends)) {
        if (complaints)
            fclose(complaints);
        else if (heard >= 0)
            close(heard);
        return sl_fail_io(error, "start", "a process");
    }
    *data = NULL;
    fflush(NULL);
    pid_t child = fork();
    if (!child) {
        close(ends[0]);
        be_child(work, context, ends[1], fileno(complaints));
    }
    close(ends[1]);
    sl_status status = child < 0 ? sl_fail_io(error, "start", "a process") : SL_OK;
    if (!status)
        status = receive(ends[0], data, bytes, &whole, error);
    close(ends[0]);
    int ended;
    while (child > 0 && waitpid(child, &ended, 0) < 0 && errno == EINTR)
        ;
    if (!status && !whole) {
        last_words(complaints, words, sizeof words);
        status = sl_fail(error, SL_UNSUPPORTED, "%s gave up on it: %s", what, words[0] ? words : "it did not say why");
    }
    if (status) {
        free(*data);
        *data = NULL;
    }
    fclose(complaints);
    return status;
}
