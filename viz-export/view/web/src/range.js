// SPDX-License-Identifier: BSD-3-Clause
// Selecting a range of bars: dragging, clicking one, and the keyboard (arrows move, with Shift they extend,
// Escape selects everything).

/** at(x): the bar under a place of the element, clamped to [0, len - 1]; get, set: the range, or null. */
export function rangeOn(element, { at, len, get, set, text }) {
    let begin = null;
    let moved = null;
    const describe = () => element.setAttribute('aria-valuetext', get() ? text(get()) : 'everything');
    const place = (event) => at(event.clientX - element.getBoundingClientRect().left);
    element.tabIndex = 0;
    element.setAttribute('role', 'slider');
    element.setAttribute('aria-valuemin', 0);
    element.setAttribute('aria-valuemax', len - 1);
    element.addEventListener('pointerdown', (event) => {
        if (event.button !== 0) return;
        begin = moved = place(event);
        element.setPointerCapture(event.pointerId);
    });
    element.addEventListener('pointermove', (event) => {
        if (begin === null || place(event) === moved) return;
        moved = place(event);
        set([begin, moved]);
    });
    element.addEventListener('pointerup', () => {
        if (begin === null) return;
        const range = get();
        const again = begin === moved && range && range[0] === range[1] && range[0] === begin;
        if (again) set(null);
        else if (begin === moved) set([begin, begin]);
        begin = null;
    });
    element.addEventListener('keydown', (event) => {
        const range = get();
        const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (event.key === 'Escape') set(null);
        else if (step === undefined) return;
        else if (!range) set(step > 0 ? [0, 0] : [len - 1, len - 1]);
        else {
            const clamp = (i) => Math.min(len - 1, Math.max(0, i));
            set(
                event.shiftKey
                    ? [range[0], clamp(range[1] + step)]
                    : [clamp(range[0] + step), clamp(range[1] + step)],
            );
        }
        event.preventDefault();
    });
    return {
        update() {
            element.setAttribute('aria-valuenow', get() ? get()[0] : 0);
            describe();
        },
    };
}
