// SPDX-License-Identifier: Apache-2.0
// Every state of a circuit that can be reached, joined where the first bits agree; see states.py.

#include <cstring>
#include <deque>
#include <memory>

#include "lanes.h"

namespace {
constexpr long SIDE = 64;           // bits of a word, and lanes of one
constexpr long LANES = BLOCK * SIDE;
constexpr long CHUNK = 1 << 12;     // states that are allocated together

// The bits of 64 words in the other direction: Warren, Hacker's Delight, section 7-3.
void transpose(Word* rows) {
    Word mask = ONES >> 32;
    for (int j = 32; j; j >>= 1, mask ^= mask << j)
        for (int k = 0; k < SIDE; k = (k + j + 1) & ~j) {
            const Word moved = ((rows[k] >> j) ^ rows[k + j]) & mask;
            rows[k] ^= moved << j;
            rows[k + j] ^= moved;
        }
}

// States by number. A state is a row: two bits for each of its bits, that it can be 1, and that it can be 0.
class States {
public:
    States(long width, long key) : width(width), words(key ? (2 * key + SIDE - 1) / SIDE : 1) {
        mask = 2 * key % SIDE || !key ? (Word{1} << 2 * key % SIDE) - 1 : ONES;
    }

    const long width;  // words of a row
    long count = 0;
    std::deque<std::int32_t> grown;  // whose successors are to be found

    const Word* row(long number) const { return &chunks[number / CHUNK][number % CHUNK * width]; }

    // Next of `grown`, which counts as seen then.
    long next() {
        const long number = grown.front();
        grown.pop_front();
        waits[number] = 0;
        return number;
    }

    // Add a state, or join it to the one with its key.
    void add(const Word* state) {
        if (2 * (count + 1) > long(places.size())) rehash();
        const long place = find(state);
        long number = places[place];
        if (number >= 0 && !join(number, state)) return;
        if (number < 0) {
            places[place] = number = count++;
            if (number % CHUNK == 0) chunks.emplace_back(new Word[CHUNK * width]);
            std::memcpy(&chunks[number / CHUNK][number % CHUNK * width], state, width * sizeof(Word));
            waits.push_back(0);
        }
        if (!waits[number]) grown.push_back(number);
        waits[number] = 1;
    }

private:
    const long words;  // those with the key; `mask` has its bits in the last one
    Word mask;
    std::vector<std::unique_ptr<Word[]>> chunks;
    std::vector<std::int32_t> places;  // of the hash table: a number, or -1
    std::vector<char> waits;

    bool join(long number, const Word* state) {
        Word* old = &chunks[number / CHUNK][number % CHUNK * width];
        Word more = 0;
        for (long k = 0; k < width; ++k) {
            more |= state[k] & ~old[k];
            old[k] |= state[k];
        }
        return more != 0;
    }

    bool same_key(const Word* a, const Word* b) const {
        for (long k = 0; k < words - 1; ++k)
            if (a[k] != b[k]) return false;
        return !((a[words - 1] ^ b[words - 1]) & mask);
    }

    // The place of the state with this key, or the one where it belongs. The factors are those of Fibonacci hashing and
    // of a mixer by Pelle Evensen; any odd ones do.
    long find(const Word* state) const {
        Word hash = 0x9E3779B97F4A7C15;
        for (long k = 0; k < words; ++k) {
            hash = (hash ^ (k == words - 1 ? state[k] & mask : state[k])) * 0xD6E8FEB86659FD93;
            hash ^= hash >> 32;
        }
        long place = hash & (places.size() - 1);
        while (places[place] >= 0 && !same_key(row(places[place]), state)) place = (place + 1) & (places.size() - 1);
        return place;
    }

    void rehash() {
        places.assign(places.empty() ? CHUNK : 2 * places.size(), -1);
        for (long number = 0; number < count; ++number) places[find(row(number))] = number;
    }
};

// Lanes of some states, each with every combination of the chosen inputs.
void load(const Machine& machine, const States& states, const std::vector<long>& taken, long combinations,
          std::vector<Lanes>& can) {
    Word block[SIDE];
    const long lanes = taken.size() * combinations;
    for (long w = 0; w < BLOCK; ++w)
        for (long part = 0; part < states.width; ++part) {
            for (long k = 0; k < SIDE; ++k) {
                const long lane = SIDE * w + k;
                block[k] = lane < lanes ? states.row(taken[lane / combinations])[part] : 0;
            }
            transpose(block);
            for (long k = 0; k < SIDE && SIDE * part + k < 2 * machine.states; ++k)
                can[SIDE * part + k + 2].word[w] = block[k];
        }
}

// Whether both literals of a pair can be 1 in one of the first lanes.
bool both(const std::vector<Lanes>& can, long lanes, std::int32_t pairs, const std::int32_t* never) {
    Word found = 0;
    for (long w = 0; w * SIDE < lanes; ++w) {
        const Word used = lanes - w * SIDE >= SIDE ? ONES : (Word{1} << (lanes - w * SIDE)) - 1;
        for (long k = 0; k < pairs; ++k) found |= can[never[2 * k]].word[w] & can[never[2 * k + 1]].word[w] & used;
    }
    return found;
}

// Whether some bits of a state, given by their places, are known to be 0.
bool rests(const Word* state, std::int32_t count, const std::int32_t* places) {
    for (long k = 0; k < count; ++k)
        if (state[2 * places[k] / SIDE] >> 2 * places[k] % SIDE & 1) return false;
    return true;
}

// The state that follows in each lane.
void follow(const Machine& machine, const std::vector<Lanes>& can, long width, std::vector<Word>& rows) {
    Word block[SIDE];
    for (long w = 0; w < BLOCK; ++w)
        for (long part = 0; part < width; ++part) {
            for (long k = 0; k < SIDE; ++k) {
                const long bit = SIDE * part + k;
                block[k] = bit < 2 * machine.states ? can[machine.following[bit / 2] ^ (bit & 1)].word[w] : 0;
            }
            transpose(block);
            for (long k = 0; k < SIDE; ++k) rows[(SIDE * w + k) * width + part] = block[k];
        }
}
}  // namespace

// Find all states.
//
// key           first bits of the state, in which states agree that are joined
// first         the row of the initial state
// chosen, at    inputs that take combinations of values, by their place among the inputs; all others are unknown
// combinations  of those; at most LANES; the last one is a reset
// values        of each of them, for each of the inputs: that it can be 1, and that it can be 0
// pairs, never  pairs of literals that are never both 1
// zeros, rest   bits of the state; where all are 0 nothing is to be found but after a reset
// resting       where there are such bits: the row of every state that is not followed for that
// most, work    most states, and most lanes that are evaluated
// Returns the number of states; or -1 where both of a pair can be 1, -2 where there are too many.
extern "C" __attribute__((visibility("default"))) long states(
    const Machine* machine, std::int32_t key, const Word* first, std::int32_t chosen, const std::int32_t* at,
    std::int32_t combinations, const std::int32_t* values, std::int32_t pairs, const std::int32_t* never,
    std::int32_t zeros, const std::int32_t* rest, const Word* resting, long most, long work) {
    auto can = words_of(*machine);
    States states(machine->states ? (2 * machine->states + SIDE - 1) / SIDE : 1, key);
    states.add(first);
    std::vector<Word> rows(LANES * states.width);
    std::vector<long> taken;
    for (long k = 2 * machine->states; k < 2 * machine->inputs; ++k)
        for (long w = 0; w < BLOCK; ++w) can[k + 2].word[w] = ONES;
    for (long k = 0; k < 2 * chosen; ++k)
        for (long lane = 0; lane < LANES; ++lane) {
            Word& word = can[2 * at[k / 2] + 2 + k % 2].word[lane / SIDE];
            const Word bit = Word{1} << lane % SIDE;
            word = values[2 * chosen * (lane % combinations) + k] ? word | bit : word & ~bit;
        }
    if (zeros) {
        States all(states.width, key);
        all.add(resting);
        load(*machine, all, {0}, combinations, can);
        evaluate(*machine, can);
        if (both(can, combinations, pairs, never)) return -1;
        follow(*machine, can, states.width, rows);
        states.add(&rows[(combinations - 1) * states.width]);
    }
    while (!states.grown.empty()) {
        taken.clear();
        while (!states.grown.empty() && long(taken.size() + 1) * combinations <= LANES) {
            const long number = states.next();
            if (!zeros || !rests(states.row(number), zeros, rest)) taken.push_back(number);
        }
        if (taken.empty()) continue;
        const long lanes = taken.size() * combinations;
        load(*machine, states, taken, combinations, can);
        evaluate(*machine, can);
        if (both(can, lanes, pairs, never)) return -1;
        follow(*machine, can, states.width, rows);
        for (long lane = 0; lane < lanes; ++lane) states.add(&rows[lane * states.width]);
        work -= lanes;
        if (states.count > most || work < 0) return -2;
    }
    return states.count;
}
