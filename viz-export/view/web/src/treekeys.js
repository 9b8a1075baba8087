// SPDX-License-Identifier: BSD-3-Clause
// Moving through a tree of elements with the keyboard; one of them at a time is in the tab order.

/** items: {row, element}; rows have parent and children. select(row, or null): Enter and Escape; downwards: children
 * are below, not to the right. */
export function walkTree(app, container, { select, downwards = false }) {
    let items = [];
    let current = 0;
    const focus = (row) => {
        const at = items.findIndex((item) => item.row === row);
        if (at < 0) return;
        items[current].element.tabIndex = -1;
        current = at;
        items[at].element.tabIndex = 0;
        items[at].element.focus();
    };
    const beside = (row, step) => {
        const siblings = row.parent?.children ?? [row];
        return (
            siblings[siblings.indexOf(row) + step] ??
            (row.parent && items[items.findIndex((i) => i.row === row) + step]?.row)
        );
    };
    const [inner, outer, next, previous] = downwards
        ? ['ArrowDown', 'ArrowUp', 'ArrowRight', 'ArrowLeft']
        : ['ArrowRight', 'ArrowLeft', 'ArrowDown', 'ArrowUp'];
    const moves = {
        [inner]: (row) => row.children[0],
        [outer]: (row) => row.parent,
        [next]: (row) => beside(row, 1),
        [previous]: (row) => beside(row, -1),
        Home: () => items[0].row,
        End: () => items[items.length - 1].row,
    };
    container.addEventListener('keydown', (event) => {
        const item = items[current];
        if (!item) return;
        if (event.key === 'Enter' || event.key === ' ') select(item.row);
        else if (event.key === 'Escape') select(null);
        else if (moves[event.key]) {
            const to = moves[event.key](item.row);
            if (to) focus(to);
        } else return;
        event.preventDefault();
    });
    return {
        /** Replace the elements; the focus stays on the same node. */
        update(next) {
            const node = items[current]?.row.n;
            const hadFocus =
                container.contains(document.activeElement) || document.activeElement === document.body;
            const wasInside = items.some((item) => item.element === app.focused);
            items = next;
            current = Math.max(
                0,
                items.findIndex((item) => item.row.n === node),
            );
            if (items[current]) items[current].element.tabIndex = 0;
            if (hadFocus && wasInside) items[current]?.element.focus({ preventScroll: true });
        },
    };
}
