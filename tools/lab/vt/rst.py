# SPDX-License-Identifier: GPL-2.0
"""reStructuredText."""


def table(rows):
    """Lines of a simple table; the first row is its head."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    bar = "  ".join("=" * width for width in widths)
    lines = ["  ".join(f"{cell:{width}}" for cell, width in zip(row, widths))
             .rstrip() for row in rows]
    return [bar, lines[0], bar, *lines[1:], bar, ""]
