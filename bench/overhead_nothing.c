/* SPDX-License-Identifier: BSD-3-Clause */
/* Starts and ends: the difference is the fixed cost of recording. */
int main(void)
{
    return 0;
}
