# SPDX-License-Identifier: Apache-2.0
"""Every inequality of a certificate is needed, and shown to be; or says why it is stronger than needed."""

import importlib
import pkgutil
from functools import cache
from pathlib import Path

import pytest

from modwright.contract.request import Request
from modwright.cores.modmul.limb.model import result
from modwright.engines.limb.units import FOLD, PRODUCT
from modwright.engines.residue.parameters import ConvertedParameters
from modwright.prepared.registry import cores_of, packages

from . import limbs
from .directed import CONFIGURATIONS, failing
from .sums_of_residues import pairs, product_wrong

for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
    if not module.name.startswith("test_"):
        importlib.import_module(f".{module.name}", __package__)  # registers its configurations

PRODUCT_OF = "product: "
"""In front of the names of inequalities that a core has from its multiplier."""


@cache
def inequalities():
    """Sentences of every inequality that a contract request has, by family and name, as its own family has it."""
    found = {}
    for package in packages():
        for core in cores_of(package):
            for trial in core.trials:
                parameters = core.derive(Request.from_mapping(core, {"core": core.name, **trial.document}))
                for one in parameters.certificate.inequalities:
                    owner = (
                        multiplier_family(parameters)
                        if one.name.startswith(PRODUCT_OF)
                        else family_of(package.__name__)
                    )
                    found.setdefault((owner, one.name.removeprefix(PRODUCT_OF)), set()).add(one.stronger)
    return found


def multiplier_family(parameters):
    """The family of the multiplier of an exponentiator, a point multiplier or an inverter."""
    inner = dict(parameters.parts)["product"]
    kind = type(inner.inner if isinstance(inner, ConvertedParameters) else inner)
    return family_of(next(base for base in kind.__mro__ if not inherits_certificate(base)).__module__)


def inherits_certificate(kind):
    """Whether a class of an engine has its certificate from a class of another one."""
    return kind.__module__.split(".")[1] == "engines" and "certificate" not in vars(kind)


def family_of(module):
    """The family of a module of `cores` or `combine`; the engine of a module of `engines`."""
    path = module.split(".")
    return path[3] if path[1] == "cores" else path[2]


def test_every_inequality_has_a_configuration_or_a_sentence():
    missing = {key for key, sentences in inequalities().items() if "" in sentences and key not in CONFIGURATIONS}
    assert not missing


def test_every_configuration_is_of_an_inequality():
    """And none breaks what is said to be stronger than needed."""
    assert not set(CONFIGURATIONS) - set(inequalities())
    assert not [key for key, sentences in inequalities().items() if "" not in sentences and key in CONFIGURATIONS]


@pytest.mark.parametrize("key", sorted(CONFIGURATIONS), ids="-".join)
def test_what_breaks_an_inequality_goes_wrong(key):
    """By the least amount: the parameters next to it keep the certificate, and the same operands come out right."""
    one = CONFIGURATIONS[key]()
    assert one.good.certificate.failing is None
    assert failing(one.broken.certificate) == {key[1], *one.also}
    assert one.wrong(one.good) is None
    assert one.wrong(one.broken) is not None


def test_reduced_operands_do_not_show_that_a_bound_is_too_large():
    """alpha-high is of operands below B: with it broken, no pair of operands below p goes wrong."""
    broken = CONFIGURATIONS["sor_lean", "alpha-high"]().broken
    assert product_wrong(broken) is not None
    assert product_wrong(broken, pairs(broken.modulus, broken.modulus)) is None


def test_results_of_l2_reach_twice_the_modulus():
    """The bound 3m is not 2m."""
    p = limbs.folded(6, 3)
    assert p.core == FOLD.core
    assert p.multiple(PRODUCT) == 3
    z = result(p, limbs.constants(p, 57) | {"x": 53, "y": 54}, PRODUCT)
    assert z == 132 >= 2 * 57
    assert (z << p.T) % 57 == 53 * 54 % 57
