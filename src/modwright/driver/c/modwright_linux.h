/* SPDX-License-Identifier: Apache-2.0 */
/* Devices of Linux: UIO (registers and interrupt from user space), and the socket of `modwright emulate`. */
#ifndef MODWRIGHT_LINUX_H
#define MODWRIGHT_LINUX_H

#include "modwright.h"

/* Random bytes of the kernel, for mw_device.random; the context is not used. */
int mw_linux_random(void *context, uint8_t *bytes, size_t count);

struct mw_uio {
    int file;
    volatile uint32_t *base;
    size_t bytes;
};

/* Opens /dev/uioN and maps its first region, of `bytes` bytes. MW_E_BUS when that fails. One user has it at a time, by a
 * lock on the file that ends with the process at the latest: mw_uio_open waits for it, mw_uio_try returns MW_E_BUSY. A
 * child of this process has no mapping. */
int mw_uio_open(struct mw_uio *uio, struct mw_bus *bus, const char *path, size_t bytes);
int mw_uio_try(struct mw_uio *uio, struct mw_bus *bus, const char *path, size_t bytes);
void mw_uio_close(struct mw_uio *uio);

struct mw_socket {
    int file;
    uint32_t milliseconds; /* longest time of one answer, in addition to that of `wait` */
};

/* Opens "unix:PATH" or "tcp:127.0.0.1:PORT". MW_E_BUS when that fails, with errno; MW_E_PEER where a socket with a path is
 * neither this user's nor root's. The connection is closed on exec; a child of this process inherits it and is not to use
 * it. */
int mw_socket_open(struct mw_socket *socket, struct mw_bus *bus, const char *address);
void mw_socket_close(struct mw_socket *socket);

/* The bus of a socket that is open, at another place in memory than where it was opened. */
struct mw_bus mw_socket_bus(struct mw_socket *socket);

#define MW_MOST_SOCKETS 64u

/* Of devices that are open, at most MW_MOST_SOCKETS, waits for the first that has no other user, and closes the rest: its
 * index, MW_E_BUSY when the time is over, MW_E_BUS when none is left that answers. */
int mw_socket_first(struct mw_socket *sockets, size_t count, uint32_t milliseconds);

#endif /* MODWRIGHT_LINUX_H */
