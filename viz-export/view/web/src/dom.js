// SPDX-License-Identifier: BSD-3-Clause
// Elements from data. Texts only ever become text nodes or attributes: the profiled program named them.

/** h('p', {class: 'a', onclick: f}, 'text', child, ...) */
export function h(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === null || value === false) continue;
        if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
        else if (name === 'style') Object.assign(element.style, value);
        else element.setAttribute(name, value === true ? '' : String(value));
    }
    element.append(...children.filter((child) => child !== null && child !== undefined));
    return element;
}

/** A drop-down list: options as [value, text]. */
export function choice(label, options, value, onchange) {
    const select = h(
        'select',
        { onchange: () => onchange(select.value) },
        ...options.map(([key, text]) => h('option', { value: key, selected: key === value }, text)),
    );
    return h('label', { class: 'choice' }, h('span', {}, label), select);
}

/** A row of buttons, one pressed. */
export function tabs(label, options, value, onchange) {
    const buttons = options.map(([key, text]) =>
        h('button', { type: 'button', 'aria-pressed': key === value ? 'true' : 'false' }, text),
    );
    buttons.forEach((button, i) =>
        button.addEventListener('click', () => {
            buttons.forEach((other) =>
                other.setAttribute('aria-pressed', other === button ? 'true' : 'false'),
            );
            onchange(options[i][0]);
        }),
    );
    return h('div', { class: 'tabs', role: 'group', 'aria-label': label }, ...buttons);
}

/** A panel with a heading, a line that explains it, and room for controls. */
export function panel(id, title, hint) {
    const controls = h('div', { class: 'controls' });
    const body = h('div', { class: 'body' });
    const note = h('p', { class: 'hint' }, hint);
    const element = h(
        'section',
        { class: 'panel', id, 'aria-labelledby': `${id}-title` },
        h('div', { class: 'head' }, h('h2', { id: `${id}-title` }, title), controls),
        note,
        body,
    );
    return { element, controls, body, note };
}
