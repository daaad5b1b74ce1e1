// SPDX-License-Identifier: GPL-2.0
/*
 * Defines the tracepoints of include/trace/events/mrc.h, here and only here.
 */
#define CREATE_TRACE_POINTS
#include <trace/events/mrc.h>
