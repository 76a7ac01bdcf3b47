/* SPDX-License-Identifier: MIT */
#include "study/expression.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum operation {
    NUMBER,
    COUNTER,
    ADD,
    SUBTRACT,
    MULTIPLY,
    DIVIDE,
    LESS,
    MORE,
    LESS_EQUAL,
    MORE_EQUAL,
    AND,
    MIN,
    MAX,
    ABS,
    /* over the programs of a group */
    GEOMEAN,
    MEAN,
    SUM,
    GROUP_MIN,
    GROUP_MAX,
    COUNT,
    AT, /* a program */
} operation;

static const struct {
    const char *name;
    operation operation;
} functions[] = {{"min", MIN},
                 {"max", MAX},
                 {"abs", ABS},
                 {"geomean", GEOMEAN},
                 {"mean", MEAN},
                 {"sum", SUM},
                 {"at", AT},
                 {"group_min", GROUP_MIN},
                 {"group_max", GROUP_MAX},
                 {"count", COUNT}};

struct sl_expression {
    operation operation;
    double number;
    int name; /* of a configuration, a group or a program */
    const char *counter;
    const sl_expression *left, *right; /* of functions: the argument, and the next one as a separate expression */
};

/* ---- parsing ---- */

typedef struct parser {
    const char *text, *at;
    const sl_expression_names *names;
    sl_arena *arena;
    sl_error *error;
    sl_status status;
    int depth;
} parser;

enum { MAX_DEPTH = 64 };

static const sl_expression *parse_and(parser *p);

static const sl_expression *trouble(parser *p, const char *what, const char *word)
{
    if (!p->status)
        p->status = sl_fail(p->error, SL_SYNTAX, "in '%.300s': %s%s%s%s", p->text, what, word ? " '" : "",
                            word ? word : "", word ? "'" : "");
    return NULL;
}

static const sl_expression *make(parser *p, sl_expression e)
{
    sl_expression *made = sl_arena_new(p->arena, sl_expression);
    if (!made) {
        p->status = sl_fail_memory(p->error);
        return NULL;
    }
    *made = e;
    return made;
}

static void skip(parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
}

static bool accept(parser *p, const char *symbol)
{
    skip(p);
    size_t length = strlen(symbol);
    bool word = isalpha((unsigned char)*symbol);
    if (strncmp(p->at, symbol, length) || (word && isalnum((unsigned char)p->at[length])))
        return false;
    p->at += length;
    return true;
}

/* A name, with '_' and '-' inside of it where a counter or configuration has them. */
static char *parse_name(parser *p)
{
    skip(p);
    const char *start = p->at;
    while (isalnum((unsigned char)*p->at) || *p->at == '_')
        p->at++;
    char *name = sl_arena_strndup(p->arena, start, (size_t)(p->at - start));
    if (!name)
        p->status = sl_fail_memory(p->error);
    return name;
}

static const sl_expression *parse_arguments(parser *p, operation what)
{
    const sl_expression *left = parse_and(p), *right = NULL;
    if (!p->status && accept(p, ","))
        right = parse_arguments(p, what);
    return p->status ? NULL : make(p, (sl_expression){.operation = what, .left = left, .right = right});
}

static const sl_expression *parse_function(parser *p, operation what)
{
    sl_expression e = {.operation = what};
    if (!accept(p, "("))
        return trouble(p, "a '(' is missing after the function name", NULL);
    if (what == MIN || what == MAX || what == ABS) {
        const sl_expression *all = parse_arguments(p, what);
        if (what == ABS && !p->status && all->right)
            return trouble(p, "abs() takes one argument", NULL);
        return p->status || accept(p, ")") ? all : trouble(p, "a ')' is missing", NULL);
    }
    char *name = parse_name(p);
    if (!name)
        return NULL;
    e.name = what == AT ? p->names->program(p->names->context, name) : p->names->group(p->names->context, name);
    if (e.name < 0)
        return trouble(p, what == AT ? "unknown program" : "unknown group", name);
    if (!accept(p, ","))
        return trouble(p, "a ',' is missing after", name);
    e.left = parse_and(p);
    if (p->status)
        return NULL;
    return accept(p, ")") ? make(p, e) : trouble(p, "a ')' is missing", NULL);
}

static const sl_expression *parse_named(parser *p)
{
    char *name = parse_name(p);
    if (!name)
        return NULL;
    if (*p->at != '.') {
        if (!strcmp(name, "value"))
            return p->names->value ? p->names->value : trouble(p, "there is no value here", NULL);
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            if (!strcmp(name, functions[i].name))
                return parse_function(p, functions[i].operation);
        return trouble(p, "expected CONFIGURATION.counter or a function, not", name);
    }
    p->at++;
    sl_expression e = {.operation = COUNTER, .name = p->names->config(p->names->context, name)};
    if (e.name < 0)
        return trouble(p, "unknown configuration", name);
    e.counter = parse_name(p);
    if (e.counter && !*e.counter)
        return trouble(p, "a counter name is missing after the '.' of", name);
    return p->status ? NULL : make(p, e);
}

static const sl_expression *parse_primary(parser *p)
{
    skip(p);
    if (++p->depth > MAX_DEPTH)
        return trouble(p, "too many nested parentheses", NULL);
    const sl_expression *e;
    if (accept(p, "(")) {
        e = parse_and(p);
        if (!p->status && !accept(p, ")"))
            e = trouble(p, "a ')' is missing", NULL);
    } else if (isdigit((unsigned char)*p->at)) {
        char *end;
        double number = strtod(p->at, &end);
        p->at = end;
        e = make(p, (sl_expression){.operation = NUMBER, .number = number});
    } else if (isalpha((unsigned char)*p->at)) {
        e = parse_named(p);
    } else {
        e = trouble(p, *p->at ? "unexpected text" : "the expression is incomplete", *p->at ? p->at : NULL);
    }
    p->depth--;
    return e;
}

/* Operators by how tightly they bind, loosest first. */
static const struct {
    const char *symbol;
    operation operation;
} operators[][4] = {
    {{"and", AND}},
    {{"<=", LESS_EQUAL}, {">=", MORE_EQUAL}, {"<", LESS}, {">", MORE}},
    {{"+", ADD}, {"-", SUBTRACT}},
    {{"*", MULTIPLY}, {"/", DIVIDE}},
};
enum { BINDINGS = sizeof operators / sizeof *operators };

static const sl_expression *parse_operators(parser *p, int binding)
{
    if (binding == BINDINGS)
        return parse_primary(p);
    const sl_expression *left = parse_operators(p, binding + 1);
    for (int i = 0; i < 4 && !p->status; i++) {
        if (!operators[binding][i].symbol || !accept(p, operators[binding][i].symbol))
            continue;
        const sl_expression *right = parse_operators(p, binding + 1);
        if (p->status)
            return NULL;
        left = make(p, (sl_expression){.operation = operators[binding][i].operation, .left = left, .right = right});
        i = -1;
    }
    return left;
}

static const sl_expression *parse_and(parser *p)
{
    return parse_operators(p, 0);
}

sl_status sl_expression_parse(const char *text, const sl_expression_names *names, sl_arena *arena,
                              const sl_expression **expression, sl_error *error)
{
    parser p = {.text = text, .at = text, .names = names, .arena = arena, .error = error};
    *expression = parse_and(&p);
    skip(&p);
    if (!p.status && *p.at)
        trouble(&p, "unexpected text", p.at);
    return p.status;
}

/* ---- values ---- */

typedef struct summary {
    double sum, product, min, max;
    size_t count, truths;
} summary;

static summary summarize(const sl_expression *e, const sl_expression_source *source, bool *holes)
{
    summary s = {.min = INFINITY, .max = -INFINITY};
    const int *program;
    size_t members = source->members(source->context, e->name, &program);
    for (size_t i = 0; i < members; i++) {
        double value = sl_expression_value(e->left, source, program[i], holes);
        if (isnan(value)) {
            if (holes)
                *holes = true;
            continue;
        }
        s.sum += value;
        s.product += log(value);
        s.min = fmin(s.min, value);
        s.max = fmax(s.max, value);
        s.truths += value != 0;
        s.count++;
    }
    return s;
}

static double group_value(const sl_expression *e, const sl_expression_source *source, bool *holes)
{
    summary s = summarize(e, source, holes);
    if (!s.count)
        return NAN;
    switch (e->operation) {
    case GEOMEAN:
        return exp(s.product / (double)s.count);
    case MEAN:
        return s.sum / (double)s.count;
    case GROUP_MIN:
        return s.min;
    case GROUP_MAX:
        return s.max;
    case COUNT:
        return (double)s.truths;
    default:
        return s.sum;
    }
}

static double truth(bool is, double a, double b)
{
    return isnan(a) || isnan(b) ? NAN : is;
}

double sl_expression_value(const sl_expression *e, const sl_expression_source *source, int program, bool *holes)
{
    if (e->operation == NUMBER)
        return e->number;
    if (e->operation == COUNTER)
        return program < 0 ? NAN : source->value(source->context, program, e->name, e->counter);
    if (e->operation == AT)
        return sl_expression_value(e->left, source, e->name, holes);
    if (e->operation >= GEOMEAN)
        return group_value(e, source, holes);
    double a = sl_expression_value(e->left, source, program, holes);
    if (e->operation == ABS)
        return fabs(a);
    if (!e->right) /* the last argument of min or max */
        return a;
    double b = sl_expression_value(e->right, source, program, holes);
    switch (e->operation) {
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return b != 0 ? a / b : NAN;
    case LESS:
        return truth(a < b, a, b);
    case MORE:
        return truth(a > b, a, b);
    case LESS_EQUAL:
        return truth(a <= b, a, b);
    case MORE_EQUAL:
        return truth(a >= b, a, b);
    case AND:
        return truth(a != 0 && b != 0, a, b);
    case MIN:
        return isnan(a) || isnan(b) ? NAN : fmin(a, b);
    default:
        return isnan(a) || isnan(b) ? NAN : fmax(a, b);
    }
}

void sl_expression_uses(const sl_expression *e, const sl_expression_source *source, int program,
                        void (*use)(void *context, int program, int config), void *context)
{
    if (!e || e->operation == NUMBER)
        return;
    if (e->operation == COUNTER) {
        use(context, program, e->name);
        return;
    }
    const int *members = &e->name;
    size_t count = 1;
    if (e->operation < GEOMEAN) {
        sl_expression_uses(e->right, source, program, use, context);
        members = &program;
    } else if (e->operation != AT) {
        count = source->members(source->context, e->name, &members);
    }
    for (size_t i = 0; i < count; i++)
        sl_expression_uses(e->left, source, members[i], use, context);
}
