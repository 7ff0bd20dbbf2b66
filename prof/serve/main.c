/* rvsim-service: what rvsim does over the network. Its first word says which; rvsim gives it. */
#include <stdio.h>
#include <string.h>

#include "prof/serve/serve.h"

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "serve") == 0)
        return serve_main(argc - 2, argv + 2);
    fputs("rvsim: error: rvsim-service is started by rvsim; see rvsim help serve\n", stderr);
    return 2;
}
