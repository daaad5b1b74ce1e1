# SPDX-License-Identifier: GPL-2.0
"""The bounds of a scenario, and whether its runs kept them.

A check is an object: "is" names a measure, the other keys are its arguments,
"min" and "max" are the bounds, "why" is a word for the table. A bound is a
number, or {"of": VARIANT, "times": X, "plus": Y}: what the same measure is in
another variant (the median of its runs), or with "than": PROTOCOL with that
protocol. Each run has to keep the bounds.
"""
import os
import statistics

import ideal
from scenario import Error, duration

MIB = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                   "../../../net/mrc/mib.h")


def _only(run, number):
    """The transfers that a check is about."""
    return run["transfers"] if number is None else [run["transfers"][number]]


def _bins(run, sc, number=None, **when):
    """Goodput of each ms, of all transfers together."""
    begin = duration(when["from"]) // 1000000
    end = duration(when["until"]) // 1000000
    rows = [t["ms_gbps"] for t in _only(run, number)]
    if not rows or any(len(row) <= end for row in rows):
        raise Error(f"a transfer ended before {when['until']}")
    return [sum(row[i] for row in rows) for i in range(begin, end)]


def _counters(run, host):
    return [c for h, c in run["counters"].items() if host in (None, h)]


def ms_min(run, sc, **args):
    """Goodput of the worst millisecond, Gb/s."""
    return min(_bins(run, sc, **args))


def ms_mean(run, sc, **args):
    """Mean goodput of some milliseconds, Gb/s."""
    return statistics.mean(_bins(run, sc, **args))


def gbps(run, sc, number=None):
    """Goodput, Gb/s."""
    return run["gbps"] if number is None else \
        run["transfers"][number]["gbps"]


def share(run, sc, number=0, back=False):
    """Goodput, per cent of the payload capacity of the planes."""
    rate = run["transfers"][number]["back_gbps" if back else "gbps"]
    return 100 * rate / (8 * ideal.capacity(sc))


def share_min(run, sc):
    """The slowest transfer, per cent of the payload capacity of the planes."""
    return min(share(run, sc, n) for n in range(len(run["transfers"])))


def _numbers(run, numbers):
    """A list, or all transfers from the one that is named on."""
    return numbers if isinstance(numbers, list) else \
        range(numbers, len(run["transfers"]))


def latency_us(run, sc, at="50", number=0, settled=False):
    """Time of a message that so many per cent do not exceed, µs."""
    name = "settled_ns" if settled else "quantiles_ns"
    return run["transfers"][number][name][at] / 1000


def latency_ideals(run, sc, at="50", number=0, settled=False):
    """The same, in ideal times of a message on its own."""
    return 1000 * latency_us(run, sc, at, number, settled) / \
        ideal.message_ns(sc, sc["messages"][number])


def round_ideals(run, sc, lost=0, rounds="all"):
    """Slowest round, in ideal times."""
    which = {"all": run["rounds"], "first": run["rounds"][:1],
             "later": run["rounds"][1:]}[rounds]
    return max(r["worst_ns"] for r in which) / ideal.collective_ns(sc, lost)


def worst_node(run, sc):
    """The last host's time, in times of the median host's."""
    return max(r["worst_ns"] / r["median_ns"] for r in run["rounds"])


def jain(run, sc, numbers):
    """Jain's index of fairness over the goodput of some transfers."""
    rates = [gbps(run, sc, number) for number in _numbers(run, numbers)]
    return sum(rates) ** 2 / (len(rates) * sum(r * r for r in rates))


def gap_us(run, sc, number=None):
    """Longest time without delivery, µs."""
    return max(t["gap_ns"] for t in _only(run, number)) / 1000


def connect_us(run, sc, number=None):
    """Slowest connect(), µs."""
    return max(t["connect_ns"] for t in _only(run, number)) / 1000


def _known(name):
    """Results leave out what is 0: a misspelt counter would always be."""
    with open(MIB, encoding="utf-8") as file:
        if f'"{name.removeprefix("Drop")}"' not in file.read():
            raise Error(f"no counter {name!r}")


def counter(run, sc, name, host=None):
    """A counter of MRC's, summed over the hosts."""
    _known(name)
    return sum(c.get(name, 0) for c in _counters(run, host))


def duplicates(run, sc):
    """Data packets that arrived again: sent again for nothing."""
    return counter(run, sc, "DropDup")


def never_arrived(run, sc):
    """Data packets sent that never arrived, by the receiver's unique PSNs."""
    return counter(run, sc, "RtxOut") - duplicates(run, sc)


def sent_times(run, sc, but=None):
    """Data packets sent, in times of those there were to send."""
    first, again = (sum(c.get(name, 0) for h, c in run["counters"].items()
                        if h != but) for name in ("DataOut", "RtxOut"))
    return (first + again) / first


def retransmitted(run, sc):
    """Data packets sent again."""
    return counter(run, sc, "RtxOut")


def switch(run, sc, name, since=None, until=None):
    """A counter of the switches, or its growth between two snapshots."""
    def value(at):
        return (run["snapshots"][at] if at else run)["switches"].get(name, 0)
    return value(until) - (value(since) if since else 0)


def per_trim(run, sc, name, host=None):
    """By how much a counter differs from the data packets trimmed."""
    data = run["switches"]["trimmed"] - counter(run, sc, "DropTrim")
    return counter(run, sc, name, host) - data


def difference(run, sc, name, than, host=None):
    """By how much a counter is above another one."""
    return counter(run, sc, name, host) - counter(run, sc, than, host)


def told(run, sc, kinds=None):
    """Packets that were forged."""
    return sum(sum(ends.values()) for kind, ends in run["forged"].items()
               if kinds is None or kind in kinds)


def per_forged(run, sc, name, kinds, host=None):
    """By how much a counter differs from the packets forged."""
    for kind in kinds:
        if kind not in run["forged"]:
            raise Error(f"nothing forged is called {kind!r}")
    return counter(run, sc, name, host) - told(run, sc, kinds)


def outage_us(run, sc):
    """Longest time that a path was out of use, µs."""
    times = [time for host in run["outages"].values() for time in host]
    if None in times:
        raise Error("a path did not come back")
    return max(times, default=0)


def drops(run, sc):
    """Drops anywhere, skbs."""
    return sum(run["drops"].values())


def probe_share(run, sc):
    """Probes and their answers, per cent of data packets, at the switches."""
    seen = run["switches"]
    return 100 * (seen["probe"] + seen["answer"]) / seen["data"]


def bad_paths(run, sc, at=None, host="h0", plane=None):
    """Paths of a host that are not good, at a snapshot or at the end."""
    paths = run["snapshots"][at]["paths"] if at else run["paths"]
    return sum(plane in (None, path["plane"])
               for path in paths[host]["others"])


def counted(run, sc, name, since=None, until=None, host=None):
    """Growth of a counter between two snapshots (or begin and end)."""
    def value(at):
        if at is None:
            return 0
        return sum(c.get(name, 0)
                   for h, c in run["snapshots"][at]["counters"].items()
                   if host in (None, h))
    end = value(until) if until else counter(run, sc, name, host)
    return end - value(since)


def cut(run, sc, since=None, until=None):
    """Packets that went into a black hole between two snapshots."""
    def value(at):
        return run["snapshots"][at]["switches"]["cut"] if at else 0
    return (value(until) if until else run["switches"]["cut"]) - value(since)


MEASURES = {f.__name__: f for f in (
    ms_min, ms_mean, gbps, jain, gap_us, connect_us, counter, duplicates,
    never_arrived, retransmitted, switch, drops, probe_share, bad_paths,
    sent_times, share, share_min, latency_us, latency_ideals, round_ideals, worst_node,
    counted, cut, per_trim, difference, told, per_forged, outage_us)}
UNITS = {"ms_min": "Gb/s", "ms_mean": "Gb/s", "gbps": "Gb/s", "gap_us": "µs",
         "connect_us": "µs", "probe_share": "%", "outage_us": "µs",
         "share": "%", "share_min": "%", "latency_us": "µs"}
NOT_ARGS = ("is", "min", "max", "why", "protocol")


def _measure(check, sc, run):
    if "error" in run:
        raise Error(run["error"])
    args = {k: v for k, v in check.items() if k not in NOT_ARGS}
    return MEASURES[check["is"]](run, sc, **args)


def _bound(bound, check, variant, entries):
    """A bound as a number."""
    if not isinstance(bound, dict):
        return bound
    other = entries[bound.get("of", variant),
                    bound.get("than", check.get("protocol", "mrc"))]
    value = statistics.median(_measure(check, other["settings"], run)
                              for run in other["runs"])
    return value * bound.get("times", 1) + bound.get("plus", 0)


def _one(check, entry, entries):
    res = {"variant": entry["variant"], "check": check, "values": [],
           "ok": False}
    try:
        for side in ("min", "max"):
            if side in check:
                res[side] = round(_bound(check[side], check, entry["variant"],
                                         entries), 3)
        res["values"] = [round(_measure(check, entry["settings"], run), 3)
                         for run in entry["runs"]]
    except Error as error:
        res["error"] = str(error)
        return res
    except KeyError as error:
        res["error"] = f"no {error}"
        return res
    res["ok"] = all(res.get("min", value) <= value <= res.get("max", value)
                    for value in res["values"])
    return res


def all_of(results):
    """The verdict on each check of each variant that ran."""
    entries = {(e["variant"], e["protocol"]): e for e in results}
    return [_one(check, entry, entries) for entry in results
            for check in entry["settings"]["checks"]
            if check.get("protocol", "mrc") == entry["protocol"]]


def what(check):
    """A check in words."""
    args = [f"{k} {' '.join(map(str, v)) if isinstance(v, list) else v}"
            for k, v in check.items() if k not in NOT_ARGS]
    text = check.get("why") or MEASURES[check["is"]].__doc__.split(".")[0]
    return text + (f" ({', '.join(args)})" if args else "")


def _words(res):
    """The unit of a verdict, its bounds and its values as text."""
    unit = UNITS.get(res["check"]["is"], "")
    bounds = " ".join(f"{sign} {res[side]:g} {unit}".strip()
                      for side, sign in (("min", "≥"), ("max", "≤"))
                      if side in res)
    values = res.get("error") or \
        ", ".join(f"{value:g}" for value in res["values"])
    return unit, bounds, values


def line(res):
    """One verdict as text."""
    unit, bounds, values = _words(res)
    return (f"{res['variant']}: {what(res['check'])}: {bounds}; "
            f"measured {values} {unit}").rstrip()


def table(verdicts):
    """Markdown."""
    if not verdicts:
        return []
    lines = ["", "| | bound | | measured, each run |", "|---|---|---|---|"]
    for res in verdicts:
        _, bounds, values = _words(res)
        lines.append(f"| {res['variant']} | {what(res['check'])} | {bounds} | "
                     f"{values}{'' if res['ok'] else ' **broken**'} |")
    return lines
