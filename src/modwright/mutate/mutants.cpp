// SPDX-License-Identifier: Apache-2.0
// The ports of a design that holds many mutants, for the vector loop of the compiled simulator: `choose` selects the one
// of the sessions that are opened after it. `bench.h` is the text of simulate/harness.cpp.

#include "Vtop.h"

#include <cstdint>

static std::uint64_t chosen = 0;

struct Mutated : Vtop {
    explicit Mutated(VerilatedContext* context) : Vtop(context) { mutant = chosen; }
};

#define Vtop Mutated
#include "bench.h"

extern "C" __attribute__((visibility("default"))) void choose(std::uint64_t number) { chosen = number; }
