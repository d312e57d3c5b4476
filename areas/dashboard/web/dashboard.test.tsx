// @vitest-environment jsdom
// The dashboard's panels: their requests, metrics and thresholds, days in the URL, and failures
// that affect one panel only.
import { readFileSync } from 'node:fs';
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import { niceRange } from '#platform/web/ui/line-chart.tsx';
import { meterLevel } from './meter.tsx';
import { daysBefore, isDay, lastDays } from './range.ts';
import { routes } from './routes.tsx';

const session = {
  data: {
    user: {
      id: 'u1',
      email: 'ada@tea.example',
      name: 'Ada',
      surname: 'L',
      tour: 0,
      account: 'a1',
      language: 'eng',
    },
    account: { id: 'a1', title: 'Tea', timezone: 'UTC', country: 'LT', date_format: 'auto' },
  },
};
const onboard = Object.fromEntries(
  ['email_verified', 'registration_completed', 'introduce_completed', 'email_sent']
    .concat(['report_viewed', 'subscriber_added', 'campaign_created', 'domain_verified'])
    .map((flag) => [flag, flag === 'email_verified']),
);
const growth = {
  from: '2026-01-01',
  to: '2026-01-02',
  total: 12,
  added: 5,
  lost: 1,
  removed: 0,
  ...{ unsubscribed: 1, bounced: 0, complained: 0 },
  days: [
    { day: '2026-01-01', total: 8, added: 1, lost: 1, removed: 0 },
    { day: '2026-01-02', total: 12, added: 4, lost: 0, removed: 0 },
  ],
};
const sending = {
  from: '2026-01-01',
  to: '2026-01-02',
  sent: 1000,
  soft_bounces: 3,
  unsubscribes: 2,
};

const nothingEarned = { from: '2026-01-01', to: '2026-01-02', has_store: false, currencies: [] };

let requests: string[] = [];
let responses: Record<string, { status?: number; body: unknown }> = {};

beforeAll(() => startTestApp());
afterEach(endTestApp);
beforeEach(() => {
  requests = [];
  responses = {
    '/client-api/api/users': { body: session },
    '/client-api/api/users/onboard': { body: { data: onboard } },
    '/client-api/api/sample_account': { body: { data: { id: null, state: 'none' } } },
    '/client-api/api/campaigns': { body: { data: [] } },
    '/client-api/api/sms/campaign': { body: { data: [] } },
    '/client-api/api/accounts/dashboard_subscribers': { body: { data: growth } },
    '/client-api/api/accounts/dashboard_reachable': {
      body: {
        data: {
          ...{ reachable: 9, email: 8, sms: 4 },
          ...{ lost: 3, unsubscribed: 2, bounced: 1, complained: 0 },
        },
      },
    },
    '/client-api/api/accounts/dashboard_sending': {
      body: { data: { ...sending, hard_bounces: 20, complaints: 3 } },
    },
    '/client-api/api/accounts/dashboard_engagement': {
      body: {
        data: {
          ...{ from: '2026-01-01', to: '2026-01-30', campaigns: 2 },
          ...{ delivered: 200, human_opens: 90, human_clicks: 10 },
        },
      },
    },
    '/client-api/api/accounts/dashboard_groups': {
      body: {
        data: { ...{ from: '2026-01-01', to: '2026-01-30' }, is_counting: false, groups: [] },
      },
    },
    '/client-api/api/accounts/dashboard_earned': { body: { data: nothingEarned } },
    '/client-api/api/accounts/dashboard_stopped': { body: { data: [] } },
    '/client-api/api/accounts/dashboard_usage': {
      body: { data: { from: '2026-01-01', to: '2026-01-31', sent: 850, limit: 1000 } },
    },
  };
  vi.stubGlobal('fetch', async (input: string) => {
    requests.push(input);
    const response = responses[input.split('?')[0] ?? ''];
    const status = response ? (response.status ?? 200) : 404;
    return new Response(JSON.stringify(response?.body ?? {}), { status });
  });
});

describe('thresholds', () => {
  it.each([
    [0.799, 'good'],
    [0.8, 'amber'],
    [0.899, 'amber'],
    [0.9, 'red'],
    [1.4, 'red'],
  ])('a used share of %d is %s', (share, level) => expect(meterLevel(share, 0.8, 0.9)).toBe(level));
});

it('requests the five latest sent, next scheduled and last edited campaigns', async () => {
  renderAreas([routes], '/');
  await waitFor(() =>
    expect(requests.filter((url) => url.includes('/campaigns?'))).toHaveLength(3),
  );
  const lists = requests
    .filter((url) => url.includes('/campaigns?'))
    .map((url) => url.split('?')[1]);
  expect(new Set(lists)).toEqual(
    new Set([
      'status=SENT&limit=5&order=sent&direction=desc&as_list=true',
      'status=SCHEDULED&limit=5&order=scheduled&direction=asc&as_list=true',
      'status=DRAFT&limit=5&order=modified&direction=desc&as_list=true',
    ]),
  );
});

it("shows the period's open and click rates, and the open rate of the previous period", async () => {
  renderAreas([routes], '/');
  const panel = await screen.findByRole('region', { name: 'This period' });
  const tile = (await within(panel).findByText('Open rate')).parentElement;
  await waitFor(() =>
    expect(tile?.textContent).toBe('Open rate45%90 of 200 delivered45% in the period before'),
  );
  expect(within(panel).getByText('Click rate').nextSibling?.textContent).toBe('5%');
  expect(within(panel).queryByText('Revenue from your messages')).toBeNull();
  const queries = requests.filter((url) => url.includes('/dashboard_engagement?'));
  expect(new Set(queries).size).toBe(2);
});

it('shows groups with their growth and open rate, and no panel without groups', async () => {
  const { unmount } = renderAreas([routes], '/');
  await screen.findByRole('region', { name: 'This period' });
  await waitFor(() =>
    expect(requests.some((url) => url.includes('/dashboard_groups?'))).toBe(true),
  );
  // The panel is shown until a response without groups arrives.
  await waitFor(() => expect(screen.queryByRole('region', { name: 'Groups' })).toBeNull());
  unmount();
  endTestApp();
  const zeroFigures = { delivered: 0, human_opens: 0, human_clicks: 0 };
  const groups = [
    {
      id: 'g1',
      title: 'Tea',
      members: 1200,
      joined: 34,
      delivered: 200,
      human_opens: 90,
      human_clicks: 10,
    },
    { id: 'g2', title: 'Coffee', members: 0, joined: 0, ...zeroFigures },
  ];
  responses['/client-api/api/accounts/dashboard_groups'] = {
    body: { data: { from: '2026-01-01', to: '2026-01-30', is_counting: true, groups } },
  };
  renderAreas([routes], '/');
  const panel = await screen.findByRole('region', { name: 'Groups' });
  const rows = (await within(panel).findAllByRole('row')).map((row) =>
    [...row.children].map(({ textContent }) => textContent),
  );
  expect(rows.slice(1)).toEqual([
    ['Tea', '1,200', '+34', '45%'],
    ['Coffee', '0', '–', '–'],
  ]);
  within(panel).getByText('Opens of some campaigns are still being counted.');
});

it('shows reachable subscribers by channel, and lost ones by reason', async () => {
  renderAreas([routes], '/');
  const lostSummary = await screen.findByText(
    '3 lost in total: 2 unsubscribed, 1 bounced, 0 complained',
  );
  expect(lostSummary.parentElement?.textContent).toBe(
    'Reachable subscribers98 by email, 4 by SMS3 lost in total: 2 unsubscribed, 1 bounced, 0 complained',
  );
});

it('prefills the account’s website in the offer of a first email', async () => {
  const account = { ...session.data.account, website: 'https://tea.example' };
  responses['/client-api/api/users'] = { body: { data: { ...session.data, account } } };
  renderAreas([routes], '/');
  const website = await screen.findByLabelText<HTMLInputElement>('Your website');
  expect(website.value).toBe('https://tea.example');
});

it('computes the last seven days and recognizes valid days', () => {
  expect(lastDays(7, '2026-03-03')).toEqual({ from: '2026-02-25', to: '2026-03-03' });
  expect(isDay('2024-02-29')).toBe(true);
  for (const invalid of ['2026-02-29', '2026-13-01', '', 'x', '2026-1-1']) {
    expect(isDay(invalid)).toBe(false);
  }
});

it('compares a period with the preceding one of the same length', async () => {
  expect(daysBefore({ from: '2026-03-01', to: '2026-03-31' })).toEqual({
    from: '2026-01-29',
    to: '2026-02-28',
  });
  expect(daysBefore({ from: '2026-03-01', to: '2026-03-01' })).toEqual({
    from: '2026-02-28',
    to: '2026-02-28',
  });
  const realFetch = globalThis.fetch;
  vi.stubGlobal('fetch', async (input: string) =>
    input.includes('dashboard_subscribers?from=2025-12-30&to=2025-12-31')
      ? new Response(JSON.stringify({ data: { ...growth, added: 77, lost: 3 } }))
      : realFetch(input),
  );
  renderAreas([routes], '/?range=chosen&from=2026-01-01&to=2026-01-02');
  expect(await screen.findByText('77 in the period before')).toBeTruthy();
  expect(screen.getByText('3 in the period before')).toBeTruthy();
});

it.each([
  [[20_000, 20_140, 20_310], { minValue: 20_000, maxValue: 20_600 }],
  [[9_985, 10_010], { minValue: 9_980, maxValue: 10_010 }],
  [[5, 900], { minValue: 0, maxValue: 900 }],
  [[5, 100], { minValue: 0, maxValue: 150 }],
  [[700, 700], { minValue: 0, maxValue: 900 }],
  [[0, 0], { minValue: 0, maxValue: 3 }],
])('the axis for the values %s is %o', (values, range) => expect(niceRange(values)).toEqual(range));

it('shows SMS campaigns if any exist, and links to a new campaign if the campaigns area is loaded', async () => {
  renderAreas([routes], '/');
  await screen.findByRole('meter', { name: 'Emails' });
  expect(screen.queryByRole('heading', { name: 'SMS campaigns' })).toBeNull();
  expect(screen.queryByRole('link', { name: 'New campaign' })).toBeNull();
  endTestApp();
  const smsCampaign = {
    id: 's1',
    title: 'Sale',
    sent_at: null,
    scheduled_at: null,
    modified: '2026-01-01',
  };
  responses['/client-api/api/sms/campaign'] = { body: { data: [smsCampaign] } };
  const icon = () => null;
  const campaigns = {
    texts: [],
    screens: [],
    navigation: [{ to: '/campaigns', text: 'dashboard:email.title', icon, order: 20 }],
  };
  renderAreas([routes, campaigns], '/');
  expect(await screen.findByRole('heading', { name: 'SMS campaigns' })).toBeTruthy();
  const newCampaignLink = await screen.findByRole('link', { name: 'New campaign' });
  expect(newCampaignLink.getAttribute('href')).toBe('/campaigns/create');
});

it("shows the color of each meter's state, the plan usage in words, and a link to larger plans", async () => {
  renderAreas([routes], '/');
  const usage = await screen.findByRole('meter', { name: 'Emails' });
  expect(usage.getAttribute('aria-valuetext')).toBe(
    "850 of 1,000. 85% of this month's limit is used.",
  );
  expect(usage.querySelector('[data-level="amber"]')).toBeTruthy();
  const upgrade = screen.getByRole('link', { name: 'Choose a larger plan' });
  expect(upgrade.getAttribute('href')).toBe('/settings/billing/upgrade');
  const bounces = screen.getByRole('meter', { name: 'Hard bounces' });
  expect(bounces.querySelector('[data-level="amber"]')).toBeTruthy();
  const complaints = screen.getByRole('meter', { name: 'Spam complaints' });
  expect(complaints.querySelector('[data-level="red"]')).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Continue' }).getAttribute('href')).toBe(
    '/complete-registration',
  );
  fireEvent.click(screen.getByRole('button', { name: 'Show as table' }));
  const table = await screen.findByRole('table');
  expect(within(table).getAllByRole('row')[1]?.textContent).toContain('12');
});

it('shows stopped campaigns with their reasons, and no region if there are none', async () => {
  const stoppedCampaigns = [
    { id: 'c9', title: 'Spring tea', reason: 'bounces_high' },
    { id: 'c8', title: 'Pots', reason: 'complaints_high' },
  ];
  responses['/client-api/api/accounts/dashboard_stopped'] = { body: { data: stoppedCampaigns } };
  renderAreas([routes], '/');
  // All stopped campaigns share one landmark.
  const region = await screen.findByRole('region', { name: 'Stopped campaigns' });
  const [first, second] = within(region).getAllByRole('listitem') as [HTMLElement, HTMLElement];
  expect(second.textContent).toContain('Pots');
  expect(first.textContent?.replace(/[\u2068\u2069]/g, '')).toContain(
    'Your campaign “Spring tea” was stopped: too many emails came back',
  );
  expect(within(first).getByRole('link', { name: 'Report' }).getAttribute('href')).toBe(
    '/campaigns/c9/report/overview',
  );
  endTestApp();
  responses['/client-api/api/accounts/dashboard_stopped'] = { body: { data: [] } };
  renderAreas([routes], '/');
  await screen.findByRole('meter', { name: 'Emails' });
  expect(screen.queryByRole('region', { name: 'Stopped campaigns' })).toBeNull();
});

it('shows revenue of messages by currency, once a store is connected', async () => {
  const lines = [
    { currency: 'EUR', email: 70.96, sms: 13.13, all: 5079.09, orders: 6 },
    { currency: '', email: 7.5, sms: 0, all: 8, orders: 1 },
  ];
  const path = '/client-api/api/accounts/dashboard_earned';
  responses[path] = { body: { data: { ...nothingEarned, has_store: true, currencies: lines } } };
  renderAreas([routes], '/');
  expect(await screen.findByText('€84.09')).toBeTruthy();
  expect(screen.getByText('€70.96 from emails, €13.13 from SMS')).toBeTruthy();
  expect(screen.getByText('Total sales of your stores: €5,079.09.')).toBeTruthy();
  expect(screen.getByText('7.5')).toBeTruthy();
});

it('keeps the selected days in the URL and requests them', async () => {
  const { router } = renderAreas([routes], '/?range=chosen&from=2026-01-01&to=2026-01-02');
  await screen.findByRole('meter', { name: 'Emails' });
  expect(requests).toContain(
    '/client-api/api/accounts/dashboard_subscribers?from=2026-01-01&to=2026-01-02',
  );
  fireEvent.change(screen.getByLabelText('Date range'), { target: { value: '7' } });
  await waitFor(() => expect(router.state.location.search).toEqual({ range: '7' }));
});

it('makes the calls whose responses the server embeds in the page', async () => {
  const file = readFileSync('main/first-calls.json', 'utf8');
  const calls = JSON.parse(file)['areas/dashboard/web/dashboard-screen.tsx'] as string[];
  const month = lastDays(30, new Date().toISOString().slice(0, 10));
  const queryOf = ({ from, to }: typeof month) => `from=${from}&to=${to}`;
  renderAreas([routes], '/');
  await screen.findByRole('meter', { name: 'Emails' });
  const expected = calls.map((call) =>
    call.replace('$month_before', queryOf(daysBefore(month))).replace('$month', queryOf(month)),
  );
  await waitFor(() => expect(requests).toEqual(expect.arrayContaining(expected)));
});

it.each([
  ['campaigns', 'SENT', 'Error: could not fetch sent email campaigns'],
  ['campaigns', 'SCHEDULED', 'Error: could not fetch scheduled email campaigns'],
  ['sms/campaign', 'SENT', 'Error: could not fetch sent SMS campaigns'],
  ['sms/campaign', 'SCHEDULED', 'Error: could not fetch scheduled SMS campaigns'],
])(
  'if the request for %s %s fails, only that list shows an error',
  async (path, status, message) => {
    const realFetch = globalThis.fetch;
    vi.stubGlobal('fetch', async (input: string) =>
      input.startsWith(`/client-api/api/${path}?`) && input.includes(`status=${status}`)
        ? new Response('{}', { status: 400 })
        : realFetch(input),
    );
    renderAreas([routes], '/');
    expect(await screen.findByText(message)).toBeTruthy();
    expect(await screen.findByRole('meter', { name: 'Emails' })).toBeTruthy();
    expect(screen.getAllByText(/^Error: could not fetch/)).toHaveLength(1);
    expect(screen.getByText('No drafts.')).toBeTruthy();
  },
);
