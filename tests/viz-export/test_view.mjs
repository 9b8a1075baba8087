// SPDX-License-Identifier: BSD-3-Clause
// usage: node test_view.mjs MODULES CHROMIUM PAGE MAPLESS_PAGE FIELD_SUM PLACE_SUMS PLATE_SUMS LOADSTONE PROFILE
// PLACE_SUMS: by thread, of the place that FIELD_SUM is of, loads of L3; PLATE_SUMS: samples by cell of the plate
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { change, changeByClick, check, checkSums, finish, openBrowser, openPage, sums } from './browser.mjs';

const [modules, chromium, file, mapless, fieldSum, placeSumsText, plateSumsText, loadstone, profile] =
    process.argv.slice(2);
const placeSums = JSON.parse(placeSumsText);
const plateSums = JSON.parse(plateSumsText);

function report(...options) {
    const text = execFileSync(
        loadstone,
        ['report', '--json', '--min-share', '0.0001%', ...options, profile],
        {
            encoding: 'utf8',
            maxBuffer: 1 << 28,
            stdio: ['ignore', 'pipe', 'ignore'],
        },
    );
    return JSON.parse(text);
}

const all = report();
const whole = all.rows[0];
const PRECISE = 4 / 2 ** 26; // a unit or two for a piece of data
const FILTERED = 1e-5; // tiles are rounded separately, then some of them are summed
const rowOf = (label) => all.rows.find((row) => row.label === label);
const box = (page, label) => page.locator(`#tree .box[data-node="${rowOf(label).id}"]`);
const level = (page, name) => page.locator('#latency .barlist button').filter({ hasText: name }).first();

async function texts(page) {
    check((await page.title()) === 'flow - Loadstone', 'the title is the program’s name');
    check((await page.locator('h1').textContent()) === 'flow', 'and the heading');
    check(
        (await page.locator('#command').textContent()).includes('</title><script>'),
        'markup in the command is text',
    );
    check(await page.getByText('</script><script>document').first().isVisible(), 'markup in labels is text');
    check(
        (await page.locator('#brief').textContent()).includes('overhead 2.5 % (asked 3.0)'),
        'the head tells the overhead',
    );
    await page.locator('#facts summary').click();
    const facts = await page.locator('#facts').textContent();
    check(
        facts.includes('bursts represent 18.') && facts.includes('95.0 % of the samples in named data'),
        'the head is the report’s',
    );
    check(
        (await page.evaluate(() => document.body.dataset.broken)) === undefined,
        'no script of a label ran',
    );
}

/** The page begins with the conclusion of the report. */
async function conclusion(page) {
    const env = { ...process.env, COLUMNS: '1000', LINES: '100', LC_ALL: 'C.UTF-8' };
    const lines = execFileSync(loadstone, ['report', profile], { encoding: 'utf8', env }).split('\n');
    const begin = lines.findIndex((line) => line.startsWith('stall '));
    const end = lines.indexOf('', begin);
    const want = lines.slice(begin, end).map((line) => line.replace(/^stall +/, 'stall ').trim());
    const got = await page.locator('#conclusion li').allTextContents();
    check(want.length > 1 && want.join('|') === got.join('|'), `the conclusion: ${got.join(' | ')}`);
}

async function numbers(page) {
    await page.getByRole('button', { name: 'Table' }).click();
    for (const row of all.rows) {
        const line = page.locator(`#tree tr[data-node="${row.id ?? 'no-data'}"]`);
        const value = (name) => line.getAttribute(`data-${name}`).then(Number);
        const got = {
            time_ns: await value('time-ns'),
            stall_ns: await value('stall-ns'),
            samples: await value('samples'),
        };
        checkSums(got, row, whole, PRECISE, `table, ${row.label.slice(0, 20)}`);
    }
    await page.getByRole('button', { name: 'Icicle' }).click();
}

async function filters(page) {
    await change(page, () => box(page, 'temperature').click());
    checkSums(await sums(page), rowOf('temperature'), whole, PRECISE, 'selected data');
    await change(page, () => level(page, 'DRAM').click());
    let want = report('--node', 'temperature', '--where', 'level=DRAM').rows[0];
    checkSums(await sums(page), want, whole, FILTERED, 'of DRAM');
    await change(page, () => page.locator('#threads .barlist button').first().click());
    const thread = (
        await page.locator('#threads .barlist button[aria-pressed=true] .name').textContent()
    ).split(' ')[0];
    want = report('--node', 'temperature', '--where', 'level=DRAM', '--where', `thread=${thread}`).rows[0];
    checkSums(await sums(page), want, whole, FILTERED, `by thread ${thread}`);
    await change(page, () => page.locator('#code .barlist button').filter({ hasText: 'flow.c:31' }).click());
    checkSums(await sums(page), want, whole, FILTERED, 'of the only line that does this');
    check((await page.locator('.chip').count()) === 4, 'four filters are listed');
    const drawn = Number(
        (await page.locator('#samples .hint').textContent()).split(' ')[0].replaceAll(',', ''),
    );
    check(drawn === want.samples, 'the parallel coordinates draw the samples that are left');
    await change(page, () => page.getByRole('button', { name: /remove the filter thread/ }).click());
    check((await page.locator('.chip').count()) === 3, 'a filter is removed by its button');
    await change(page, () => page.locator('#reset').click());
    checkSums(await sums(page), whole, whole, PRECISE, 'reset');
    check(await page.locator('#reset').isDisabled(), 'nothing is left to reset');
}

/** Time by the begin of bursts, and by data once data is selected. */
async function origins(page) {
    const line = (number) => page.locator('#code .barlist button').filter({ hasText: `flow.c:${number}` });
    for (const number of [31, 52, 70, 88, 97, 110]) {
        await change(page, () => line(number).click());
        const [want] = report('--by', 'line', '--where', `line=flow.c:${number}`).rows;
        checkSums(await sums(page), want, whole, FILTERED, `what began at line ${number}`);
        await change(page, () => line(number).click());
    }
    await change(page, () => line(110).click());
    const thread = await pressedThread(page);
    let [want] = report('--by', 'line', '--where', 'line=flow.c:110', '--where', `thread=${thread}`).rows;
    checkSums(await sums(page), want, whole, FILTERED, `of it in thread ${thread}`);
    await change(page, () => page.locator('#reset').click());
    await change(page, () => page.locator('#tree .box[data-node=no-data]').click());
    [want] = report('--by', 'line', '--where', 'node=no data (computing)').rows;
    check(want.label.startsWith('flow.c:110'), 'only relax computes without data');
    checkSums(await sums(page), want, whole, FILTERED, 'what accesses nothing');
    const lines = await page.locator('#code .barlist .name').allTextContents();
    check(lines.length === 1 && lines[0].includes('relax'), `its only line is ${lines}`);
    await change(page, () => page.locator('#reset').click());
}

async function empty(page) {
    // the solver's line does nothing in the first slice of time
    await change(page, () => page.locator('#code .barlist button').filter({ hasText: 'flow.c:88' }).click());
    await page.locator('#timeline .chart').focus();
    await change(page, () => page.keyboard.press('ArrowRight'));
    check((await sums(page)).samples === 0, 'nothing passes');
    check(
        await page.locator('#tree').getByText('No sample passes these filters.').isVisible(),
        'which the tree says',
    );
    await change(page, () => page.locator('#reset').click());
}

async function keyboard(page) {
    await page.locator('#tree .box[tabindex="0"]').focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowRight');
    await change(page, () => page.keyboard.press('Enter'));
    checkSums(await sums(page), rowOf('temperature'), whole, PRECISE, 'selected with the keyboard');
    await page.keyboard.press('ArrowDown');
    await change(page, () => page.keyboard.press('Enter'));
    const [, next] = all.rows // siblings are in order of their time
        .filter((row) => row.parent === rowOf('temperature').parent)
        .sort((a, b) => b.time_ns - a.time_ns);
    checkSums(await sums(page), next, whole, PRECISE, 'the focus stayed: the next one');
    await change(page, () => page.keyboard.press('Escape'));
    check((await page.locator('.chip').count()) === 0, 'Escape selects everything');
    await page.locator('#timeline .chart').focus();
    await change(page, () => page.keyboard.press('ArrowRight'));
    await change(page, () => page.keyboard.press('Shift+ArrowRight'));
    const slices = report('--by', 'slice', '--slices', '64').rows.slice(0, 2);
    const sum = (key) => slices.reduce((total, row) => total + row[key], 0);
    const want = { time_ns: sum('time_ns'), stall_ns: sum('stall_ns'), samples: sum('samples') };
    checkSums(await sums(page), want, whole, FILTERED, 'two slices of time');
    await change(page, () => page.keyboard.press('Escape'));
    await page.locator('#latency .chart').focus();
    await change(page, () => page.keyboard.press('ArrowLeft'));
    check((await page.locator('.chip').textContent()).includes('cycles'), 'the slowest loads');
    await change(page, () => page.keyboard.press('Escape'));
}

async function pointer(page) {
    const chart = page.locator('#timeline .chart');
    await chart.scrollIntoViewIfNeeded();
    const { x, y, width } = await chart.boundingBox();
    await change(page, async () => {
        await page.mouse.move(x + width * 0.3, y + 100);
        await page.mouse.down();
        await page.mouse.move(x + width * 0.5, y + 100, { steps: 3 });
        await page.mouse.up();
    });
    check(
        (await page.locator('.chip').textContent()).startsWith('time'),
        'dragging selects a part of the run',
    );
    await change(page, () => page.locator('#reset').click());
    for (const name of ['Sunburst', 'Treemap']) {
        await page.getByRole('button', { name }).click();
        const drawn = page.locator('#tree .chart[data-state=drawn]');
        await drawn.scrollIntoViewIfNeeded(); // waits until it is drawn: until then a click finds nothing
        const picture = await page.locator('#tree .chart').boundingBox();
        await changeByClick(page, page.locator('#tree .chart'), {
            x: picture.width / 2 + 70,
            y: picture.height / 2 + 60,
        });
        check((await page.locator('.chip').count()) === 1, `${name}: a click selects`);
        await page.locator('#tree .chart[data-state=drawn]').waitFor();
        await change(page, async () => {
            await page.mouse.down();
            await page.mouse.up();
        });
        check(
            (await page.locator('.chip').count()) === 0,
            `${name}: once more, the pointer at rest: nothing`,
        );
    }
    await page.getByRole('button', { name: 'Icicle' }).click();
}

async function maps(page) {
    const fields = await page.locator('#map label', { hasText: 'field' }).locator('option').count();
    for (let field = 0; field + 1 < fields; field++) {
        await page.locator('#map label', { hasText: 'field' }).locator('select').selectOption(String(field));
        const label = await page.locator('#map .hint').first().textContent();
        check(
            (await page.locator('#map canvas[data-state=drawn]').count()) === 1,
            `drawn: ${label.slice(0, 60)}`,
        );
    }
    await page.locator('#map label', { hasText: 'field' }).locator('select').selectOption('auto');
    await change(page, () => box(page, 'matrix').click());
    await page.locator('#map label', { hasText: 'detail' }).locator('select').selectOption('1');
    const canvas = page.locator('#map canvas');
    await canvas.focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press('Shift+ArrowRight');
    for (let i = 0; i < 12; i++) await page.keyboard.press('Shift+ArrowDown');
    const told = await canvas.getAttribute('aria-label');
    check(
        told.includes(`sampled accesses ${fieldSum};`),
        `the map follows the data, its value is run.h5’s: ${told}`,
    );
    await change(page, () => page.locator('#reset').click());
}

/** The totals of the map, as in the bar of sums. */
async function mapSums(page) {
    const data = await page.locator('#map .stage').evaluate((stage) => ({ ...stage.dataset }));
    return { samples: Number(data.samples), time_ns: Number(data.timeNs), stall_ns: Number(data.stallNs) };
}

async function pressedThread(page) {
    await change(page, () => page.locator('#threads .barlist button').first().click());
    return (await page.locator('#threads .barlist button[aria-pressed=true] .name').textContent()).split(
        ' ',
    )[0];
}

async function filteredMaps(page) {
    const rowsOf = (...options) => report('--node', 'matrix', ...options).rows[0];
    await change(page, () => box(page, 'matrix').click());
    await change(page, () => level(page, 'L3').click());
    checkSums(
        await mapSums(page),
        rowsOf('--where', 'level=L3'),
        whole,
        FILTERED,
        'the map of what L3 served',
    );
    const thread = await pressedThread(page);
    const both = rowsOf('--where', 'level=L3', '--where', `thread=${thread}`);
    checkSums(await mapSums(page), both, whole, FILTERED, `and thread ${thread}`);
    await page.locator('#map label', { hasText: 'detail' }).locator('select').selectOption('1');
    const canvas = page.locator('#map canvas');
    await canvas.focus();
    for (let i = 0; i < 4; i++) await page.keyboard.press('Shift+ArrowRight');
    for (let i = 0; i < 12; i++) await page.keyboard.press('Shift+ArrowDown');
    const told = await canvas.getAttribute('aria-label');
    check(told.includes(`sampled accesses ${placeSums[thread]};`), `one place of it is run.h5’s: ${told}`);
    await change(page, () => page.locator('#reset').click());
    await change(page, () => page.locator('#code .barlist button').filter({ hasText: 'flow.c:88' }).click());
    await change(page, () => box(page, 'matrix').click());
    checkSums(await mapSums(page), rowsOf('--where', 'line=flow.c:88'), whole, FILTERED, 'the map of a line');
    await page.locator('#timeline .chart').focus();
    await change(page, () => page.keyboard.press('ArrowLeft'));
    const last = report(
        '--node',
        'matrix',
        '--by',
        'slice',
        '--slices',
        '64',
        '--where',
        'line=flow.c:88',
    ).rows;
    checkSums(await mapSums(page), last[last.length - 1], whole, FILTERED, 'of its last slice of time');
    check(
        (await page.locator('#map .hint').first().textContent()).includes('Filters are applied.'),
        'it says so',
    );
    await change(page, () => page.locator('#reset').click());
    // for a group the data on one domain; outside of the domain only the number
    const other = await pressedThread(page);
    await page
        .locator('#map label', { hasText: 'field' })
        .locator('select')
        .selectOption({ label: 'velocity on ball' });
    const left = await mapSums(page);
    const velocity = report('--node', 'velocity', '--where', `thread=${other}`).rows[0];
    const outside = Number(
        (await page.locator('#map .hint').first().textContent())
            .match(/([0-9,]+) samples lie in/)[1]
            .replaceAll(',', ''),
    );
    check(left.samples + outside === velocity.samples, `${left.samples} on the mesh and ${outside} outside`);
    check((await page.locator('#map canvas[data-state=drawn]').count()) === 1, 'a filtered mesh is drawn');
    await page.locator('#map label', { hasText: 'field' }).locator('select').selectOption('auto');
    await change(page, () => page.locator('#reset').click());
}

const mapChoice = (page, label) => page.locator('#map label', { hasText: label }).locator('select');
const drawnSamples = async (page) =>
    Number((await page.locator('#samples .hint').textContent()).split(' ')[0].replaceAll(',', ''));
const add = (a, b) => ({
    time_ns: a.time_ns + b.time_ns,
    stall_ns: a.stall_ns + b.stall_ns,
    samples: a.samples + b.samples,
});

/** The middle of a cell of a grid with nx by ny cells, as map_grid.js draws it (square, rows downwards). */
async function gridPlace(page, [columns, rows], [i, j]) {
    const { x, y, width } = await page.locator('#map canvas').boundingBox();
    const room = 380 - 10 - 40;
    const drawn = Math.min(width - 58 - 12, (room * (columns * 8)) / (rows * 4));
    const cell = drawn / columns;
    return [x + 58 + (i + 0.5) * cell, y + 10 + ((j + 0.5) * cell) / 2];
}

/** Places of a grid: by pointer and keyboard; all panels and the report have the same sums. */
async function gridPlaces(page) {
    const of = (cpu, ...options) => report('--where', `cpu=CPU ${cpu}`, ...options).rows[0];
    const [left, right] = [of(7), of(8)];
    await mapChoice(page, 'field').selectOption({ label: 'matrix on matrix <i>A</i>' });
    await mapChoice(page, 'detail').selectOption('4');
    const canvas = page.locator('#map canvas[data-state=drawn]');
    await canvas.scrollIntoViewIfNeeded();
    const size = [38, 75];
    const before = await mapSums(page);
    await change(page, async () => {
        await page.mouse.move(...(await gridPlace(page, size, [10, 30])));
        await page.mouse.down();
        await page.mouse.move(...(await gridPlace(page, size, [11, 30])), { steps: 3 });
        await page.mouse.up();
    });
    checkSums(await sums(page), add(left, right), whole, FILTERED, 'a rectangle of the map');
    const chip = await page.locator('.chip').textContent();
    check(
        chip.includes('column 80 to 95, row 120 to 123 on matrix <i>A</i>'),
        `its chip says where: ${chip}`,
    );
    check((await drawnSamples(page)) === left.samples + right.samples, 'parallel coordinates see it');
    const lines = await page.locator('#code .barlist button').count();
    check(lines === 1, 'and so does the list of source lines');
    check((await mapSums(page)).samples === before.samples, 'the map itself still shows what is around');
    const thread = await pressedThread(page);
    const both = add(of(7, '--where', `thread=${thread}`), of(8, '--where', `thread=${thread}`));
    checkSums(await sums(page), both, whole, FILTERED, `the rectangle and thread ${thread}`);
    await change(page, () => page.getByRole('button', { name: /remove the filter place/ }).click());
    await change(page, () => page.locator('#reset').click());
    await canvas.scrollIntoViewIfNeeded();
    const [x, y] = await gridPlace(page, size, [11, 30]);
    const click = () => change(page, () => page.mouse.click(x, y));
    await click();
    checkSums(await sums(page), right, whole, FILTERED, 'a click of one place');
    await click();
    check((await page.locator('.chip').count()) === 0, 'once more: everything');
    await mapChoice(page, 'detail').selectOption('2');
    await mapChoice(page, 'detail').selectOption('4'); // a new picture, its cursor in the corner
    await canvas.focus();
    for (const key of ['Right', 'Down', 'Down', 'Down']) await page.keyboard.press(`Shift+Arrow${key}`);
    await change(page, () => page.keyboard.press('Enter'));
    checkSums(await sums(page), left, whole, FILTERED, 'a place by the keyboard');
    await page.keyboard.press('ArrowRight');
    await change(page, () => page.keyboard.press('Shift+Enter'));
    checkSums(await sums(page), add(left, right), whole, FILTERED, 'a rectangle by the keyboard');
    await change(page, () => page.keyboard.press('Escape'));
    check((await page.locator('.chip').count()) === 0, 'Escape selects everything');
}

/** Places of meshes: cells of a flat one, dots of a solid one. */
async function meshPlaces(page) {
    await mapChoice(page, 'field').selectOption({ label: 'material index on plate' });
    const canvas = page.locator('#map canvas[data-state=drawn]');
    await canvas.focus();
    await page.keyboard.press('ArrowRight');
    await change(page, () => page.keyboard.press('Enter'));
    const cell = Number((await page.locator('.chip').textContent()).match(/cell ([0-9,]+)/)[1]);
    check((await sums(page)).samples === plateSums[cell], `cell ${cell} of the plate has ${plateSums[cell]}`);
    await change(page, () => page.keyboard.press('Escape'));
    // a rectangle around the picture: everything on the plate
    const around = async (shift) => {
        await canvas.scrollIntoViewIfNeeded();
        const { x, y, width, height } = await canvas.boundingBox();
        if (shift) await page.keyboard.down('Shift');
        await page.mouse.move(x + 2, y + 2);
        await page.mouse.down();
        await page.mouse.move(x + width - 2, y + height - 2, { steps: 2 });
        await page.mouse.up();
        if (shift) await page.keyboard.up('Shift');
    };
    await change(page, () => around(false));
    const all = plateSums.reduce((sum, n) => sum + n, 0);
    check((await sums(page)).samples === all, `all ${all} of the plate, by dragging`);
    await change(page, () => page.locator('#reset').click());
    await change(page, () => page.locator('#code .barlist button').filter({ hasText: 'flow.c:70' }).click());
    await mapChoice(page, 'field').selectOption({ label: 'velocity on ball' });
    await canvas.focus();
    await page.keyboard.press('PageDown');
    const told = await canvas.getAttribute('aria-label');
    await change(page, () => page.keyboard.press('Enter'));
    const { samples } = await sums(page);
    check(samples > 0 && told.includes(`sampled accesses ${samples};`), `a dot, ${samples}: ${told}`);
    await change(page, () => around(true));
    const onBall = (await mapSums(page)).samples;
    check((await sums(page)).samples === onBall, `all ${onBall} on the ball, by Shift and dragging`);
    await mapChoice(page, 'field').selectOption('auto');
    await change(page, () => page.locator('#reset').click());
}

const call = (page, name) =>
    page.locator('#flame .box').filter({ has: page.locator('.label', { hasText: new RegExp(`^${name}$`) }) });
const callSums = async (page, name) => ({
    time_ns: Number(await call(page, name).getAttribute('data-time-ns')),
    stall_ns: Number(await call(page, name).getAttribute('data-stall-ns')),
});

/** The flame graph has the times of report --by calls, with filters, too. */
async function callStacks(page) {
    const compare = async (functions, text, ...options) => {
        const { rows } = report('--by', 'calls', ...options);
        for (const name of functions) {
            const want = rows.find((row) => row.label.split(' ')[0] === name);
            const got = await callSums(page, name);
            const near = (key) => Math.abs(got[key] - want[key]) <= FILTERED * whole[key];
            const isNear = near('time_ns') && (options.includes('node=matrix') || near('stall_ns'));
            check(
                isNear,
                `${name}${text}: ${got.time_ns} ns, ${got.stall_ns} ns; ${want.time_ns}, ${want.stall_ns}`,
            );
        }
    };
    await compare(['main', 'step', 'solve', 'gather<int&&>', 'relax'], '');
    const thread = await pressedThread(page);
    await compare(['main', 'step', 'solve', 'relax'], ` in ${thread}`, '--where', `thread=${thread}`);
    await change(page, () => page.locator('#reset').click());
    await change(page, () => box(page, 'matrix').click());
    await compare(['main', 'solve'], ', accesses to the matrix', '--where', 'node=matrix');
    await change(page, () => page.locator('#reset').click());
    await call(page, 'step').click();
    check((await call(page, 'solve').count()) === 0, 'a click shows a call alone');
    check((await page.evaluate(() => location.hash)).includes('call='), 'the address says which');
    await page.locator('#flame [tabindex="0"]').press('Escape');
    check((await call(page, 'solve').count()) === 1, 'Escape shows all');
}

/** Names are found by a part of them, and chosen from the list. */
async function search(page) {
    const found = page.locator('#found button');
    await page.locator('#search').fill('TEMPER');
    check(
        (await found.first().textContent()).includes('mesh/temperature'),
        'data is found by a part of its name',
    );
    await change(page, () => page.locator('#search').press('Enter'));
    checkSums(await sums(page), rowOf('temperature'), whole, PRECISE, 'and selected by Enter');
    await change(page, () => page.locator('#reset').click());
    await page.locator('#search').fill('flow.c:88');
    await change(page, () => found.filter({ hasText: 'flow.c:88' }).first().click());
    check((await page.locator('.chip').textContent()).includes('flow.c:88'), 'a line by a click');
    await page.locator('#search').fill('solve');
    check((await page.locator('#flame .box.found').count()) === 1, 'the flame graph marks what is searched');
    await page.locator('#found button[data-kind=call]').click();
    check((await call(page, 'step').count()) === 0, 'a function is shown alone');
    await page.locator('#flame').getByRole('button', { name: 'Show all' }).click();
    await page.locator('#search').fill('nothing has this name');
    check(await page.getByText('No name contains this text.').isVisible(), 'and nothing where nothing is');
    await page.locator('#search').fill('');
    await change(page, () => page.locator('#reset').click());
}

/** A copy of the address opens the page with the same filters. */
async function link(browser, page) {
    await change(page, () => box(page, 'matrix').click());
    await change(page, () => level(page, 'L3').click());
    await pressedThread(page);
    await change(page, () => page.locator('#code .barlist button').filter({ hasText: 'flow.c:88' }).click());
    await page.locator('#timeline .chart').focus();
    await change(page, () => page.keyboard.press('ArrowLeft'));
    await page.getByRole('navigation').getByRole('button', { name: 'Code' }).click();
    const address = await page.evaluate(() => location.href);
    const want = [await sums(page), await page.locator('.chip').allTextContents()];
    const other = await browser.newPage({ viewport: { width: 1400, height: 1000 } });
    await other.goto(address);
    await other.waitForSelector('body[data-state=ready]');
    const got = [await sums(other), await other.locator('.chip').allTextContents()];
    check(
        want[1].length === 5 && JSON.stringify(want) === JSON.stringify(got),
        `filters of ${address.split('#')[1]}`,
    );
    check((await other.locator('#code.chosen').count()) === 1, 'and the panel');
    check(
        await other.locator('#code').evaluate((panel) => panel.getBoundingClientRect().top < innerHeight / 2),
        'which is in sight',
    );
    await change(other, () =>
        other.evaluate(() => (location.hash = '#data=no+such&thread=%23999&slice=9-2&call=4711')),
    );
    check((await other.locator('.chip').count()) === 0, 'names of nothing are left out');
    // places of a map
    await change(page, () => page.locator('#reset').click());
    await mapChoice(page, 'field').selectOption({ label: 'matrix on matrix <i>A</i>' });
    const canvas = page.locator('#map canvas[data-state=drawn]');
    await canvas.focus();
    await change(page, () => page.keyboard.press('Enter'));
    const place = [await sums(page), await page.locator('.chip').allTextContents()];
    const hash = await page.evaluate(() => location.hash);
    await change(other, () => other.evaluate((text) => (location.hash = text), hash));
    const again = [await sums(other), await other.locator('.chip').allTextContents()];
    check(JSON.stringify(place) === JSON.stringify(again), `a place: ${place[1]}`);
    await change(page, () => page.keyboard.press('Escape'));
    await mapChoice(page, 'field').selectOption('auto');
    await page.getByRole('navigation').getByRole('button', { name: 'Code' }).click();
    check((await page.evaluate(() => location.hash)) === '', 'without filters the address is bare');
    await other.close();
}

const savedAs = async (page, id, kind) => {
    const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.locator(`#${id} .save`).getByText(kind).click(),
    ]);
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
};

/** Width, height and number of colours of a PNG. */
const looksOf = (page, bytes) =>
    page.evaluate(async (base64) => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        Object.assign(canvas, { width: image.width, height: image.height });
        const context = canvas.getContext('2d');
        context.drawImage(image, 0, 0);
        const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
        return { width: image.width, height: image.height, colours: new Set(pixels).size };
    }, bytes.toString('base64'));

/** Each panel as a picture and as a table. */
async function saved(page) {
    const panels = await page
        .locator('.panel:not([hidden]):not(.bare)')
        .evaluateAll((all) => all.map(({ id }) => id));
    check(panels.length === 9, `panels: ${panels}`);
    for (const id of panels) {
        const png = await savedAs(page, id, 'PNG');
        const { width, height, colours } = await looksOf(page, png.bytes);
        const size = await page.locator(`#${id}`).boundingBox();
        const isWhole = Math.abs(width - 2 * size.width) < 2 && Math.abs(height - 2 * size.height) < 2;
        check(
            png.name === `flow-${id}.png` && isWhole && colours > 20,
            `${png.name}: ${width} x ${height}, ${colours} colours`,
        );
        const csv = await savedAs(page, id, 'CSV');
        const [head, ...rows] = csv.bytes.toString().trim().split('\r\n');
        const isTable = head.includes(',') && rows.length > 1 && !csv.bytes.includes('undefined');
        check(csv.name === `flow-${id}.csv` && isTable, `${csv.name}: ${rows.length} rows of ${head}`);
    }
    const columnOf = async (id, name) => {
        const [head, ...rows] = (await savedAs(page, id, 'CSV')).bytes.toString().trim().split('\r\n');
        const at = head.split(',').length - head.split(',').indexOf(name); // texts with commas come first
        return rows.map((row) => Number(row.split(',').slice(-at)[0]));
    };
    const add = (values) => values.reduce((sum, value) => sum + value, 0);
    for (const id of ['code', 'threads', 'timeline', 'flame']) {
        const time = add(await columnOf(id, 'time_ns'));
        check(
            Math.abs(time - whole.time_ns) <= FILTERED * whole.time_ns,
            `the rows of ${id} are the whole: ${time}`,
        );
    }
    check((await columnOf('tree', 'samples'))[0] === whole.samples, 'the first row of the tree is the whole');
}

/** Brushing axes of the parallel coordinates, as parallel.js draws them: seven axes, time the second one. */
async function brushes(page) {
    const canvas = page.locator('#samples canvas[data-state=drawn]');
    await canvas.scrollIntoViewIfNeeded();
    const { x, y, width } = await canvas.boundingBox();
    const at = (axis, part) => [x + 70 + ((width - 140) * axis) / 6, y + 44 + part * (340 - 44 - 24)];
    const drag = (axis, from, to) =>
        change(page, async () => {
            await page.mouse.move(...at(axis, from));
            await page.mouse.down();
            await page.mouse.move(...at(axis, to), { steps: 3 });
            await page.mouse.up();
        });
    await drag(1, 10.5 / 64, 19.5 / 64);
    const slices = report('--by', 'slice', '--slices', '64').rows.slice(10, 20);
    const want = slices.reduce(add);
    checkSums(await sums(page), want, whole, FILTERED, 'a part of the axis of time');
    check((await drawnSamples(page)) === want.samples, 'whose samples are drawn');
    await drag(6, 0.02, 0.2);
    const both = await sums(page);
    check(both.samples > 0 && both.samples < want.samples, `and slow ones: ${both.samples}`);
    check((await drawnSamples(page)) === both.samples, 'of which each is a line');
    check((await page.locator('.chip').count()) === 2, 'two filters');
    await change(page, () => page.locator('#reset').click());
}

/** The text around a line: the lines of the recording, as text, with the costs of the report. */
async function excerpt(page) {
    await change(page, () => page.locator('#code .barlist button').filter({ hasText: 'flow.c:31' }).click());
    const row = (number) =>
        page.locator('#code .source tr').filter({ has: page.locator('td.number', { hasText: number }) });
    check(
        (await row('31').locator('.text').textContent()).includes(
            'return m->temperature[m->material[cell]];',
        ),
        'the text of the selected line',
    );
    check((await row('31').getAttribute('class')) === 'centre', 'is in the middle');
    check(
        (await row('29').locator('.text').textContent()).endsWith('/* </script><b> & "quotes" */'),
        'markup in a source is text',
    );
    check((await row('88').count()) === 0, 'what is far away is left out');
    const line = report('--by', 'line').rows.find((found) => found.label.includes('flow.c:31'));
    const cost = Number.parseFloat(await row('31').locator('.cost').textContent());
    const share = (100 * line.time_ns) / whole.time_ns;
    check(Math.abs(cost - share) < 0.51, `its cost, ${cost} %, is the report’s ${share.toFixed(2)} %`);
    await change(page, () => page.locator('#reset').click());
}

async function looks(browser) {
    const background = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const light = await openPage(browser, file, { colorScheme: 'light' });
    const dark = await openPage(browser, file, { colorScheme: 'dark' });
    check((await background(light.page)) !== (await background(dark.page)), 'dark where the system is');
    await dark.page.locator('#theme').click();
    check((await background(light.page)) === (await background(dark.page)), 'light when asked to');
    const narrow = await openPage(browser, file, { viewport: { width: 480, height: 900 } });
    check(
        await narrow.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth),
        'fits a narrow window',
    );
    check(
        [light, dark, narrow].every(({ wrong }) => wrong.length === 0),
        'without errors',
    );
}

const browser = await openBrowser(modules, chromium);
/** A recording without samples has a page with this message, and no panels. */
async function withoutSamples() {
    const { page, wrong } = await openPage(browser, join(dirname(file), 'null.html'));
    check(await page.getByText('the engine null takes no samples').isVisible(), 'an empty page says why');
    check((await page.locator('main .panel:visible, .selection').count()) === 0, 'and has no panels');
    check(wrong.length === 0, `no errors, no requests ${wrong.join('; ')}`);
    await page.close();
}

/** Page faults have no time: the page is about their number. */
async function withoutTime() {
    const faults = join(dirname(file), 'faults.html');
    if (!existsSync(faults)) return;
    const { page, wrong } = await openPage(browser, faults);
    const samples = Number(await page.locator('#sum-samples').getAttribute('data-value'));
    check(samples > 0 && (await page.locator('#sum-time').count()) === 0, `${samples} page faults, no time`);
    check((await page.locator('#conclusion').textContent()).includes('of the'), 'with a conclusion');
    check((await page.locator('header .warning').count()) === 0, 'and without a warning of missing bursts');
    const widths = await page
        .locator('#tree .icicle [role=treeitem]')
        .evaluateAll((boxes) => boxes.map((box) => box.getBoundingClientRect().height));
    check(widths.length > 2 && widths[0] > 100, `the tree is drawn: ${widths.length} pieces`);
    check((await page.locator('#latency').count()) === 0, 'there are no latencies');
    const first = await page.locator('#code .barlist .amount').first().textContent();
    check(Number(first.replaceAll(',', '')) > 0, `lines by faults: ${first}`);
    check(wrong.length === 0, `no errors, no requests ${wrong.join('; ')}`);
    await page.close();
}

try {
    const { page, wrong } = await openPage(browser, file);
    for (const part of [
        texts,
        conclusion,
        numbers,
        filters,
        origins,
        empty,
        keyboard,
        pointer,
        maps,
        filteredMaps,
    ])
        await part(page);
    for (const part of [gridPlaces, meshPlaces, brushes, excerpt, callStacks, search, saved])
        await part(page);
    await link(browser, page);
    check(wrong.length === 0, `no errors, no requests ${wrong.join('; ')}`);
    await looks(browser);
    const plain = await openPage(browser, mapless);
    check(
        await plain.page.getByText('ndm_map_grid()').isVisible(),
        'without fields the page says how to get them',
    );
    check(plain.wrong.length === 0, `no errors, no requests ${plain.wrong.join('; ')}`);
    await withoutSamples();
    await withoutTime();
} finally {
    await browser.close();
}
finish();
