/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices, leased for one operation. Nothing of an operation outlives it, here or there: so threads, processes and forked
 * children share devices without knowing of one another, and a device that went away is opened again by the next operation.
 */
#define _POSIX_C_SOURCE 200809L /* clock_gettime, nanosleep */
#include "modwright_provider.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define UIO_BYTES 65536
#define LEASE_MILLISECONDS 60000 /* longest wait for a device that others use */
#define UIO_PAUSE 1000000L       /* nanoseconds between two looks at locks: short next to an operation */

int mwp_failed(int reason, const char *text)
{
    ERR_raise_data(ERR_LIB_PROV, reason, "modwright: %s", text);
    return 0;
}

static int failed_at(const char *address, const char *what, const char *why)
{
    ERR_raise_data(ERR_LIB_PROV, ERR_R_INTERNAL_ERROR, "modwright: the device at %s %s: %s", address, what, why);
    return 0;
}

/* For cores with blinding. */
static int random_bytes(void *context, uint8_t *bytes, size_t count)
{
    (void)context;
    return count <= INT_MAX && RAND_priv_bytes(bytes, (int)count) == 1 ? 0 : -1;
}

/* --- a device that is free: its bus, and 1 */

static const char *reason(int status) { return status == MW_E_BUS ? strerror(errno) : mw_message(status); }

/* Any of the pool, so that all have their share. */
static size_t anywhere(const struct pool *pool)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (size_t)(time.tv_nsec / 1000) % pool->count;
}

static int lease_uio(const struct pool *pool, struct lease *lease, struct mw_bus *bus)
{
    const struct timespec pause = {0, UIO_PAUSE};
    const size_t start = anywhere(pool);
    for (long left = LEASE_MILLISECONDS * (1000000L / UIO_PAUSE); left > 0; --left) {
        size_t absent = 0;
        int status = MW_E_BUSY;
        for (size_t k = 0; k < pool->count; ++k) {
            lease->address = pool->addresses[(start + k) % pool->count];
            status = mw_uio_try(&lease->uio, bus, lease->address + 4, UIO_BYTES);
            if (status == MW_OK) return 1;
            absent += status != MW_E_BUSY;
        }
        if (absent == pool->count) return failed_at(lease->address, "cannot be opened", reason(status));
        nanosleep(&pause, NULL);
    }
    return failed_at(lease->address, "cannot be opened", mw_message(MW_E_BUSY));
}

static int lease_socket(const struct pool *pool, struct lease *lease, struct mw_bus *bus)
{
    struct mw_socket wires[MWP_MOST_DEVICES];
    struct mw_bus ignored;
    size_t open = 0;
    int chosen, status;
    for (size_t k = 0; k < pool->count; ++k) {
        lease->address = pool->addresses[k];
        status = mw_socket_open(&wires[k], &ignored, lease->address);
        open += status == MW_OK;
        if (!open && k + 1 == pool->count) return failed_at(lease->address, "cannot be opened", reason(status));
    }
    chosen = mw_socket_first(wires, pool->count, LEASE_MILLISECONDS);
    if (chosen == MW_E_BUSY) return failed_at(lease->address, "cannot be opened", mw_message(chosen));
    if (chosen < 0) return failed_at(lease->address, "went away", "it ended while this operation waited for it");
    lease->address = pool->addresses[chosen];
    lease->wire = wires[chosen];
    *bus = mw_socket_bus(&lease->wire);
    return 1;
}

/* --- leases */

static void give_back(struct lease *lease, int reachable)
{
    if (reachable) (void)mw_reset(&lease->device); /* nothing of a key stays in it */
    OPENSSL_cleanse(&lease->device, sizeof lease->device);
    mw_uio_close(&lease->uio);
    mw_socket_close(&lease->wire);
}

int mwp_lease(const struct pool *pool, struct lease *lease)
{
    struct mw_bus bus;
    int status;
    lease->uio.file = lease->wire.file = -1;
    if (!pool->set) return mwp_failed(PROV_R_NOT_SUPPORTED, "no device is set for this kind of key");
    if (pool->fault) return mwp_failed(PROV_R_INVALID_DATA, pool->fault);
    if (!(pool->uio ? lease_uio : lease_socket)(pool, lease, &bus)) return 0;
    status = mw_open(&lease->device, &bus, pool->core); /* resets it: whoever had it may have been killed */
    if (pool->milliseconds) lease->device.milliseconds = pool->milliseconds;
    lease->device.random = random_bytes;
    if (!status) return 1;
    give_back(lease, 0);
    return failed_at(lease->address, "cannot be used", mw_message(status));
}

int mwp_done(struct lease *lease, int status)
{
    give_back(lease, status != MW_E_BUS);
    if (status >= 0) return 1;
    return failed_at(lease->address, "failed, and nothing of it was used", mw_message(status));
}

/* --- settings */

static int is_kind(const char *address, const char *kind) { return strncmp(address, kind, strlen(kind)) == 0; }

/* One more device. A setting that is wrong is told by every operation: without algorithms, software would do them. */
static void add(struct pool *pool, const char *address)
{
    const int uio = is_kind(address, "uio:");
    if (!uio && !is_kind(address, "unix:")) pool->fault = "a device is unix:PATH or uio:PATH: no other has an owner";
    else if (pool->count && uio != pool->uio) pool->fault = "the devices of a kind of key are all unix:PATH or all uio:PATH";
    else if (pool->count == MWP_MOST_DEVICES) pool->fault = "there are too many devices for a kind of key";
    else {
        pool->uio = uio;
        pool->addresses[pool->count++] = address;
    }
}

int mwp_pool_set(struct pool *pool, const struct mw_core *core, const char *addresses, const char *milliseconds)
{
    pool->core = core;
    pool->milliseconds = milliseconds ? (uint32_t)strtoul(milliseconds, NULL, 10) : 0;
    if (!core || !addresses) return 1;
    if (!(pool->text = OPENSSL_strdup(addresses))) return 0;
    pool->set = 1;
    for (char *at = pool->text, *comma; at; at = comma) {
        while (isspace((unsigned char)*at)) ++at;
        if ((comma = strchr(at, ','))) *comma++ = '\0';
        add(pool, at);
    }
    return 1;
}

void mwp_pool_free(struct pool *pool) { OPENSSL_free(pool->text); }
