# SPDX-License-Identifier: Apache-2.0
"""Numbers of the words of an operation, for numbers of its inputs."""


def number_of_word(value, inputs):
    """The number of a word for numbers of the inputs."""
    total = at = 0
    for node, low, bits in value:
        whole = low if node is None else number_of_node(node, inputs) >> low
        total |= (whole & (1 << bits) - 1) << at
        at += bits
    return total


def number_of_node(node, inputs):
    if node.op == "input":
        return inputs[node.name]
    operands = [number_of_word(value, inputs) for value in node.args]
    if node.op == "add":
        return sum(operands) % (1 << node.width)
    if node.op == "repeat":
        return operands[0] * ((1 << node.width) - 1)
    if node.op == "mux":
        return operands[1 + operands[0]]
    if node.op == "nonzero":
        return int(operands[0] != 0)
    assert node.op == "bitwise"
    return sum(
        (node.table >> sum((value >> k & 1) << n for n, value in enumerate(operands)) & 1) << k
        for k in range(node.width)
    )
