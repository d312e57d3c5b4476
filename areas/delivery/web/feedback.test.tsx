// @vitest-environment jsdom
// The screens of provider webhooks and delivery explanations, with responses typed by the contract.
import { fireEvent, screen, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { endTestApp, renderComponent, startTestApp } from '#platform/web/shell/test-app.tsx';
import { queryClient } from '#platform/web/api/queries.ts';
import type { Suggestion } from '#platform/web/ui/suggest-field.tsx';
import { SUPPRESSION_REASONS } from '#areas/subscribers/shared.ts';
import feedback from '../../../locales/eng/feedback.json' with { type: 'json' };
import { DELAY_REASONS, SKIPS, STATE_REASONS } from '../shared.ts';
import type { ProviderWebhook } from '../provider-hooks-contract.ts';
import type { DeliveryExplanation, WhyStep } from '../why-contract.ts';
import DeliveryExplanationDialog from './delivery-explanation-dialog.tsx';
import { ProviderWebhooks } from './webhooks.tsx';
import WhyPanel from './why-panel.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  queryClient.clear();
});

const hook = (
  provider: ProviderWebhook['provider'],
  more: Partial<ProviderWebhook> = {},
): ProviderWebhook => ({
  provider,
  url: `https://mail.example/hooks/${provider}/secret`,
  key: 'required',
  has_key: false,
  shown_key: null,
  last_event: null,
  ...more,
});
const step = (kind: WhyStep['kind'], fields: Partial<WhyStep> = {}): WhyStep => ({
  kind,
  at: '2026-05-01T10:00:00.000Z',
  until: null,
  names: [],
  reason: null,
  code: null,
  reply: null,
  relay: null,
  is_human: null,
  ...fields,
});
const explanation: DeliveryExplanation = {
  answer: 'came_back',
  email: 'ada@x.example',
  subject: 'Fresh tea',
  is_compacted: true,
  steps: [
    step('matched', { names: ['Readers', 'Guests'], reason: 'groups' }),
    step('accepted', { until: '2026-05-01T11:00:00.000Z', relay: 'relay.example:25' }),
    step('opened', { is_human: false }),
    step('hard_bounce', { code: '5.1.1', reply: 'No such user' }),
  ],
};

let requests: { path: string; method: string; body: unknown }[];
let currentWhy: DeliveryExplanation;
beforeEach(() => {
  currentWhy = explanation;
  requests = [];
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const path = new URL(input, 'http://x').pathname + new URL(input, 'http://x').search;
    const body = init?.body ? JSON.parse(String(init.body)) : undefined;
    requests.push({ path, method: init?.method ?? 'GET', body });
    const data = path.includes('/why')
      ? currentWhy
      : path.endsWith('/webhooks')
        ? [
            hook('ses', {
              key: 'offered',
              shown_key: 'arn:aws:sns:eu-north-1:1:mails',
              has_key: true,
            }),
            hook('sendgrid'),
            hook('postmark', { key: 'optional', last_event: '2026-05-01T10:00:00.000Z' }),
          ]
        : hook('sendgrid', { has_key: true });
    return Response.json({ data });
  });
});

test('each provider webhook shows its URL and key, and a missing key can be set', async () => {
  renderComponent(<ProviderWebhooks />);
  const items = await screen.findAllByRole('listitem');
  const [ses, sendgrid, postmark] = items as [HTMLElement, HTMLElement, HTMLElement];
  expect(within(ses).getByText(/arn:aws:sns/)).toBeTruthy();
  expect(within(ses).queryByRole('button', { name: 'Set the key' })).toBeNull();
  expect(within(sendgrid).getByText(/reports are ignored without it/)).toBeTruthy();
  expect(within(sendgrid).getByLabelText<HTMLInputElement>('Address for SendGrid').value).toBe(
    'https://mail.example/hooks/sendgrid/secret',
  );
  expect(within(postmark).getByText(/Last report/)).toBeTruthy();
  fireEvent.click(within(sendgrid).getByRole('button', { name: 'Set the key' }));
  fireEvent.change(await screen.findByLabelText(/Verification key/), {
    target: { value: 'MFkwEw' },
  });
  fireEvent.click(screen.getByRole('button', { name: 'Save key' }));
  expect(await screen.findByText('The key for SendGrid was saved')).toBeTruthy();
  expect(requests.find((request) => request.method === 'PUT')).toEqual({
    path: '/client-api/api/relays/webhooks/sendgrid',
    method: 'PUT',
    body: { signing_key: 'MFkwEw' },
  });
});

test('the explanation shows the answer, then the chain in order with the replies of mail servers', async () => {
  renderComponent(<WhyPanel question={{ campaign: 'c1', subscriber: 's1' }} />);
  expect(await screen.findByText(/bounced later/)).toBeTruthy();
  expect(requests[0]?.path).toBe('/client-api/api/campaigns/c1/why?subscriber=s1');
  const steps = screen.getAllByRole('listitem').map((item) => item.textContent);
  expect(steps).toHaveLength(4);
  expect(steps[0]).toContain('Readers and Guests');
  expect(steps[1]).toContain('by May 1, 2026');
  expect(steps[2]).toContain('by a program');
  expect(steps[3]).toContain('5.1.1 No such user');
  expect(screen.getByText(/single attempts are no longer kept/)).toBeTruthy();
});

test('the explanation of an unverified domain differs for a paused campaign and a retried single email', async () => {
  const reason = 'sender_not_verified';
  for (const [kind, text] of [
    ['queued', /^paused: the sender's domain/],
    ['held', /^the sender's domain/],
  ] as const) {
    currentWhy = { ...explanation, steps: [step(kind, { reason })] };
    const { unmount } = renderComponent(
      <WhyPanel question={{ campaign: kind, subscriber: 's1' }} />,
    );
    expect(await screen.findByText(text)).toBeTruthy();
    unmount();
  }
});

test('the explanation dialog searches for a subscriber, and another search hides the explanation', async () => {
  const suggest = vi.fn<(term: string, signal: AbortSignal) => Promise<Suggestion[]>>(async () => [
    { id: 's9', value: 'ada@tea.example' },
  ]);
  renderComponent(
    <DeliveryExplanationDialog
      isOpen
      close={() => undefined}
      searchFor="subscriber"
      suggest={suggest}
      getQuestion={(subscriber) => ({ campaign: 'c1', subscriber })}
    />,
  );
  const field = await screen.findByRole('textbox', { name: 'Subscriber' });
  fireEvent.change(field, { target: { value: 'ada' } });
  fireEvent.click(await screen.findByText('ada@tea.example'));
  expect(await screen.findByText(/bounced later/)).toBeTruthy();
  expect(suggest).toHaveBeenCalledWith('ada', expect.anything());
  expect(requests.at(-1)?.path).toBe('/client-api/api/campaigns/c1/why?subscriber=s9');
  fireEvent.change(field, { target: { value: 'ad' } });
  expect(screen.queryByText(/bounced later/)).toBeNull();
});

test('each step reason has a message', () => {
  // Ledger reasons other than the reasons for audiences, messages and suppressions.
  const LEDGER_REASONS = [
    'recipient',
    'domain',
    'message',
    'relay',
    'connection',
    'sender_lost',
    'gave_up',
    'needs_utf8',
    'retry_unknown',
    'retry_failed',
    'unknown',
    'message_gone',
    'machine',
  ];
  const MATCH_REASONS = ['all', 'groups', 'segment', 'unopened'];
  const STATES = ['preparing', 'sending', 'waiting'];
  const allKeys = [
    SKIPS,
    DELAY_REASONS,
    STATE_REASONS,
    SUPPRESSION_REASONS,
    LEDGER_REASONS,
    MATCH_REASONS,
    STATES,
  ].flat();
  const { reasons } = feedback.why;
  expect(allKeys.filter((reason) => !(reason in reasons))).toEqual([]);
});
