// SPDX-License-Identifier: Apache-2.0
// The vector loop of the compiled simulator: drives both streams of one core and stamps every operation.
// stimulus.py specifies the stalls; pure.py is the same loop in Python, clock for clock.

#include "core.h"

#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using Word = std::uint64_t;

enum Status : int { RUNNING = 0, DONE = 1, STUCK = 2, SURPLUS = 3, WITHDRAWN = 4 };

struct Copy {
    Word source, target, bits; // bit positions in the output and in the input payload
};

// When the streams pause, as stimulus.py says.
struct Stalls {
    enum Phase { FLOW, FILL, DRAIN };

    Word state, i, o, quiet, sparse; // i, o, sparse: per cent, 0 to 99; quiet: 0 without bursts
    Phase phase = quiet ? FILL : FLOW;
    bool drained = true; // the last queue that was full was drained with the source silent
    Word end = 0;        // results taken at which this flow ends
    bool hold = false, wait = false; // in this clock

    // sent, taken: transfers so far; still: cycles since the last one.
    void step(Word sent, Word taken, bool offering, Word still) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        if (quiet) turn(sent, taken, offering, still);
        hold = phase == DRAIN || (phase == FLOW && hit(state & 0xFFFFFFFFu, sent & 8 ? sparse : i));
        wait = phase == FILL || (phase == FLOW && hit(state >> 32, o));
    }
    void turn(Word sent, Word taken, bool offering, Word still) {
        if (phase == FILL && sent != taken && still >= quiet) {
            drained = !drained;
            phase = drained ? DRAIN : FLOW;
            end = sent;
        } else if (phase == FLOW ? taken >= end : phase == DRAIN && sent == taken && !offering) {
            phase = FILL;
        }
    }
    void restart() { phase = quiet ? FILL : FLOW; }
    static bool hit(Word half, Word share) { return ((half * 100) >> 32) < share; }
};

// One batch of operations; the buffers belong to the caller.
struct Batch {
    const Word* words = nullptr;
    Word* results = nullptr;
    Word *accepted = nullptr, *valid = nullptr, *taken = nullptr;
    Word count = 0, next = 0, done = 0; // operations: all, accepted, taken; done <= next <= count
};

// 64-bit words of a payload in the buffers.
Word words_of(std::size_t bytes) { return (bytes + sizeof(Word) - 1) / sizeof(Word); }

struct Session {
    Core core{};
    Stalls stalls;
    Word timeout_cycles; // cycles without a transfer after which the core is stuck
    std::vector<Copy> copies; // empty unless chained
    bool chained = false, linked = false; // linked: there is a result to chain from
    Batch batch;
    Word clock = 0, moved = 0; // this clock; the last one with a transfer
    Word sent = 0, taken = 0; // transfers of both streams; what a reset drops is taken back from `sent`
    bool offering = false, waiting = false; // i.valid is high; a result was seen and not yet taken
    Word i_words, o_words; // of a payload in the buffers
    std::vector<Word> operands, result, head, last; // to be offered; seen now; the one that waits; the one taken last

    Session(Word initial, const Stalls& how, Word limit) : stalls{how}, timeout_cycles(limit) {
        start(initial);
        i_words = words_of(core.i_bytes);
        o_words = words_of(core.o_bytes);
        operands.resize(i_words);
        for (auto* one : {&result, &head, &last}) one->resize(o_words);
        *core.rst = 1;
        edge();
        *core.rst = 0;
    }
    ~Session() { stop(); }

    void stop() {
        if (core.model) core.close(core.model);
        core.model = nullptr;
    }

    // A new core, not yet reset: registers and memories that the Verilog does not initialise are 0, or random.
    void start(Word initial) {
        stop();
        core = core_open(static_cast<int>(initial));
        *core.i_valid = 0;
        *core.o_ready = 0;
    }

    void edge() {
        *core.clk = 0;
        core.eval(core.model);
        *core.clk = 1;
        core.eval(core.model);
    }

    // The next operation's payload goes to the port, with the bits that come from the last result.
    void drive() {
        Word* const word = operands.data();
        std::memcpy(word, batch.words + batch.next * i_words, i_words * sizeof(Word));
        if (chained && linked)
            for (const Copy& c : copies)
                for (Word n = 0; n < c.bits; ++n) {
                    const Word from = c.source + n, to = c.target + n, bit = Word{1} << (to % 64);
                    const bool set = (last[from / 64] >> (from % 64)) & 1;
                    word[to / 64] = set ? word[to / 64] | bit : word[to / 64] & ~bit;
                }
        std::memcpy(core.i_payload, word, core.i_bytes);
    }

    // What both streams get in this clock.
    void offer() {
        stalls.step(sent, taken, offering, clock - moved);
        const bool source_free = !chained || batch.next == batch.done;
        if (!offering && batch.next < batch.count && source_free && !stalls.hold) {
            drive();
            offering = true;
        }
        *core.i_valid = offering;
        *core.o_ready = !stalls.wait;
    }

    Status step() {
        offer();
        *core.clk = 0;
        core.eval(core.model);
        const Status seen = look(!stalls.wait);
        if (seen != RUNNING) return seen;
        if (clock - moved >= timeout_cycles) return STUCK;
        *core.clk = 1;
        core.eval(core.model);
        ++clock;
        return RUNNING;
    }

    // Clocks with the reset high, in which no transfer counts. What was offered and not taken is dropped. With a seed,
    // all state is random before.
    void reset(Word cycles, Word state) {
        if (state) {
            std::memcpy(operands.data(), core.i_payload, core.i_bytes);
            start(state);
            std::memcpy(core.i_payload, operands.data(), core.i_bytes);
        }
        *core.rst = 1;
        for (; cycles; --cycles, ++clock) {
            offer();
            edge();
        }
        *core.rst = 0;
        batch = Batch{};
        offering = waiting = linked = false;
        sent = taken;
        moved = clock;
        stalls.restart();
    }

    // What both streams show in this clock, before its edge.
    Status look(bool ready) {
        const bool accept = offering && *core.i_ready;
        if (*core.o_valid) {
            if (batch.done == batch.next) return SURPLUS;
            std::memcpy(result.data(), core.o_payload, core.o_bytes);
            if (!waiting) {
                batch.valid[batch.done] = clock;
                head = result;
            } else if (head != result) {
                return WITHDRAWN;
            }
            waiting = !ready;
            if (ready) {
                std::memcpy(batch.results + batch.done * o_words, result.data(), o_words * sizeof(Word));
                last = result;
                linked = true;
                batch.taken[batch.done++] = clock;
                moved = clock;
                ++taken;
            }
        } else if (waiting) {
            return WITHDRAWN;
        }
        if (accept) {
            batch.accepted[batch.next++] = clock;
            offering = false;
            moved = clock;
            ++sent;
        }
        return RUNNING;
    }
};

} // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

// initial: 0 for registers and memories that start at 0, else the seed of their random values, below 2^31.
EXPORT Session* session_open(Word initial, Word seed, Word i, Word o, Word quiet, Word sparse, Word timeout_cycles) {
    const Stalls stalls{(seed + 1) * 0x9E3779B97F4A7C15ull, i, o, quiet, sparse ? sparse : i};
    return new Session(initial, stalls, timeout_cycles);
}

EXPORT void session_close(Session* s) { delete s; }

EXPORT void session_chain(Session* s, const Copy* copies, Word count) {
    s->copies.assign(copies, copies + count);
    s->chained = true;
}

EXPORT void session_feed(Session* s, const Word* words, Word count, Word* results, Word* accepted, Word* valid,
                         Word* taken) {
    s->batch = Batch{words, results, accepted, valid, taken, count, 0, 0};
    s->moved = s->clock;
}

// Runs until the batch is done or `cycles` have passed, so that the caller can be interrupted.
EXPORT int session_advance(Session* s, Word cycles) {
    for (; cycles && s->batch.done < s->batch.count; --cycles) {
        const Status status = s->step();
        if (status != RUNNING) return status;
    }
    return s->batch.done == s->batch.count ? DONE : RUNNING;
}

// Runs `cycles` with nothing offered, after a batch: no result may come.
EXPORT int session_idle(Session* s, Word cycles) {
    for (; cycles; --cycles) {
        s->moved = s->clock;
        const Status status = s->step();
        if (status != RUNNING) return status;
    }
    return DONE;
}

// state: 0 to leave it, else the seed of random values, below 2^31.
EXPORT void session_reset(Session* s, Word cycles, Word state) { s->reset(cycles, state); }

// Whether a result was seen on the output stream and not yet taken.
EXPORT bool session_waiting(const Session* s) { return s->waiting; }
EXPORT Word session_accepted(const Session* s) { return s->batch.next; }
EXPORT Word session_done(const Session* s) { return s->batch.done; }
EXPORT Word session_clock(const Session* s) { return s->clock; }
