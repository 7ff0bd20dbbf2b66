/* rvsim-service: a separate program that rvsim starts, so that rvsim itself loads no libraries for
 * networks and databases. */
#ifndef PROF_SERVE_SERVER_SERVE_H
#define PROF_SERVE_SERVER_SERVE_H

/* Runs the service until a signal ends it, or a single administrative task. `word`: "--name=value",
 * "--name". Returns the exit status; errors go to stderr. */
int serve_main(int words, char **word);

#endif
