// SPDX-License-Identifier: BSD-3-Clause
// A bar of colours with the values at its ends and middle.
import { h } from './dom.js';
import { SCALE } from './colours.js';

/** middle: the value in the middle of the bar where the scale is not linear. */
export function scaleBar(low, high, print, title, middle = (low + high) / 2) {
    return h(
        'figure',
        { class: 'scalebar' },
        h('figcaption', {}, title),
        h('div', {
            class: 'ramp',
            style: { background: `linear-gradient(to right, ${SCALE.stops.join(', ')})` },
        }),
        h('div', { class: 'ticks' }, ...[low, middle, high].map((value) => h('span', {}, print(value)))),
    );
}
