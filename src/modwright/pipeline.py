# SPDX-License-Identifier: Apache-2.0
"""One request, from its constants to a folder with Verilog, evidence and a datasheet.

Every stage keeps its result in the store under the digest of what it was made from, so an interrupted build
resumes where it stopped, and a build of which nothing changed is answered from its folder.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from . import deliver, draw, pages, prove, report, simulate, synthesize
from .base.errors import UsageError, VerificationError
from .base.json import JsonMapping, JsonObject, plain
from .base.store import TOOLS, Store, default_store, digest_of, version_of
from .contract import Core
from .contract.request import Request
from .explain import SMALL_BITS, Explanation, explain, small_request
from .functions import Case
from .functions.cases import edge_cases, random_cases
from .prepared import Prepared, digest_of_request, prepare
from .prove.theorem import proof_of
from .simulate import Failure
from .simulate.patterns import Pattern
from .simulate.runs import Run, describe_failure
from .synthesize import NotPlaced, Settings, Timing

Stage = Callable[[str], AbstractContextManager[None]]
"""Called with the name of a stage; entered when it starts and left when it ends."""

RANDOM_CASES = 10_000
"""Random operands of a build with the compiled simulator."""
PURE_CASES = 50
"""The same with Amaranth's own simulator, which is some thousand times slower."""
MEASURED_ON_ECP5 = ("generic", "ecp5")
"""Targets of requests whose cores are synthesised for ECP5, and placed there."""
OPERATION = "operation.html"
"""File with one operation step by step."""
MUTATION = "mutation"
"""Kind of the records of `mutate` in the store."""


@dataclass(frozen=True)
class Plan:
    """Amount of evidence that a build gathers.

    Parameters
    ----------
    random : int or None
        Random operands; None: `RANDOM_CASES`, or `PURE_CASES` without a compiled simulator.
    seed : int
        Seed of the random operands, the stalls, the moments of reset and the initial state.
    place : bool
        Place and route the whole core, not only one channel.
    router : str or None
        One of `synthesize.ROUTERS`; None: by the share of the device that the design takes.
    floorplan : str or None
        One of `synthesize.FLOORPLANS` for the whole core; None: nextpnr places all blocks.
    timing_weight : int or None
        Weight of timing in nextpnr's placer, for the whole core; None: nextpnr's own.

    Raises
    ------
    UsageError
        For an unknown router, floorplan or weight, or one of the last two without `place`.
    """

    random: int | None = None
    seed: int = 1
    place: bool = False
    router: str | None = None
    floorplan: str | None = None
    timing_weight: int | None = None

    def __post_init__(self) -> None:
        given = {"floorplan": self.floorplan, "timing-weight": self.timing_weight}
        if alone := [name for name, value in given.items() if value is not None and not self.place]:
            raise UsageError(f"--{alone[0]} has no effect alone", "add --place")
        self.settings()

    def settings(self) -> Settings:
        """Settings of place and route of the whole core."""
        return Settings(router=self.router, floorplan=self.floorplan, timing_weight=self.timing_weight)


@dataclass(frozen=True)
class Built:
    """Result of a build: its folder and report."""

    folder: Path
    report: JsonObject
    fresh: bool
    """False when nothing had changed and the folder existed."""


def default_folder(request: Request) -> Path:
    """`build/<top>-<field>`; an anonymous modulus is named by its bits and the digest of its value."""
    top = re.sub(r"[/-]", "_", request.core)
    if request.curve is not None:
        return Path("build") / f"{top}-{_slug(request.curve.name)}"
    if request.modulus is None:
        return Path("build") / top
    value = request.modulus.value
    anonymous = f"{value.bit_length()}bit-{digest_of(hex(value))[:8]}"
    return Path("build") / f"{top}-{anonymous if request.modulus.anonymous else _slug(request.modulus.name)}"


def _slug(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9._]+", "_", name)


def stamp_of(request: Request, plan: Plan, store: Store | None = None) -> str:
    """Digest of everything that a build depends on, known before anything is derived."""
    tools = {name: version_of(name) for name in TOOLS}
    digest = digest_of_request(request)
    mutation = mutation_of(digest, store or default_store())
    return digest_of(digest, tools, simulate.available_simulator(), asdict(plan), mutation)


def mutation_of(digest: str, store: Store) -> JsonObject | None:
    """The record of `mutate` for a request, by its digest: the run with the most mutants, of these with the most
    memory; None when there was none."""
    runs = [record for _, record in store.every(MUTATION) if record["digest"] == digest]
    return max(runs, key=lambda run: (run["mutants"], run.get("memory", 0), -run["seed"]), default=None)


def build(
    core: Core,
    request: Request,
    plan: Plan,
    folder: Path,
    stage: Stage,
    *,
    force: bool = False,
    store: Store | None = None,
) -> Built:
    """Do everything for one request.

    Parameters
    ----------
    core, request : Core, Request
        Core and its request.
    plan : Plan
        Extent of the evidence.
    folder : Path
        Where the results go; see `deliver.filled_folder`.
    stage : callable
        Called with the name of every stage.
    force : bool
        Write into a folder that holds foreign files.
    store : Store, optional
        Where results are kept; the user's when not given.

    Raises
    ------
    VerificationError
        When an operation failed or a proof was refuted; the folder is not written.
    UsageError
        When the folder cannot be written, or the target cannot be placed; before anything is made.
    """
    placed = "--place" if plan.place else "--router" if plan.router else None
    if placed and request.target not in MEASURED_ON_ECP5:
        raise UsageError(
            f"place and route of a build is on ECP5, and the target is {request.target}",
            f"--target ecp5 or no {placed}",
        )
    store = store or default_store()
    stamp = stamp_of(request, plan, store)
    if deliver.is_unchanged(folder, stamp) and not force:
        return Built(folder, json.loads((folder / "report.json").read_text(encoding="utf-8")), fresh=False)
    deliver.check_folder(folder, force=force)
    with stage("parameters"):
        prepared = prepare(core, request, store)
    with stage("Verilog"):
        files = deliver.core_files(prepared)
    _check_placed(prepared, plan, stage)
    verification = verify_all(prepared, plan, stage)
    with stage("proofs"):
        theorem = proof_of(prepared, files[f"{prepared.top}.v"])
        proofs = [*proofs_of(prepared), plain(asdict(theorem))]
    _raise_refuted(prepared, proofs)
    document = report.build_report(
        prepared,
        verification=verification,
        proofs=proofs,
        dependence=prove.dependence(prepared),
        mutation=mutation_of(prepared.digest, store),
        **measure(prepared, plan, stage),
    )
    operation = small_operation(prepared)
    if operation is not None:
        files[OPERATION] = pages.explanation_page(operation, ["modwright", "explain", core.name, "--html", OPERATION])
    with stage("datasheet"):
        files |= {
            "report.json": deliver.json_text(document),
            "datasheet.html": pages.datasheet(document, operation=None if operation is None else OPERATION),
            "schedule.svg": draw.gantt(document),
            "blocks.svg": draw.block_diagram(document),
        }
        deliver.write_folder(folder, files, stamp, force=force)
    return Built(folder, document, fresh=True)


def small_operation(prepared: Prepared) -> Explanation | None:
    """One operation step by step: of the core itself where its modulus is small, else of its smallest trial; None for a
    core without one."""
    forms = list(_small_forms(prepared))
    if not forms:
        return None

    def make() -> Explanation:
        for form in forms[:-1]:
            with suppress(UsageError):
                return explain(form())
        return explain(forms[-1]())

    return prepared.store.json("explanation", digest_of(prepared.digest), make)


def _small_forms(prepared: Prepared) -> Iterator[Callable[[], Prepared]]:
    """Forms of a core whose operation can be shown, the best first: the next where one takes too many cycles, or where
    its device cells, which Amaranth does not simulate, make a schedule of its own."""
    core, request = prepared.core, prepared.request
    if request.modulus is not None and request.modulus.value.bit_length() <= SMALL_BITS:
        yield lambda: prepared
        yield lambda: prepare(core, replace(request, target="generic"), prepared.store)
    if core.trials:
        yield lambda: small_request(core, {"core": core.name, **core.trials[0].document})


def verify_all(prepared: Prepared, plan: Plan, stage: Stage) -> list[JsonObject]:
    """Simulate edge and random operands in every pattern; VerificationError at the first one that fails."""
    simulator = simulate.available_simulator()
    count = plan.random if plan.random is not None else RANDOM_CASES if simulator == "compiled" else PURE_CASES
    edges = edge_cases(prepared, products=simulator == "compiled")
    cases = edges + random_cases(prepared, count, plan.seed)
    records = []
    run = Run(simulator, seed=plan.seed)
    for pattern in run.patterns(prepared, len(cases)):
        with stage(f"simulation of {len(pattern.indices)} operations, {pattern.title} ({simulator})"):
            records.append(_verification(prepared, cases, run, pattern))
        _raise_failure(prepared, records[-1])
    return records


def _verification(prepared: Prepared, cases: Sequence[Case], run: Run, pattern: Pattern) -> JsonObject:
    """One verification as a record for the report, from the store when it was run before."""

    def simulate_now() -> JsonObject:
        found = run.verify(prepared, cases, pattern).to_json()
        stalls = None if pattern.stalls is None else asdict(pattern.stalls)
        return plain(
            found | {"name": pattern.title, "stalls": stalls, "seeds": [run.seed], "initial_state": pattern.state}
        )

    key = digest_of(prepared.digest, version_of("verilator"), asdict(run), asdict(pattern), cases)
    return prepared.store.json("verification", key, simulate_now)


def _raise_failure(prepared: Prepared, record: JsonMapping) -> None:
    """VerificationError with the first operation that failed, if one did."""
    failures = [Failure(**f) for f in record["failed"]]
    if failures:
        raise VerificationError(
            f"{prepared.core.name}: {record['cases'] - record['passed']} of {record['cases']} operations failed, "
            f"{record['name']}; the first one:\n{describe_failure(failures[0])}"
        )


def proofs_of(prepared: Prepared) -> list[JsonObject]:
    """The proofs of a core as records; `prove` itself keeps them in the store."""
    return [plain(asdict(proof)) for proof in prove.prove(prepared)]


def _raise_refuted(prepared: Prepared, proofs: Sequence[JsonMapping]) -> None:
    for proof in proofs:
        if proof["status"] == "refuted":
            raise VerificationError(
                f"{prepared.core.name}: {proof['name']} is refuted\n  {proof['statement']}\n  {proof['detail']}"
            )


def for_target(prepared: Prepared, target: str) -> Prepared:
    """The same request for another target."""
    if prepared.request.target == target:
        return prepared
    return prepare(prepared.core, replace(prepared.request, target=target), prepared.store)


def measure(prepared: Prepared, plan: Plan, stage: Stage) -> JsonObject:
    """Resources and timing, as `build_report` takes them; what does not fit the target is not run."""
    target = prepared.request.target
    main = for_target(prepared, "ecp5") if target in MEASURED_ON_ECP5 else prepared
    result: JsonObject = {}
    with stage(f"resources on {main.request.target}"):
        result["resources"] = resources_of(main)
    if target in MEASURED_ON_ECP5:
        result |= _placed(main, plan, stage)
    if target != "xc7":
        with stage("resources on xc7"):
            result["xc7"] = resources_of(for_target(prepared, "xc7"))
    return result


def _check_placed(prepared: Prepared, plan: Plan, stage: Stage) -> None:
    """UsageError for a router where nothing is placed, and for a floorplan of blocks that the core does not have."""
    if plan.router and not plan.place and prepared.channel_verilog() is None:
        raise UsageError(
            f"--router has no effect alone: {prepared.core.name} has no channel that is placed", "add --place"
        )
    if plan.floorplan:
        main = for_target(prepared, "ecp5")
        with stage(f"blocks for the floorplan {plan.floorplan}"):
            synthesize.check_floorplan(main.verilog(), main.top, plan.settings(), store=main.store)


def _placed(prepared: Prepared, plan: Plan, stage: Stage) -> JsonObject:
    """Place and route as the plan says; nothing for a core without a channel that stands for it."""
    if plan.place:
        with stage("place and route of the whole core"):
            return {"timing": timing_of(prepared, plan.settings())}
    if prepared.channel_verilog() is None:
        return {}
    with stage("place and route of one channel"):
        return {"channel_timing": channel_timing_of(prepared, Settings(router=plan.router))}


def resources_of(prepared: Prepared, target: str | None = None, **options: Any) -> synthesize.Resources:
    """Resources of the bare core on a family, that of its request when none is named."""
    return synthesize.resources(
        prepared.verilog(), prepared.top, target or prepared.request.target, store=prepared.store, **options
    )


def gates_of(
    prepared: Prepared, liberty: str, **options: Any
) -> tuple[synthesize.Resources, synthesize.GateTiming | synthesize.NotPlaced]:
    """Area and clock rates of a core in the cells of a Liberty file or preset."""
    library, corners = synthesize.read_library(liberty)
    return synthesize.gates(prepared.verilog(), prepared.top, library, corners, store=prepared.store, **options)


def timing_of(prepared: Prepared, settings: Settings, *, target: str = "ecp5") -> Timing | NotPlaced:
    """Place and route of the whole core."""
    return synthesize.timing(prepared.verilog(), prepared.top, settings, store=prepared.store, target=target)


def channel_resources_of(
    prepared: Prepared, target: str | None = None, *, wide_lut: bool = False
) -> synthesize.Resources | None:
    """Resources of one channel, None when the core has no such part."""
    verilog = prepared.channel_verilog()
    if verilog is None:
        return None
    family = target or prepared.request.target
    return synthesize.resources(verilog, prepared.top + "_channel", family, store=prepared.store, wide_lut=wide_lut)


def channel_timing_of(prepared: Prepared, settings: Settings, *, target: str = "ecp5") -> Timing | NotPlaced | None:
    """Place and route of one channel, None when the core has no such part."""
    verilog = prepared.channel_verilog()
    if verilog is None:
        return None
    return synthesize.timing(verilog, f"{prepared.top}_channel", settings, store=prepared.store, target=target)
