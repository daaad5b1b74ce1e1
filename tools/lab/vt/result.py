# SPDX-License-Identifier: GPL-2.0
"""From the files a guest left to numbers, and from numbers to a table."""
import glob
import json
import os
import re
import statistics

import checks
import outcome
from outcome import read
from plan import CLASSES, COUNT_BASE, count_index


def _netstat(text):
    """Pairs of lines "Group: name name" / "Group: value value"."""
    lines, out = text.splitlines(), {}
    for names, values in zip(lines[::2], lines[1::2]):
        out.update(zip(names.split()[1:], values.split()[1:]))
    return {key: int(value) for key, value in out.items()}


def _pairs(text):
    """Lines "name value"; zeros are left out."""
    pairs = (line.split()[:2] for line in text.splitlines())
    return {p[0]: int(p[1]) for p in pairs if len(p) == 2 and int(p[1])}


INTERESTING = re.compile(
    r"RetransSegs|TCPTimeouts|TCPLossProbes|TCPSpuriousRtx|TCPOFO|TCPRcv|"
    r"Prune|MPTCPRetrans|MPFail|DuplicateData|OFOQueue|OFOMerge|"
    r"MPJoinSynAckRx|SubflowStale|RcvWnd|SndWnd|DSSCorruption|NoDSS")


def _spaces(out):
    """Names of all namespaces."""
    return sorted(os.path.basename(path)[:-len(".qdisc")]
                  for path in glob.glob(f"{out}/*.qdisc"))


def _drops_at(out, when=""):
    drops = {}
    for netns in _spaces(out):
        for qdisc in json.loads(read(f"{out}/{netns}.qdisc{when}") or "[]"):
            if qdisc.get("drops"):
                drops[f"{netns} {qdisc['dev']} {qdisc['kind']}"] = \
                    qdisc["drops"]
        for link in json.loads(read(f"{out}/{netns}.link{when}") or "[]"):
            for way in ("rx", "tx"):
                stats = link.get("stats64", {}).get(way, {})
                lost = stats.get("dropped", 0) + stats.get("errors", 0)
                if lost:
                    drops[f"{netns} {link['ifname']} {way}"] = lost
    return drops


def _drops(out):
    """Whatever was dropped anywhere since the scenario began, by place."""
    before = _drops_at(out, ".0")
    drops = {place: n - before.get(place, 0)
             for place, n in _drops_at(out).items()
             if n > before.get(place, 0)}
    softnet = [int(line.split()[1], 16)
               for line in read(f"{out}/softnet").splitlines()]
    if sum(softnet):
        drops["backlog"] = sum(softnet)
    return drops


def _actions(out, name=""):
    """Packets that each counted action has seen, by index."""
    counts = {}
    for part in json.loads(read(f"{out}/w.actions{name}") or "[]"):
        for action in part.get("actions", []):
            counts[action["index"]] = action["stats"]["packets"]
    return counts


# What "trimsw show" says of a port.
TRIM = ("trim_seen", "trimmed", "trim_marked", "trim_bursts")


def _switches(out, sc, name=""):
    """Packets by what cables did to them, and by what they are."""
    counts = _actions(out, name)
    res = {"cut": sum(n for index, n in counts.items() if index < COUNT_BASE)}
    if not name:
        qdiscs = [q for netns in _spaces(out)
                  for q in json.loads(read(f"{out}/{netns}.qdisc") or "[]")]
        res["lost"] = sum(q.get("drops", 0) for q in qdiscs
                          if q["kind"] == "netem")
        res["overflow"] = sum(q.get("drops", 0) for q in qdiscs
                              if q["kind"] in ("tbf", "codel"))
        res["marked"] = sum(q.get("ce_mark", 0) for q in qdiscs
                            if q["kind"] == "codel")
        for port in read(f"{out}/w.trim").splitlines():
            numbers = map(int, port.split()[1:])
            for what, number in zip(TRIM, numbers):
                res[what] = res.get(what, 0) + number
    if sc["count"]:
        for number, (kind, _, _) in enumerate(CLASSES):
            res[kind] = sum(counts.get(count_index(host, number), 0)
                            for host in range(sc["hosts"]))
    return res


def _paths(out, name):
    """Path states of each host, the good ones only counted."""
    res = {}
    for path in sorted(glob.glob(f"{out}/h*.paths{name}")):
        host = os.path.basename(path).split(".")[0]
        rows = json.loads(read(path) or "[]")
        res[host] = {"good": sum(r["state"] == "good" for r in rows),
                     "others": [r for r in rows if r["state"] != "good"]}
    return res


def snapshots(out, sc):
    """What was noted in the course of a run, by name."""
    res = {}
    for event in sc["events"]:
        if event["do"] != "snapshot":
            continue
        name = event["value"]
        res[name] = {"paths": _paths(out, f".{name}"),
                     "switches": _switches(out, sc, f".{name}"),
                     "counters": {f"h{h}": _pairs(read(
                         f"{out}/h{h}.mrc.{name}"))
                                  for h in range(sc["hosts"])}}
    return res


def _outages(out):
    """For how long paths of each host were out of use, us, each time; None:
    to the end, or events were lost.
    """
    res = {}
    for path in sorted(glob.glob(f"{out}/h*.events")):
        host, since, times = os.path.basename(path).split(".")[0], {}, []
        for event in map(json.loads, read(path).splitlines()):
            key = [event.get(k) for k in ("event", "peer", "plane", "path")]
            kind, key = key[0], tuple(key[1:])
            if kind == "path-good" and key in since:
                times.append(event["time_us"] - since.pop(key))
            elif kind != "path-good":
                since.setdefault(key, event.get("time_us"))
        res[host] = sorted(times) + [None] * len(since)
    return res


def _planes(out):
    """skbs and bytes that each host sent on each plane."""
    planes = {}
    for host in (n for n in _spaces(out) if n.startswith("h")):
        for link in json.loads(read(f"{out}/{host}.link") or "[]"):
            if link["ifname"].startswith("p"):
                stats = link["stats64"]["tx"]
                planes[f"{host} {link['ifname']}"] = {
                    "skbs": stats["packets"], "bytes": stats["bytes"]}
    return planes


def _counters(out):
    counters = {}
    for host in (n for n in _spaces(out) if n.startswith("h")):
        values = _netstat(read(f"{out}/{host}.netstat"))
        values = {key: value for key, value in values.items()
                  if value and INTERESTING.search(key)}
        values.update(_pairs(read(f"{out}/{host}.mrc")))
        counters[host] = values
    return counters


def one(out, sc, proto, seconds):
    """The result of one run."""
    res = {"real_s": round(seconds, 1)}
    failed = read(f"{out}/failed").split()
    if sc["idle"]:
        res["idle"] = outcome.idle(out, sc)
        bad = "error" in res["idle"]
    else:
        res.update(outcome.work(out, sc, proto))
        bad = any("error" in t for t in res["transfers"])
        if not bad:
            res["gbps"] = goodput(res["transfers"])
    if bad or failed:
        res["error"] = f"failed: {' '.join(failed) or 'see transfers'}"
    res.update(drops=_drops(out), planes=_planes(out),
               switches=_switches(out, sc), paths=_paths(out, ""),
               snapshots=snapshots(out, sc), counters=_counters(out),
               outages=_outages(out),
               forged=json.loads(read(f"{out}/forged") or "{}"),
               tcp_mem=read(f"{out}/tcp_mem").split())
    return res


def goodput(transfers):
    """All bytes over the time from the first start to the last end."""
    ns = max(t["end_ns"] for t in transfers) - \
        min(t["start_ns"] for t in transfers)
    return round(sum(t["bytes"] for t in transfers) * 8 / ns, 3)


def _median_times(runs):
    """Of messages and rounds, ns."""
    out = {}
    times = [t["quantiles_ns"] for run in runs for t in run.get("transfers", [])
             if "quantiles_ns" in t]
    if times:
        out["quantiles_ns"] = {point: round(statistics.median(
            one[point] for one in times)) for point in outcome.POINTS}
    rounds = [r["worst_ns"] for run in runs for r in run.get("rounds", [])]
    if rounds:
        out.update(round_ns=round(statistics.median(rounds)),
                   round_ns_max=max(rounds))
    return out


def _us(ns):
    """A time for people."""
    return f"{ns / 1000:.{2 if ns < 100000 else 0}f}"


def summary(runs):
    """Median and spread of what the runs have in common."""
    out = {"runs": len(runs),
           "failed": sum("error" in run for run in runs)}
    values = [run["gbps"] for run in runs if "gbps" in run]
    if values:
        out.update(gbps=statistics.median(values), gbps_min=min(values),
                   gbps_max=max(values))
    values = [run["idle"]["bytes_per_end"] for run in runs
              if "bytes_per_end" in run.get("idle", {})]
    if values:
        out.update(bytes_per_end=statistics.median(values))
    out.update(_median_times(runs))
    gaps = [t["gap_ns"] for run in runs for t in run.get("transfers", [])
            if "gap_ns" in t]
    if gaps:
        out.update(gap_ns=statistics.median(gaps), gap_ns_max=max(gaps))
    return out


def cell(summ):
    """A summary in a few words."""
    if "bytes_per_end" in summ:
        return f"{summ['bytes_per_end']:.0f}"
    if "gbps" not in summ:
        return "failed"
    if "round_ns" in summ:
        return (f"{_us(summ['round_ns'])} µs, slowest "
                f"{_us(summ['round_ns_max'])}")
    if "quantiles_ns" in summ:
        q = summ["quantiles_ns"]
        return f"{_us(q['50'])} / {_us(q['99'])} / {_us(q['99.9'])} µs"
    text = f"{summ['gbps']:.1f} ({summ['gbps_min']:.1f}–{summ['gbps_max']:.1f})"
    if "gap_ns" in summ:
        text += f", gap {summ['gap_ns'] / 1000:.0f} µs"
    if summ["failed"]:
        text += f", {summ['failed']} failed"
    return text


def unit_of(result):
    """What a table's cells are."""
    first = result["results"][0]["summary"] if result["results"] else {}
    if result["idle"]:
        return "bytes."
    if "round_ns" in first:
        return "from the beginning to the last host's end."
    if "quantiles_ns" in first:
        return "time of a message that 50, 99 and 99.9 % do not exceed."
    return "goodput in Gb/s of payload, in brackets the spread."


def table(result):
    """Markdown: a row per variant, a column per protocol."""
    cells, protocols, rows = {}, [], []
    for entry in result["results"]:
        if entry["protocol"] not in protocols:
            protocols.append(entry["protocol"])
        if entry["variant"] not in rows:
            rows.append(entry["variant"])
        cells[entry["variant"], entry["protocol"]] = cell(entry["summary"])
    unit = "Medians of the runs; " + unit_of(result)
    lines = [f"## {result['name']}", "", result["about"], "",
             f"Linux {result['kernel']} (User-Mode Linux, virtual time), tree "
             f"{result['commit']}, {result['date']}: `{result['command']}`. "
             f"{unit}", "", "| |" + "".join(f" {p} |" for p in protocols),
             "|---|" + "---|" * len(protocols)]
    for row in rows:
        lines.append(f"| {row or result['name']} |" + "".join(
            f" {cells.get((row, p), '')} |" for p in protocols))
    lines += checks.table(result["checks"])
    return "\n".join(lines) + "\n"


def exists(out):
    """Did the guest get as far as leaving anything?"""
    return os.path.exists(f"{out}/release")
