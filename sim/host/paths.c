/* See paths.h. */
#include "sim/host/paths.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef RVSIM_DATADIR
#define RVSIM_DATADIR "/usr/local/share/rvsim"
#endif

/* path = the folder of `file`, then `rest`. True: that can be read. */
static bool is_beside(char path[PATHS_MAX], const char *file, const char *rest,
                      const char *relative)
{
    const char *slash = strrchr(file, '/');

    snprintf(path, PATHS_MAX, "%.*s/%s%s", slash != NULL ? (int)(slash - file) : 1,
             slash != NULL ? file : ".", rest, relative);
    return access(path, R_OK) == 0;
}

static bool is_beside_executable(char path[PATHS_MAX], const char *relative)
{
    char exe[PATHS_MAX - 64];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);

    if (length <= 0)
        return false;
    exe[length] = '\0';
    return is_beside(path, exe, "", relative) || is_beside(path, exe, "../share/rvsim/", relative);
}

/* header: that the library was compiled with; NULL: none. */
static void locate(char path[PATHS_MAX], const char *header, const char *relative)
{
    const char *share = getenv("RVSIM_SHARE");

    if (share != NULL && share[0] != '\0') {
        snprintf(path, PATHS_MAX, "%s/%s", share, relative);
        return;
    }
    if (header != NULL && (is_beside(path, header, "../share/rvsim/", relative) ||
                           is_beside(path, header, "../", relative)))
        return;
    if (!is_beside_executable(path, relative))
        snprintf(path, PATHS_MAX, "%s/%s", RVSIM_DATADIR, relative);
}

void paths_presets(char path[PATHS_MAX])
{
    locate(path, NULL, "presets");
}

void paths_monitor(char path[PATHS_MAX], unsigned xlen)
{
    locate(path, NULL, xlen == 32 ? "guest/monitor32.elf" : "guest/monitor.elf");
}

void paths_kernel(char path[PATHS_MAX])
{
    locate(path, NULL, "guest/kernel.elf");
}

void paths_calibrate(char path[PATHS_MAX])
{
    locate(path, NULL, "guest/calibrate.elf");
}

void paths_service(char path[PATHS_MAX])
{
    if (!is_beside_executable(path, "rvsim-service"))
        snprintf(path, PATHS_MAX, "rvsim-service");
}

void paths_view(char path[PATHS_MAX], const char *module)
{
    char relative[64];

    snprintf(relative, sizeof relative, "view/%.40s.so", module);
    locate(path, NULL, relative);
}

void paths_of_library(char path[PATHS_MAX], const char *header, const char *relative)
{
    locate(path, header, relative);
}
