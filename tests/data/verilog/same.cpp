// SPDX-License-Identifier: Apache-2.0
// Runs a comparison of two designs: counts the cycles in which their outputs differ, and those in which the outputs of
// two designs that are not the same do.

#include "Vtop.h"

extern "C" __attribute__((visibility("default"))) void compare(unsigned long cycles, unsigned long* differing,
                                                               unsigned long* planted) {
    VerilatedContext context;
    Vtop top{&context};
    *differing = *planted = 0;
    for (top.clk = 0; cycles; --cycles) {
        top.clk = 0;
        top.eval();
        *differing += !top.same;
        *planted += !top.planted;
        top.clk = 1;
        top.eval();
    }
}
