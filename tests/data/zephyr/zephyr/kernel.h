/* SPDX-License-Identifier: Apache-2.0 */
/* As much of Zephyr's interfaces as a driver of a package uses, on a machine with an emulated device: one node, whose
 * registers are at address 0 of the bus below. By Zephyr's documentation, "Device Driver Model" and "Mutexes". */
#ifndef KERNEL_H
#define KERNEL_H
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

typedef uintptr_t mm_reg_t;
struct k_mutex {
    int locked;
};
#define K_FOREVER 0
static inline int k_mutex_init(struct k_mutex *mutex) { return mutex->locked = 0; }
static inline int k_mutex_lock(struct k_mutex *mutex, int time)
{
    (void)time;
    return mutex->locked++ ? -EBUSY : 0;
}
static inline int k_mutex_unlock(struct k_mutex *mutex) { return --mutex->locked; }

struct device {
    const void *config;
    void *data;
};

#define DEVICE_MMIO_ROM mm_reg_t rom_address
#define DEVICE_MMIO_RAM mm_reg_t mapped_address
#define DEVICE_MMIO_ROM_INIT(node) .rom_address = 0
#define DT_DRV_INST(number) number
#define K_MEM_CACHE_NONE 0
/* The first member of configuration and of data, as Zephyr has them. */
#define DEVICE_MMIO_MAP(dev, flags) (*(mm_reg_t *)(dev)->data = *(const mm_reg_t *)(dev)->config, (void)(flags))
#define DEVICE_MMIO_GET(dev) (*(mm_reg_t *)(dev)->data)

uint32_t sys_read32(mm_reg_t address);
void sys_write32(uint32_t value, mm_reg_t address);

#define DEVICE_DT_INST_DEFINE(number, init, pm, data_, config_, level, priority, api) \
    const struct device the_device = {config_, data_};                              \
    int start_device(void);                                                         \
    int start_device(void) { return init(&the_device); }
#define DT_INST_FOREACH_STATUS_OKAY(define) define(0)
#endif
