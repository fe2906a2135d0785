# SPDX-License-Identifier: Apache-2.0
"""Which tests run on one worker of `pytest -n N --dist loadgroup`: those that share what is costly to make.

xdist 3.8 appends its mark `xdist_group` to names in a way that pytest 9 does not know any more; so groups follow from
the names of tests, and a scheduler of our own reads them.
"""

import re

import pytest

_BY_CORE = ("contract/test_contract.py", "unit/test_package.py")
"""Files with a parametrised fixture of the module, in whose tests a core's name comes first in the brackets."""
_WHOLE = (
    *("test_campaign_cluster.py", "test_distribution.py", "test_driver.py", "test_ec_on_cores.py", "test_emulate.py"),
    *(
        "test_mutate.py",
        "test_pace.py",
        "test_papers.py",
        "test_provider.py",
        "test_provider_pool.py",
        "test_ranges.py",
        "test_report_page.py",
    ),
    *("test_rsa_on_cores.py", "test_site.py"),
    *("test_synthesize.py", "test_synthesize_timing.py", "test_synthesize_bench.py", "test_synthesize_families.py"),
    *("test_catalog.py", "test_catalog_resolve.py", "test_docs.py", "test_house.py", "test_layers.py"),
)
"""Files that stay together: with costly fixtures or a store of the module; last, those with hundreds of cheap tests."""
_CORE = re.compile(r"\[(\w+/[a-z0-9]+(?:-(?!\d+[-\]])[a-z0-9]+(?![.\w]))*)")
"""A core's name, and no number or file name that follows it."""


def group_of(nodeid: str) -> str:
    """The group of a test; its own name where it shares nothing."""
    path = nodeid.partition("::")[0]
    if path.endswith(_WHOLE):
        return path
    if path.endswith(_BY_CORE) and (core := _CORE.search(nodeid)):
        return f"{path} {core[1]}"
    return nodeid


def pytest_xdist_make_scheduler(config: pytest.Config, log):
    """The scheduler of `--dist loadgroup`: hands out groups of `group_of`, largest first."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Scheduler(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return Scheduler(config, log)
