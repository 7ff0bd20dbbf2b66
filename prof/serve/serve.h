/* rvsim-service: a program of its own beside rvsim, which starts it, so that rvsim itself loads no
 * libraries for the network and for databases. */
#ifndef PROF_SERVE_SERVE_H
#define PROF_SERVE_SERVE_H

/* The service until a signal ends it, or one of its chores. `word`: "--name=value", "--name".
 * Returns the exit status; errors are told on stderr. */
int serve_main(int words, char **word);

#endif
