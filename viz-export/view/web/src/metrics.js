// SPDX-License-Identifier: BSD-3-Clause
// The metrics for comparing rows: the value of a row of sums, its format, its meaning.
import * as format from './format.js';

const levelShare = (level) => (row) => row.levels[level] / row.levels.reduce((sum, n) => sum + n, 0);

/** Do samples represent time? Those of events such as page faults do not. */
export const hasTime = (whole) => whole.timeNs > 0;

/** Shares are parts of whole, the sums of the run; levels are the model's. */
export function makeMetrics(whole, levels) {
    const metrics = [
        {
            id: 'time',
            title: 'share of time',
            text: 'share of the CPU time that bursts represent, all of the run being 100 %',
            of: (row) => row.timeNs / whole.timeNs,
            format: format.percent,
        },
        {
            id: 'stall',
            title: 'share of stall',
            text: 'share of the estimated stall time, all of the run being 100 %',
            of: (row) => row.stallNs / whole.stallNs,
            format: format.percent,
        },
        {
            id: 'timeNs',
            title: 'total time',
            text: 'CPU time that the bursts or their accesses represent',
            of: (row) => row.timeNs,
            format: format.time,
        },
        {
            id: 'stallNs',
            title: 'total stall',
            text: 'estimated stall time',
            of: (row) => row.stallNs,
            format: format.time,
        },
        {
            id: 'latency',
            title: 'average latency',
            text: 'mean latency of the measured loads, in cycles of the time stamp counter',
            of: (row) => row.latency / row.measured,
            format: format.cycles,
        },
        {
            id: 'samples',
            title: 'samples',
            text: 'sampled accesses',
            of: (row) => row.samples,
            format: format.count,
        },
        ...levels.map(({ name, level }) => ({
            id: name,
            title: `${name} share`,
            text: `share of the measured loads that ${name} served (inferred from latency)`,
            of: levelShare(level),
            format: format.percent,
            isLevel: true,
        })),
    ];
    return hasTime(whole) ? metrics : metrics.filter(({ id }) => id === 'samples');
}

/** Metrics that areas can be proportional to: sums only. */
export function sizesOf(whole) {
    return hasTime(whole) ? ['timeNs', 'stallNs', 'samples'] : ['samples'];
}

/** The cost of a row of sums as lines of a description; margin: that of its share of the time. */
export function costLines(whole, row, margin = '') {
    if (!hasTime(whole))
        return [['samples', `${format.percent(row.samples / whole.samples)}, ${format.count(row.samples)}`]];
    return [
        ['time', `${format.percent(row.timeNs / whole.timeNs)}${margin}, ${format.time(row.timeNs)}`],
        ['stall, about', `${format.percent(row.stallNs / whole.stallNs)}, ${format.time(row.stallNs)}`],
        ['samples', format.count(row.samples)],
        ['average latency', format.cycles(row.latency / row.measured)],
    ];
}
