// SPDX-License-Identifier: Apache-2.0
// A circuit of AND gates in many lanes, with bits that are 0, 1 or unknown; see packed.py.
//
// A bit is two words of lanes: those in which it can be 1, and those in which it can be 0. A literal is twice a variable's
// number, plus 1 where it is complemented; variable 0 is the constant 0, then come the inputs, the bits of the state first,
// and the gates. So the two words of literal l are those of its variable, exchanged where l is odd. After the gates come the
// marks, which are 0 where core and mutant are the same, and else unknown.

#pragma once

#include <cstdint>
#include <vector>

using Word = std::uint64_t;
constexpr long BLOCK = 8;  // words that are evaluated together: 512 lanes, so that a few thousand gates stay in the cache
constexpr Word ONES = ~Word{0};

struct Lanes {
    Word word[BLOCK];
};

// inputs, gates, pairs   the circuit
// marks, marked          of each mark eight literals: mark, core and mutant of both inputs of a gate; core and mutant of it
// states, following      the first inputs are bits of the state; literals of what follows them
struct Machine {
    std::int32_t inputs, gates, marks, states;
    const std::int32_t *pairs, *marked, *following;
};

// Words of every literal, with those of the constant.
inline std::vector<Lanes> words_of(const Machine& machine) {
    std::vector<Lanes> can(2 * (machine.inputs + machine.gates + machine.marks + 1));
    for (long w = 0; w < BLOCK; ++w) can[1].word[w] = ONES;
    return can;
}

// A gate differs where an input does and the other one can be 1, in core or mutant, and it is not known to be the same.
inline void mark(const std::vector<Lanes>& can, const std::int32_t* of, Lanes* made) {
    for (long w = 0; w < BLOCK; ++w) {
        const auto first = can[of[0]].word[w] & (can[of[4]].word[w] | can[of[5]].word[w]);
        const auto second = can[of[3]].word[w] & (can[of[1]].word[w] | can[of[2]].word[w]);
        const auto can_be_1 = can[of[6]].word[w] | can[of[7]].word[w];
        const auto can_be_0 = can[of[6] ^ 1].word[w] | can[of[7] ^ 1].word[w];
        made[0].word[w] = (first | second) & can_be_1 & can_be_0;
        made[1].word[w] = ONES;
    }
}

// The words of all gates and marks from those of the inputs.
inline void evaluate(const Machine& machine, std::vector<Lanes>& can) {
    Lanes* made = &can[2 * (machine.inputs + 1)];
    for (auto pair = machine.pairs; pair != machine.pairs + 2 * machine.gates; pair += 2, made += 2) {
        const Lanes &a = can[pair[0]], &b = can[pair[1]], &not_a = can[pair[0] ^ 1], &not_b = can[pair[1] ^ 1];
        for (long w = 0; w < BLOCK; ++w) made[0].word[w] = a.word[w] & b.word[w];
        for (long w = 0; w < BLOCK; ++w) made[1].word[w] = not_a.word[w] | not_b.word[w];
    }
    for (auto one = machine.marked; one != machine.marked + 8 * machine.marks; one += 8, made += 2) mark(can, one, made);
}
