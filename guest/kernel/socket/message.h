/* Messages: datagrams, and descriptors that go over a socket, among the bytes of a pipe. */
#ifndef GUEST_KERNEL_SOCKET_MESSAGE_H
#define GUEST_KERNEL_SOCKET_MESSAGE_H

#include "socket/socket.h"

enum { RIGHTS_MAX = 253 };

/* A descriptor on its way: the host keeps it under a number; file: the kernel's own, or NULL. */
struct right { int64_t held; struct file *file; };

/* In a pipe, in order: a datagram, or bytes of a stream with which descriptors go. */
struct message {
    struct list link;
    uint64_t at;                        /* bytes that went through the pipe before it */
    uint32_t bytes, rights, pid;        /* pid: of the sender */
    struct right *right;
    struct address *from;               /* the sender's name, of a datagram; NULL: it has none */
};

/* Of a struct msghdr's control data: 0 or -errno; *message NULL: there is nothing to be sent. */
int64_t message_read_control(struct thread *thread, uint64_t va, uint64_t bytes,
                             struct message **message);
/* Tells the sender's number (0: not), gives the descriptors to the thread, and tells them. *bytes:
 * room, then bytes written; *flags gains MSG_CTRUNC where there was too little. 0 or -EFAULT. */
int64_t message_write_control(struct thread *thread, struct message *message, uint32_t pid,
                              uint64_t va, uint64_t *bytes, bool is_cloexec, uint64_t *flags);
struct message *message_new(void);                  /* NULL: no memory */
void message_free(struct message *message);         /* closes what nobody took; NULL is allowed */
void message_add(struct pipe *pipe, struct message *message);   /* in front of the next byte */
bool message_is_next(const struct pipe *pipe);      /* one is there already */
struct message *message_first(struct pipe *pipe);   /* NULL: none */
/* The message whose byte has been taken, out of the pipe; NULL: there is none. */
struct message *message_take(struct pipe *pipe);
/* Bytes up to the end of the message at the next byte, or up to a later one; at most `bytes`. */
uint64_t message_bound(struct pipe *pipe, uint64_t bytes);

/* ---- datagram.c ------------------------------------------------------------------------------ */
int64_t datagram_send(struct thread *thread, struct file *file, const struct parts *parts,
                      const struct address *to, struct message *message);
/* *message: the datagram, to be freed, unless it is kept (MSG_PEEK). */
int64_t datagram_receive(struct thread *thread, struct file *file, const struct parts *parts,
                         struct message **message);
int64_t datagram_bytes(const struct parts *parts);  /* of all parts, or -errno */
bool datagram_can_send(const struct socket *socket);
int64_t datagram_connect(struct socket *socket, struct socket *target);
void datagram_close(struct socket *socket);

#endif
