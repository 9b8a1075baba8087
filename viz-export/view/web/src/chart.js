// SPDX-License-Identifier: BSD-3-Clause
// Apache ECharts, only the used parts. Its tooltips would be HTML, so all tooltips are those of tip.js.
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
    // clicks need the previous drawing, until the new one is complete
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
