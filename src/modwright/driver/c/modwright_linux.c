/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* struct ucred */
#include "modwright_linux.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define ANSWER_MILLISECONDS 5000u

/* --- random numbers */

int mw_linux_random(void *context, uint8_t *bytes, size_t count)
{
    const int file = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
    (void)context;
    if (file < 0) return -1;
    while (count) {
        const ssize_t got = read(file, bytes, count);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        bytes += got;
        count -= (size_t)got;
    }
    close(file);
    return count ? -1 : 0;
}

/* --- UIO */

static int uio_read(void *context, uint32_t offset, uint32_t *value)
{
    const struct mw_uio *uio = context;
    if (offset + 4 > uio->bytes) return -1;
    *value = uio->base[offset / 4];
    return 0;
}

static int uio_write(void *context, uint32_t offset, uint32_t value)
{
    const struct mw_uio *uio = context;
    if (offset + 4 > uio->bytes) return -1;
    uio->base[offset / 4] = value;
    return 0;
}

/* Milliseconds of a clock that nobody sets. */
static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

/* Until something can be read: 1, 0 when `end` is over, -1 for an error. */
static int readable(int file, int64_t end)
{
    for (;;) {
        const int64_t left = end - now();
        struct pollfd one = {file, POLLIN, 0};
        const int found = poll(&one, 1, left > 0 ? (left < 1000000 ? (int)left : 1000000) : 0);
        if (found > 0) return 1;
        if (found < 0 && errno != EINTR) return -1;
        if (left <= 0) return 0;
    }
}

static int uio_wait(void *context, uint32_t milliseconds)
{
    const struct mw_uio *uio = context;
    const uint32_t enable = 1; /* uio: a 1 written turns the interrupt on, a read takes how many came */
    uint32_t count;
    int found;
    if (write(uio->file, &enable, sizeof enable) != (ssize_t)sizeof enable) return -1;
    found = readable(uio->file, now() + milliseconds);
    if (found <= 0) return found;
    return read(uio->file, &count, sizeof count) == (ssize_t)sizeof count ? 1 : -1;
}

/* With the lock on the file, or without waiting for it. */
static int uio_open(struct mw_uio *uio, struct mw_bus *bus, const char *path, size_t bytes, int how)
{
    void *found;
    int status = MW_E_BUS;
    uio->bytes = bytes;
    uio->file = open(path, O_RDWR | O_CLOEXEC);
    if (uio->file < 0) return MW_E_BUS;
    while (flock(uio->file, how)) { /* two that map the registers at a time would mix their operands */
        if (errno == EINTR) continue;
        if (errno == EWOULDBLOCK) status = MW_E_BUSY;
        goto failed;
    }
    found = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, uio->file, 0);
    if (found == MAP_FAILED) goto failed;
    (void)madvise(found, bytes, MADV_DONTFORK);
    uio->base = found;
    *bus = (struct mw_bus){uio, uio_read, uio_write, uio_wait, NULL};
    return MW_OK;
failed:
    close(uio->file);
    uio->file = -1;
    return status;
}

int mw_uio_open(struct mw_uio *uio, struct mw_bus *bus, const char *path, size_t bytes)
{
    return uio_open(uio, bus, path, bytes, LOCK_EX);
}

int mw_uio_try(struct mw_uio *uio, struct mw_bus *bus, const char *path, size_t bytes)
{
    return uio_open(uio, bus, path, bytes, LOCK_EX | LOCK_NB);
}

void mw_uio_close(struct mw_uio *uio)
{
    if (uio->file < 0) return;
    munmap((void *)(uintptr_t)uio->base, uio->bytes);
    (void)flock(uio->file, LOCK_UN); /* by name: a child of a fork has the file open still */
    close(uio->file);
    uio->file = -1;
}

/*
 * --- the socket: a request of 12 bytes, an answer of 8, numbers little-endian
 *     request: operation, 3 bytes of 0, offset or milliseconds, value
 *     answer:  0 or an error, interrupt line, 2 bytes of 0, value
 */

enum { OP_READ = 1, OP_WRITE = 2, OP_WAIT = 3 };

static void store(uint8_t *to, uint32_t value)
{
    for (int k = 0; k < 4; ++k) to[k] = (uint8_t)(value >> (8 * k));
}

static int ask(const struct mw_socket *s, uint8_t operation, uint32_t first, uint32_t second)
{
    uint8_t request[12] = {operation};
    size_t done = 0;
    store(request + 4, first);
    store(request + 8, second);
    while (done < sizeof request) {
        const ssize_t sent = send(s->file, request + done, sizeof request - done, MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent <= 0) return -1;
        done += (size_t)sent;
    }
    return 0;
}

static int take(const struct mw_socket *s, uint8_t *answer, uint32_t milliseconds)
{
    const int64_t end = now() + milliseconds;
    for (size_t done = 0; done < 8;) {
        ssize_t got;
        if (readable(s->file, end) <= 0) return -1;
        got = recv(s->file, answer + done, 8 - done, 0);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return -1;
        done += (size_t)got;
    }
    return 0;
}

static int exchange(struct mw_socket *s, uint8_t operation, uint32_t first, uint32_t second, uint32_t milliseconds,
                    uint8_t *answer)
{
    if (s->file < 0) return -1;
    if (ask(s, operation, first, second) == 0 && take(s, answer, milliseconds) == 0) return answer[0] ? -1 : 0;
    mw_socket_close(s); /* an answer that comes later would be taken for that of another request */
    return -1;
}

static int socket_read(void *context, uint32_t offset, uint32_t *value)
{
    struct mw_socket *s = context;
    uint8_t answer[8];
    if (exchange(s, OP_READ, offset, 0, s->milliseconds, answer)) return -1;
    *value = answer[4] | (uint32_t)answer[5] << 8 | (uint32_t)answer[6] << 16 | (uint32_t)answer[7] << 24;
    return 0;
}

static int socket_write(void *context, uint32_t offset, uint32_t value)
{
    struct mw_socket *s = context;
    uint8_t answer[8];
    return exchange(s, OP_WRITE, offset, value, s->milliseconds, answer);
}

static int socket_wait(void *context, uint32_t milliseconds)
{
    struct mw_socket *s = context;
    uint8_t answer[8];
    if (exchange(s, OP_WAIT, milliseconds, 0, s->milliseconds + milliseconds, answer)) return -1;
    return answer[1] ? 1 : 0;
}

static int connected(int file, const struct sockaddr *address, socklen_t length)
{
    int error;
    if (file < 0) return -1;
    if (connect(file, address, length) == 0) return file;
    error = errno;
    close(file);
    errno = error;
    return -1;
}

/* Whether the other side of a local socket is this user's, or root's: anybody may have bound a name before. */
static int is_ours(int file)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    if (getsockopt(file, SOL_SOCKET, SO_PEERCRED, &peer, &size)) return 0;
    return peer.uid == 0 || peer.uid == geteuid();
}

struct mw_bus mw_socket_bus(struct mw_socket *s)
{
    return (struct mw_bus){s, socket_read, socket_write, socket_wait, NULL};
}

int mw_socket_open(struct mw_socket *s, struct mw_bus *bus, const char *address)
{
    s->file = -1;
    s->milliseconds = ANSWER_MILLISECONDS;
    errno = EINVAL; /* of an address of another form */
    if (strncmp(address, "unix:", 5) == 0) {
        struct sockaddr_un name = {.sun_family = AF_UNIX};
        if (strlen(address + 5) >= sizeof name.sun_path) {
            errno = ENAMETOOLONG;
            return MW_E_BUS;
        }
        strcpy(name.sun_path, address + 5);
        s->file = connected(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), (const struct sockaddr *)&name, sizeof name);
        if (s->file >= 0 && !is_ours(s->file)) {
            mw_socket_close(s);
            return MW_E_PEER;
        }
    } else if (strncmp(address, "tcp:127.0.0.1:", 14) == 0) {
        struct sockaddr_in name = {.sin_family = AF_INET};
        const long port = strtol(address + 14, NULL, 10);
        if (port <= 0 || port > 65535) return MW_E_BUS;
        name.sin_port = htons((uint16_t)port);
        name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        s->file = connected(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), (const struct sockaddr *)&name, sizeof name);
    }
    if (s->file < 0) return MW_E_BUS;
    *bus = mw_socket_bus(s);
    return MW_OK;
}

void mw_socket_close(struct mw_socket *s)
{
    if (s->file < 0) return;
    (void)shutdown(s->file, SHUT_RDWR); /* by name: a child of a fork has the connection open still */
    close(s->file);
    s->file = -1;
}

/* The index of one that has answered, -1 where none has yet, or all are closed; one that broke off is closed. */
static int answered(struct mw_socket *sockets, const struct pollfd *found, size_t count)
{
    uint8_t answer[8];
    for (size_t k = 0; k < count; ++k) {
        if (sockets[k].file < 0 || !found[k].revents) continue;
        if (take(&sockets[k], answer, sockets[k].milliseconds) == 0) return (int)k;
        mw_socket_close(&sockets[k]);
    }
    return -1;
}

int mw_socket_first(struct mw_socket *sockets, size_t count, uint32_t milliseconds)
{
    struct pollfd found[MW_MOST_SOCKETS];
    const int64_t end = now() + milliseconds;
    int status = MW_E_BUS;
    if (count > MW_MOST_SOCKETS) return MW_E_BUS;
    for (size_t k = 0; k < count; ++k) /* a device answers when those before us are done */
        if (sockets[k].file >= 0 && ask(&sockets[k], OP_READ, 0, 0)) mw_socket_close(&sockets[k]);
    while (status == MW_E_BUS) {
        const int64_t left = end - now();
        size_t open = 0;
        int chosen;
        for (size_t k = 0; k < count; ++k) {
            found[k] = (struct pollfd){sockets[k].file, POLLIN, 0}; /* one that is closed is passed over */
            open += sockets[k].file >= 0;
        }
        if (!open) break;
        if (left <= 0) status = MW_E_BUSY;
        else if (poll(found, (nfds_t)count, (int)left) > 0 && (chosen = answered(sockets, found, count)) >= 0)
            status = chosen;
    }
    for (size_t k = 0; k < count; ++k)
        if ((int)k != status) mw_socket_close(&sockets[k]);
    return status;
}
