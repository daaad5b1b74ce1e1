# SPDX-License-Identifier: GPL-2.0
"""What the programs of a run said, as numbers."""
import json
import statistics

from scenario import connections

# Where the distribution of times is kept, per cent.
POINTS = ("0", "1", *map(str, range(5, 100, 5)), "99", "99.5", "99.9", "99.95",
          "99.99", "100")


def read(path):
    """What a guest left, or nothing."""
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def _said(out, name):
    """The one object that a program printed, or None."""
    return json.loads(read(f"{out}/{name}") or "null")


def gbps(size, ns):
    """Goodput."""
    return round(size * 8 / ns, 3)


def transfer(out, sc, number, what):
    """One transfer's numbers."""
    t0 = int(read(f"{out}/t0"))
    send, recv = (_said(out, f"{end}{number}") for end in ("send", "recv"))
    if not send or not recv:
        return {"error": "did not end"}
    if send["bytes"] != recv["bytes"]:
        return {"error": f"sent {send['bytes']}, received {recv['bytes']}"}
    start = send["start"]
    end = recv["end"] if what["back"] else send["end"]
    res = {"bytes": send["bytes"], "gbps": gbps(send["bytes"], end - start),
           "start_ns": start - t0, "end_ns": end - t0,
           "connect_ns": send.get("connected", start) - send["begin"],
           "bytes_per_read": send["bytes"] // max(recv["reads"], 1)}
    if what["back"]:
        res.update(back_bytes=send["back"],
                   back_gbps=gbps(send["back"], send["end"] - start))
        res["end_ns"] = max(res["end_ns"], send["end"] - t0)
    if sc["trace"]:
        res.update(first_ns=recv["first"] - t0, gap_ns=recv["gap"],
                   gap_at_ns=recv["gap_at"] - t0,
                   ms_gbps=[round(b * 8 / 1e6, 1) for b in recv["ms"]])
    return res


def quantiles(times):
    """The distribution of times, at POINTS: the smallest time that so many per
    cent do not exceed.
    """
    times = sorted(times)
    last = len(times) - 1
    return {point: times[min(last, max(0, -int(-float(point) * len(times)
                                               // 100) - 1))]
            for point in POINTS}


def messages(out, number):
    """Messages of one connection, and how long they took."""
    t0, said = int(read(f"{out}/t0")), _said(out, f"msgs{number}")
    if not said:
        return {"error": "did not end"}
    return {"bytes": said["bytes"],
            "gbps": gbps(said["bytes"], said["end"] - said["start"]),
            "start_ns": said["start"] - t0, "end_ns": said["end"] - t0,
            "messages": len(said["took"]),
            "mean_ns": round(statistics.mean(said["took"])),
            "quantiles_ns": quantiles(said["took"]),
            "settled_ns": quantiles(said["took"][len(said["took"]) // 100:])}


def collective(out, sc):
    """What all hosts did together: (node by node, round by round)."""
    t0, nodes, rounds = int(read(f"{out}/t0")), [], []
    for host in range(sc["hosts"]):
        said = _said(out, f"node{host}")
        if not said:
            return [{"error": "did not end"}], []
        nodes.append({"bytes": said["bytes"], "start_ns": said["start"] - t0,
                      "end_ns": said["end"] - t0})
        rounds.append(said["took"])
    return nodes, [{"worst_ns": max(took), "median_ns": statistics.median(took),
                    "worst_node": took.index(max(took))}
                   for took in zip(*rounds)]


def together(parts):
    """One transfer over several connections."""
    for part in parts:
        if "error" in part:
            return part
    start = min(part["start_ns"] for part in parts)
    end = max(part["end_ns"] for part in parts)
    total = sum(part["bytes"] for part in parts)
    return {**parts[0], "bytes": total, "gbps": gbps(total, end - start),
            "start_ns": start, "end_ns": end,
            "part_gbps": sorted(part["gbps"] for part in parts)}


def transfers(out, sc, proto):
    """All transfers."""
    parts = [transfer(out, sc, *one)
             for one in enumerate(connections(sc, proto))]
    each = sc["tcp_flows"]
    if proto != "tcp" or each == 1:
        return parts
    return [together(parts[i:i + each]) for i in range(0, len(parts), each)]


def work(out, sc, proto):
    """All that a scenario had to do: a list of transfers, with what goes for
    one, and the rounds of a collective.
    """
    if sc["collective"]:
        nodes, rounds = collective(out, sc)
        return {"transfers": nodes, "rounds": rounds}
    if sc["messages"]:
        return {"transfers": [messages(out, n)
                              for n in range(len(sc["messages"]))]}
    if sc["busy"]:
        return {"transfers": [transfer(out, sc, 0, {"back": 0})]}
    return {"transfers": transfers(out, sc, proto)}


def _slabs(text):
    """Cache: (active objects, bytes of its pages)."""
    slabs = {}
    for line in text.splitlines()[2:]:
        word = line.split()
        slabs[word[0]] = (int(word[1]),
                          int(word[14]) * int(word[5]) * 4096)
    return slabs


def _meminfo(text):
    return {line.split(":")[0]: int(line.split()[1]) * 1024
            for line in text.splitlines() if line.endswith(" kB")}


def idle(out, sc):
    """Bytes for one end of one idle connection, all and by slab cache."""
    ends = 2 * sc["idle"]["count"]
    mem = [_meminfo(read(f"{out}/meminfo.{w}")) for w in ("before", "after")]
    slab = [_slabs(read(f"{out}/slabinfo.{w}")) for w in ("before", "after")]
    if not mem[1]:
        return {"error": "did not end"}
    caches = {}
    for name, (objects, size) in slab[1].items():
        had, had_size = slab[0].get(name, (0, 0))
        if size - had_size >= ends:
            caches[name] = {"bytes": round((size - had_size) / ends),
                            "objects": round((objects - had) / ends, 2)}

    def per_end(key, sign=1):
        return round(sign * (mem[1][key] - mem[0][key]) / ends)

    return {"connections": sc["idle"]["count"],
            "bytes_per_end": per_end("MemFree", -1),
            "of_these_slab": per_end("Slab"),
            "of_these_percpu": per_end("Percpu"),
            "of_these_vmalloc": per_end("VmallocUsed"),
            "caches": caches}
