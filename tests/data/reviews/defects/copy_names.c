#include <stddef.h>
#include <string.h>

#define MAX_NAMES 16

static const char *names[MAX_NAMES];

/* Copies up to n names; returns how many were copied. */
size_t copy_names(const char **from, size_t n)
{
    size_t i;

    if (n > MAX_NAMES)
        n = MAX_NAMES;
    for (i = 0; i <= n; i++)
        names[i] = from[i];
    return n;
}
