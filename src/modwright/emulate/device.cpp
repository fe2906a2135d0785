// SPDX-License-Identifier: Apache-2.0
// A core behind its AXI4-Lite wrapper, driven by one access at a time, with pauses between the channels drawn at random.

#include "Vtop.h"

#include <cstdint>

#define AXI(name) top.s_axi_##name

namespace {

using Word = std::uint32_t;

constexpr int LIMIT = 1000; // cycles in which every access has to be answered
constexpr int HUNG = 4;     // no response of AXI

struct Device {
    VerilatedContext context;
    Vtop top{&context};
    std::uint64_t clock = 0;
    std::uint64_t random;
    Word pauses; // most cycles between two steps of an access

    Device(std::uint64_t seed, Word most) : random{(seed + 1) * 0x9E3779B97F4A7C15ull}, pauses{most} {
        top.clk = 0;
        AXI(awvalid) = AXI(wvalid) = AXI(bready) = AXI(arvalid) = AXI(rready) = 0;
        reset(2);
    }

    void tick() {
        top.clk = 0;
        top.eval();
        top.clk = 1;
        top.eval();
        ++clock;
    }

    // Outputs of this clock, before its edge.
    void settle() {
        top.clk = 0;
        top.eval();
    }

    void reset(Word cycles) {
        top.rst = 1;
        while (cycles--) tick();
        top.rst = 0;
        settle();
    }

    bool flip() { return drawn() & 1; }

    std::uint64_t drawn() {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        return random >> 11;
    }

    void pause() {
        if (pauses)
            for (auto n = drawn() % (pauses + 1); n; --n) tick();
    }

    template <typename Valid, typename Ready> bool offer(Valid& valid, const Ready& ready) {
        valid = 1;
        for (int n = 0; n < LIMIT; ++n) {
            settle();
            const bool taken = ready;
            tick();
            if (taken) {
                valid = 0;
                return true;
            }
        }
        valid = 0;
        return false;
    }

    template <typename Valid, typename Ready> bool await(const Valid& valid, Ready& ready) {
        for (int n = 0; n < LIMIT; ++n) {
            settle();
            if (valid) {
                pause();
                ready = 1;
                settle();
                return true;
            }
            tick();
        }
        return false;
    }

    int write(Word address, Word data, Word strobes) {
        const auto where = [&] {
            AXI(awaddr) = address;
            pause();
            return offer(AXI(awvalid), AXI(awready));
        };
        const auto what = [&] {
            AXI(wdata) = data;
            AXI(wstrb) = strobes;
            pause();
            return offer(AXI(wvalid), AXI(wready));
        };
        bool good;
        if (pauses && flip()) good = what() && where();
        else good = where() && what();
        if (!good || !await(AXI(bvalid), AXI(bready))) return HUNG;
        const int response = AXI(bresp);
        tick();
        AXI(bready) = 0;
        AXI(wdata) = 0;
        return response;
    }

    int read(Word address, Word* data) {
        AXI(araddr) = address;
        pause();
        if (!offer(AXI(arvalid), AXI(arready)) || !await(AXI(rvalid), AXI(rready))) return HUNG;
        *data = AXI(rdata);
        const int response = AXI(rresp);
        tick();
        AXI(rready) = 0;
        return response;
    }
};

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT Device* device_open(std::uint64_t seed, Word pauses) { return new Device(seed, pauses); }
EXPORT void device_close(Device* d) { delete d; }
EXPORT void device_reset(Device* d) { d->reset(2); }
EXPORT int device_write(Device* d, Word address, Word data, Word strobes) { return d->write(address, data, strobes); }
EXPORT int device_read(Device* d, Word address, Word* data) { return d->read(address, data); }
EXPORT std::uint64_t device_clock(const Device* d) { return d->clock; }

EXPORT int device_irq(Device* d) {
    d->settle();
    return d->top.irq;
}

// Runs until the interrupt is there or the cycles are over; whether it is pending.
EXPORT int device_run(Device* d, std::uint64_t cycles) {
    for (d->settle(); cycles && !d->top.irq; --cycles) d->tick(); // after the edge, irq is that of the next cycle
    return d->top.irq;
}
