# SPDX-License-Identifier: GPL-2.0
"""What run has counted, as rows of tables; the first is the head."""
import statistics


def named(size):
    """64 B, 4 KiB, 1 MiB."""
    for unit, name in ((1 << 20, "MiB"), (1 << 10, "KiB")):
        if size % unit == 0:
            return f"{size // unit} {name}"
    return f"{size} B"


def cell(entry):
    """Cost of a byte, the receiver's share of it, and cost of a message."""
    own = statistics.median(entry["receiver"]) / entry["median"]
    return (f"{entry['median']:.2f}, {own * 100:.0f} % "
            f"({entry['median'] * entry['message']:,.0f})")


def switches(whole):
    """GSO on, off: what was measured."""
    return list(dict.fromkeys(e["gso"] for e in whole["results"]))


def costs(whole, gso):
    """Cost by message size, and as a ratio to TCP."""
    protos = list(dict.fromkeys(e["protocol"] for e in whole["results"]))
    ratio = ["MRC : TCP"] if {"mrc", "tcp"} <= set(protos) else []
    yield ["message", *map(str.upper, protos), *ratio]
    for size in dict.fromkeys(e["message"] for e in whole["results"]):
        row = {e["protocol"]: e for e in whole["results"]
               if (e["gso"], e["message"]) == (gso, size)}
        line = [named(size), *(cell(row[proto]) for proto in protos)]
        if ratio:
            line.append(f"{row['mrc']['median'] / row['tcp']['median']:.2f}")
        yield line


def spreads(whole):
    """By how much the runs of one cell differ at most, in words."""
    most = {}
    for e in whole["results"]:
        spread = (max(e["per_byte"]) - min(e["per_byte"])) / e["median"]
        most[e["protocol"]] = max(spread, most.get(e["protocol"], 0))
    return "Runs of one cell differ by up to " + ", ".join(
        f"{spread * 100:.0f} % ({proto.upper()})"
        for proto, spread in most.items())


def functions(whole, gso):
    """The functions that cost most, of all protocols side by side."""
    entries = [e for e in whole["profiles"] if e["gso"] == gso]
    head = []
    for entry in entries:
        head += [entry["protocol"].upper(), "per byte"]
    yield head
    for columns in zip(*(e["functions"] for e in entries)):
        line = []
        for name, cost in columns:
            line += [name, f"{cost:.3f}"]
        yield line


def in_module(whole, gso):
    """Cost of a byte in this module, in messages of 1 MiB."""
    return next((e["module"] for e in whole["profiles"]
                 if (e["protocol"], e["gso"]) == ("mrc", gso)), None)
