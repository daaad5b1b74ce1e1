# SPDX-License-Identifier: GPL-2.0
"""What runs on the hosts.

Each function adds the lines that start programs to a plan, and returns those
that wait for their end and note a failure. Listeners start at once, all others
wait for their time.
"""
import random
import shlex

import topo
from scenario import bits, connections, duration, size
from topo import node_addr, plane_addr

PORT = 5000
NS_PER_S = 1e9


def target(plan, host):
    """Where a program connects to."""
    if plan.proto == "mrc" or (plan.proto == "tcp" and plan.sc["t0"]):
        return node_addr(host)
    return plane_addr(host, 1)


def servers(sc):
    """Hosts to which others connect."""
    if sc["collective"]:
        return range(sc["hosts"])
    return sorted({what["to"] for what in sc["transfers"] + sc["messages"]} or
                  {1})


def on(plan, host, program, *words):
    """A program that runs at a host, and not for ever."""
    return " ".join([f"{topo.at_host(host)} timeout {plan.sc['limit']}",
                     plan.tools[program], *map(str, words)])


def at(plan, time, command):
    """A command that starts at a time of the scenario, ns."""
    return f"{plan.tools['at']} $((t0 + {time})) {command}"


def waited(plan, name, command):
    """Starts a command; returns the line that waits for it."""
    plan.add(f"{command} &", f"{name}=$!")
    return f"wait ${name} || echo {name} >>failed"


def transfer(plan, number, what):
    """One connection."""
    sc, port, start = plan.sc, PORT + number, duration(what["at"])
    ahead = duration(sc["ahead"])
    opts = f"-c {size(sc['chunk'])}"
    if sc["sockbuf"]:
        opts += f" -b {size(sc['sockbuf'])}"
    if sc["seqpacket"]:
        opts += " -m"
    if what["back"]:
        opts += f" -d {size(what['back'])}"
    recv = on(plan, what["to"], "xfer", "recv", plan.proto, "::", port, opts,
              "-t $t0" if sc["trace"] else "")
    plan.add(f"{recv} >recv{number} &", f"recv{number}=$!")
    if ahead:
        opts += f" -s $((t0 + {start}))"
    send = on(plan, what["from"], "xfer", "send", plan.proto,
              target(plan, what["to"]), port, what["bytes"], opts)
    wait = waited(plan, f"send{number}",
                  f"{at(plan, start - ahead, send)} >send{number}")
    # with one direction the sender has waited for the receiver's word
    return f"{wait}\nwait $recv{number} || echo recv{number} >>failed" \
        if what["back"] else wait


def transfers(plan):
    """All of them."""
    return [transfer(plan, *one) for one in
            enumerate(connections(plan.sc, plan.proto))]


def poisson(plan, what):
    """Times of arrival, ns: the same for each protocol, others in each run."""
    rnd = random.Random(what["seed"] + plan.run)
    mean = size(what["size"]) * 8 * NS_PER_S / bits(what["rate"])
    time = 0
    for _ in range(what["count"]):
        time += rnd.expovariate(1 / mean)
        yield str(int(time))


def messages(plan, number, what):
    """Messages over one connection: there and back, or offered at a rate."""
    sc, start = plan.sc, duration(what["at"])
    words = [PORT + number, size(what["size"]), what["count"]]
    far, near = ("take", "offer") if what["rate"] else ("pong", "ping")
    there = on(plan, what["to"], "msgs", far, plan.proto, "::", *words)
    here = on(plan, what["from"], "msgs", near, plan.proto,
              target(plan, what["to"]), *words, f"$((t0 + {start}))")
    command = at(plan, start - duration(sc["ahead"]), here)
    if not what["rate"]:
        plan.add(f"{there} >/dev/null &")
        return waited(plan, f"msgs{number}", f"{command} >msgs{number}")
    plan.batch(f"cat >times{number}", list(poisson(plan, what)))
    plan.add(f"{there} >msgs{number} &", f"take{number}=$!")
    return waited(plan, f"msgs{number}", f"{command} <times{number}") + \
        f"\nwait $take{number} || echo take{number} >>failed"


def collective(plan):
    """All hosts do something together."""
    sc, what = plan.sc, plan.sc["collective"]
    start = duration(what["at"])
    waits = []
    for host in range(sc["hosts"]):
        node = on(plan, host, "collective", what["do"], plan.proto, PORT,
                  size(what["bytes"]), what["rounds"], duration(what["every"]),
                  f"$((t0 + {start - duration(sc['ahead'])}))",
                  f"$((t0 + {start}))", host,
                  *(target(plan, peer) for peer in range(sc["hosts"])))
        waits.append(waited(plan, f"node{host}", f"{node} >node{host}"))
    return waits


def busy(plan):
    """Many connections."""
    what = plan.sc["busy"]
    serve = on(plan, 1, "xfer", "serve", plan.proto, "::", PORT,
               what["count"])
    plan.add(f"{serve} >recv0 &")
    return waited(plan, "busy", at(plan, 0, on(
        plan, 0, "xfer", "busy", plan.proto, target(plan, 1), PORT,
        what["count"], f"$((t0 + {duration(what['at'])}))",
        duration(what["for"]), what["rate"], size(what["bytes"]))) + " >send0")


def forge(plan):
    """A host lies to two others."""
    sc, what = plan.sc, plan.sc["forge"]
    liar, ends = what["liar"], (what["from"], what["to"])
    words = [str(what["rate"]), f"$((t0 + {duration(what['until'])}))",
             shlex.quote(f"{plan.tools['mrcctl']} -N h{ends[0]} "
                         "-j -d -s sock show"),
             *map(node_addr, ends), *map(topo.sid, ends), str(sc["t1"])]
    for plane in plan.planes():
        words += [str(plane), f"p{plane}",
                  *(topo.carrier(sc, liar, end) for end in ends)]
    command = f"{topo.at_host(liar)} {plan.tools['forge']} {' '.join(words)}"
    return waited(plan, "forge",
                  f"{at(plan, duration(what['at']), command)} >forged")


def idle(plan):
    """Many connections that do nothing; memory before and after."""
    what = plan.sc["idle"]
    words = [plan.proto, "{}", PORT, what["count"],
             size(what.get("bytes", 0))]
    words = " ".join(map(str, words))
    plan.add("cat >snap <<'EOF'",
             "sync; sleep 1; cat /proc/meminfo >meminfo.$1",
             "cat /proc/slabinfo >slabinfo.$1", "EOF",
             f"{topo.at_host(1)} {plan.tools['xfer']} hold "
             f"{words.format('::')} &",
             "sleep 0.1",
             f"{topo.at_host(0)} {plan.tools['xfer']} idle "
             f"{words.format(target(plan, 1))} 'sh snap' "
             "|| echo idle >>failed")


def start(plan):
    """Starts all that a scenario says; returns what waits for it."""
    sc = plan.sc
    waits = transfers(plan)
    waits += [messages(plan, *one) for one in enumerate(sc["messages"])]
    if sc["collective"]:
        waits += collective(plan)
    if sc["busy"]:
        waits.append(busy(plan))
    if sc["forge"]:
        waits.append(forge(plan))
    return waits
