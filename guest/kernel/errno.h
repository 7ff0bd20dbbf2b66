/* Error numbers of Linux. */
#ifndef GUEST_KERNEL_ERRNO_H
#define GUEST_KERNEL_ERRNO_H

enum {
    EPERM = 1, ENOENT = 2, ESRCH = 3, EINTR = 4, EIO = 5, ENXIO = 6, E2BIG = 7, ENOEXEC = 8,
    EBADF = 9, ECHILD = 10, EAGAIN = 11, ENOMEM = 12, EACCES = 13, EFAULT = 14, EBUSY = 16,
    EEXIST = 17, ENODEV = 19, ENOTDIR = 20, EISDIR = 21, EINVAL = 22, EMFILE = 24, ENOTTY = 25,
    EFBIG = 27, ENOSPC = 28,
    ESPIPE = 29, EPIPE = 32, ERANGE = 34, EDEADLK = 35, ENOSYS = 38, ELOOP = 40, EOVERFLOW = 75,
    ENOTSOCK = 88, EMSGSIZE = 90, EPROTOTYPE = 91, ENOPROTOOPT = 92,
    EPROTONOSUPPORT = 93, ESOCKTNOSUPPORT = 94, EOPNOTSUPP = 95,
    EAFNOSUPPORT = 97, EADDRINUSE = 98, EADDRNOTAVAIL = 99, EISCONN = 106, ENOTCONN = 107,
    ETIMEDOUT = 110, ECONNREFUSED = 111,
    /* never seen by programs: the result of a system call whose wait a signal ended */
    ERESTART = 512,         /* restarted if the handler has SA_RESTART, else EINTR */
    ERESTART_ALWAYS = 513,  /* made again, after any handler */
    ERESTART_NOHAND = 514,  /* made again only if no handler runs, else EINTR */
};

#endif
