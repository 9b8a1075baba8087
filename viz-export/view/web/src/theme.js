// SPDX-License-Identifier: BSD-3-Clause
// Light or dark: the system's setting, until the button changes it.
const order = ['auto', 'light', 'dark'];
const titles = { auto: 'as the system', light: 'light', dark: 'dark' };

export function isDark() {
    const chosen = document.documentElement.dataset.theme;
    if (chosen) return chosen === 'dark';
    return window.matchMedia('(prefers-color-scheme: dark)').matches;
}

/** Colours that canvases need, from the style sheet. */
export function themeColours() {
    const style = getComputedStyle(document.documentElement);
    const of = (name) => style.getPropertyValue(`--${name}`).trim();
    return { ink: of('ink'), faint: of('faint'), line: of('line'), panel: of('panel'), accent: of('accent') };
}

export function themeButton(onchange) {
    const button = document.createElement('button');
    let at = 0;
    const show = () => (button.textContent = `Colours: ${titles[order[at]]}`);
    button.type = 'button';
    button.id = 'theme';
    button.addEventListener('click', () => {
        at = (at + 1) % order.length;
        if (order[at] === 'auto') delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = order[at];
        show();
        onchange();
    });
    window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', onchange);
    show();
    return button;
}
