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
    const fits = () => chart.getWidth() === element.clientWidth && chart.getHeight() === element.clientHeight;
    const observer = new ResizeObserver(() => fits() || chart.resize());
    observer.observe(element);
    // clicks find the previous drawing: until then they would be lost
    chart.on('finished', () => (element.dataset.state = 'drawn'));
    return {
        chart,
        draw(option) {
            element.dataset.state = 'drawing';
            chart.setOption({ animation: false, ...option }, true);
        },
        dispose() {
            observer.disconnect();
            chart.dispose();
        },
    };
}
