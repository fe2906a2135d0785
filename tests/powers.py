# SPDX-License-Identifier: Apache-2.0
"""Exponentiators without hardware, for the logic of protocols: a right one and a faulty one."""

from modwright.protocols import Power, Powers

CYCLES = 1000
"""What every power is said to take."""


class PlainExponentiator:
    """Powers by Python's integers; keeps the jobs that it was given."""

    def __init__(self):
        self.jobs = []

    def power(self, jobs):
        self.jobs += jobs
        return Powers(tuple(Power(self.result(*job), CYCLES) for job in jobs), CYCLES)

    def result(self, base, exponent, modulus):
        return pow(base, exponent, modulus)


class FaultyExponentiator(PlainExponentiator):
    """Flips one bit of one power of every batch.

    Parameters
    ----------
    at : int
        Index of the job in the batch: 0 the half modulo p, 1 the half modulo q.
    bit : int
        The bit that flips.
    """

    def __init__(self, at, bit):
        super().__init__()
        self.at, self.bit = at, bit

    def power(self, jobs):
        results = list(super().power(jobs).results)
        value, cycles = results[self.at]
        results[self.at] = Power(value ^ 1 << self.bit, cycles)
        return Powers(tuple(results), CYCLES)
