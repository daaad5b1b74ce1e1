// SPDX-License-Identifier: GPL-2.0
/*
 * An MPI program: a block travels round a ring of all ranks, and sums over all
 * ranks are compared with what they must be.
 *
 *   mpirun ... ring ROUNDS BYTES
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, bad;

static unsigned char pattern(int from, int round, int i)
{
	return from * 31 + round * 7 + i;
}

/* Each hands its block to the next; after @size hops it is its own again. */
static void ring(int round, unsigned char *block, unsigned char *other, int n)
{
	int next = (rank + 1) % size, before = (rank + size - 1) % size, hop, i;

	for (i = 0; i < n; i++)
		block[i] = pattern(rank, round, i);
	for (hop = 1; hop <= size; hop++) {
		int from = (rank - hop + size) % size;

		MPI_Sendrecv(block, n, MPI_BYTE, next, round, other, n,
			     MPI_BYTE, before, round, MPI_COMM_WORLD,
			     MPI_STATUS_IGNORE);
		memcpy(block, other, n);
		for (i = 0; i < n; i++)
			bad += block[i] != pattern(from, round, i);
	}
}

static void all_reduce(int round, int n)
{
	long *in = malloc(n * sizeof(*in)), *out = malloc(n * sizeof(*out));
	int i;

	if (!in || !out)
		MPI_Abort(MPI_COMM_WORLD, 2);
	for (i = 0; i < n; i++)
		in[i] = (long)(rank + 1) * (i + round);
	MPI_Allreduce(in, out, n, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
	for (i = 0; i < n; i++)
		bad += out[i] != (long)(i + round) * size * (size + 1) / 2;
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	int rounds = atoi(argv[1]), n = atoi(argv[2]), all_bad, i;
	unsigned char *block = malloc(n), *other = malloc(n);

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (i = 0; i < rounds; i++) {
		ring(i, block, other, n);
		all_reduce(i, n / sizeof(long));
	}
	MPI_Reduce(&bad, &all_bad, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank)
		printf("ranks %d, rounds %d, wrong %d\n", size, rounds,
		       all_bad);
	MPI_Finalize();
	free(block);
	free(other);
	return bad != 0;
}
