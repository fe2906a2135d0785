// SPDX-License-Identifier: Apache-2.0
// A circuit of AND gates evaluated in many lanes, with bits that are 0, 1 or unknown; see ternary.py.
//
// A bit is two words of lanes: those in which it can be 1, and those in which it can be 0. A literal is twice a variable's
// number, plus 1 where it is complemented; variable 0 is the constant 0, then come the inputs, the bits of the state first,
// and the gates. So the two words of literal l are those of its variable, exchanged where l is odd. After the gates come the
// marks, which are 0 where core and mutant are the same, and else unknown.

#include <cstdint>
#include <vector>

namespace {
constexpr long BLOCK = 8;  // words that are evaluated together: 512 lanes, so that a few thousand gates stay in the cache

struct Lanes {
    std::uint64_t word[BLOCK];
};

struct Watched {
    std::uint64_t one, differs, unknown;
};

// A handshake of core and mutant in one word of lanes.
Watched watched(const std::vector<Lanes>& can, const std::int32_t* pair, long w) {
    const auto one = can[pair[0]].word[w], zero = can[pair[0] ^ 1].word[w];
    const auto other_one = can[pair[1]].word[w], other_zero = can[pair[1] ^ 1].word[w];
    return {one, (one & ~zero & other_zero & ~other_one) | (zero & ~one & other_one & ~other_zero),
            (one & zero) | (other_one & other_zero)};
}

// A gate differs where an input does and the other one can be 1, in core or mutant, and it is not known to be the same.
void mark(const std::vector<Lanes>& can, const std::int32_t* of, Lanes* made) {
    for (long w = 0; w < BLOCK; ++w) {
        const auto first = can[of[0]].word[w] & (can[of[4]].word[w] | can[of[5]].word[w]);
        const auto second = can[of[3]].word[w] & (can[of[1]].word[w] | can[of[2]].word[w]);
        const auto can_be_1 = can[of[6]].word[w] | can[of[7]].word[w];
        const auto can_be_0 = can[of[6] ^ 1].word[w] | can[of[7] ^ 1].word[w];
        made[0].word[w] = (first | second) & can_be_1 & can_be_0;
        made[1].word[w] = ~std::uint64_t{0};
    }
}
}  // namespace

// Run `cycles` cycles, with the same inputs in each. With `watch`, a lane stops before the state changes in the first
// cycle in which the handshake `stop` is 1, and `never` has to be 0 until then; a lane in `differs` or `unsure` ends the run.
//
// inputs, gates, pairs   the circuit
// marks, marked          of each mark eight literals: mark, core and mutant of both inputs of a gate; core and mutant of it
// states, following      the first inputs are bits of the state; literals of what follows them
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
    std::int32_t inputs, std::int32_t gates, const std::int32_t* pairs, std::int32_t marks, const std::int32_t* marked,
    std::int32_t states, const std::int32_t* following, std::int32_t seen, const std::int32_t* looks, std::uint64_t* in, std::uint64_t* out, std::uint64_t* met, std::int32_t aparts, const std::int32_t* apart, long words, long cycles, long watch,
    const std::int32_t* stop, const std::int32_t* never, const std::uint64_t* left, std::uint64_t* differs,
    std::uint64_t* unsure) {
    std::vector<Lanes> can(2 * (inputs + gates + marks + 1)), after(2 * states);
    for (long w = 0; w < BLOCK; ++w) {
        can[0].word[w] = 0;
        can[1].word[w] = ~std::uint64_t{0};
    }
    long most = 0;
    for (long base = 0; base < words; base += BLOCK) {
        for (long k = 0; k < 2 * inputs; ++k)
            for (long w = 0; w < BLOCK; ++w) can[k + 2].word[w] = in[k * words + base + w];
        std::uint64_t open[BLOCK], any = 0, wrong = 0;
        for (long w = 0; w < BLOCK; ++w) open[w] = left[base + w];
        long cycle = 1;
        for (;; ++cycle) {
            for (long k = 0; k < 2 * states; ++k)
                for (long w = 0; w < BLOCK; ++w) met[k] |= can[k + 2].word[w] & left[base + w];
            std::uint64_t unknown = 0;
            for (const std::int32_t* one = apart; one != apart + 2 * aparts; one += 2)
                for (long w = 0; w < BLOCK && cycle > one[1]; ++w)
                    unknown |= can[2 * one[0] + 2].word[w] & can[2 * one[0] + 3].word[w] & open[w];
            if (unknown) {
                for (long k = 0; k < 2 * states; ++k)
                    for (long w = 0; w < BLOCK; ++w) in[k * words + base + w] = can[k + 2].word[w];
                return -cycle;
            }
            Lanes* made = &can[2 * (inputs + 1)];
            for (const std::int32_t* pair = pairs; pair != pairs + 2 * gates; pair += 2, made += 2) {
                const Lanes &a = can[pair[0]], &b = can[pair[1]], &not_a = can[pair[0] ^ 1], &not_b = can[pair[1] ^ 1];
                for (long w = 0; w < BLOCK; ++w) made[0].word[w] = a.word[w] & b.word[w];
                for (long w = 0; w < BLOCK; ++w) made[1].word[w] = not_a.word[w] | not_b.word[w];
            }
            for (const std::int32_t* one = marked; one != marked + 8 * marks; one += 8, made += 2) mark(can, one, made);
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
                after[2 * k] = can[following[k]];
                after[2 * k + 1] = can[following[k] ^ 1];
            }
            for (long k = 0; k < 2 * states; ++k)
                for (long w = 0; w < BLOCK; ++w) {
                    const auto changes = watch ? open[w] : ~std::uint64_t{0};
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
