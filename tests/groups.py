# SPDX-License-Identifier: Apache-2.0
"""Which tests run on one worker of `pytest -n N --dist loadgroup`, and in which order: those that share what is costly
to make stay together, and what takes longest starts first.

xdist 3.8 appends its mark `xdist_group` to names in a way that pytest 9 does not know any more; so groups follow from
the names of tests, and a scheduler of our own reads them.
"""

import re

import pytest

from .long_run import leave

_BY_CORE = ("contract/test_contract.py", "unit/test_package.py")
"""Files with a parametrised fixture of the module, in whose tests a core's name comes first in the brackets."""
_WHOLE = (
    *("test_campaign_cluster.py", "test_distribution.py", "test_driver.py", "test_ec_on_cores.py", "test_emulate.py"),
    *("test_mutate.py", "test_mutate_equivalence.py", "test_pace.py", "test_pages_in_browser.py", "test_papers.py"),
    *("test_provider.py", "test_provider_pool.py", "test_ranges.py", "test_report_page.py", "test_rsa_on_cores.py"),
    *("test_site.py",),
    *("test_synthesize.py", "test_synthesize_timing.py", "test_synthesize_bench.py", "test_synthesize_families.py"),
    *("test_catalog.py", "test_catalog_resolve.py", "test_docs.py", "test_package_formats.py"),
)
"""Files that stay together: with costly fixtures or a store of the module; last, those with hundreds of cheap tests."""
_OF_SOURCES = ("test_house.py", "test_house_names.py", "test_layers.py", "test_functions.py")
"""Files with rules over the same syntax trees (`sources`): all together are one group."""
_FIRST = (
    *("test_provider.py", "test_ec_on_cores.py", "test_mutate.py", "test_synthesize.py", "test_synthesize_families.py"),
    *("test_driver.py", "test_site.py", "test_rsa_on_cores.py", "test_package_formats.py", "test_package.py"),
    *("test_contract.py", *_OF_SOURCES),
)
"""Files whose groups take longest, in the order in which they start: a long one that starts last runs alone."""
_CORE = re.compile(r"\[(\w+/[a-z0-9]+(?:-(?!\d+[-\]])[a-z0-9]+(?![.\w]))*)")
"""A core's name, and no number or file name that follows it."""


def group_of(nodeid: str) -> str:
    """The group of a test; its own name where it shares nothing."""
    path = nodeid.partition("::")[0]
    if path.endswith(_WHOLE):
        return path
    if path.endswith(_OF_SOURCES):
        return "rules of the source"
    if path.endswith(_BY_CORE) and (core := _CORE.search(nodeid)):
        return f"{path} {core[1]}"
    return nodeid


def turn_of(nodeid: str) -> int:
    """Place of a test's file in the order of a run; all files that are not named come last, as they were collected."""
    name = nodeid.partition("::")[0].rpartition("/")[2]
    return _FIRST.index(name) if name in _FIRST else len(_FIRST)


@pytest.hookimpl(tryfirst=True)  # before marks select what runs
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]):
    leave(config, items)
    if hasattr(config, "workerinput"):  # alone, tests run in the order of their files
        items.sort(key=lambda item: turn_of(item.nodeid))


def pytest_xdist_make_scheduler(config: pytest.Config, log):
    """The scheduler of `--dist loadgroup`: hands out groups of `group_of`, in the order of the collection."""
    if config.getvalue("dist") != "loadgroup":
        return None
    from xdist.scheduler import LoadScopeScheduling

    class Scheduler(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

        def _reschedule(self, node) -> None:
            """Give a worker groups until it has two tests at least: it keeps its last one until it knows the next."""
            super()._reschedule(node)
            while self.workqueue and not node.shutting_down and self._pending_of(self.assigned_work[node]) < 2:
                super()._reschedule(node)

        def mark_test_complete(self, node, item_index: int, duration: float = 0) -> None:
            """Forget groups that are done: the scheduler counts what is pending in all that it remembers."""
            super().mark_test_complete(node, item_index, duration)
            work = self.assigned_work[node]
            group = group_of(self.registered_collections[node][item_index])
            if all(work[group].values()):
                del work[group]

        def remove_node(self, node) -> str | None:
            """Hand the tests of a worker that died to others, without the one that it died of.

            Workers are replaced, and one that was told to stop takes no more tests; so these wait for one that takes
            them.
            """
            work = self.assigned_work.pop(node)
            pending = [(tests, name) for tests in work.values() for name, done in tests.items() if not done]
            if not pending:
                return None
            tests, died_of = pending[0]
            tests[died_of] = True
            self.workqueue.update({group: tests for group, tests in work.items() if not all(tests.values())})
            for other in self.assigned_work:
                if self.workqueue:
                    self._reschedule(other)
            return died_of

    config.option.loadscopereorder = False
    return Scheduler(config, log)
