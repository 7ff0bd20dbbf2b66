/* See paths.h. */
#include "sim/host/paths.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef RVSIM_DATADIR
#define RVSIM_DATADIR "/usr/local/share/rvsim"
#endif

static void locate(char path[PATHS_MAX], const char *relative)
{
    const char *share = getenv("RVSIM_SHARE");
    char exe[PATHS_MAX - 64];
    ssize_t length;

    if (share != NULL && share[0] != '\0') {
        snprintf(path, PATHS_MAX, "%s/%s", share, relative);
        return;
    }
    length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (length > 0) {
        exe[length] = '\0';
        char *slash = strrchr(exe, '/');
        if (slash != NULL)
            *slash = '\0';
        snprintf(path, PATHS_MAX, "%s/%s", exe, relative);
        if (access(path, R_OK) == 0)
            return;
        snprintf(path, PATHS_MAX, "%s/../share/rvsim/%s", exe, relative);
        if (access(path, R_OK) == 0)
            return;
    }
    snprintf(path, PATHS_MAX, "%s/%s", RVSIM_DATADIR, relative);
}

void paths_presets(char path[PATHS_MAX])
{
    locate(path, "presets");
}

void paths_monitor(char path[PATHS_MAX], unsigned xlen)
{
    locate(path, xlen == 32 ? "guest/monitor32.elf" : "guest/monitor.elf");
}

void paths_kernel(char path[PATHS_MAX])
{
    locate(path, "guest/kernel.elf");
}
