# SPDX-License-Identifier: Apache-2.0
"""Hooks of pytest for skipped tests: all are listed at the end, and one without a missing tool is a failure."""

import pytest

from .tools import fault_of_skip


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return text.removeprefix("Skipped: ")


def _checked(report):
    """The report, made one of a failure when the skip has no right reason. An expected failure is no skip."""
    if report.skipped and not hasattr(report, "wasxfail") and (fault := fault_of_skip(_reason(report))):
        report.outcome = "failed"
        report.longrepr = fault
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    return _checked((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):
    return _checked((yield))


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter):
    skipped = sorted((r.nodeid, _reason(r)) for r in terminalreporter.stats.get("skipped", ()))
    terminalreporter.ensure_newline()
    terminalreporter.section(f"skipped tests: {len(skipped)}")
    for nodeid, reason in skipped:
        terminalreporter.write_line(f"{nodeid}: {reason}")
