// @vitest-environment jsdom
// Experiments of campaigns against a scripted server: setting one up, sending one, choosing a
// winner, and the verdict in sentences.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { Campaign } from '../contract.ts';
import type { CampaignExperiment } from '../experiment-contract.ts';
import { routes } from './routes.tsx';
import { BASE, draft, ID, session } from './sample-campaign.ts';

const NOW = '2026-03-02T09:00:00.000Z';

const variant = (number: number, change: object = {}): CampaignExperiment['variants'][number] => ({
  ...{ number, id: number === 1 ? null : `v${number}`, subject: null, preheader: null },
  ...{ from_name: null, has_own_content: false, editor: null, thumbnail_url: null },
  ...{ delay_minutes: null, share: 10, figures: null },
  ...change,
});

const sample: CampaignExperiment = {
  ...{ id: 'e1', metric: 'opens', duration_hours: 24, test_share: 20 },
  ...{ holdout_share: 10, holdout_days: 7 },
  ...{ decision: 'automatic', fallback: 'leader', state: 'draft', reason: null, decides_at: null },
  variants: [variant(1), variant(2, { subject: 'Fresh tea' })],
  rest: { share: 70, people: null, state: null },
  ...{ holdout: null, baseline: 0.2, revenue_currency: null, decided: null, final: null },
};

const buildFigures = (opens: number, value: number) => ({
  ...{ people: 1000, accepted: 990, opens: opens, clicks: 20, buyers: null, revenue: null },
  ...{ unsubscribes: 1, state: 'finished' as const },
  rate: { value, low: value - 0.02, high: value + 0.02 },
});

let campaign: Campaign;
let experiment: CampaignExperiment | undefined;
let recipients: number;
let calls: { name: string; body: unknown }[];

beforeAll(() => startTestApp());
beforeEach(() => {
  calls = [];
  recipients = 10_000;
  experiment = sample;
  campaign = { ...draft, experiment: summaryOf(sample) };
  const responses: Record<string, () => unknown> = {
    'GET /client-api/api/users': () => session,
    [`GET ${BASE}`]: () => ({ data: campaign }),
    [`GET ${BASE}/experiment`]: () => experiment && { data: experiment },
    [`PUT ${BASE}/experiment`]: () => ({ data: sample }),
    [`POST ${BASE}/experiment/decide`]: () => ({ data: sample }),
    [`GET ${BASE}/checks`]: () => ({ data: [] }),
    [`GET ${BASE}/checks/links`]: () => ({ data: [] }),
    [`GET ${BASE}/preview_people`]: () => ({ data: [] }),
    [`GET ${BASE}/subscribers`]: () => ({
      data: { count: recipients, total: recipients, excluded: [] },
    }),
    [`GET ${BASE}/plain_preview`]: () => ({ data: { subject: 'Hello', preheader: '', text: '' } }),
  };
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(String(input instanceof Request ? input.url : input), 'http://localhost');
    const name = `${init?.method ?? 'GET'} ${url.pathname}`;
    calls.push({ name, body: typeof init?.body === 'string' ? JSON.parse(init.body) : undefined });
    const response = responses[name]?.();
    const missing = { code: 'not_found', message: '' };
    return new Response(JSON.stringify(response ?? missing), { status: response ? 200 : 404 });
  });
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const summaryOf = ({ state, variants }: CampaignExperiment): NonNullable<Campaign['experiment']> =>
  ({
    ...{ state, reason: null, variants: variants.length, winner: null, decides_at: null },
    has_rest_due: true,
    subject: null,
  }) as NonNullable<Campaign['experiment']>;

/** Replaces the draft with a sent campaign whose experiment is in progress. */
const showSent = (change: Partial<CampaignExperiment>): void => {
  experiment = { ...sample, state: 'testing', ...change };
  experiment.variants = [
    variant(1, { figures: buildFigures(221, 0.223) }),
    variant(2, { subject: 'Fresh tea', figures: buildFigures(249, 0.252) }),
  ];
  campaign = {
    ...{ ...draft, status: 'SENT', sent_at: NOW, experiment: summaryOf(experiment) },
    delivery: {
      ...{ state: 'sending', reason: null, reply: null, audience: 2000, audience_done: true },
      ...{ accepted: 1980, deferred: 0, failed: 0, skipped: 0, unknown: 0, remaining: 20 },
      ...{ held: 0, held_until: null, halted: null, excluded: [], started_at: NOW },
      ...{ finished_at: null, next_wave: null },
    },
  };
};

const bodyOf = (name: string) => calls.find((call) => call.name === name)?.body;

it('a new experiment compares two subjects and is saved with only the differing fields', async () => {
  experiment = undefined;
  campaign = draft;
  renderAreas([routes], `/campaigns/${ID}/experiment`);
  const second = await screen.findByRole('group', { name: 'Variant B' });
  // 1,000 people per variant can show a difference of 2.32 · √(5,000 / 1,000) points.
  expect(await screen.findByText(/differences of 5\.2 points/)).toBeTruthy();
  fireEvent.change(within(second).getByLabelText('Subject'), { target: { value: 'Fresh tea' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save experiment' }));
  await waitFor(() => expect(bodyOf(`PUT ${BASE}/experiment`)).toBeTruthy());
  expect(bodyOf(`PUT ${BASE}/experiment`)).toMatchObject({
    ...{ metric: 'opens', duration_hours: 24, test_share: 20, holdout_share: 0, holdout_days: 7 },
    variants: [{}, { subject: 'Fresh tea', has_own_content: false }],
  });
});

it('identical variants and excessive percentages are reported, and the suggested percentage is used', async () => {
  experiment = undefined;
  campaign = draft;
  renderAreas([routes], `/campaigns/${ID}/experiment`);
  expect(await screen.findByText('Variants A and B are the same.')).toBeTruthy();
  fireEvent.click(await screen.findByRole('button', { name: /^Use \d+ %$/ }));
  expect(screen.queryByText(/Smaller differences stay hidden/)).toBeNull();
  fireEvent.change(screen.getByLabelText('Control group'), { target: { value: '20' } });
  fireEvent.change(screen.getByLabelText('Test share'), { target: { value: '90' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save experiment' }));
  expect(await screen.findByText(/more than 100 % together/)).toBeTruthy();
  expect(bodyOf(`PUT ${BASE}/experiment`)).toBeUndefined();
});

it('the review refuses variants of fewer than 100 recipients', async () => {
  recipients = 900;
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  expect(await screen.findByText('Each variant needs at least 100 recipients.')).toBeTruthy();
  const send = screen.getByRole('button', { name: /^Send now/ });
  await waitFor(() => expect(send.getAttribute('title')).toMatch(/at least 100/));
  expect((send as HTMLButtonElement).disabled).toBe(true);
  expect(screen.getByRole('radio', { name: 'B' })).toBeTruthy();
});

it('the owner of a running test chooses the variant for the remaining recipients', async () => {
  showSent({ decides_at: '2026-03-03T09:00:00.000Z' });
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  expect(
    await screen.findByText(/These figures still change\. Decides at .* or earlier/),
  ).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Choose B' }));
  const dialog = await screen.findByRole('dialog');
  fireEvent.click(within(dialog).getByRole('button', { name: 'Choose B' }));
  await waitFor(() => expect(bodyOf(`POST ${BASE}/experiment/decide`)).toEqual({ variant: 2 }));
});

it('a test with a manual decision shows its end, and no earlier decision', async () => {
  showSent({ decides_at: '2026-03-03T09:00:00.000Z', decision: 'manual' });
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  expect(await screen.findByText(/These figures still change\. Ends at .*\./)).toBeTruthy();
});

it.each([
  {
    winner: 2,
    interval: { low: 0.012, high: 0.044 },
    text: /B won: 25\.2% opened, A 22\.3%\. The difference is 2\.8 points \(1\.2 to 4\.4\)\. Decided .*, 2 h 10 min after sending\. The rest received B\./,
  },
  {
    winner: null,
    interval: { low: -0.01, high: 0.066 },
    text: /No clear winner\. B leads by 2\.8 points, which may be chance \(-1 to 6\.6\)\..* The rest received B\./,
  },
])(
  'a decided experiment names the winner, if any, and the interval of the difference',
  async ({ winner, interval, text }) => {
    showSent({
      state: 'decided',
      decided: {
        ...{ winner, chosen: 2, outcome: winner ? 'early' : 'no_winner', by: null },
        at: '2026-03-02T11:10:00.000Z',
        verdict: {
          ...{ leader: 2, runner_up: 1, leader_value: 0.252, runner_up_value: 0.223 },
          ...{ difference: 0.028, ...interval },
        },
      },
    });
    renderAreas([routes], `/campaigns/${ID}/confirm`);
    expect((await screen.findByText(text)).textContent).toMatch(text);
    expect(screen.queryByRole('button', { name: /^Choose/ })).toBeNull();
  },
);
