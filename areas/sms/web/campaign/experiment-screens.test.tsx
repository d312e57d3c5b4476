// @vitest-environment jsdom
// Experiments of SMS campaigns against a scripted server: the setup, and a preview of each variant.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { DEFAULT_TIMING } from '#areas/broadcasts/shared.ts';
import { queryClient } from '#platform/web/api/queries.ts';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { SmsCampaign } from '../../contract.ts';
import { routes } from '../routes.tsx';

const BASE = '/client-api/api/sms/campaign/c1';
const CREATED = '2026-03-02T09:00:00.000Z';

const draft: SmsCampaign = {
  ...{ id: 'c1', title: 'Spring', text: 'First text', sender: '+15125550177', phone_id: 'p1' },
  ...{ status: 'DRAFT', last_action: 'step4', revision: 1 },
  ...{ add_organization_name: 'FALSE', append_opt_out: 'FALSE', google_analytics: 'FALSE' },
  ...{ send_to_all: 'TRUE', utm: {}, tags: [], exclude_tags: [], filters: [], exclude_filters: [] },
  ...{ schedule_time: null, schedule_zone: null, scheduled_at: null, is_late: false },
  ...{ series: null, series_of: null, occurs_on: null, timing: DEFAULT_TIMING },
  ...{ delivery: null, figures: null, experiment: null, sent_at: null },
  ...{ created: CREATED, modified: CREATED },
};
const summary = {
  state: 'draft',
  reason: null,
  variants: 2,
  has_rest_due: false,
  winner: null,
  subject: null,
  decides_at: null,
} as const;
const variant = (number: number, text: string | null) => ({
  ...{ number, id: number === 1 ? null : `v${number}`, text, delay_minutes: null, share: 10 },
  figures: null,
});
const experiment = {
  ...{ id: 'e1', metric: 'clicks', duration_hours: 24, test_share: 20, holdout_share: 0 },
  ...{ holdout_days: 7, decision: 'automatic', fallback: 'leader', state: 'draft', reason: null },
  ...{ decides_at: null, variants: [variant(1, null), variant(2, 'Second text')] },
  ...{ rest: { share: 80, people: null, state: null }, holdout: null, baseline: 0.02 },
  ...{ revenue_currency: null, decided: null, final: null },
};

let campaign: SmsCampaign;
let savedBody: unknown;
let session: typeof sampleSession;

beforeAll(() => startTestApp());
beforeEach(() => {
  campaign = draft;
  savedBody = undefined;
  session = sampleSession;
  const responses: Record<string, (body: unknown) => unknown> = {
    'GET /client-api/api/users': () => ({ data: session }),
    [`GET ${BASE}`]: () => ({ data: campaign }),
    [`GET ${BASE}/experiment`]: () => campaign.experiment && { data: experiment },
    [`PUT ${BASE}/experiment`]: (body) => {
      savedBody = body;
      return { data: experiment };
    },
    [`GET ${BASE}/subscribers`]: () => ({ data: { count: 5000, total: 5000, excluded: [] } }),
    [`GET ${BASE}/checks`]: () => ({ data: { findings: [], waits: [] } }),
    [`GET ${BASE}/notes`]: () => ({ data: [] }),
    'GET /client-api/api/sms/people': () => ({ data: [] }),
    'GET /client-api/api/sms/settings': () => ({ data: {} }),
    'GET /client-api/api/test_recipients': () => ({ data: [] }),
    'POST /client-api/api/sms/preview': (body) => {
      const preview = { text: `${(body as { text: string }).text}!` };
      return { data: { shown: preview, worst: preview } };
    },
  };
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(String(input instanceof Request ? input.url : input), 'http://localhost');
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    const response = responses[`${init?.method ?? 'GET'} ${url.pathname}`]?.(body);
    const missing = { code: 'not_found', message: '' };
    return Response.json(response ?? missing, { status: response ? 200 : 404 });
  });
});
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
});

test('a new experiment of an SMS campaign compares texts by clicks', async () => {
  renderAreas([routes], '/sms/c1/experiment');
  const second = await screen.findByRole('group', { name: 'Variant B' });
  expect(screen.queryByLabelText('Subject')).toBeNull();
  const text = within(second).getByLabelText('Text');
  expect(text.getAttribute('placeholder')).toBe('First text');
  fireEvent.change(text, { target: { value: 'Second text' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save experiment' }));
  await waitFor(() => expect(savedBody).toBeTruthy());
  expect(savedBody).toMatchObject({ metric: 'clicks', variants: [{}, { text: 'Second text' }] });
});

test('each variant of an SMS campaign has a preview', async () => {
  campaign = { ...draft, experiment: summary };
  renderAreas([routes], '/sms/c1/confirm');
  await screen.findByText('First text!');
  fireEvent.click(await screen.findByRole('radio', { name: 'B' }));
  expect(await screen.findByText('Second text!')).toBeTruthy();
  expect(screen.getByPlaceholderText('Preview as')).toBeTruthy();
});

test('a user who may not see subscribers cannot choose a subscriber for the preview', async () => {
  session = { ...sampleSession, rights: ['read', 'drafts'] };
  renderAreas([routes], '/sms/c1/confirm');
  await screen.findByText('First text!');
  expect(screen.queryByPlaceholderText('Preview as')).toBeNull();
});
