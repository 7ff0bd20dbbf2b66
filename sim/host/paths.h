/* Paths of the files that come with the simulator. They are in the directory that the environment
 * variable RVSIM_SHARE names; without it, in the first of these directories that has the file: for
 * programs that link the library, the tree or installation with its header; the folder of the
 * executable (build tree); share/rvsim next to that folder (an installation, even if it was moved);
 * the configured installation directory. */
#ifndef SIM_HOST_PATHS_H
#define SIM_HOST_PATHS_H

enum { PATHS_MAX = 4096 };

void paths_presets(char path[PATHS_MAX]);       /* directory of the preset files */
/* The resident monitor's ELF, for programs of 32 or 64 bits. */
void paths_monitor(char path[PATHS_MAX], unsigned xlen);

void paths_kernel(char path[PATHS_MAX]);        /* the guest kernel's */
/* A module of the view: "sdl", "tui", "png". */
void paths_view(char path[PATHS_MAX], const char *module);
void paths_calibrate(char path[PATHS_MAX]);     /* a program whose sections are known */
void paths_service(char path[PATHS_MAX]);       /* the program rvsim-service, beside rvsim */
/* "presets", "guest/kernel.elf" for a program that was compiled with profhw.h at `header`. */
void paths_of_library(char path[PATHS_MAX], const char *header, const char *relative);

#endif
