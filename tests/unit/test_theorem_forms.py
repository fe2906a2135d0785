# SPDX-License-Identifier: Apache-2.0
"""Linear forms of words are exact: random words, with every atom's number from its definition."""

from random import Random

import pytest

from modwright.prove.theorem.inversions.forms import Forms, Sums, bit_at, most_of
from modwright.prove.theorem.pieces import constant, width_of

from .word_numbers import number_of_node, number_of_word

NAMES, WIDTH = "xyz", 6


def number_of_atom(key, inputs):
    """An atom by its definition."""
    if isinstance(key.of, frozenset):
        whole = (1 << key.bits) - 1
        for node, low in key.of:
            whole &= number_of_node(node, inputs) >> low
        return whole
    if key.kind == "above":
        return sum(number_of_word(value, inputs) for value in key.of.args) >> key.bits
    return number_of_node(key.of, inputs) % (1 << key.bits)


def any_word(words, rng, depth):
    """A word of sums, gates, slices and constants."""
    if not depth:
        name = rng.choice(NAMES)
        return words.whole(words.node("input", WIDTH, name=name))
    a, b = (any_word(words, rng, depth - 1) for _ in "ab")
    bits = min(width_of(a), width_of(b))
    a, b = (words.slice(value, rng.randrange(width_of(value) - bits + 1), bits) for value in (a, b))
    kind = rng.randrange(6)
    if kind == 0:
        return words.arithmetic("add", [a, b], "sum")
    if kind == 1:
        carry = words.slice(a, 0, 1)
        return words.arithmetic("add", [words.join([*carry, *value, *constant(0, 1)]) for value in (a, b)], "carried")
    if kind == 2:
        c = any_word(words, rng, 0)
        wide = [words.extend(value, max(bits, WIDTH), signed=True) for value in (a, b, c)]
        return words.bitwise(rng.getrandbits(8), wide, "gate")
    if kind == 3:
        return words.bitwise(rng.getrandbits(4), [a, constant(rng.getrandbits(bits), bits)], "mask")
    if kind == 4:
        return words.join([*b, *a])
    return words.extend(a, bits + 2, signed=rng.random() < 0.5)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.campaign) for seed in range(1, 20))])
def test_forms_have_the_numbers_of_their_words(seed):
    rng = Random(seed)
    for _ in range(40):
        words = Sums()
        forms, value = Forms(words), any_word(words, rng, rng.randrange(1, 5))
        form, bits = forms.of(value), rng.randrange(1, 12)
        rest, known = forms.residue(form, bits), [bit_at(value, k) for k in range(width_of(value))]
        for _ in range(20):
            inputs = {name: rng.getrandbits(WIDTH) for name in NAMES}
            number = number_of_word(value, inputs)
            total = sum(
                factor * (number_of_atom(forms._keys[atoms[0]], inputs) if atoms else 1)
                for atoms, factor in form.items()
            )
            assert total == number << form.shift
            assert number <= most_of(value)
            assert rest is None or rest == number % (1 << bits)
            assert all(bit in (None, number >> k & 1) for k, bit in enumerate(known))
