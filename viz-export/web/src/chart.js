// SPDX-License-Identifier: BSD-3-Clause
// Apache ECharts, only the parts in use. Its tooltips would be HTML: all tips are tip.js's.
import { init, use } from 'echarts/core';
import { BarChart, SunburstChart, TreemapChart } from 'echarts/charts';
import { GridComponent, MarkAreaComponent, MarkLineComponent } from 'echarts/components';
import { CanvasRenderer } from 'echarts/renderers';

use([
    BarChart,
    SunburstChart,
    TreemapChart,
    GridComponent,
    MarkAreaComponent,
    MarkLineComponent,
    CanvasRenderer,
]);

export function makeChart(element) {
    const chart = init(element, null, { renderer: 'canvas' });
    const observer = new ResizeObserver(() => chart.resize());
    observer.observe(element);
    return {
        chart,
        dispose() {
            observer.disconnect();
            chart.dispose();
        },
    };
}
