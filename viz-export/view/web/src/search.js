// SPDX-License-Identifier: BSD-3-Clause
// Search over the names of data, source lines, functions and threads: a list of the names that contain the text, the
// costliest first; choosing one selects it.
import { h } from './dom.js';
import * as format from './format.js';
import { hasTime } from './metrics.js';

const SHOWN = 12;

/** Names of one kind: {kind, text, cost, choose}; cost: time, or samples where there is no time. */
function candidates(app) {
    const { model, selection, result } = app;
    const { stacks } = model;
    const unit = hasTime(model.whole) ? 'timeNs' : 'samples';
    const out = [];
    model.nodes.path.forEach((text, n) => {
        if (n > 0)
            out.push({
                kind: 'data',
                text,
                cost: result.node[unit][n],
                choose: () => selection.selectNode(n),
            });
    });
    for (const dimension of ['line', 'thread'])
        model.labels[dimension].forEach((text, value) =>
            out.push({
                kind: dimension,
                text,
                cost: result[dimension][unit][value],
                choose: () => selection.toggle(dimension, value),
            }),
        );
    // a function once, by the call with most time; the same for calls without any
    const best = new Map();
    for (let c = 0; c < stacks.calls; c++) {
        const name = stacks.name[c];
        if (!best.has(name) || stacks.timeNs[c] > stacks.timeNs[best.get(name)]) best.set(name, c);
    }
    for (const [name, call] of best)
        out.push({
            kind: 'call',
            text: stacks.names[name],
            cost: stacks.timeNs[call],
            choose: () => app.zoomTo(call),
        });
    return out;
}

export function searchView(app) {
    const list = h('ul', { class: 'found', role: 'listbox', 'aria-label': 'names found', hidden: true });
    const input = h('input', {
        type: 'search',
        id: 'search',
        placeholder: 'Search data, lines, functions, threads',
        'aria-label': 'search names',
        'aria-controls': 'found',
        autocomplete: 'off',
        spellcheck: 'false',
    });
    list.id = 'found';
    const close = () => (list.hidden = true);
    const take = (candidate) => {
        close();
        candidate.choose();
    };
    const show = () => {
        const text = input.value.trim().toLowerCase();
        app.searched = text;
        app.searchChanged?.();
        if (!text) return close();
        const whole = app.model.whole[hasTime(app.model.whole) ? 'timeNs' : 'samples'];
        const all = candidates(app)
            .filter((candidate) => candidate.text.toLowerCase().includes(text))
            .sort((a, b) => b.cost - a.cost);
        const items = all
            .slice(0, SHOWN)
            .map((candidate) =>
                h(
                    'li',
                    { role: 'option' },
                    h(
                        'button',
                        { type: 'button', 'data-kind': candidate.kind, onclick: () => take(candidate) },
                        h('span', { class: 'kind' }, candidate.kind),
                        h('span', { class: 'name' }, candidate.text),
                        h('span', { class: 'amount' }, format.percent(candidate.cost / whole)),
                    ),
                ),
            );
        if (all.length === 0) items.push(h('li', { class: 'hint' }, 'No name contains this text.'));
        if (all.length > SHOWN)
            items.push(h('li', { class: 'hint' }, `${all.length - SHOWN} more, with less`));
        list.replaceChildren(...items);
        list.hidden = false;
    };
    const element = h('div', { class: 'search' }, input, list);
    const buttons = () => [...list.querySelectorAll('button')];
    input.addEventListener('input', show);
    input.addEventListener('focus', () => input.value && show());
    element.addEventListener('keydown', (event) => {
        const at = buttons().indexOf(document.activeElement);
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (event.key === 'Escape') close();
        else if (event.key === 'Enter' && document.activeElement === input) buttons()[0]?.click();
        else if (step) (buttons()[at + step] ?? input).focus();
        else return;
        if (event.key !== 'Escape') event.preventDefault();
    });
    document.addEventListener('pointerdown', (event) => element.contains(event.target) || close());
    return { element };
}
