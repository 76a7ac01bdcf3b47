/* SPDX-License-Identifier: MIT */
/* The papers of papers.def, embedded into the program, and user-defined ones. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/incbin.h"
#include "base/suggest.h"
#include "base/yaml.h"
#include "machine/machine.h"
#include "study/paper.h"

/* SL_PAPERS_DIR comes from the build. */
#define SL_PAPER(symbol, name) SL_INCBIN("sl_paper_" #symbol, SL_PAPERS_DIR "/" name ".yaml")
#include "study/papers.def"
#undef SL_PAPER

#define SL_PAPER(symbol, name) extern const char sl_paper_##symbol[], sl_paper_##symbol##_end[];
#include "study/papers.def"
#undef SL_PAPER

static const struct {
    const char *name, *text, *end;
} papers[] = {
#define SL_PAPER(symbol, name) {name, sl_paper_##symbol, sl_paper_##symbol##_end},
#include "study/papers.def"
#undef SL_PAPER
};
enum { PAPERS = sizeof papers / sizeof papers[0] };

size_t sl_paper_count(void)
{
    return PAPERS;
}

const char *sl_paper_name_at(size_t index)
{
    return papers[index].name;
}

static sl_status load_file(const char *path, const sl_custom_policies *custom, sl_paper *paper, sl_error *error)
{
    char *text;
    size_t bytes;
    sl_status status = sl_file_read_max(path, SL_YAML_MAX_BYTES, &text, &bytes, error);
    if (status)
        return status;
    status = sl_paper_parse(path, text, bytes, custom, paper, error);
    free(text);
    return status;
}

sl_status sl_paper_load(const char *name, const sl_custom_policies *custom, sl_paper *paper, sl_error *error)
{
    const char *names[PAPERS];
    char path[64];
    *paper = (sl_paper){0};
    if (sl_machine_is_path(name))
        return load_file(name, custom, paper, error);
    for (size_t i = 0; i < PAPERS; i++) {
        names[i] = papers[i].name;
        if (strcmp(name, names[i]))
            continue;
        snprintf(path, sizeof path, "papers/%s.yaml", name);
        return sl_paper_parse(path, papers[i].text, (size_t)(papers[i].end - papers[i].text), custom, paper, error);
    }
    const char *near = sl_suggest(name, names, PAPERS);
    return sl_fail(error, SL_NOT_FOUND, "unknown paper '%s'%s%s%s", name, near ? "; did you mean '" : "",
                   near ? near : "", near ? "'?" : "");
}
