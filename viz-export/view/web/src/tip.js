// SPDX-License-Identifier: BSD-3-Clause
// One tooltip for all pictures: pairs of key and text beside the pointer or below the focused element.
import { h } from './dom.js';

const GAP = 14;
let tip = null;

function place(x, y) {
    const { width, height } = tip.getBoundingClientRect();
    const left = x + GAP + width > innerWidth ? x - GAP - width : x + GAP;
    const top = y + GAP + height > innerHeight ? y - GAP - height : y + GAP;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, top)}px`;
}

export function showTip(lines, x, y) {
    if (!tip) {
        tip = h('div', { class: 'tip', role: 'tooltip' });
        document.body.append(tip);
    }
    const [[title, subtitle], ...rest] = lines;
    tip.replaceChildren(
        h('strong', {}, title),
        subtitle ? h('span', { class: 'kind' }, subtitle) : '',
        h('dl', {}, ...rest.flatMap(([key, text]) => [h('dt', {}, key), h('dd', {}, text)])),
    );
    tip.hidden = false;
    place(x, y);
}

export function hideTip() {
    if (tip) tip.hidden = true;
}

/** lines(): the lines to show for the element. */
export function tipOn(element, lines) {
    element.addEventListener('pointermove', (event) => showTip(lines(), event.clientX, event.clientY));
    element.addEventListener('pointerleave', hideTip);
    element.addEventListener('blur', hideTip);
    element.addEventListener('focus', () => {
        if (!element.matches(':focus-visible')) return;
        const box = element.getBoundingClientRect();
        showTip(lines(), box.left, box.bottom);
    });
}
