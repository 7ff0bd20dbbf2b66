/* rvsim lsp: a language server for editors. */
#include "sim/cli/command/lsp/lsp_server.h"
#include "sim/cli/tool/service.h"

static enum err read_costs(struct api *costs, const struct command_line *line, const char *url,
                           struct diag *diag)
{
    unsigned files = 0;
    enum err err = url != NULL ? service_check_url(url, diag) : ERR_OK;

    for (unsigned i = 0; i < line->options && err == ERR_OK; i++)
        if (line->option[i].id == OPT_LSP_FROM) {
            files++;
            err = api_read(costs, line->option[i].value, diag);
        }
    if (err == ERR_OK && (url != NULL) == (files != 0))
        err = diag_set(diag, ERR_USAGE, "lsp: expected either --from FILE or --service URL");
    return err;
}

int command_lsp(const struct command_line *line)
{
    const char *url = command_value(line, OPT_LSP_SERVICE);
    struct api costs = {0};
    struct diag diag = {""};
    enum err err = read_costs(&costs, line, url, &diag);
    int status = err == ERR_OK ? lsp_serve(stdin, stdout, &costs, url) : command_error(err, &diag);

    api_free(&costs);
    return status;
}
