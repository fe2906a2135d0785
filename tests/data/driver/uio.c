/* SPDX-License-Identifier: Apache-2.0 */
/* The lock on a device of UIO, between processes. Argument: a file that plays the device. It prints what it finds. */
#define _GNU_SOURCE /* mincore */
#include "modwright_linux.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define BYTES 65536u

static const char *path;
static struct mw_uio uio;
static struct mw_bus bus;
static int to_child[2], to_parent[2];

static void tell(const int *pipe)
{
    if (write(pipe[1], "", 1) != 1) exit(2);
}

static void await(const int *pipe)
{
    char byte;
    if (read(pipe[0], &byte, 1) != 1) exit(3);
}

static void try_it(void)
{
    const int status = mw_uio_try(&uio, &bus, path, BYTES);
    puts(status == MW_OK ? "free" : status == MW_E_BUSY ? "busy" : "failed");
    if (status == MW_OK) mw_uio_close(&uio);
}

/* A process that has the device until it is told, and then lives on until it is told again. */
static pid_t holder(void)
{
    pid_t child;
    fflush(stdout);
    child = fork();
    if (child) {
        await(to_parent);
        return child;
    }
    if (mw_uio_open(&uio, &bus, path, BYTES) != MW_OK) _exit(4);
    tell(to_parent);
    await(to_child);
    mw_uio_close(&uio);
    tell(to_parent);
    await(to_child);
    _exit(0);
}

static void closed_by_its_process(void)
{
    const pid_t child = holder();
    puts("held");
    try_it();
    tell(to_child);
    await(to_parent);
    puts("closed");
    try_it();
    tell(to_child);
    waitpid(child, NULL, 0);
}

static void killed(void)
{
    const pid_t child = holder();
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    puts("killed");
    try_it();
}

/* A child of a fork has the file open, and no mapping of the registers. */
static void forked(void)
{
    unsigned char page;
    pid_t child;
    int status = -1;
    if (mw_uio_open(&uio, &bus, path, BYTES) != MW_OK) exit(5);
    fflush(stdout);
    child = fork();
    if (!child) {
        await(to_child);
        _exit(mincore((void *)(uintptr_t)uio.base, 1, &page) == -1 && errno == ENOMEM ? 0 : 6);
    }
    mw_uio_close(&uio);
    puts("forked");
    try_it();
    tell(to_child);
    waitpid(child, &status, 0);
    puts(status ? "mapped" : "unmapped");
}

int main(int argc, char **argv)
{
    if (argc < 2 || pipe(to_child) || pipe(to_parent)) return 7;
    path = argv[1];
    closed_by_its_process();
    killed();
    forked();
    return 0;
}
