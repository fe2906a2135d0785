// SPDX-License-Identifier: Apache-2.0
// Cycles of a circuit in many lanes; see ternary.py.

#include "lanes.h"

namespace {
struct Watched {
    Word one, differs, unknown;
};

// A handshake of core and mutant in one word of lanes.
Watched watched(const std::vector<Lanes>& can, const std::int32_t* pair, long w) {
    const auto one = can[pair[0]].word[w], zero = can[pair[0] ^ 1].word[w];
    const auto other_one = can[pair[1]].word[w], other_zero = can[pair[1] ^ 1].word[w];
    return {one, (one & ~zero & other_zero & ~other_one) | (zero & ~one & other_one & ~other_zero),
            (one & zero) | (other_one & other_zero)};
}
}  // namespace

// Run `cycles` cycles, with the same inputs in each. With `watch`, a lane stops before the state changes in the first
// cycle in which the handshake `stop` is 1, and `never` has to be 0 until then; a lane in `differs` or `unsure` ends the run.
//
// seen, looks            literals whose bits in the last cycle are written to `out`
// in, out                bits, each as words of lanes in which it can be 1, then 0; the state in `in` is overwritten
// met                    by bit of the state, words that are not 0 where it can be 1, then 0, in any lane before any cycle
// apart                  bits of the state, each with a number of cycles, after which a lane where it is unknown ends the run
// words                  of lanes, a multiple of 8
// stop, never            two literals each, of core and mutant
// left                   lanes that count
// Returns the most cycles of a lane, those to the first difference where there is one; or -1 less the cycles before the
// first one in which a bit of `apart` is unknown.
extern "C" __attribute__((visibility("default"))) long run(
    const Machine* machine, std::int32_t seen, const std::int32_t* looks, Word* in, Word* out, Word* met,
    std::int32_t aparts, const std::int32_t* apart, long words, long cycles, long watch, const std::int32_t* stop,
    const std::int32_t* never, const Word* left, Word* differs, Word* unsure) {
    const long inputs = machine->inputs, states = machine->states;
    auto can = words_of(*machine);
    std::vector<Lanes> after(2 * states);
    long most = 0;
    for (long base = 0; base < words; base += BLOCK) {
        for (long k = 0; k < 2 * inputs; ++k)
            for (long w = 0; w < BLOCK; ++w) can[k + 2].word[w] = in[k * words + base + w];
        Word open[BLOCK], any = 0, wrong = 0;
        for (long w = 0; w < BLOCK; ++w) open[w] = left[base + w];
        long cycle = 1;
        for (;; ++cycle) {
            for (long k = 0; k < 2 * states; ++k)
                for (long w = 0; w < BLOCK; ++w) met[k] |= can[k + 2].word[w] & left[base + w];
            Word unknown = 0;
            for (const std::int32_t* one = apart; one != apart + 2 * aparts; one += 2)
                for (long w = 0; w < BLOCK && cycle > one[1]; ++w)
                    unknown |= can[2 * one[0] + 2].word[w] & can[2 * one[0] + 3].word[w] & open[w];
            if (unknown) {
                for (long k = 0; k < 2 * states; ++k)
                    for (long w = 0; w < BLOCK; ++w) in[k * words + base + w] = can[k + 2].word[w];
                return -cycle;
            }
            evaluate(*machine, can);
            any = 0;
            for (long w = 0; watch && w < BLOCK; ++w) {
                const Watched first = watched(can, never, w), second = watched(can, stop, w);
                differs[base + w] = (first.differs | second.differs) & open[w];
                unsure[base + w] = (first.unknown | first.one | second.unknown) & open[w];
                wrong |= differs[base + w] | unsure[base + w];
                open[w] &= ~second.one;
                any |= open[w];
            }
            if (watch && (wrong || !any)) break;
            for (long k = 0; cycle == cycles && k < seen; ++k)
                for (long w = 0; w < BLOCK; ++w) {
                    out[2 * k * words + base + w] = can[looks[k]].word[w];
                    out[(2 * k + 1) * words + base + w] = can[looks[k] ^ 1].word[w];
                }
            for (long k = 0; k < states; ++k) {
                after[2 * k] = can[machine->following[k]];
                after[2 * k + 1] = can[machine->following[k] ^ 1];
            }
            for (long k = 0; k < 2 * states; ++k)
                for (long w = 0; w < BLOCK; ++w) {
                    const auto changes = watch ? open[w] : ONES;
                    auto& bit = can[k + 2].word[w];
                    bit = (after[k].word[w] & changes) | (bit & ~changes);
                }
            if (cycle == cycles) break;
        }
        for (long k = 0; k < 2 * states; ++k)
            for (long w = 0; w < BLOCK; ++w) in[k * words + base + w] = can[k + 2].word[w];
        if (wrong) return cycle;
        for (long w = 0; watch && w < BLOCK; ++w) unsure[base + w] |= open[w];
        if (cycle > most) most = cycle;
    }
    return most;
}
