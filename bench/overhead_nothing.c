/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts and ends: what is left is the cost of being recorded at all. */
int main(void)
{
    return 0;
}
