/* The client's side: what rvsim sends to a service, and asks it. rvsim starts rvsim-service for it.
 * The environment has the token (RVSIM_TOKEN) and, where it is not the system's, a file with the
 * certificates to trust (RVSIM_CA). */
#ifndef PROF_SERVE_CLIENT_H
#define PROF_SERVE_CLIENT_H

#include "sim/base/err.h"

/* "fetch URL": for each line of standard input, a path, asks for URL with the path and prints the
 * answer as a line. Returns the exit status; errors are told on stderr. */
int client_fetch(const char *url);

/* "submit URL FOLDER": sends each file ID.json of the folder (its outbox), costs or, where its name
 * is hangs-ID.json, hangs, and removes it when it is acknowledged. Where there is no answer, or
 * "later", it waits 1, 2, 4, ... s, each time between half and one and a half of it, and tries
 * again; after some tries the file stays for the next time; at once where the token or the address
 * is not right. One that is refused for what it is becomes ID.refused. Another process at work on
 * the folder is left to it; a machine under load is left in peace, unless `is_asked`. */
int client_submit(const char *url, const char *folder, int is_asked);

#endif
