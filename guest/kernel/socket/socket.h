/* Sockets: streams between the processes of this machine; streams to the outside are the host's. */
#ifndef GUEST_KERNEL_SOCKET_SOCKET_H
#define GUEST_KERNEL_SOCKET_SOCKET_H

#include "file/pipe.h"

enum { FAMILY_LOCAL = 1, FAMILY_INET = 2, FAMILY_INET6 = 10, ADDRESS_BYTES = 112 };
enum { SOCKET_STREAM = 1, SOCKET_DATAGRAM = 2, SOCKET_PACKET = 5 };
enum { REACHES_V4 = 1, REACHES_V6 = 2 };
enum socket_state { SOCKET_NEW, SOCKET_BOUND, SOCKET_LISTENS, SOCKET_CONNECTED };

/* A struct sockaddr, and what it means: a port, or a file's number that the host has for it; an
 * abstract name has neither. */
struct address {
    uint8_t text[ADDRESS_BYTES];
    uint32_t bytes;
    uint16_t family, port;
    unsigned protocols;                 /* REACHES_*: that reach it */
    uint64_t node;
};

/* While it is not local, its descriptor on the host is a socket, too, and that one is meant. */
struct socket {
    struct list link;                   /* among those with a name, or in a listener's queue */
    struct file *file;
    enum socket_state state;
    uint16_t family;
    uint16_t type;                      /* SOCKET_STREAM, ... */
    bool is_local, is_v6_only, is_datagram;
    bool tells_sender;                  /* SO_PASSCRED: recvmsg has the sender's number */
    bool is_lost;                       /* a datagram's target has closed */
    struct socket *target;              /* of datagrams, after connect; else NULL */
    struct list peers, peer;            /* those that have it as their target; among those */
    struct address own, other;
    struct list queue;                  /* of a listener: connections not yet accepted */
    uint32_t queued, backlog;
    uint32_t send_bytes, receive_bytes; /* SO_SNDBUF, SO_RCVBUF */
    uint32_t pid, other_pid;            /* who made it or listens; the same of the other end */
};

/* True if a receiver gets the bytes of one send at a time: datagrams and packets. */
static inline bool socket_has_bounds(const struct socket *socket)
{
    return socket->type != SOCKET_STREAM;
}

/* ---- address.c ------------------------------------------------------------------------------- */
/* A name from user memory; 0 or -errno. It says nothing of a node yet. */
int64_t address_read(uint64_t va, uint64_t bytes, struct address *address);
int64_t address_write(const struct address *address, uint64_t va, uint64_t bytes_va);
/* True if the address is on this machine: local, any, or of the loopback. */
bool address_is_here(const struct address *address);
/* The loopback's, with this port, or a local one without a name. */
struct address address_of(uint16_t family, uint16_t port);
void address_set_port(struct address *address, uint16_t port);
/* The file of a local name: its number, or -errno; is_new: makes it. */
int64_t address_find_node(struct address *address, bool is_new);
bool address_is_same(const struct address *one, const struct address *other);

/* ---- socket_make.c --------------------------------------------------------------------------- */
/* flags: O_NONBLOCK; NULL: no memory. */
struct file *socket_new(uint16_t family, uint16_t type, uint64_t flags);
/* A descriptor for it, which is also one of the host's for TCP; takes the user over. */
int64_t socket_open(struct thread *thread, struct file *file, uint64_t flags);
/* Two sockets become the ends of two pipes; false: no memory. */
bool socket_join(struct file *one, struct file *two);

/* ---- socket.c -------------------------------------------------------------------------------- */
struct socket *socket_of(const struct thread *thread, uint64_t fd);     /* local ones, or NULL */
/* The file of a call on a socket that the kernel serves: a local one (SOCKET_OURS), or also one
 * that may become local (SOCKET_ANY). NULL: *result is the answer, of the host or -ENOTSOCK. */
enum socket_which { SOCKET_OURS, SOCKET_ANY };
struct file *socket_file(struct thread *thread, uint64_t number, const uint64_t arg[6],
                         enum socket_which which, int64_t *result);
struct socket *socket_find(const struct address *address);  /* that has this name; or NULL */
void socket_close(struct file *file);
unsigned socket_ready(const struct file *file);

/* ---- socket_data.c --------------------------------------------------------------------------- */
/* All parts, in one go. The second: a part of a stream; is_more: not the first one. */
int64_t socket_move(struct thread *thread, struct file *file, const struct parts *parts);
int64_t socket_move_part(struct thread *thread, struct file *file, const struct parts *parts,
                         const uint64_t part[2], bool is_more);

#endif
