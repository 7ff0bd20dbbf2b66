/* The client's side: rvsim's submissions and requests to a service. rvsim starts rvsim-service for
 * them. The environment has the token (RVSIM_TOKEN) and, where it is not the system's, a file with
 * the certificates to trust (RVSIM_CA). */
#ifndef PROF_SERVE_CLIENT_CLIENT_H
#define PROF_SERVE_CLIENT_CLIENT_H

#include "sim/base/err.h"

/* "fetch URL": for each line of standard input, a path, requests URL with the path and prints the
 * answer as a line. Returns the exit status; errors go to stderr. */
int client_fetch(const char *url);

/* "submit URL FOLDER": sends each file of the folder (the outbox), ID.json with costs or
 * hangs-ID.json with hangs, and removes it when it is acknowledged. Without an answer, or after
 * "later", it waits 1, 2, 4, ... s, each randomised between half and one and a half times that, and
 * retries. After some tries the file stays for the next run; so it does at once if the token or the
 * address is wrong. A file refused for its content is renamed to ID.refused. Does nothing while
 * another process works on the folder or, unless `is_asked`, while the machine is under load. */
int client_submit(const char *url, const char *folder, int is_asked);

#endif
