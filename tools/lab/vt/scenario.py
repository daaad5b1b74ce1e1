# SPDX-License-Identifier: GPL-2.0
"""Scenario files: what they may say, their defaults, and their expansion.

A scenario is a JSON object. Keys outside DEFAULTS are refused, so that a
misspelt setting cannot pass for a measured one. "variants" is a list of
objects with a "name"; each overrides keys of the scenario and is run for its
own. tools/lab/vt/README.rst explains every key.
"""
import json
import re

PROTOCOLS = ("tcp", "mptcp", "mrc")

DEFAULTS = {
    "name": None,
    "about": "",
    # the network
    "planes": 4,
    "rate": "100gbit",
    "delay": "5us",
    "mtu": 4300,
    "gso": True,
    "gso_max": None,
    "port_queue": "16mb",
    "wire_limit": 100000,
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
    "idle": None,
    "variants": [{"name": ""}],
    # how a program uses its socket
    "chunk": "256kb",
    "sockbuf": None,
    "trace": False,
    # MPTCP
    "subflows_per_plane": 1,
    # whole run, seconds of virtual and of real time
    "limit": 60,
    "real_limit": 600,
}

TRANSFER = {"from": 0, "to": 1, "bytes": None, "at": "0s", "flows": 1}
EVENT = {"at": None, "do": None, "plane": None, "value": None, "host": None}
EVENTS = ("blackhole", "repair", "down", "up", "disable", "enable", "loss")

NS = {"ns": 1, "us": 1000, "ms": 1000000, "s": 1000000000}
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


def _fill(obj, defaults, what):
    for key in obj:
        if key not in defaults:
            raise Error(f"unknown key {key!r} in {what}")
    out = {**defaults, **obj}
    for key, value in out.items():
        if value is None and key in ("bytes", "at", "do", "name"):
            raise Error(f"{what} needs {key!r}")
    return out


def _check(sc):
    for proto in sc["protocols"]:
        if proto not in PROTOCOLS:
            raise Error(f"unknown protocol {proto!r}")
    if not 1 <= sc["planes"] <= 32:
        raise Error("planes: 1 to 32")
    for event in sc["events"]:
        if event["do"] not in EVENTS:
            raise Error(f"unknown event {event['do']!r}")
        if not 1 <= (event["plane"] or 0) <= sc["planes"]:
            raise Error(f"event without a plane that exists: {event}")
        if event["do"] in ("disable", "enable") and \
           set(sc["protocols"]) != {"mrc"}:
            raise Error("only mrc has planes to disable and enable")
        if event["do"] == "loss" and sc["gso"]:
            raise Error("netem takes a GSO skb for one packet: "
                        "loss needs \"gso\": false")
    for transfer in sc["transfers"]:
        if {transfer["from"], transfer["to"]} != {0, 1}:
            raise Error("hosts are 0 and 1")
    if bool(sc["transfers"]) == bool(sc["idle"]):
        raise Error("either transfers or idle")


def _settle(raw, variant):
    sc = _fill({**raw, **variant, "name": raw.get("name")}, DEFAULTS,
               "scenario")
    sc["transfers"] = [_fill(t, TRANSFER, "transfer")
                       for t in sc["transfers"]]
    sc["events"] = [_fill(e, EVENT, "event") for e in sc["events"]]
    _check(sc)
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
