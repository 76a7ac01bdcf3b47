/* SPDX-License-Identifier: MIT */
#include "study/store.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/new_file.h"

struct sl_point_store {
    sqlite3 *database;
    pthread_mutex_t lock; /* statements are shared by the threads of this program */
    sqlite3_stmt *get, *insert_point, *insert_counter, *write_time, *get_timing, *write_timing, *begin, *commit,
        *rollback, *clear;
    _Atomic bool damaged;
    char path[1024];
};

/* Long enough for another program to finish a transaction on a slow disk. */
enum { BUSY_MS = 60000 };
enum { FORMAT = 2 }; /* of the tables, SQLite's user_version */

static const char schema[] =
    "CREATE TABLE IF NOT EXISTS points(key TEXT PRIMARY KEY, kind TEXT, program TEXT, params TEXT, seed INTEGER,"
    " machine TEXT, settings TEXT, l1 TEXT, l2 TEXT, scheduler TEXT, without TEXT, error TEXT, checksum INTEGER) "
    "WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS times(key TEXT PRIMARY KEY, cpu_seconds NUMERIC) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS timings(key TEXT PRIMARY KEY, gain REAL, spread REAL, base REAL, time REAL,"
    " runs INTEGER, checksum INTEGER) WITHOUT ROWID;"
    "CREATE TABLE IF NOT EXISTS counters(key TEXT, name TEXT, value NUMERIC, PRIMARY KEY(key, name)) WITHOUT ROWID;";

/* ---- checksums ---- */

/* As it is read back: SQLite stores no negative zero, and NULL for what is not a number. */
static uint64_t value_bits(double value)
{
    uint64_t bits;
    value = isnan(value) ? (double)NAN : value + 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* Of a name and a value, to be summed: in any order the sum is the same. */
static uint64_t value_checksum(const char *name, double value)
{
    return sl_hash_mix(sl_hash64(name, strlen(name)) ^ sl_hash_mix(value_bits(value)));
}

static uint64_t point_checksum(const char *key, const sl_values *values)
{
    uint64_t sum = sl_hash64(key, strlen(key));
    for (size_t i = 0; values && i < values->count; i++)
        sum += value_checksum(values->items[i].name, values->items[i].value);
    return sl_hash_mix(sum);
}

static uint64_t timing_checksum(const char *key, const sl_timing *t)
{
    return sl_hash_mix(sl_hash64(key, strlen(key)) + value_checksum("gain", t->gain) +
                       value_checksum("spread", t->spread) + value_checksum("base", t->base) +
                       value_checksum("time", t->time) + value_checksum("runs", t->runs));
}

static double column_number(sqlite3_stmt *row, int column)
{
    return sqlite3_column_type(row, column) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(row, column);
}

/* ---- the database ---- */

static sl_status failed(sl_point_store *store, const char *verb, sl_error *error)
{
    if (!store->database || sqlite3_errcode(store->database) == SQLITE_NOMEM)
        return sl_fail_memory(error);
    return sl_fail(error, SL_IO, "cannot %s %s: %s", verb, store->path, sqlite3_errmsg(store->database));
}

sl_status sl_make_folders(const char *path, sl_error *error)
{
    char part[1024];
    if ((size_t)snprintf(part, sizeof part, "%s", path) >= sizeof part)
        return sl_fail(error, SL_INVALID, "the path %.60s... is too long", path);
    for (char *at = part + 1; *part; at++) {
        if (*at && *at != '/')
            continue;
        char end = *at;
        *at = 0;
        if (mkdir(part, 0777) && errno != EEXIST)
            return sl_fail_io(error, "create the folder", part);
        if (!(*at = end))
            break;
    }
    return SL_OK;
}

static sl_status make_folder_of(const char *path, sl_error *error)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s", path);
    char *slash = strrchr(folder, '/');
    if (!slash || slash == folder)
        return SL_OK;
    *slash = 0;
    return sl_make_folders(folder, error);
}

static sl_status prepare(sl_point_store *store, sl_error *error)
{
    const struct {
        sqlite3_stmt **statement;
        const char *text;
    } all[] = {
        {&store->get,
         "SELECT c.name, c.value, p.checksum FROM points p JOIN counters c USING(key) WHERE p.key = ? AND p.error IS "
         "NULL ORDER BY c.name"},
        {&store->insert_point, "INSERT OR REPLACE INTO points VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?)"},
        {&store->insert_counter, "INSERT OR REPLACE INTO counters VALUES(?,?,?)"},
        {&store->write_time, "INSERT OR REPLACE INTO times VALUES(?,?)"},
        {&store->get_timing, "SELECT gain, spread, base, time, runs, checksum FROM timings WHERE key = ?"},
        {&store->write_timing, "INSERT OR REPLACE INTO timings VALUES(?,?,?,?,?,?,?)"},
        {&store->clear, "DELETE FROM counters WHERE key = ?"},
        {&store->begin, "BEGIN IMMEDIATE"},
        {&store->commit, "COMMIT"},
        {&store->rollback, "ROLLBACK"},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (sqlite3_prepare_v2(store->database, all[i].text, -1, all[i].statement, NULL) != SQLITE_OK)
            return failed(store, "use", error);
    return SL_OK;
}

/* How many things with our names are not tables that lie in the file; `schema`: "" or "part.". */
#define STRANGE_TABLES(schema)                                                                                         \
    "(SELECT count(*) FROM " schema "sqlite_master WHERE name IN ('points', 'times', 'timings', 'counters') AND NOT "  \
    "(type = 'table' AND rootpage > 0))"

/* Whether its pages are whole, and its tables of this format (an empty file has none): SQLITE_CORRUPT if not. */
static int check_pages(sl_point_store *store)
{
    sqlite3_stmt *check = NULL;
    static const char text[] = "SELECT (SELECT user_version FROM pragma_user_version), (SELECT count(*) FROM "
                               "sqlite_master), quick_check, " STRANGE_TABLES("") " FROM pragma_quick_check(1)";
    int code = sqlite3_prepare_v2(store->database, text, -1, &check, NULL);
    if (code == SQLITE_OK && (code = sqlite3_step(check)) == SQLITE_ROW) {
        const char *result = (const char *)sqlite3_column_text(check, 2);
        bool ours =
            (sqlite3_column_int(check, 0) == FORMAT && !sqlite3_column_int(check, 3)) || !sqlite3_column_int(check, 1);
        code = ours && result && !strcmp(result, "ok") ? SQLITE_OK : SQLITE_CORRUPT;
    }
    sqlite3_finalize(check);
    return code;
}

static sl_status open_database(sl_point_store *store, sl_error *error)
{
    sl_status status = sl_output_must_be_file(store->path, "a database", error);
    if (status)
        return status;
    if (sqlite3_open(store->path, &store->database) != SQLITE_OK)
        return failed(store, "open", error);
    sqlite3_busy_timeout(store->database, BUSY_MS);
    /* Databases may come from strangers: neither views, which may have no end, nor triggers of theirs are run. */
    sqlite3_db_config(store->database, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
    sqlite3_db_config(store->database, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
    sqlite3_db_config(store->database, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    return SL_OK;
}

/* A database that is not whole is renamed, and a new one begun. */
static sl_status set_aside(sl_point_store *store, sl_error *error)
{
    char aside[sizeof store->path + 16];
    sqlite3_close(store->database);
    store->database = NULL;
    sl_point_store_set_damaged(store);
    snprintf(aside, sizeof aside, "%s.damaged", store->path);
    if (rename(store->path, aside))
        return sl_fail_io(error, "rename", store->path);
    for (int i = 0; i < 2; i++) { /* what belongs to the old one must not be read into the new one */
        snprintf(aside, sizeof aside, "%s%s", store->path, i ? "-wal" : "-shm");
        unlink(aside);
    }
    return open_database(store, error);
}

/* Readers do not wait for writers in this mode. A power cut costs at most the last results, which are computed again:
 * synchronous=NORMAL keeps the database whole, and FULL would wait for the disk at every point. If several programs
 * enable it in a new file at the same time, SQLite fails for all but one without waiting, unlike for everything else:
 * they retry. */
static sl_status set_up(sl_point_store *store, sl_error *error)
{
    uint64_t start = sl_now_ns() / 1000000;
    int code;
    char text[sizeof schema + 80];
    snprintf(text, sizeof text, "BEGIN IMMEDIATE; %s PRAGMA user_version=%d; COMMIT", schema, FORMAT);
    do {
        code = check_pages(store);
        if (code == SQLITE_CORRUPT || code == SQLITE_NOTADB) {
            sl_status status = set_aside(store, error);
            if (status)
                return status;
        }
        code = sqlite3_exec(store->database, "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL", NULL, NULL, NULL);
        if (code == SQLITE_OK)
            code = sqlite3_exec(store->database, text, NULL, NULL, NULL);
        if (code != SQLITE_OK && !sqlite3_get_autocommit(store->database))
            sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    } while (code == SQLITE_BUSY && sl_now_ns() / 1000000 - start < BUSY_MS && sqlite3_sleep(1) >= 0);
    if (code == SQLITE_OK)
        return prepare(store, error);
    return code == SQLITE_NOMEM ? sl_fail_memory(error)
                                : sl_fail(error, SL_IO, "cannot use %s: %s", store->path, sqlite3_errstr(code));
}

/* A file that somebody named by mistake is not renamed: one that neither begins as a database, nor with zeros, nor has
 * our tables in its first page, which is where the schema lies even when the header was overwritten. */
static bool is_other_file(const char *path)
{
    static const char magic[16] = "SQLite format 3", ours[] = "CREATE TABLE points(key TEXT PRIMARY KEY";
    char start[4096];
    FILE *file = sl_file_open_regular(path);
    size_t got = file ? fread(start, 1, sizeof start, file) : 0, zeros = 0;
    if (file)
        fclose(file);
    while (zeros < got && !start[zeros])
        zeros++;
    return zeros < got && memcmp(start, magic, got < sizeof magic ? got : sizeof magic) &&
           !memmem(start, got, ours, sizeof ours - 1);
}

static sl_status open_store(const char *path, bool ours, sl_point_store **result, sl_error *error)
{
    sl_point_store *store = calloc(1, sizeof *store);
    if (!store)
        return sl_fail_memory(error);
    pthread_mutex_init(&store->lock, NULL);
    snprintf(store->path, sizeof store->path, "%s", path);
    sl_status status = make_folder_of(path, error);
    if (!status)
        status = open_database(store, error);
    if (!status && !ours && is_other_file(path))
        status = sl_fail(error, SL_INVALID, "%s is not a database of results", path);
    if (!status)
        status = set_up(store, error);
    if (status) {
        sl_point_store_close(store);
        return status;
    }
    *result = store;
    return SL_OK;
}

sl_status sl_point_store_open(const char *path, sl_point_store **store, sl_error *error)
{
    return open_store(path, false, store, error);
}

sl_status sl_point_store_open_cache(const char *path, sl_point_store **store, sl_error *error)
{
    return open_store(path, true, store, error);
}

void sl_point_store_close(sl_point_store *store)
{
    if (!store)
        return;
    sqlite3_stmt *all[] = {store->get,    store->insert_point, store->insert_counter, store->write_time,
                           store->clear,  store->get_timing,   store->write_timing,   store->begin,
                           store->commit, store->rollback};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        sqlite3_finalize(all[i]);
    sqlite3_close(store->database);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

bool sl_point_store_damaged(sl_point_store *store)
{
    return atomic_load(&store->damaged);
}

void sl_point_store_set_damaged(sl_point_store *store)
{
    atomic_store(&store->damaged, true);
}

static sl_status read_values(sl_point_store *store, const char *key, sl_values *values, sl_error *error)
{
    int code;
    uint64_t checksum = 0;
    bool whole = true;
    sqlite3_bind_text(store->get, 1, key, -1, SQLITE_STATIC);
    while ((code = sqlite3_step(store->get)) == SQLITE_ROW) {
        const char *name = (const char *)sqlite3_column_text(store->get, 0);
        checksum = (uint64_t)sqlite3_column_int64(store->get, 2);
        whole = whole && name;
        if (name && !sl_values_add(values, name, column_number(store->get, 1)))
            return sl_fail_memory(error);
    }
    if (code != SQLITE_DONE && code != SQLITE_CORRUPT)
        return failed(store, "read", error);
    whole = whole && code == SQLITE_DONE && (!values->count || checksum == point_checksum(key, values));
    if (!whole) {
        sl_array_free(values);
        sl_point_store_set_damaged(store);
    }
    return SL_OK;
}

sl_status sl_point_store_get(sl_point_store *store, const char *key, sl_values *values, bool *found, sl_error *error)
{
    pthread_mutex_lock(&store->lock);
    sl_status status = read_values(store, key, values, error);
    sqlite3_reset(store->get);
    pthread_mutex_unlock(&store->lock);
    *found = values->count > 0;
    return status;
}

static bool step(sqlite3_stmt *statement)
{
    bool done = sqlite3_step(statement) == SQLITE_DONE;
    return sqlite3_reset(statement) == SQLITE_OK && done;
}

static bool insert_point(sl_point_store *store, const char *key, const sl_point *p, const char *failure,
                         uint64_t checksum)
{
    char params[512];
    snprintf(params, sizeof params, "%s%s%s%s%s%s%s%s%s", p->input.size, *p->input.params ? " " : "", p->input.params,
             *p->kernel ? " kernel=" : "", p->kernel, *p->launch ? " launch=" : "", p->launch, *p->plan ? " plan=" : "",
             p->plan);
    const char *texts[] = {key,           sl_analysis_names[p->kind],
                           p->input.name, params,
                           NULL,          p->machine,
                           p->settings,   p->l1,
                           p->l2,         p->scheduler,
                           p->without,    failure};
    for (int i = 0; i < (int)(sizeof texts / sizeof *texts); i++)
        sqlite3_bind_text(store->insert_point, i + 1, texts[i], -1, SQLITE_TRANSIENT);
    sqlite3_bind_int64(store->insert_point, 5, (sqlite3_int64)p->seed);
    sqlite3_bind_int64(store->insert_point, 13, (sqlite3_int64)checksum);
    return step(store->insert_point);
}

static bool insert_values(sl_point_store *store, const char *key, const sl_values *values)
{
    sqlite3_bind_text(store->clear, 1, key, -1, SQLITE_STATIC);
    bool good = step(store->clear);
    for (size_t i = 0; values && i < values->count && good; i++) {
        const sl_value *v = &values->items[i];
        sqlite3_bind_text(store->insert_counter, 1, key, -1, SQLITE_STATIC);
        sqlite3_bind_text(store->insert_counter, 2, v->name, -1, SQLITE_STATIC);
        sqlite3_bind_double(store->insert_counter, 3, v->value);
        good = step(store->insert_counter);
    }
    return good;
}

sl_status sl_point_store_put(sl_point_store *store, const char *key, const sl_point *point, const sl_values *values,
                             const char *failure, sl_error *error)
{
    sl_values there = {0};
    bool found = false;
    sl_status status = failure ? sl_point_store_get(store, key, &there, &found, error) : SL_OK;
    sl_array_free(&there);
    if (status || found)
        return status;
    pthread_mutex_lock(&store->lock);
    bool good = step(store->begin);
    if (good) {
        const sl_values *kept = failure ? NULL : values;
        good = insert_point(store, key, point, failure, point_checksum(key, kept)) && insert_values(store, key, kept) &&
               step(store->commit);
        if (!good) {
            status = failed(store, "write", error);
            step(store->rollback);
        }
    } else {
        status = failed(store, "write", error);
    }
    pthread_mutex_unlock(&store->lock);
    return status;
}

sl_status sl_point_store_time(sl_point_store *store, const char *key, double cpu_seconds, sl_error *error)
{
    pthread_mutex_lock(&store->lock);
    sqlite3_bind_text(store->write_time, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_double(store->write_time, 2, cpu_seconds);
    sl_status status = step(store->write_time) ? SL_OK : failed(store, "write", error);
    pthread_mutex_unlock(&store->lock);
    return status;
}

/* ---- timings ---- */

static sl_status find_timing(void *context, const char *key, sl_timing *timing, bool *found, sl_error *error)
{
    sl_point_store *store = context;
    sqlite3_stmt *get = store->get_timing;
    pthread_mutex_lock(&store->lock);
    sqlite3_bind_text(get, 1, key, -1, SQLITE_STATIC);
    int code = sqlite3_step(get);
    *found = code == SQLITE_ROW;
    bool whole = code != SQLITE_CORRUPT;
    if (*found) {
        *timing = (sl_timing){.gain = column_number(get, 0),
                              .spread = column_number(get, 1),
                              .base = column_number(get, 2),
                              .time = column_number(get, 3),
                              .runs = (uint32_t)sqlite3_column_int64(get, 4)};
        whole = *found = (uint64_t)sqlite3_column_int64(get, 5) == timing_checksum(key, timing);
    }
    if (!whole)
        sl_point_store_set_damaged(store);
    sl_status status = !whole || code == SQLITE_ROW || code == SQLITE_DONE ? SL_OK : failed(store, "read", error);
    sqlite3_reset(get);
    pthread_mutex_unlock(&store->lock);
    return status;
}

static sl_status add_timing(void *context, const char *key, const sl_timing *timing, sl_error *error)
{
    sl_point_store *store = context;
    const double numbers[] = {timing->gain, timing->spread, timing->base, timing->time};
    pthread_mutex_lock(&store->lock);
    sqlite3_bind_text(store->write_timing, 1, key, -1, SQLITE_STATIC);
    for (int i = 0; i < 4; i++)
        sqlite3_bind_double(store->write_timing, i + 2, numbers[i]);
    sqlite3_bind_int64(store->write_timing, 6, timing->runs);
    sqlite3_bind_int64(store->write_timing, 7, (sqlite3_int64)timing_checksum(key, timing));
    sl_status status = step(store->write_timing) ? SL_OK : failed(store, "write", error);
    pthread_mutex_unlock(&store->lock);
    return status;
}

sl_timing_store sl_point_store_timings(sl_point_store *store)
{
    return (sl_timing_store){store, find_timing, add_timing};
}

/* What tables the database that was attached as `part` has: that of a killed program may have none. SL_CORRUPT: what
 * has their names is something else. */
static sl_status look_at_part(sl_point_store *store, bool *tables)
{
    sqlite3_stmt *look = NULL;
    bool strange = false;
    *tables = sqlite3_prepare_v2(store->database,
                                 "SELECT " STRANGE_TABLES("part.") " FROM part.sqlite_master WHERE name = 'counters'",
                                 -1, &look, NULL) == SQLITE_OK &&
              sqlite3_step(look) == SQLITE_ROW;
    if (*tables)
        strange = sqlite3_column_int(look, 0) != 0;
    sqlite3_finalize(look);
    return strange ? SL_CORRUPT : SL_OK;
}

static bool attach_part(sl_point_store *store, const char *path)
{
    sqlite3_stmt *attach = NULL;
    bool good = sqlite3_prepare_v2(store->database, "ATTACH ? AS part", -1, &attach, NULL) == SQLITE_OK;
    if (good) {
        sqlite3_bind_text(attach, 1, path, -1, SQLITE_STATIC);
        good = sqlite3_step(attach) == SQLITE_DONE;
    }
    sqlite3_finalize(attach);
    return good;
}

sl_status sl_point_store_merge(sl_point_store *store, const char *path, sl_error *error)
{
    static const char text[] =
        "BEGIN IMMEDIATE;"
        "INSERT OR REPLACE INTO counters SELECT c.* FROM part.counters c JOIN part.points p USING(key)"
        " WHERE p.error IS NULL;"
        "INSERT OR REPLACE INTO points SELECT * FROM part.points p WHERE p.error IS NULL OR NOT EXISTS"
        " (SELECT 1 FROM main.points m WHERE m.key = p.key);"
        "INSERT OR IGNORE INTO times SELECT * FROM part.times;"
        "COMMIT;";
    if (access(path, R_OK)) /* SQLite would make it */
        return sl_fail_io(error, "read", path);
    pthread_mutex_lock(&store->lock);
    bool good = attach_part(store, path), tables = false;
    sl_status status = good ? SL_OK : failed(store, "merge into", error);
    if (!status && look_at_part(store, &tables))
        status = sl_fail(error, SL_INVALID, "cannot merge %s: it is not a database of results", path);
    if (!status && tables && sqlite3_exec(store->database, text, NULL, NULL, NULL) != SQLITE_OK) {
        status = sl_fail(error, SL_IO, "cannot merge %s: %s", path, sqlite3_errmsg(store->database));
        sqlite3_exec(store->database, "ROLLBACK", NULL, NULL, NULL);
    }
    if (good)
        sqlite3_exec(store->database, "DETACH part", NULL, NULL, NULL);
    pthread_mutex_unlock(&store->lock);
    return status;
}
