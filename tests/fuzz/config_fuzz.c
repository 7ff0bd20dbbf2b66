/* Machine files: any text is either refused, with a diagnosis, or a configuration that is written
 * and reads back as the same one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/base/config.h"
#include "sim/base/config_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition)
{
    if (!condition)
        abort();
}

static void require_reads_back(const struct config *config)
{
    static char text[65536];
    FILE *out = fmemopen(text, sizeof text, "w");
    struct config again;
    struct diag diag;
    require(out != NULL);
    config_write(config, out);
    long length = ftell(out);
    fclose(out);
    require(config_parse(&again, text, (size_t)length, "written", "sim/presets", &diag) == ERR_OK);
    require(memcmp(&again, config, sizeof again) == 0);
}

/* The whole input as a file, then its first line as an override. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct config config;
    struct diag diag = {""};
    char assignment[256];
    size_t length = size < sizeof assignment - 1 ? size : sizeof assignment - 1;
    if (config_parse(&config, (const char *)data, size, "fuzz.ini", "sim/presets", &diag) == ERR_OK)
        require_reads_back(&config);
    else
        require(strncmp(diag.text, "fuzz.ini:", 9) == 0 || strstr(diag.text, ".ini:") != NULL);
    config_init(&config);
    memcpy(assignment, data, length);
    assignment[length] = '\0';
    assignment[strcspn(assignment, "\n")] = '\0';
    if (config_set(&config, assignment, &diag) == ERR_OK)
        require_reads_back(&config);
    config_check(&config, &diag);
    return 0;
}
