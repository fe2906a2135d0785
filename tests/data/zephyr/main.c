/* SPDX-License-Identifier: Apache-2.0 */
/* One product through the Zephyr driver of a package, on the socket of an emulated core: its registers are those of the
 * bus. Arguments: the address of the socket, and x, y and m as words in hex. Prints the product. Without these, the device
 * is only opened, locked and unlocked. */
#include <stdio.h>
#include <stdlib.h>
#include <zephyr/device.h>

#include "modwright_linux.h"

struct mw_device *LOCK(const struct device *device);
void UNLOCK(const struct device *device);
extern const struct device the_device;
int start_device(void);

static struct mw_bus bus;

uint32_t sys_read32(mm_reg_t address)
{
    uint32_t value;
    if (bus.read(bus.context, (uint32_t)address, &value)) exit(3);
    return value;
}

void sys_write32(uint32_t value, mm_reg_t address)
{
    if (bus.write(bus.context, (uint32_t)address, value)) exit(3);
}

int main(int count, char **words)
{
    struct mw_socket socket;
    struct mw_device *core;
    uint32_t z = 0, x, y, m;
    int status = 0;
    if ((count != 2 && count != 5) || mw_socket_open(&socket, &bus, words[1])) return 2;
    if (start_device()) return 4;
    core = LOCK(&the_device);
    if (count == 5) {
        x = (uint32_t)strtoul(words[2], NULL, 16);
        y = (uint32_t)strtoul(words[3], NULL, 16);
        m = (uint32_t)strtoul(words[4], NULL, 16);
        status = mw_modmul(core, &z, &x, &y, &m, 1);
    }
    UNLOCK(&the_device);
    mw_socket_close(&socket);
    if (status) return 5;
    printf("%x\n", z);
    return 0;
}
