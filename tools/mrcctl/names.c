// SPDX-License-Identifier: GPL-2.0
/*
 * The words for the enums of the kernel's headers, the same in text, in JSON and on
 * the command line.
 */
#include <linux/mrc.h>

#include "mrcctl.h"

const char *const plane_states[PLANE_STATES] = {
	[MRC_PLANE_STATE_UP]		= "up",
	[MRC_PLANE_STATE_ADMIN_DOWN]	= "admin-down",
	[MRC_PLANE_STATE_NO_CARRIER]	= "no-carrier",
	[MRC_PLANE_STATE_NO_DEVICE]	= "no-device",
};

const char *const route_modes[ROUTE_MODES] = {
	[MRC_ROUTE_MODE_PLAIN]		= "plain",
	[MRC_ROUTE_MODE_USID]		= "usid",
	[MRC_ROUTE_MODE_SRH]		= "srh",
};

const char *const path_states[PATH_STATES] = {
	[MRC_PATH_STATE_GOOD]	= "good",
	[MRC_PATH_STATE_BAD]	= "bad",
	[MRC_PATH_STATE_DENIED]	= "denied",
	[MRC_PATH_STATE_SKIP]	= "skip",
};

const char *const sock_states[SOCK_STATES] = {
	[MRC_STATE_CLOSED]	= "closed",
	[MRC_STATE_LISTEN]	= "listen",
	[MRC_STATE_CONNECTING]	= "connecting",
	[MRC_STATE_ESTABLISHED]	= "established",
	[MRC_STATE_FIN_SENT]	= "fin-sent",
	[MRC_STATE_FIN_DONE]	= "fin-done",
	[MRC_STATE_PEER_FIN]	= "peer-fin",
	[MRC_STATE_BOTH_FIN]	= "both-fin",
};

const char *const cc_states[CC_STATES] = {
	[MRC_CC_CONSTANT]	= "constant",
	[MRC_CC_START]		= "start",
	[MRC_CC_STEADY]		= "steady",
	[MRC_CC_BRAKE]		= "brake",
	[MRC_CC_ADAPT]		= "adapt",
	[MRC_CC_PENALTY]	= "penalty",
};

/**
 * name_of() - the word for a value
 * @names: the words
 * @n: how many
 * @val: the value
 *
 * Return: the word; "unknown" for values of a newer kernel
 */
const char *name_of(const char *const *names, size_t n, uint32_t val)
{
	return val < n ? names[val] : "unknown";
}
