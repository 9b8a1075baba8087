// SPDX-License-Identifier: BSD-3-Clause
// Buttons that lead to the panels; the chosen one is marked and part of the page's address.
import { h } from './dom.js';

export function panelsView(app, views) {
    const shown = views.filter(({ element }) => !element.hidden && !element.classList.contains('bare'));
    const buttons = new Map();
    const mark = () =>
        shown.forEach(({ element }) => {
            const isChosen = element.id === app.panel;
            element.classList.toggle('chosen', isChosen);
            buttons.get(element.id).setAttribute('aria-pressed', isChosen ? 'true' : 'false');
        });
    /** If id is null or unknown, no panel is chosen. */
    const choose = (id) => {
        const view = shown.find(({ element }) => element.id === id);
        app.panel = view ? id : null;
        mark();
        view?.element.scrollIntoView();
    };
    for (const { element } of shown)
        buttons.set(
            element.id,
            h(
                'button',
                {
                    type: 'button',
                    'aria-pressed': 'false',
                    onclick: () => {
                        choose(app.panel === element.id ? null : element.id);
                        app.changed();
                    },
                },
                element.querySelector('h2').textContent,
            ),
        );
    return { element: h('nav', { class: 'panels', 'aria-label': 'panels' }, ...buttons.values()), choose };
}
