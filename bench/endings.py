# SPDX-License-Identifier: Apache-2.0
"""Exit codes of the `modwright` command for commands of this folder."""

import sys
from collections.abc import Callable

from modwright.base.errors import ModwrightError
from modwright.base.signals import ended_by_sigterm, report_signal


def exit_code(work: Callable[[], object]) -> int:
    """Do the work of a command, print its error, and return the exit code for how it ended."""
    try:
        with ended_by_sigterm():
            work()
    except ModwrightError as error:
        print(f"error: {error}", file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt as end:
        return report_signal(end)
    return 0
