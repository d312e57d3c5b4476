// What the script on customers' sites costs a page of 4,000 elements on a processor at a quarter of its speed,
// in a real browser beside the same page without it: the loader, showing a popup and a wheel, long tasks, layout
// shift. npm run bench -- embed [--json] [--rounds 5]
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { buildClient, isClientStale } from '#main/client-build.ts';
import { openBrowser } from '#testing/browser.ts';
import { median } from './kit/figures.ts';
import { newOwner } from './kit/owner.ts';
import { withProduct } from './kit/own-product.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
  },
  allowPositionals: true,
});
const rounds = Number(values.rounds);
const ELEMENTS = 4_000;
const SLOWER = 4;
/** Milliseconds of the budget: script, style and layout of ours. */
const MOST = { loader: 20, popup: 60, wheel: 60, task: 50, shift: 0 };

type Measure = { work: number; longest: number; shift: number };

if (isClientStale()) await buildClient();

await withProduct('embed', async ({ base }) => {
  const owner = await newOwner(base);
  const tagOf = async (type: string, layout: string) => {
    const ask = async (method: string, path: string, body: object) => {
      const answer = await fetch(`${base}/client-api/api/forms${path}`, {
        method,
        headers: { ...owner.headers, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      if (!answer.ok) throw new Error(await answer.text());
      return ((await answer.json()) as { data: { id: string; embed_script: string } }).data;
    };
    const { id } = await ask('POST', '', { type, title: type, layout });
    const made = await ask('PATCH', `/${id}`, {
      is_active: 1,
      settings: { delay_amount: 2 },
    });
    const tag = made.embed_script.replace(/https?:\/\/[^/]+/, base);
    return { tag, off: () => ask('PATCH', `/${id}`, { is_active: 0 }) };
  };
  const pages = new Map<string, string>();
  const site = createServer((asked, answer) => {
    answer.setHeader('content-type', 'text/html; charset=utf-8');
    answer.end(pages.get(asked.url ?? '') ?? '');
  });
  await new Promise<void>((settle) => site.listen(0, '127.0.0.1', settle));
  const address = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
  const browser = await openBrowser();
  try {
    pages.set('/bare', pageOf(''));
    const of: Record<string, Measure[]> = { bare: [], loader: [], popup: [], wheel: [] };
    for (const [name, type, layout] of [
      ['popup', 'popup', 'picture-top'],
      ['wheel', 'spinToWin', 'wheel-beside'],
    ] as const) {
      const { tag, off } = await tagOf(type, layout);
      pages.set(`/${name}`, pageOf(tag));
      await measure(browser, `${address}/${name}`, 'shown');
      for (let round = 1; round <= rounds; round++) {
        of.bare?.push(await measure(browser, `${address}/bare`, 'rested'));
        of.loader?.push(await measure(browser, `${address}/${name}`, 'loaded'));
        of[name]?.push(await measure(browser, `${address}/${name}`, 'shown'));
      }
      await off();
    }
    const ofAll = (name: string, what: keyof Measure) =>
      median((of[name] ?? []).map((one) => one[what]));
    const loader = ofAll('loader', 'work') - ofAll('bare', 'work');
    const showing = (name: string) => ofAll(name, 'work') - ofAll('loader', 'work');
    const figures = {
      loader,
      popup: showing('popup'),
      wheel: showing('wheel'),
      task: Math.max(ofAll('popup', 'longest'), ofAll('wheel', 'longest')),
      // What the page itself moves while it is read is not ours.
      shift: Math.max(
        0,
        ...['loader', 'popup', 'wheel'].map(
          (name) => ofAll(name, 'shift') - ofAll('bare', 'shift'),
        ),
      ),
    };
    console.log(
      'figure   measured  at most   (a page without the tag: work',
      ofAll('bare', 'work').toFixed(1),
      'ms, shift',
      ofAll('bare', 'shift').toFixed(3),
      ')',
    );
    for (const [name, most] of Object.entries(MOST)) {
      const found = figures[name as keyof typeof figures];
      console.log(`${name.padEnd(8)} ${found.toFixed(2).padStart(8)}  ${String(most).padStart(7)}`);
      if (found > most) process.exitCode = 1;
    }
    if (values.json) console.log(JSON.stringify({ bench: 'embed', ...figures }));
  } finally {
    await browser.close();
    site.close();
  }
});

function pageOf(tag: string): string {
  const card = '<article><h3>Sencha</h3><p>From the <b>hills</b>.</p></article>';
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Shop</title><style>main{display:grid;grid-template-columns:repeat(4,1fr)}article{padding:8px}</style>
<script>window.tasks=[];window.shift=0;new PerformanceObserver(l=>{for(const e of l.getEntries())tasks.push([e.startTime,e.duration])}).observe({type:'longtask'});new PerformanceObserver(l=>{for(const e of l.getEntries())shift+=e.value}).observe({type:'layout-shift',buffered:true})</script>
${tag}</head><body><main>${card.repeat(ELEMENTS / 4)}</main></body></html>`;
}

/** Milliseconds of script, style and layout since the page stood, until the moment that is asked for. */
async function measure(
  browser: Browser,
  url: string,
  until: 'rested' | 'loaded' | 'shown',
): Promise<Measure> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Performance.enable');
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWER });
  const workOf = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const sum = ['ScriptDuration', 'LayoutDuration', 'RecalcStyleDuration'].map(
      (name) => metrics.find((one) => one.name === name)?.value ?? 0,
    );
    return sum.reduce((total, one) => total + one, 0) * 1_000;
  };
  await page.goto(url, { waitUntil: 'load' });
  const stood = await page.evaluate(() => performance.now());
  await rest(page, until);
  const work = await workOf();
  const { longest, shift } = await page.evaluate((stood) => {
    const { tasks, shift } = window as unknown as { tasks: [number, number][]; shift: number };
    const ours = tasks.filter(([at]) => at > stood).map(([, length]) => length);
    return { longest: Math.max(0, ...ours), shift };
  }, stood);
  await context.close();
  return { work, longest, shift };
}

async function rest(page: Page, until: 'rested' | 'loaded' | 'shown'): Promise<void> {
  if (until === 'rested') await page.waitForTimeout(1_200);
  else {
    await page.waitForFunction(() => 'senderForms' in window);
    await page.waitForTimeout(300);
  }
  if (until === 'shown') {
    await page.getByRole('dialog').waitFor();
    await page.waitForTimeout(800);
  }
}
