// SPDX-License-Identifier: Apache-2.0
// The ports of a core for the vector loop, which does not depend on the core and is compiled once.

#include "Vtop.h"
#include "core.h"

#define PORT(stream, part) top.stream##___05F##part // Verilator's spelling of stream__part

namespace {

VerilatedContext* seeded(VerilatedContext& context, int seed) {
    context.randReset(seed ? 2 : 0);
    if (seed) context.randSeed(seed);
    Verilated::threadContextp(&context);
    return &context;
}

struct Model {
    VerilatedContext context;
    Vtop top; // goes before its context
    explicit Model(int seed) : top{seeded(context, seed)} {}
};

} // namespace

Core core_open(int seed) {
    Model* model = new Model(seed);
    Vtop& top = model->top;
    return {
        model,
        [](void* one) { static_cast<Model*>(one)->top.eval(); },
        [](void* one) { delete static_cast<Model*>(one); },
        &top.clk,
        &top.rst,
        &PORT(i, valid),
        &PORT(i, ready),
        &PORT(o, valid),
        &PORT(o, ready),
        &PORT(i, payload),
        &PORT(o, payload),
        sizeof PORT(i, payload),
        sizeof PORT(o, payload),
    };
}
