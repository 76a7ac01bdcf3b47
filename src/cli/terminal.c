/* SPDX-License-Identifier: MIT */
#include "cli/terminal.h"

#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

size_t sl_terminal_width(FILE *file)
{
    struct winsize size;
    const char *columns = getenv("COLUMNS");
    if (columns && *columns && !columns[strspn(columns, "0123456789")])
        return strtoul(columns, NULL, 10);
    int fd = fileno(file);
    if (fd < 0)
        fd = STDOUT_FILENO;
    return isatty(fd) && !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col : 80;
}

/* The environment is where other programs look, too: https://no-color.org, and CLICOLOR_FORCE. */
void sl_terminal_choose_colours(int choice)
{
    if (choice == SL_COLOUR_NEVER)
        setenv("NO_COLOR", "1", true);
    if (choice == SL_COLOUR_ALWAYS) {
        unsetenv("NO_COLOR");
        setenv("CLICOLOR_FORCE", "1", true);
    }
}

static bool is_set(const char *name)
{
    const char *value = getenv(name);
    return value && *value;
}

bool sl_terminal_has_colours(FILE *file)
{
    const char *kind = getenv("TERM");
    if (is_set("NO_COLOR"))
        return false;
    return is_set("CLICOLOR_FORCE") || (isatty(fileno(file)) && kind && strcmp(kind, "dumb") != 0);
}

bool sl_terminal_is_plain(FILE *file)
{
    int fd = fileno(file);
    if (fd < 0 || !isatty(fd))
        return false;
    locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
    bool plain = !locale || strcmp(nl_langinfo_l(CODESET, locale), "UTF-8") != 0;
    if (locale)
        freelocale(locale);
    return plain;
}
