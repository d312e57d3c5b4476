// @vitest-environment jsdom
// The forecast on the review of a draft and in the report: metrics, suggestions, results.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { Suspense } from 'react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import { endTestApp, renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { DoneTime, CampaignForecast, StoredForecast } from '../forecast-contract.ts';
import { ForecastResult, SendForecast } from './index.ts';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
});

const between = (low: number, mid: number, high: number) => ({ low, mid, high });
const metrics: CampaignForecast['metrics'] = {
  delivered: between(9_900, 9_940, 9_970),
  opens: between(2_900, 3_100, 3_300),
  clicks: between(200, 260, 340),
  unsubscribes: between(8, 14, 22),
  bounces: between(30, 60, 100),
  complaints: null,
};
const doneTime: DoneTime = {
  low: '2027-03-01T09:15:00.000Z',
  mid: '2027-03-01T09:32:00.000Z',
  high: '2027-03-01T10:05:00.000Z',
  limit: 'relay',
  retries: 'past',
};
const sample: CampaignForecast = {
  ...{ people: 10_000, as_of: '2027-03-01T08:00:00.000Z', campaigns: 12, metrics },
  done: { ...doneTime, last: '2027-03-01T20:00:00.000Z' },
  revenue: [{ currency: 'EUR', orders: between(3, 6, 11), amount: between(120, 260, 480) }],
  mailboxes: [
    { mailbox: 'gmail', people: 7_000, metrics, done: { ...doneTime, retries: 'usual' } },
    { mailbox: 'other', people: 3_000, metrics, done: null },
  ],
  silent: ['gmail', 'other'],
  suggestions: [{ months: 6, people: 1_200, clicks: 0.012, bounces: 0.4, complaints: null }],
};

type RecordedCall = { name: string; body: unknown };

/** Serves the responses of each method and path in turn; the last response repeats. */
function mockResponses(responses: Record<string, unknown[]>): RecordedCall[] {
  const calls: RecordedCall[] = [];
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const url = new URL(String(input instanceof Request ? input.url : input), 'http://localhost');
    const name = `${init?.method ?? 'GET'} ${url.pathname}`;
    calls.push({ name, body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined });
    const list = responses[name];
    const response = list && list.length > 1 ? list.shift() : list?.[0];
    return response === undefined
      ? Response.json({ code: 'not_found', message: '' }, { status: 404 })
      : Response.json(response);
  });
  return calls;
}

const PATH = '/client-api/api/campaigns/c1/forecast';
const show = () =>
  renderComponent(
    <Suspense>
      <SendForecast id="c1" revision={3} />
    </Suspense>,
  );
const findRow = async (name: string) => within(await screen.findByRole('row', { name }));

it('shows expected values, their ranges, and the time when the campaign is done', async () => {
  mockResponses({ [`POST ${PATH}`]: [{ data: sample, counting: false }] });
  show();
  expect(await screen.findByText(/Past campaigns used: 12/)).toBeTruthy();
  const openedRow = await findRow('Opened 3,100 2,900 to 3,300');
  expect(openedRow.getByText('3,100')).toBeTruthy();
  expect(await screen.findByRole('row', { name: 'Spam complaints Unknown –' })).toBeTruthy();
  expect(await screen.findByRole('row', { name: /Revenue €260/ })).toBeTruthy();
  expect(screen.getByText(/No mailbox provider of your recipients/)).toBeTruthy();
  expect(screen.getByText(/The limits of your mail server determine this/)).toBeTruthy();
  expect(screen.getByRole('row', { name: /^Done .*9:32.* 9:15.* to 10:05/ })).toBeTruthy();
  expect(
    screen.getByText(/99% of the emails .* the last retries may take until .*8:00/),
  ).toBeTruthy();
  expect(screen.getByText(/No past campaigns yet at these providers: Gmail/)).toBeTruthy();
  fireEvent.click(screen.getByText('By mailbox provider'));
  const gmail = { name: /Gmail 7,000 9:15.* to 10:05/, hidden: true };
  expect(screen.getByRole('row', gmail)).toBeTruthy();
  expect(screen.getByRole('row', { name: /3,000 Unknown/, hidden: true })).toBeTruthy();
});

it('states that the end is unknown or more than 30 days away', async () => {
  const unlimitedTimes = { low: null, mid: null, high: null, last: null };
  const limitedTime = { ...doneTime, ...unlimitedTimes, limit: 'warm_up' } as const;
  mockResponses({ [`POST ${PATH}`]: [{ data: { ...sample, done: null }, counting: false }] });
  const { unmount } = show();
  expect(await screen.findByText(/The end is unknown/)).toBeTruthy();
  expect(screen.getByRole('row', { name: 'Done Unknown –' })).toBeTruthy();
  unmount();
  queryClient.clear();
  mockResponses({
    [`POST ${PATH}`]: [{ data: { ...sample, done: limitedTime }, counting: false }],
  });
  show();
  expect(await screen.findByText(/more than 30 days. The warm-up of your domain/)).toBeTruthy();
});

it('adds a suggested exclusion with the current revision', async () => {
  const calls = mockResponses({
    [`POST ${PATH}`]: [{ data: sample, counting: false }],
    [`POST ${PATH}/exclusion`]: [{ success: true }],
  });
  show();
  const text = 'Excluding 1,200 recipients without an open or click in 6 months avoids 40% of the';
  expect(await screen.findByText(new RegExp(text))).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Exclude them' }));
  await waitFor(() =>
    expect(calls.find(({ name }) => name === `POST ${PATH}/exclusion`)?.body).toEqual({
      ...{ months: 6, revision: 3 },
    }),
  );
});

it('requests the forecast again while it is counting', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  try {
    const counting = { data: null, counting: true };
    mockResponses({
      [`POST ${PATH}`]: [counting, { data: { ...sample, campaigns: 0 }, counting: false }],
    });
    show();
    expect(await screen.findByText('Counting the recipients…')).toBeTruthy();
    await vi.advanceTimersByTimeAsync(2_500);
    expect(await screen.findByText(/No past campaigns yet: /)).toBeTruthy();
  } finally {
    vi.useRealTimers();
  }
});

it('shows nothing if there is no forecast', async () => {
  const calls = mockResponses({});
  const { container } = show();
  await waitFor(() => expect(calls.length).toBeGreaterThan(0));
  await waitFor(() => expect(container.querySelector('h2')).toBeNull());
});

it('compares the forecast with the results once these are known', async () => {
  const truth = {
    ...{ people: 10_000, delivered: 9_950, opens: 3_050, clicks: 400, unsubscribes: 12 },
    ...{ bounces: 50, complaints: null, done: '2027-03-01T09:40:00.000Z' },
    revenue: [{ currency: 'EUR', orders: 5, amount: 250 }],
  };
  const storedForecast: StoredForecast = { forecast: sample, truth, compared: 40, inside: 33 };
  mockResponses({ [`GET ${PATH}`]: [{ data: storedForecast }] });
  renderComponent(
    <Suspense>
      <ForecastResult id="c1" />
    </Suspense>,
  );
  expect(await screen.findByRole('row', { name: 'Clicked 260 200 to 340 400' })).toBeTruthy();
  expect(screen.getByRole('row', { name: /Revenue .* €250/ })).toBeTruthy();
  expect(screen.getByRole('row', { name: /^Done .*9:32.* to 10:05.*9:40/ })).toBeTruthy();
  expect(screen.getByText(/33 of 40 results were within their ranges/)).toBeTruthy();
  expect(screen.queryByText(/72 hours after/)).toBeNull();
});

it('shows only the forecast before the results are known', async () => {
  const storedForecast: StoredForecast = { forecast: sample, truth: null, compared: 0, inside: 0 };
  mockResponses({ [`GET ${PATH}`]: [{ data: storedForecast }] });
  renderComponent(
    <Suspense>
      <ForecastResult id="c1" />
    </Suspense>,
  );
  expect(await screen.findByText(/72 hours after/)).toBeTruthy();
  for (const row of screen.getAllByRole('row').slice(1)) {
    expect(within(row).getAllByRole('cell')).toHaveLength(2);
  }
});
