// SPDX-License-Identifier: BSD-3-Clause
// The page: reads its data, makes the views, and notifies all of them of every change.
import './style.css';
import { aggregate } from './aggregate.js';
import { setScale } from './colours.js';
import { codeView, threadsView } from './code.js';
import { h } from './dom.js';
import { flameView } from './flame.js';
import { headView, selectionView } from './head.js';
import { latencyView } from './latency.js';
import { layoutView } from './layout.js';
import { keepLink } from './link.js';
import { mapView } from './map.js';
import { hasTime, makeMetrics, sizesOf } from './metrics.js';
import { readModel } from './model.js';
import { panelsView } from './panels.js';
import { parallelView } from './parallel.js';
import { patternsView } from './patterns.js';
import { addSaveButtons } from './save.js';
import { ranksView } from './ranks.js';
import { searchView } from './search.js';
import { Selection } from './selection.js';
import { seriesView } from './series.js';
import { themeButton } from './theme.js';
import { timelineView } from './timeline.js';
import { hideTip } from './tip.js';
import { treeView } from './tree.js';

const VIEWS = [
    treeView,
    mapView,
    latencyView,
    timelineView,
    seriesView,
    codeView,
    threadsView,
    ranksView,
    flameView,
    patternsView,
    layoutView,
    parallelView,
];

/** Return the views that have something to show. Without samples only counters of the machine can be there. */
function viewsOf({ whole }) {
    if (hasTime(whole)) return VIEWS;
    if (whole.samples === 0) return [seriesView];
    return VIEWS.filter((view) => view !== latencyView && view !== flameView);
}

function makeApp(model) {
    const metrics = makeMetrics(model.whole, model.levels);
    const selection = new Selection(model);
    return {
        model,
        metrics,
        selection,
        metric: metrics[0],
        size: sizesOf(model.whole)[0],
        panel: null,
        changed() {}, // the state in the page's address has changed
        result: aggregate(model, selection),
    };
}

function start() {
    const model = readModel(document.getElementById('data').textContent);
    setScale(model.palette);
    const app = makeApp(model);
    const views = viewsOf(model).map((make) => make(app));
    views.forEach((view) => addSaveButtons(app, view));
    const panels = panelsView(app, views);
    const head = selectionView(app, [searchView(app).element], panels.element);
    const all = [head, ...views];
    const show = () => all.forEach((view) => view.update(app.result));
    const main = h(
        'main',
        { class: model.fields.length ? undefined : 'mapless' },
        ...views.map((view) => view.element),
    );
    app.setMetric = (id) => {
        app.metric = app.metrics.find((metric) => metric.id === id);
        show();
    };
    app.setSize = (id) => {
        app.size = id;
        show();
    };
    app.selection.onChange((selection) => {
        hideTip();
        app.result = aggregate(model, selection);
        show();
        app.changed();
        document.body.dataset.changes = Number(document.body.dataset.changes) + 1;
    });
    const theme = themeButton(() => all.forEach((view) => (view.redraw ?? view.update)(app.result)));
    document.addEventListener('focusin', (event) => (app.focused = event.target));
    document.body.append(
        headView(model, [theme]),
        ...(views.length > 1 ? [head.element] : []),
        main,
        h('footer', {}, `Loadstone ${model.version} · ${model.file}`),
    );
    document.body.dataset.changes = 0;
    show();
    app.searchChanged = () => views.find(({ element }) => element.id === 'flame')?.update(app.result);
    app.changed = keepLink(app, panels.choose);
    document.body.dataset.state = 'ready';
}

try {
    start();
} catch (error) {
    document.body.append(
        h('p', { class: 'warning', role: 'alert' }, `This page cannot show its data: ${error.message}`),
    );
    throw error;
}
