// @vitest-environment jsdom
// The screens of reports, with responses in the shape of the contract.
import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  endTestApp,
  renderComponent,
  renderScreen,
  startTestApp,
} from '#platform/web/shell/test-app.tsx';
import { queryClient } from '#platform/web/api/queries.ts';
import ActionsScreen from './actions-screen.tsx';
import { LineChart } from '#platform/web/ui/line-chart.tsx';
import GroupsScreen from './groups-screen.tsx';
import LinksScreen from './links-screen.tsx';
import OverviewScreen from './overview-screen.tsx';
import ReportLayout from './report-layout.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  queryClient.clear();
});

const figure = (count: number, share: number) => ({ count, share });
const engagedFigure = (count: number, share: number, human: number) => ({
  ...figure(count, share),
  human_count: human,
  human_share: share / 2,
  total: count * 2,
  human_total: human,
});
const overview = {
  campaign: {
    id: 'c1',
    title: 'Spring',
    subject: 'Fresh tea',
    from_name: 'Tea',
    from_email: 'tea@shop.example',
    sent_at: '2026-05-01T10:00:00.000Z',
    finished_at: null,
  },
  zone: 'UTC',
  topic: 'message:m1',
  recipients: 1200,
  remaining: 200,
  skipped: 0,
  unknown: 0,
  figures: {
    sent: figure(1000, 0.833),
    delivered: figure(990, 0.99),
    opens: engagedFigure(495, 0.5, 300),
    clicks: engagedFigure(99, 0.1, 98),
    hard_bounces: figure(6, 0.006),
    soft_bounces: figure(4, 0.004),
    unsubscribes: figure(2, 0.002),
    complaints: figure(1, 0.0002),
  },
  earned: null,
  average: null,
};
const counts = { opens: 4, human_opens: 3, clicks: 2, human_clicks: 1 };
const responses: Record<string, unknown> = {
  overview: { data: overview },
  times: {
    data: {
      zone: 'UTC',
      days: [
        { day: '2026-05-01', ...counts },
        { day: '2026-05-02', ...counts },
      ],
      hours: Array.from({ length: 24 }, (_, hour) => ({ hour, ...counts })),
    },
  },
  domains: {
    data: [
      {
        domain: 'gmail.com',
        sent: 700,
        delivered: 690,
        opens: 345,
        human_opens: 207,
        clicks: 69,
        human_clicks: 69,
        bounces: 7,
        unsubscribes: 1,
        complaints: 0,
      },
      {
        domain: null,
        sent: 300,
        delivered: 300,
        opens: 150,
        human_opens: 93,
        clicks: 30,
        human_clicks: 29,
        bounces: 3,
        unsubscribes: 1,
        complaints: 1,
      },
    ],
  },
  devices: {
    data: [
      { value: 'mobile', opens: 30, human_opens: 30, clicks: 8, human_clicks: 8 },
      { value: '', opens: 70, human_opens: 10, clicks: 0, human_clicks: 0 },
    ],
  },
  countries: {
    data: [{ value: 'NO', opens: 40, human_opens: 40, clicks: 8, human_clicks: 8 }],
  },
  actions: {
    data: [
      {
        subscriber: { id: 's1', email: 'ada@mail.example', firstname: 'Ada', lastname: null },
        at: '2026-05-01T10:00:00.000Z',
        count: null,
        is_human: null,
        code: '5.1.1',
        reply: 'No such user',
        reason: null,
      },
      {
        subscriber: null,
        at: '2026-05-01T11:00:00.000Z',
        count: null,
        is_human: null,
        code: null,
        reply: null,
        reason: 'unsubscribed',
      },
    ],
    meta: { from: 1, to: 2, page: 1, pageCount: 1, total: 2, perPage: 10 },
  },
};
responses.groups = {
  data: [
    {
      group: { id: 'g1', title: 'Everyone' },
      ...{ sent: 1000, delivered: 990, opens: 495, human_opens: 300, clicks: 99, human_clicks: 98 },
      ...{ bounces: 10, unsubscribes: 2, complaints: 1 },
    },
  ],
  meta: { from: 1, to: 1, page: 1, pageCount: 1, total: 1, perPage: 10 },
};
responses.clicks = {
  data: [
    {
      ...{ id: 'l1', position: 0, url: 'https://shop.example/', label: 'Tea' },
      ...{ clicks: 250, human_clicks: 120, unique_clicks: 198, unique_human_clicks: 99 },
    },
  ],
  meta: { from: 1, to: 1, page: 1, pageCount: 1, total: 1, perPage: 10 },
};
function bytesOf(chunks: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(stream) {
      const { value, done } = await chunks.next();
      if (done) stream.close();
      else stream.enqueue(encoder.encode(value));
    },
  });
}

let requestedUrls: string[] = [];
let failing: { status: number; body: unknown } | undefined;
let openStream: (() => AsyncGenerator<string>) | undefined;

beforeEach(() => {
  requestedUrls = [];
  failing = undefined;
  openStream = undefined;
  vi.stubGlobal('fetch', async (input: RequestInfo | URL) => {
    const url = String(input instanceof Request ? input.url : input);
    requestedUrls.push(url);
    if (url.endsWith('/stream') && openStream) return new Response(bytesOf(openStream()));
    const part = /report\/(\w+)|(assistance)$/.exec(url)?.slice(1).find(Boolean);
    const name = part ?? (url.endsWith('/campaigns/c1') ? 'campaign' : '');
    const { status, body } = failing ?? { status: 200, body: responses[name] };
    return new Response(JSON.stringify(body), {
      status,
      headers: { 'content-type': 'application/json' },
    });
  });
});

test('each metric shows its rate with the count in brackets, and machines separately', async () => {
  renderScreen(OverviewScreen, {
    at: '/campaigns/c1/report/overview',
    path: '/campaigns/$campaign/report/overview',
  });
  const openedRegion = await screen.findByRole('region', { name: 'Opened' });
  // The counts include only people, as in the list and on the dashboard.
  expect(openedRegion.textContent).toContain('25% (300)');
  expect(openedRegion.textContent).toContain('By people, plus 195 machine-only');
  expect(within(openedRegion).getByRole('link').getAttribute('href')).toBe(
    '/campaigns/c1/report/actions?action=opens',
  );
  const reports = screen.getByRole('region', { name: 'Spam complaints' });
  expect(reports.textContent).toContain('0.02% (1)');
  expect(screen.getAllByRole('region').length).toBeGreaterThanOrEqual(8);
});

test('a button shows a chart as a table', async () => {
  renderScreen(OverviewScreen, {
    at: '/campaigns/c1/report/overview',
    path: '/campaigns/$campaign/report/overview',
  });
  const byDay = await screen.findByRole('region', { name: 'By day' });
  within(byDay).getByRole('button', { name: 'Show as table' }).click();
  const table = await within(byDay).findByRole('table');
  expect(within(table).getAllByRole('row')).toHaveLength(3);
  expect(table.textContent).toContain('May 1, 2026');
});

test('the chart has a text summary and draws nothing beyond its frame', () => {
  renderComponent(
    <LineChart
      width={400}
      label="By day: 5 opens"
      names={['a', 'b', 'c']}
      lines={[
        { name: 'Opens', values: [0, 7, 5] },
        { name: 'Clicks', values: [0, 0, 0] },
      ]}
    />,
  );
  const chart = screen.getByRole('img', { name: 'By day: 5 opens' });
  for (const line of chart.querySelectorAll('polyline')) {
    for (const point of (line.getAttribute('points') ?? '').split(' ')) {
      const [x = Number.NaN, y = Number.NaN] = point.split(',').map(Number);
      expect(x).toBeGreaterThanOrEqual(0);
      expect(x).toBeLessThanOrEqual(400);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y).toBeLessThanOrEqual(236);
    }
  }
});

test("a list shows subscribers, reasons, and times in the account's zone, and can be exported", async () => {
  const original = responses.overview as { data: object };
  responses.overview = { data: { ...original.data, zone: 'Asia/Kathmandu' } };
  renderScreen(ActionsScreen, {
    at: '/campaigns/c1/report/actions?action=hard_bounces',
    path: '/campaigns/$campaign/report/actions',
  });
  expect(await screen.findByText('ada@mail.example')).toBeTruthy();
  expect(await screen.findByText(/(15|3):45/)).toBeTruthy();
  responses.overview = original;
  expect(screen.getByText('5.1.1 No such user')).toBeTruthy();
  expect(screen.getByText('Deleted subscriber')).toBeTruthy();
  expect(screen.getByText('Unsubscribed')).toBeTruthy();
  expect(requestedUrls.some((url) => url.includes('action=hard_bounces'))).toBe(true);
  expect(screen.getByRole('link', { name: 'Export' }).getAttribute('href')).toBe(
    '/client-api/api/campaigns/c1/report/actions/export?action=hard_bounces',
  );
});

test('deleted subscribers have separate rows, even with the same instant', async () => {
  const errorLog = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const original = responses.actions as { data: object[] };
  const [, deleted] = original.data;
  responses.actions = { ...original, data: [{ ...deleted }, { ...deleted }] };
  renderScreen(ActionsScreen, {
    at: '/campaigns/c1/report/actions?action=not_sent',
    path: '/campaigns/$campaign/report/actions',
  });
  expect(await screen.findAllByText('Deleted subscriber')).toHaveLength(2);
  responses.actions = original;
  expect(errorLog.mock.calls.flat().filter((message) => /same key/.test(String(message)))).toEqual(
    [],
  );
  errorLog.mockRestore();
});

test('a report shows how many emails are still to be sent, and a draft shows that it has no report', async () => {
  const route = { at: '/campaigns/c1/report', path: '/campaigns/$campaign/report' };
  const first = renderScreen(ReportLayout, route);
  expect(await screen.findByText('200 emails are still to be sent')).toBeTruthy();
  expect(screen.getByRole('heading', { level: 1 }).textContent).toContain('Spring');
  first.unmount();
  failing = { status: 409, body: { code: 'not_sent_yet', message: 'No report' } };
  renderScreen(ReportLayout, { ...route, at: '/campaigns/c2/report' });
  expect(await screen.findByText('No report yet')).toBeTruthy();
});

test('a chosen variant limits every view of the report, and all tabs keep it', async () => {
  responses.campaign = {
    data: { id: 'c1', status: 'SENT', delivery: null, experiment: { variants: 2 } },
  };
  const frame = renderScreen(ReportLayout, {
    at: '/campaigns/c1/report/overview?variant=2',
    path: '/campaigns/$campaign/report/overview',
  });
  const select = await screen.findByRole('combobox', { name: 'Variant' });
  expect((select as HTMLInputElement).value).toBe('Variant B');
  expect(screen.getByRole('link', { name: 'Links' }).getAttribute('href')).toBe(
    '/campaigns/c1/report/clicks?variant=2',
  );
  expect(screen.getByRole('link', { name: 'Overview' }).getAttribute('aria-current')).toBe('page');
  frame.unmount();
  delete responses.campaign;
  requestedUrls = [];
  const overviewScreen = renderScreen(OverviewScreen, {
    at: '/campaigns/c1/report/overview?variant=2',
    path: '/campaigns/$campaign/report/overview',
  });
  const openedRegion = await screen.findByRole('region', { name: 'Opened' });
  expect(within(openedRegion).getByRole('link').getAttribute('href')).toBe(
    '/campaigns/c1/report/actions?action=opens&variant=2',
  );
  const parts = ['overview', 'times', 'domains', 'devices', 'countries'];
  await vi.waitFor(() => {
    for (const part of parts) {
      expect(requestedUrls.some((url) => url.endsWith(`report/${part}?variant=2`))).toBe(true);
    }
  });
  overviewScreen.unmount();
  renderScreen(ActionsScreen, {
    at: '/campaigns/c1/report/actions?action=clicks&variant=2',
    path: '/campaigns/$campaign/report/actions',
  });
  await screen.findByText('ada@mail.example');
  expect(screen.getByRole('link', { name: 'Export' }).getAttribute('href')).toBe(
    '/client-api/api/campaigns/c1/report/actions/export?action=clicks&variant=2',
  );
});

test('domains, devices and countries show names and shares, whether or not machines are included', async () => {
  const at = '/campaigns/c1/report/overview';
  const path = '/campaigns/$campaign/report/overview';
  const { unmount } = renderScreen(OverviewScreen, { at: `${at}?machines=1`, path });
  const domains = await screen.findByRole('region', { name: 'Mailbox domains', hidden: false });
  await within(domains).findByText('gmail.com');
  expect(domains.textContent).toContain('gmail.com70098.6%50%10%1%0%');
  expect(domains.textContent).toContain('All others300100%');
  const devices = screen.getByRole('region', { name: 'Devices' });
  expect(devices.textContent).toContain('Unknown70%0Phone30%8');
  expect(screen.getByRole('region', { name: 'Countries' }).textContent).toContain('Norway100%8');
  unmount();
  renderScreen(OverviewScreen, { at, path });
  const devicesRegion = await screen.findByRole('region', { name: 'Devices' });
  await within(devicesRegion).findByText('Phone');
  expect(devicesRegion.textContent).toContain('Phone75%8Unknown25%0');
});

test('groups and links count each subscriber once and show what each share is based on', async () => {
  const { unmount } = renderScreen(GroupsScreen, {
    at: '/campaigns/c1/report/groups',
    path: '/campaigns/$campaign/report/groups',
  });
  const row = (await screen.findByText('Everyone')).closest('tr');
  expect(row?.textContent).toContain('1,00030.3% (300)9.9% (98)1% (10)0.2% (2)0.1% (1)');
  expect(screen.getByText(/people, once each, of delivered emails/)).toBeTruthy();
  unmount();
  renderScreen(LinksScreen, {
    at: '/campaigns/c1/report/clicks',
    path: '/campaigns/$campaign/report/clicks',
  });
  const link = (await screen.findByText('https://shop.example/')).closest('tr');
  await vi.waitFor(() => expect(link?.textContent).toContain('10%99120130'));
  expect(requestedUrls.some((url) => url.includes('order=unique_human_clicks'))).toBe(true);
});

test('a summary is offered only with a model, and its request is shown before it is sent', async () => {
  const route = {
    at: '/campaigns/c1/report/overview',
    path: '/campaigns/$campaign/report/overview',
  };
  renderScreen(OverviewScreen, route);
  await screen.findByRole('region', { name: 'Opened' });
  expect(screen.queryByRole('button', { name: 'Summarize' })).toBeNull();
  endTestApp();
  queryClient.clear();
  const request = {
    ...{ host: 'models.example', body: '{"totals":1}', personal: [], image: null },
    cost: { amount: 0.0012, currency: 'USD' },
  };
  responses.assistance = { data: { is_on: true } };
  responses.summary = { data: { request, summary: null } };
  renderScreen(OverviewScreen, route);
  fireEvent.click(await screen.findByRole('button', { name: 'Summarize' }));
  expect(await screen.findByText('{"totals":1}')).toBeTruthy();
  expect(requestedUrls.filter((url) => url.endsWith('/summary'))).toHaveLength(1);
  const remaining = Promise.withResolvers<void>();
  openStream = async function* () {
    yield 'event: text\ndata: "A good"\n\nevent: te';
    await remaining.promise;
    yield `xt\ndata: " week."\n\nevent: answer\ndata: ${JSON.stringify({ request, summary: 'A good week.' })}\n\n`;
  };
  fireEvent.click(screen.getByRole('button', { name: 'Send' }));
  expect(await screen.findByText('A good')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Copy' })).toBeNull();
  remaining.resolve();
  expect(await screen.findByText('A good week.')).toBeTruthy();
  expect(screen.getByText('Cost: $0.0012')).toBeTruthy();
});
