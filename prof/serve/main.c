/* rvsim-service: rvsim's network functions. rvsim passes the function as the first word. */
#include <stdio.h>
#include <string.h>

#include "prof/serve/client/client.h"
#include "prof/serve/server/serve.h"

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "serve") == 0)
        return serve_main(argc - 2, argv + 2);
    if (argc == 3 && strcmp(argv[1], "fetch") == 0)
        return client_fetch(argv[2]);
    if (argc == 4 && strcmp(argv[1], "submit") == 0)
        return client_submit(argv[2], argv[3], 0);
    if (argc == 4 && strcmp(argv[1], "submit-now") == 0)
        return client_submit(argv[2], argv[3], 1);
    fputs("rvsim: error: rvsim-service is started by rvsim; see rvsim help serve\n", stderr);
    return 2;
}
