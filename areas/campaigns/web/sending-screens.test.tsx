// @vitest-environment jsdom
// Campaigns that wait, are being sent or were sent, against a scripted server: progress, limits,
// failed recipients and resends. Also the list and its actions.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, test, vi } from 'vitest';
import { DEFAULT_TIMING } from '#areas/broadcasts/shared.ts';
import type { CampaignLimit } from '#areas/deliverability/pilot-contract.ts';
import { queryClient } from '#platform/web/api/queries.ts';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { Campaign, ListedCampaign } from '../contract.ts';
import { campaignPath } from './paths.ts';
import { routes } from './routes.tsx';
import { BASE, draft, ID, session } from './sample-campaign.ts';
import { replaceTags } from '#platform/tag-fallbacks.ts';

const NOW = '2026-03-02T09:00:00.000Z';

const delivery: NonNullable<Campaign['delivery']> = {
  state: 'sending',
  reason: null,
  reply: null,
  audience: 10_000,
  audience_done: true,
  accepted: 1000,
  deferred: 0,
  failed: 0,
  skipped: 0,
  unknown: 0,
  remaining: 9000,
  held: 0,
  held_until: null,
  next_wave: null,
  halted: null,
  excluded: [{ reason: 'unsubscribed', count: 66 }],
  started_at: NOW,
  finished_at: null,
};
const sendingCampaign: Campaign = {
  ...draft,
  subject: 'Hello {{firstname | default: "friend"}}',
  status: 'SENT',
  delivery,
  sent_at: NOW,
  created: NOW,
  modified: NOW,
};

let visibleCampaign: Campaign;
let effect: object | null;
let limits: CampaignLimit[];
let place: ListedCampaign['place'];
let earned: ListedCampaign['earned'];
let calls: { name: string; key: string | null }[];

beforeAll(() => startTestApp());
beforeEach(() => {
  calls = [];
  visibleCampaign = sendingCampaign;
  effect = null;
  limits = [];
  place = { folder: null, labels: [], is_archived: false };
  earned = null;
  const responses: Record<string, () => unknown> = {
    'GET /client-api/api/users': () => session,
    'GET /client-api/api/campaigns': () => ({
      data: [{ ...visibleCampaign, place, earned }],
      meta: { from: 1, to: 1, page: 1, pageCount: 1, total: 1, perPage: 5 },
    }),
    [`GET ${BASE}`]: () => ({ data: visibleCampaign }),
    [`GET ${BASE}/timing/effect`]: () => ({ data: effect }),
    [`GET ${BASE}/limits`]: () => ({ data: limits }),
    [`GET ${BASE}/checks`]: () => ({ data: [] }),
    [`GET ${BASE}/preview_people`]: () => ({ data: [] }),
    [`GET ${BASE}/subscribers`]: () => ({ data: { count: 1234, total: 1234, excluded: [] } }),
    [`GET ${BASE}/plain_preview`]: () => ({
      data: { subject: 'Hello friend', preheader: '', text: 'Dear Ada' },
    }),
    'POST /client-api/api/campaigns/bulk': () => ({ data: { ids: [ID], skipped: 0 } }),
    [`POST ${BASE}/duplicate`]: () => ({
      data: { ...visibleCampaign, id: 'copy1', status: 'DRAFT' },
    }),
  };
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const url = new URL(String(input instanceof Request ? input.url : input), 'http://localhost');
    const name = `${init?.method ?? 'GET'} ${url.pathname}`;
    calls.push({ name, key: new Headers(init?.headers).get('idempotency-key') });
    const response = responses[name]?.();
    return new Response(JSON.stringify(response ?? {}), { status: response ? 200 : 404 });
  });
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

it('a sending campaign shows progress, rate and actions', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  await screen.findByText(/10%: 1,000 of 10,000 people/);
  expect(screen.queryByText(/a minute/)).toBeNull();
  visibleCampaign = {
    ...sendingCampaign,
    delivery: { ...delivery, accepted: 2000, remaining: 8000 },
  };
  await vi.advanceTimersByTimeAsync(4000);
  const line = await screen.findByText(/20%: 2,000 of 10,000 people/);
  // A thousand emails were sent in a few seconds, so the remaining ones take less than a minute.
  await waitFor(() => expect(line.textContent).toMatch(/\d+,\d{3} a minute, done in \d+ seconds/));
  expect(screen.getByRole('button', { name: 'Pause' })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Cancel sending' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Duplicate' })).toBeNull();
});

it.each([
  { status: 'SCHEDULED', accepted: 0, text: /becomes a draft again if nobody has received it/ },
  {
    status: 'SENT',
    accepted: 1000,
    text: /9,000 people will not get .*\. This cannot be undone\./,
  },
] as const)(
  'canceling a $status campaign states what happens to it',
  async ({ status, accepted, text }) => {
    const remaining = 10_000 - accepted;
    visibleCampaign = {
      ...sendingCampaign,
      status,
      delivery: { ...delivery, accepted, remaining },
    };
    renderAreas([routes], `/campaigns/${ID}/confirm`);
    fireEvent.click(await screen.findByRole('button', { name: 'Cancel sending' }));
    expect((await screen.findByRole('dialog')).textContent).toMatch(text);
  },
);

it('a sending campaign shows the autopilot’s limits and their reasons', async () => {
  const base = { count: 400, of: 1900, since: NOW, until: null };
  limits = [
    {
      ...{ ...base, mailbox: 'gmail', move: 'slow', cause: 'deferrals' },
      ...{ per_hour: 2000, is_engaged_only: false },
    },
    {
      ...{ ...base, mailbox: 'yahoo', move: 'narrow', cause: 'opens', until: NOW },
      ...{ per_hour: null, is_engaged_only: true },
    },
  ];
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  const panel = await screen.findByRole('region', { name: 'Limits of the autopilot' });
  expect(panel.textContent).toMatch(
    /Gmail: at most 2,000 emails an hour since .*2026.*, because 400 of 1,900 emails were deferred\./,
  );
  expect(panel.textContent).toMatch(
    /Yahoo: to engaged subscribers only from .* to .*, because 400 of 1,900 expected opens were missing\./,
  );
  const link = within(panel).getByRole('link', { name: 'Open the autopilot' });
  expect(link.getAttribute('href')).toBe('/settings/deliverability#pilot');
});

it.each([
  {
    reason: 'warm_up',
    held: 120,
    held_until: '2026-03-03T09:00:00.000Z',
    message: /warm-up is sent/,
  },
  {
    reason: 'relay_limit',
    held_until: '2026-03-02T10:05:00.000Z',
    message: /limit for this hour or day/,
  },
])('a waiting campaign shows its reason and end: $reason', async ({ message, ...waits }) => {
  visibleCampaign = { ...sendingCampaign, delivery: { ...delivery, state: 'waiting', ...waits } };
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  expect(await screen.findByRole('heading', { name: 'Waiting' })).toBeTruthy();
  expect(screen.queryByText('Waiting for the mail server')).toBeNull();
  const line = screen.getByText(message);
  expect(line.textContent).toMatch(
    waits.held
      ? /120 emails wait for the warm-up until .*2026/
      : /Sending continues .*2026.* 9,000 people are still waiting\./,
  );
});

it('a campaign stopped by the plan shows how many recipients wait and links to larger plans', async () => {
  visibleCampaign = {
    ...sendingCampaign,
    delivery: { ...delivery, state: 'paused', reason: 'plan_limit' },
  };
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  const link = await screen.findByRole('link', { name: 'Choose a larger plan' });
  expect(link.getAttribute('href')).toBe('/settings/billing/upgrade');
  expect(link.parentElement?.textContent).toContain('9,000 people are still waiting.');
});

it('a finished campaign links to its failed recipients and counts excluded ones', async () => {
  visibleCampaign = {
    ...sendingCampaign,
    delivery: {
      ...delivery,
      state: 'finished',
      accepted: 9990,
      failed: 7,
      skipped: 3,
      remaining: 0,
    },
  };
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  const link = await screen.findByRole('link', { name: 'Who, and why' });
  expect(link.getAttribute('href')).toBe(`/campaigns/${ID}/report/actions?action=not_sent`);
  expect(screen.getByRole('button', { name: 'Retry failed ones' })).toBeTruthy();
  expect(screen.getByText('of 10,066 selected will receive this')).toBeTruthy();
  expect(screen.getByText('Unsubscribed').nextElementSibling?.textContent).toBe('66');
});

it('a campaign sent at best hours shows their effect', async () => {
  effect = {
    own: { accepted: 900, acted: 270 },
    control: { accepted: 100, acted: 20 },
    ...{ difference: 0.1, low: 0.008, high: 0.172 },
  };
  visibleCampaign = { ...sendingCampaign, timing: { ...DEFAULT_TIMING, when: 'best_hour' } };
  const view = renderAreas([routes], `/campaigns/${ID}/confirm`);
  const line = await screen.findByText(/At their own best hour, 30% opened it/);
  expect(line.textContent).toContain('of the control group of 100 people, 20%');
  expect(line.textContent).toContain('The difference is 10 points (0.8 to 17.2)');
  expect(line.textContent).not.toContain('chance');
  view.unmount();
  queryClient.clear();
  effect = { ...effect, difference: 0.02, low: -0.03, high: 0.07 };
  const second = renderAreas([routes], `/campaigns/${ID}/confirm`);
  expect((await screen.findByText(/difference is 2 points/)).textContent).toContain('chance');
  second.unmount();
  queryClient.clear();
  effect = null;
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  await screen.findByText(/10%: 1,000 of 10,000 people/);
  expect(screen.queryByText(/best hour/)).toBeNull();
});

it('a draft for recipients’ local times can be scheduled but not sent now', async () => {
  visibleCampaign = { ...draft, timing: { ...DEFAULT_TIMING, when: 'own_time' } };
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  const now = await screen.findByRole<HTMLButtonElement>('button', { name: 'Send now to 1,234' });
  const schedule = screen.getByRole<HTMLButtonElement>('button', { name: 'Schedule' });
  await waitFor(() => expect(schedule.disabled).toBe(false));
  expect(now.disabled).toBe(true);
  expect(now.title).toMatch(/at their own time/);
});

it('two quick clicks on Duplicate send the same idempotency key', async () => {
  visibleCampaign = {
    ...sendingCampaign,
    delivery: { ...delivery, state: 'finished', remaining: 0 },
  };
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  const button = await screen.findByRole('button', { name: 'Duplicate' });
  fireEvent.click(button);
  fireEvent.click(button);
  const copies = () => calls.filter((call) => call.name === `POST ${BASE}/duplicate`);
  await waitFor(() => expect(copies().length).toBeGreaterThan(0));
  expect(new Set(copies().map((call) => call.key)).size).toBe(1);
  expect(copies()[0]?.key).toBeTruthy();
});

it('a late campaign can be scheduled again for the current number of recipients', async () => {
  visibleCampaign = {
    ...sendingCampaign,
    status: 'SCHEDULED',
    delivery: null,
    sent_at: null,
    is_late: true,
    scheduled_at: NOW,
    schedule_time: '2026-03-02 10:00:00',
    schedule_zone: 'Europe/Oslo',
  };
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  fireEvent.click(await screen.findByRole('button', { name: 'Choose another time' }));
  const button = await screen.findByRole('button', { name: /^Schedule for 1,234 people/ });
  // The button also shows the time.
  expect(button.textContent).toMatch(/\d{4}, \d{1,2}:(00|15|30|45)/);
});

it.each([
  ['sender_not_verified', "The resend could not start: the sender's domain is not verified."],
  ['content_invalid', /^The resend could not start: the email has errors/],
  ['not_found', /^The resend could not start: the campaign had been deleted/],
  ['server_error', /^The resend could not start: errors in Sendloom prevented it for an hour/],
  ['document_too_slow', 'The resend could not start: the email takes too long to lay out.'],
  ['document_newer', 'The resend could not start.'],
])('a failed start of a resend shows its reason: %s', async (reason, message) => {
  const resend = { subject: 'Again', hours: 12, due_at: NOW, campaign: null };
  const finishedDelivery = { ...delivery, state: 'finished' as const };
  visibleCampaign = {
    ...sendingCampaign,
    delivery: finishedDelivery,
    resend: { ...resend, state: 'failed', reason },
  };
  renderAreas([routes], `/campaigns/${ID}/confirm`);
  expect(await screen.findByText(message)).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Set up a resend' })).toBeTruthy();
});

it('the list offers the actions that each campaign permits', async () => {
  const menu = async (campaign: Campaign) => {
    visibleCampaign = campaign;
    renderAreas([routes], '/campaigns');
    expect(await screen.findByText('Hello friend')).toBeTruthy();
    fireEvent.click(screen.getByRole('button', { name: /Spring tea/ }));
    const list = await screen.findByRole('menu');
    const names = within(list)
      .getAllByRole('menuitem', { hidden: true })
      .map((item) => item.textContent);
    endTestApp();
    return names;
  };
  const finishedCampaign = {
    ...sendingCampaign,
    delivery: { ...delivery, state: 'finished' as const },
  };
  expect(await menu(finishedCampaign)).toEqual([
    'Report',
    'Sending and resend',
    'Duplicate',
    'Rename',
    'Move to a folder',
    'Add a label',
    'Archive',
    'Delete',
  ]);
  // A sending campaign must be canceled before it can be deleted.
  expect(await menu(sendingCampaign)).not.toContain('Delete');
  const draft = { ...sendingCampaign, status: 'DRAFT' as const, delivery: null, sent_at: null };
  expect(await menu(draft)).toEqual([
    'Edit',
    'Duplicate',
    'Rename',
    'Move to a folder',
    'Add a label',
    'Archive',
    'Delete',
  ]);
  place.is_archived = true;
  expect(await menu(draft)).toContain('Move out of the archive');
});

it('the list copies a campaign to another account of the user, if there is one', async () => {
  queryClient.clear();
  const ownAccount = { id: 'a', title: 'Nordic Tea', owner: 'ada@tea.example', is_current: true };
  const otherAccount = {
    id: 'b',
    title: 'Coffee House',
    owner: 'bob@coffee.example',
    is_current: false,
  };
  let accounts = [ownAccount];
  let reads = 0;
  const originalFetch = globalThis.fetch;
  const copyCalls: unknown[] = [];
  vi.stubGlobal('fetch', async (input: string | URL | Request, init?: RequestInit) => {
    const path = String(input instanceof Request ? input.url : input);
    if (path.endsWith('/users/accounts')) {
      reads += 1;
      return Response.json({ data: accounts });
    }
    if (!path.endsWith(`${BASE}/copy_to_account`)) return originalFetch(input, init);
    copyCalls.push(JSON.parse(String(init?.body)));
    return Response.json({ data: { id: 'copy1' } });
  });
  const openMenu = async () => {
    renderAreas([routes], '/campaigns');
    fireEvent.click(await screen.findByRole('button', { name: /Spring tea/ }));
    return within(await screen.findByRole('menu'));
  };
  const menuItem = { name: 'Copy to another account', hidden: true };
  const menu = await openMenu();
  await waitFor(() => expect(reads).toBe(1));
  expect(menu.getByRole('menuitem', { name: 'Duplicate', hidden: true })).toBeTruthy();
  expect(menu.queryByRole('menuitem', menuItem)).toBeNull();
  endTestApp();
  queryClient.clear();
  accounts = [ownAccount, otherAccount];
  fireEvent.click(await (await openMenu()).findByRole('menuitem', menuItem));
  const dialog = within(await screen.findByRole('dialog'));
  // The current account is not a choice.
  expect(await dialog.findByDisplayValue('Coffee House')).toBeTruthy();
  fireEvent.click(dialog.getByRole('button', { name: 'Copy' }));
  expect(await screen.findByText('“Spring tea” was copied to Coffee House')).toBeTruthy();
  expect(copyCalls).toEqual([{ account: 'b' }]);
  queryClient.clear();
});

it('the list shows folder, labels and revenue and archives the selected campaigns', async () => {
  const label = { id: 'label1', title: 'Sale', color: 'red' as const };
  place = { folder: { id: 'folder1', title: 'Autumn' }, labels: [label], is_archived: false };
  earned = [{ currency: 'EUR', orders: 2, revenue: 1250 }];
  renderAreas([routes], '/campaigns');
  expect(await screen.findByText('Autumn')).toBeTruthy();
  expect(screen.getByText('Sale')).toBeTruthy();
  expect(screen.getByRole('columnheader', { name: 'Revenue' })).toBeTruthy();
  expect(screen.getByText('€1,250')).toBeTruthy();
  expect(screen.getByText('2 orders')).toBeTruthy();
  fireEvent.click(screen.getByRole('checkbox', { name: /Spring tea/ }));
  const bar = within(await screen.findByRole('region', { name: 'Actions for the selection' }));
  expect(bar.getByText('1 selected')).toBeTruthy();
  fireEvent.click(bar.getByRole('button', { name: 'Archive' }));
  expect(await screen.findByText('1 archived')).toBeTruthy();
  const archiveCall = calls.find(({ name }) => name === 'POST /client-api/api/campaigns/bulk');
  expect(archiveCall?.key).toBeTruthy();
  await waitFor(() => expect(screen.queryByText('1 selected')).toBeNull());
});

test('a campaign opens at its current step', () => {
  const getPathWith = (changes: Partial<Campaign>) =>
    campaignPath({ ...sendingCampaign, ...changes });
  expect(getPathWith({})).toBe(`/campaigns/${ID}/confirm`);
  expect(getPathWith({ delivery: { ...delivery, state: 'paused' } })).toBe(
    `/campaigns/${ID}/confirm`,
  );
  expect(getPathWith({ delivery: { ...delivery, state: 'finished' } })).toBe(
    `/campaigns/${ID}/report/overview`,
  );
  expect(getPathWith({ status: 'SCHEDULED', delivery: null })).toBe(`/campaigns/${ID}/confirm`);
  const draft = { status: 'DRAFT', delivery: null } as const;
  const steps = {
    step1: 'edit',
    editor: 'editor',
    step3: 'subscribers',
    step4: 'confirm',
  } as const;
  for (const [last_action, end] of Object.entries(steps)) {
    expect(getPathWith({ ...draft, last_action: last_action as keyof typeof steps })).toBe(
      `/campaigns/${ID}/${end}`,
    );
  }
});

test('merge tags are shown as their fallbacks or names', () => {
  expect(replaceTags('A {{ firstname | default: "dear customer" }}, {{city}} {$street}')).toBe(
    'A dear customer, [city] [street]',
  );
  expect(replaceTags("{{ firstname | upcase | default: 'friend' }}!")).toBe('friend!');
  expect(replaceTags("{{ firstname | fallback: 'دوست' }}!")).toBe('دوست!');
  expect(replaceTags('{{ firstname | default: "" }} 10 {} {{')).toBe(' 10 {} {{');
});
