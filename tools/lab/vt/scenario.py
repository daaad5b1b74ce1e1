# SPDX-License-Identifier: GPL-2.0
"""Scenario files: what they may say, their defaults, and their expansion.

A scenario is a JSON object. Keys outside DEFAULTS are refused, so that a
misspelt setting cannot pass for a measured one. "variants" is a list of
objects with a "name"; each overrides keys of the scenario and is run for its
own. tools/lab/vt/README.rst explains every key.
"""
import json
import random
import re

import topo

PROTOCOLS = ("tcp", "mptcp", "mrc")

DEFAULTS = {
    "name": None,
    "about": "",
    # the network
    "planes": 4,
    "hosts": 2,
    "t0": 0,
    "t1": 0,
    "spines": {},
    "racks": None,
    "rate": "100gbit",
    "delay": "5us",
    "mtu": 4300,
    "gso": True,
    "gso_max": None,
    "port_queue": "16mb",
    "ecn": None,
    "wire_limit": 100000,
    "count": False,
    # the machine
    "mem": "8G",
    "sysctl": {},
    "global": {},
    "params": {},
    # what runs
    "runs": 3,
    "protocols": list(PROTOCOLS),
    "transfers": [],
    "events": [],
    "flaps": None,
    "forge": None,
    "idle": None,
    "busy": None,
    "messages": [],
    "collective": None,
    "variants": [{"name": ""}],
    "checks": [],
    # how a program uses its socket
    "chunk": "256kb",
    "sockbuf": None,
    "seqpacket": False,
    "ahead": "0s",
    "cc": None,
    "trace": False,
    "watch": False,
    # MPTCP; TCP
    "subflows_per_plane": 1,
    "tcp_flows": 1,
    # whole run, seconds of virtual and of real time
    "limit": 60,
    "real_limit": 600,
}

TRANSFER = {"from": 0, "to": 1, "bytes": None, "at": "0s", "flows": 1,
            "back": 0}
MESSAGES = {"from": 0, "to": 1, "size": None, "count": None, "at": "0s",
            "rate": "", "seed": 0}
COLLECTIVE = {"do": None, "bytes": None, "at": "0s", "rounds": 1,
              "every": "0s"}
EVENT = {"at": None, "do": None, "plane": None, "host": None, "t0": None,
         "t1": None, "way": None, "value": None, "every": None, "count": 1,
         "for": None}
FLAPS = {"seed": None, "links": None, "from": None, "until": None,
         "off": None, "on": None, "do": "blackhole"}
BUSY = {"count": None, "at": None, "for": None, "rate": None, "bytes": None}
FORGE = {"liar": None, "from": 0, "to": 1, "rate": None, "at": None,
         "until": None}

# What undoes an event that lasts "for" a time.
UNDO = {"blackhole": "repair", "down": "up", "disable": "enable",
        "loss": "loss", "reorder": "reorder", "delay": "delay", "rate": "rate", "wire_rate": "wire_rate",
        "trim": "untrim"}
WORK = ("transfers", "messages", "collective", "busy", "idle")
COLLECTIVES = ("ring", "alltoall")
EVENTS = (*UNDO, "repair", "up", "enable", "untrim", "snapshot")
NEED_VALUE = ("loss", "reorder", "delay", "rate", "wire_rate", "trim",
              "snapshot")

NS = {"ns": 1, "us": 1000, "ms": 1000000, "s": 1000000000}
BITS = {"": 1, "mbit": 10 ** 6, "gbit": 10 ** 9}
BYTES = {"": 1, "b": 1, "kb": 1 << 10, "mb": 1 << 20, "gb": 1 << 30}


class Error(Exception):
    """A scenario that makes no sense."""


def _number(text, units, what):
    match = re.fullmatch(r"([0-9.]+)([a-z]*)", str(text).lower())
    if not match or match.group(2) not in units:
        raise Error(f"not a {what}: {text!r}")
    return int(float(match.group(1)) * units[match.group(2)])


def duration(text):
    """'5us' in ns."""
    return _number(text, NS, "time with its unit")


def size(text):
    """'16mb' (of 1,048,576 bytes) or a number, in bytes."""
    return _number(text, BYTES, "size")


def bits(text):
    """'100gbit' in bits per second."""
    return _number(text, BITS, "rate")


def plane_delay(sc, plane):
    """One way, of each cable of a plane."""
    delay = sc["delay"]
    return delay[plane - 1] if isinstance(delay, list) else delay


def connections(sc, proto):
    """The connections that transfers are made of. TCP, which has but one way,
    may share the bytes of each among several.
    """
    parts = sc["tcp_flows"] if proto == "tcp" else 1
    return [{**one, "bytes": size(one["bytes"]) // parts}
            for one in sc["transfers"] for _ in range(one["flows"] * parts)]


def affected(sc, event):
    """Cables that an event is about."""
    planes = event["plane"]
    planes = planes if isinstance(planes, list) else [planes]
    out = []
    for cable in topo.cables(sc):
        if planes != ["all"] and cable.plane not in planes:
            continue
        if not sc["t0"]:
            out.append(cable)
        elif event["host"] is not None:
            if cable.host == event["host"]:
                out.append(cable)
        elif (event["t0"] in (None, cable.leaf) and
              event["t1"] in (None, cable.spine)):
            out.append(cable)
    return out


def senders(sc, event, cable):
    """The ends of a cable from which the event's direction starts."""
    way = event["way"]
    if not sc["t0"] and event["host"] is not None:
        way = "down" if event["host"] else "up"
    return {None: cable.ends(), "up": (cable.low,),
            "down": (cable.up,)}[way]


def _fill(obj, defaults, what):
    for key in obj:
        if key not in defaults:
            raise Error(f"unknown key {key!r} in {what}")
    out = {**defaults, **obj}
    for key, value in out.items():
        if value is None and key in ("bytes", "at", "do", "name", "from",
                                     "until", "seed", "links", "off", "on",
                                     "liar", "rate", "size", "count") or \
           value is None and defaults is BUSY:
            raise Error(f"{what} needs {key!r}")
    return out


def _series(event):
    """An event that lasts, or comes again and again, as single ones."""
    at, single = duration(event["at"]), {**event, "every": None, "for": None}
    if event["count"] > 1 and not event["every"]:
        raise Error(f"a series needs 'every': {event}")
    for i in range(event["count"]):
        begin = at + i * duration(event["every"] or "0s")
        yield {**single, "at": f"{begin}ns"}
        if event["for"]:
            yield {**single, "do": UNDO[event["do"]], "value": None,
                   "at": f"{begin + duration(event['for'])}ns"}


def _flap_events(sc):
    """Links between leaves and spines that come and go, by a seed."""
    flaps = sc["flaps"]
    rnd = random.Random(flaps["seed"])
    links = [c for c in topo.cables(sc) if c.spine is not None]
    end = duration(flaps["until"])
    off, on = ([duration(t) for t in flaps[key]] for key in ("off", "on"))
    for cable in rnd.sample(links, flaps["links"]):
        at = duration(flaps["from"]) + rnd.randint(0, on[1])
        while at < end:
            event = {**EVENT, "plane": cable.plane, "t0": cable.leaf,
                     "t1": cable.spine}
            back = min(at + rnd.randint(*off), end)
            yield {**event, "at": f"{at}ns", "do": flaps["do"]}
            yield {**event, "at": f"{back}ns", "do": UNDO[flaps["do"]]}
            at = back + rnd.randint(*on)


def _plane_rates(sc):
    """Bits per second of each plane, as events set it at the beginning."""
    rates = [bits(sc["rate"])] * sc["planes"]
    for event in sc["events"]:
        if event["do"] == "rate" and event["host"] is None and \
           duration(event["at"]) == 0:
            planes = event["plane"]
            for plane in (planes if isinstance(planes, list) else [planes]):
                rates[plane - 1] = bits(event["value"])
    return rates


def _check_event(sc, event):
    if event["do"] not in EVENTS:
        raise Error(f"unknown event {event['do']!r}")
    if event["do"] == "snapshot":
        return
    if not affected(sc, event):
        raise Error(f"event about no cable that exists: {event}")
    if event["do"] in ("disable", "enable"):
        if set(sc["protocols"]) != {"mrc"}:
            raise Error("only mrc has planes to disable and enable")
        if sc["t0"] and event["host"] is None:
            raise Error(f"whose plane? {event}")


def _check(sc):
    for proto in sc["protocols"]:
        if proto not in PROTOCOLS:
            raise Error(f"unknown protocol {proto!r}")
    if not 1 <= sc["planes"] <= 32:
        raise Error("planes: 1 to 32")
    if isinstance(sc["delay"], list) and len(sc["delay"]) != sc["planes"]:
        raise Error("delay: one, or one for each plane")
    if not sc["t0"] and (sc["hosts"] != 2 or sc["t1"]):
        raise Error("back to back there are two hosts and no switches")
    if sc["racks"] and (len(sc["racks"]) != sc["t0"] or
                        sum(sc["racks"]) != sc["hosts"]):
        raise Error("racks: the hosts of each leaf")
    for event in sc["events"]:
        _check_event(sc, event)
    for transfer in sc["transfers"] + sc["messages"]:
        if transfer["from"] == transfer["to"] or \
           not {transfer["from"], transfer["to"]} <= set(range(sc["hosts"])):
            raise Error(f"between which hosts? {transfer}")
    if sc["forge"] and (not sc["t0"] or len(
            {sc["forge"][key] for key in ("liar", "from", "to")} &
            set(range(sc["hosts"]))) != 3):
        raise Error("who forges is a third host, behind switches")
    if sum(bool(sc[key]) for key in WORK) != 1:
        raise Error(f"one of {', '.join(WORK)}")
    if sc["collective"] and sc["collective"]["do"] not in COLLECTIVES:
        raise Error(f"unknown collective {sc['collective']['do']!r}")


def _settle(raw, variant):
    sc = _fill({**raw, **variant, "name": raw.get("name")}, DEFAULTS,
               "scenario")
    sc["transfers"] = [_fill(t, TRANSFER, "transfer")
                       for t in sc["transfers"]]
    sc["messages"] = [_fill(m, MESSAGES, "messages") for m in sc["messages"]]
    events = [_fill(e, EVENT, "event") for e in sc["events"]]
    for event in events:
        if event["do"] in NEED_VALUE and event["value"] is None:
            raise Error(f"event needs 'value': {event}")
    sc["events"] = [one for event in events for one in _series(event)]
    if sc["flaps"]:
        sc["flaps"] = _fill(sc["flaps"], FLAPS, "flaps")
        sc["events"] += _flap_events(sc)
    for key, defaults in (("forge", FORGE), ("busy", BUSY),
                          ("collective", COLLECTIVE)):
        if sc[key]:
            sc[key] = _fill(sc[key], defaults, key)
    sc["events"].sort(key=lambda event: duration(event["at"]))
    _check(sc)
    sc["plane_rates"] = _plane_rates(sc)
    return sc


def load(path, overrides=()):
    """Reads a file. Returns [(name of the variant, settled scenario), ...]"""
    with open(path, encoding="utf-8") as file:
        raw = json.load(file)
    for text in overrides:
        key, _, value = text.partition("=")
        try:
            raw[key] = json.loads(value)
        except ValueError:
            raw[key] = value
    variants = raw.get("variants") or DEFAULTS["variants"]
    return [(v["name"], _settle(raw, v)) for v in variants]
