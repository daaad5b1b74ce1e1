# SPDX-License-Identifier: GPL-2.0
"""What a guest needs of this tree: programs, module, mrcctl, its name."""
import glob
import hashlib
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
LAB = os.path.dirname(HERE)
TOP = os.path.dirname(os.path.dirname(LAB))


def cache_dir():
    """As in tools/lab/lib.sh."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.environ.get("MRC_CACHE") or os.path.join(base, "mrc")


def compiled(source, *flags):
    """A program of ours, rebuilt when its source or a header is new."""
    uapi = f"{TOP}/include/uapi"
    key = hashlib.sha256(repr(flags).encode())
    for path in (source, f"{uapi}/linux/mrc.h",
                 *sorted({*glob.glob(f"{HERE}/*.h"),
                          *glob.glob(f"{os.path.dirname(source)}/*.h")})):
        with open(path, "rb") as file:
            key.update(file.read())
    name = os.path.splitext(os.path.basename(source))[0]
    binary = f"{cache_dir()}/bin/{name}-{key.hexdigest()[:10]}"
    if not os.path.exists(binary):
        os.makedirs(os.path.dirname(binary), exist_ok=True)
        subprocess.run(["gcc", "-O2", "-Wall", *flags, f"-I{uapi}", "-o",
                        f"{binary}.new", source], check=True)
        os.rename(f"{binary}.new", binary)
    return binary


def output(*command):
    """What a command prints."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE,
                          text=True).stdout.strip()


def prepare(protocols, kernel="uml"):
    """Paths of all that a guest uses."""
    tools = {name: compiled(f"{HERE}/{name}.c", "-static")
             for name in ("at", "xfer", "msgs", "collective", "forge")}
    tools["trimsw"] = f"{LAB}/trim/trimsw"
    subprocess.run(["make", "-s", "-C", f"{LAB}/trim"], check=True)
    if "mrc" in protocols:
        where = os.environ.get("MRC_MODDIR") or \
            output(f"{LAB}/mod", os.environ.get("KERNEL", kernel))
        tools["module"] = os.path.join(where, "mrc.ko")
        tools["mrcctl"] = f"{TOP}/tools/mrcctl/mrcctl"
        subprocess.run(["make", "-s", "-C", os.path.dirname(tools["mrcctl"])],
                       check=True)
    return tools


def commit():
    """Which tree this is."""
    return output("git", "-C", TOP, "describe", "--always", "--dirty")
