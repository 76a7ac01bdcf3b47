/* SPDX-License-Identifier: MIT */
/* Findings as SARIF 2.1.0 (OASIS), which code-scanning services show next to the lines of a pull request. Of the
 * format it has one run: the rules that found something, and a result for each finding. Findings of 20 % of the time
 * and more are warnings, the others notes. */
#include <string.h>

#include "base/hash.h"
#include "base/json_write.h"
#include "report/findings.h"
#include "sluice/sluice.h"

/* What a service compares from run to run to know a finding again: not its line, which moves. */
#define FINGERPRINT "sluiceFinding/v1"

static void write_text_member(sl_json *j, const char *key, const char *text)
{
    sl_json_object_member(j, key, false);
    sl_json_string_member(j, "text", text);
    sl_json_close(j, '}');
}

static bool has_rule(const sl_findings *findings, const sl_rule *rule)
{
    for (size_t i = 0; i < findings->list.count; i++)
        if (findings->list.items[i].rule == rule)
            return true;
    return false;
}

static void write_rules(sl_json *j, const sl_findings *findings)
{
    char measure[1024];
    sl_json_array_member(j, "rules", true);
    for (size_t i = 0; i < SL_RULES; i++) {
        const sl_rule *rule = &sl_rules[i];
        if (!has_rule(findings, rule))
            continue;
        sl_json_object(j, true);
        sl_json_string_member(j, "id", rule->name);
        write_text_member(j, "shortDescription", rule->title);
        write_text_member(j, "fullDescription", sl_rule_measure(rule, measure, sizeof measure));
        sl_json_object_member(j, "help", false);
        sl_json_string_member(j, "text", rule->explanation);
        sl_json_close(j, '}');
        sl_json_close(j, '}');
    }
    sl_json_close(j, ']');
}

/* A path as a URI: everything but what a path and a segment may hold is escaped. */
static const char *escape_path(const char *path, char *buffer, size_t size)
{
    static const char plain[] = "-._~/!$&'()*+,;=:@";
    size_t used = 0;
    for (const unsigned char *c = (const unsigned char *)path; *c && used + 4 < size; c++) {
        bool same = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
                    strchr(plain, *c) != NULL;
        used += (size_t)snprintf(buffer + used, size - used, same ? "%c" : "%%%02X", *c);
    }
    buffer[used] = 0;
    return buffer;
}

/* Services refuse results without a line: a kernel as a whole has that of its first access. Below `root` a path is
 * relative to that, which services know as the folder of the sources. */
static void write_artifact(sl_json *j, const char *path, const char *root)
{
    char escaped[4096], uri[sizeof escaped + 8];
    size_t length = root ? strlen(root) : 0;
    bool below = length && !strncmp(path, root, length) && path[length] == '/';
    bool relative = below || *path != '/';
    escape_path(below ? path + length + 1 : path, escaped, sizeof escaped);
    snprintf(uri, sizeof uri, "%s%s", relative ? "" : "file://", escaped);
    sl_json_object_member(j, "artifactLocation", false);
    sl_json_string_member(j, "uri", uri);
    if (relative)
        sl_json_string_member(j, "uriBaseId", "%SRCROOT%");
    sl_json_close(j, '}');
}

static void write_location(sl_json *j, const sl_finding *f, const sl_findings_files *files)
{
    const sl_finding_line at = sl_finding_line_of(f->inst ? f->inst : f->first, files->ptx);
    sl_json_array_member(j, "locations", false);
    sl_json_object(j, false);
    if (at.path) {
        sl_json_object_member(j, "physicalLocation", false);
        write_artifact(j, at.path, files->root);
        sl_json_object_member(j, "region", false);
        sl_json_u64_member(j, "startLine", at.line);
        sl_json_close(j, '}');
        sl_json_close(j, '}');
    }
    sl_json_array_member(j, "logicalLocations", false);
    sl_json_object(j, false);
    sl_json_string_member(j, "name", f->kernel);
    sl_json_string_member(j, "fullyQualifiedName", f->symbol);
    sl_json_string_member(j, "kind", "function");
    sl_json_close(j, '}');
    sl_json_close(j, ']');
    sl_json_close(j, '}');
    sl_json_close(j, ']');
}

static void write_fingerprint(sl_json *j, const sl_finding *f)
{
    char text[SL_KEY_BYTES];
    sl_hash hash = sl_hash_start();
    sl_hash_text(&hash, f->rule->name);
    sl_hash_text(&hash, f->symbol);
    if (f->inst) {
        const char *name = strrchr(f->inst->source_file, '/');
        sl_hash_text(&hash, name ? name + 1 : f->inst->source_file);
        sl_hash_text(&hash, f->inst->opcode);
        sl_hash_text(&hash, f->inst->array);
        sl_hash_number(&hash, f->inst->which);
    }
    sl_hash_write(hash, text);
    sl_json_object_member(j, "partialFingerprints", false);
    sl_json_string_member(j, FINGERPRINT, text);
    sl_json_close(j, '}');
}

static void write_result(sl_json *j, const sl_finding *f, const sl_findings_files *files)
{
    char cost[128], inlined[1024] = "", message[8192];
    if (f->inst)
        sl_inst_inlined(f->inst, false, inlined, sizeof inlined);
    snprintf(message, sizeof message, "%s in %s: %s Costs %s.%s%s%s %s", f->rule->title, f->kernel, f->text,
             sl_finding_cost(f, cost, sizeof cost), *inlined ? " Inlined: " : "", inlined, *inlined ? "." : "", f->fix);
    sl_json_object(j, true);
    sl_json_string_member(j, "ruleId", f->rule->name);
    sl_json_string_member(j, "level", f->share >= 0.2 ? "warning" : "note");
    sl_json_double_member(j, "rank", 100 * (f->share < 1 ? f->share : 1));
    write_text_member(j, "message", message);
    write_location(j, f, files);
    write_fingerprint(j, f);
    sl_json_object_member(j, "properties", false);
    sl_json_double_member(j, "share", f->share);
    sl_json_double_member(j, "estimatedCycles", f->cycles);
    sl_json_close(j, '}');
    sl_json_close(j, '}');
}

sl_status sl_findings_sarif(FILE *file, const sl_findings *findings, const sl_findings_files *files, sl_error *error)
{
    static const sl_findings none;
    findings = findings ? findings : &none;
    sl_json json;
    sl_json_start(&json, file);
    sl_json_object(&json, true);
    sl_json_string_member(&json, "$schema",
                          "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json");
    sl_json_string_member(&json, "version", "2.1.0");
    sl_json_array_member(&json, "runs", true);
    sl_json_object(&json, true);
    sl_json_object_member(&json, "tool", true);
    sl_json_object_member(&json, "driver", true);
    sl_json_string_member(&json, "name", "Sluice");
    sl_json_string_member(&json, "version", sl_version());
    write_rules(&json, findings);
    sl_json_close(&json, '}');
    sl_json_close(&json, '}');
    sl_json_array_member(&json, "results", true);
    for (size_t i = 0; i < findings->list.count; i++)
        write_result(&json, &findings->list.items[i], files);
    sl_json_close(&json, ']');
    sl_json_close(&json, '}');
    sl_json_close(&json, ']');
    sl_json_close(&json, '}');
    return sl_json_finish(&json, error);
}
