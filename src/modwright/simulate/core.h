// SPDX-License-Identifier: Apache-2.0
// A core as the vector loop of `session.cpp` sees it, which needs no header of Verilator; `harness.cpp` makes one.

#pragma once

#include <cstddef>

struct Core {
    void* model;
    void (*eval)(void* model);
    void (*close)(void* model);
    unsigned char *clk, *rst, *i_valid, *i_ready, *o_valid, *o_ready;
    void *i_payload, *o_payload;
    std::size_t i_bytes, o_bytes; // of the payloads
};

// seed: 0 for registers and memories that start at 0, else that of their random values.
Core core_open(int seed);
