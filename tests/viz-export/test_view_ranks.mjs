// SPDX-License-Identifier: BSD-3-Clause
// usage: node test_view_ranks.mjs MODULES CHROMIUM FOLDER: the panel of ranks agrees with loadstone report --by rank.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { check, checkSums, finish, openBrowser, openPage, sums } from './browser.mjs';

const [modules, chromium, folder] = process.argv.slice(2);
const COLUMNS = 1000;

/** The panel's CSV file as rows of numbers, by the names of its columns. */
async function tableOf(page) {
    const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator('#ranks .save').getByText('CSV').click(),
    ]);
    const [head, ...rows] = readFileSync(await download.path(), 'utf8')
        .trim()
        .split('\r\n')
        .map((line) => line.split(','));
    return { head, rows: rows.map((row) => row.map(Number)) };
}

/** Is the pixel of a column the colour of the highest value in each row of the map? */
const looksOf = (page) =>
    page.locator('#ranks canvas').evaluateAll((canvases) =>
        canvases.map((canvas) => {
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, 1);
            return Array.from({ length: canvas.width }, (_, i) => [...data.slice(4 * i, 4 * i + 3)].join());
        }),
    );

const browser = await openBrowser(modules, chromium);
try {
    for (const size of ['few', 'many']) {
        const { ranks, outliers } = JSON.parse(readFileSync(join(folder, `${size}.json`), 'utf8'));
        const { page, wrong } = await openPage(browser, join(folder, `${size}.html`));
        const [whole] = JSON.parse(readFileSync(join(folder, `${size}.sums.json`), 'utf8')).rows;
        checkSums(await sums(page), whole, whole, 1e-6, `${size}: all ranks`);
        const columns = Math.min(COLUMNS, ranks.length);
        const valueOf = (name) => (rank) =>
            name === 'CPU time'
                ? rank.time_ns
                : name === 'MPI'
                  ? rank.mpi_wait_ns
                  : rank.stall_by_data_ns[name];
        const { head, rows } = await tableOf(page);
        const names = head.filter((_, i) => i % 2 === 1).map((text) => text.replace(/ \(.*/, ''));
        const wanted = [...Object.keys(ranks[0].stall_by_data_ns), 'MPI', 'CPU time'];
        check(names.join() === wanted.join(), `${size}: rows of the map are ${names.join()}`);
        check(rows.length === columns, `${size}: ${rows.length} columns for ${ranks.length} ranks`);
        let bad = 0;
        rows.forEach((row, c) => {
            const begin = Math.floor((ranks.length * c) / columns);
            const end = Math.floor((ranks.length * (c + 1)) / columns);
            bad += row[0] !== ranks[begin].rank;
            names.forEach((name, m) => {
                const values = ranks.slice(begin, end).map(valueOf(name));
                const most = Math.max(...values);
                bad += row[1 + 2 * m] !== most || row[2 + 2 * m] !== ranks[begin + values.indexOf(most)].rank;
            });
        });
        check(bad === 0, `${size}: each column has the highest value of its ranks, ${bad} differ`);
        const looks = await looksOf(page);
        const neigh = rows.map((row) => row[1 + 2 * names.indexOf('neigh')]);
        const highest = neigh.indexOf(Math.max(...neigh));
        const strip = looks[names.indexOf('neigh')];
        check(
            strip.indexOf(strip[highest]) === highest,
            `${size}: only column ${highest} has the full colour`,
        );
        await page.locator('#ranks select').selectOption('all');
        const common = await looksOf(page);
        check(common[names.length - 1][0] !== common[0][0], `${size}: one scale for all rows`);
        const listed = await page.locator('#ranks .outliers li').allTextContents();
        check(
            listed.length === outliers.length &&
                outliers.every(
                    (o, i) => listed[i].startsWith(`rank ${o.rank} (`) && listed[i].includes(o.of),
                ),
            `${size}: outliers ${listed.join('; ')}`,
        );
        const hosts = await page.locator('#ranks .machines tbody td:first-child').allTextContents();
        check(hosts.sort().join() === 'host0,host1,host2', `${size}: machines ${hosts.join()}`);
        check(wrong.length === 0, `${size}: no errors, no requests ${wrong.join('; ')}`);
        await page.close();
    }
    const plain = await openPage(browser, join(folder, 'plain.html'));
    check(!(await plain.page.locator('#ranks').isVisible()), 'no panel without ranks');
    check(plain.wrong.length === 0, `no errors ${plain.wrong.join('; ')}`);
} finally {
    await browser.close();
}
finish();
