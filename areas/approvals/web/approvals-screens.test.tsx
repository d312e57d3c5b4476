// @vitest-environment jsdom
// The list of requests for approval, a request with its decision, and the call of a user who lacks
// the right to it.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import { sampleSession } from '#platform/web/session/sample-session.ts';
import type { ApprovalDetail, ApprovedRequest } from '../contract.ts';
import { registerFindings } from './finding-lists.ts';
import { requestCall } from './queries.ts';
import { routes } from './routes.tsx';

const APPROVAL: ApprovalDetail = {
  id: 'a1',
  kind: 'campaign_schedule',
  state: 'open',
  subject: { id: 'c1', title: 'Spring', path: '/campaigns/c1/confirm' },
  scheduled: null,
  asked_at: '2026-03-01T10:00:00.000Z',
  asked_by: { id: 'u2', name: 'Ada Lovelace', email: 'ada@tea.example' },
  program: null,
  note: 'Please check',
  expires_at: '2026-03-15T10:00:00.000Z',
  decided_at: null,
  decided_by: null,
  reason: '',
  recipients: 1200,
  can_decide: true,
  can_withdraw: true,
  audience: { count: 1200, total: 1300, excluded: [{ reason: 'bounced', count: 100 }] },
  cost: null,
  findings: [],
  hosts: [
    { host: 'tea.example', is_new: false },
    { host: 'unknown.example', is_new: true },
  ],
  previews: [],
  people: [],
  compared_with: 'sent',
  diff: [
    { change: 'same', part: 'from', text: 'Tea <news@tea.example>' },
    { change: 'added', part: 'text', text: 'A new offer' },
  ],
  ceiling: 1320,
};

const calls: { call: string; body: unknown }[] = [];
let requests: object[];
let approvalDetail: ApprovalDetail;
let foundContents: ApprovedRequest['found_in'];

beforeAll(() => startTestApp());
beforeEach(() => {
  calls.length = 0;
  requests = [APPROVAL];
  approvalDetail = APPROVAL;
  foundContents = undefined;
  vi.stubGlobal('fetch', async (input: string, init?: RequestInit) => {
    const { pathname, search } = new URL(String(input), location.origin);
    const call = `${init?.method ?? 'GET'} ${pathname}${search}`;
    calls.push({ call, body: init?.body && JSON.parse(String(init.body)) });
    if (search.includes('ask=1')) {
      const body = { code: 'approval_requested', approval: 'a1', message: 'Waiting' };
      return new Response(JSON.stringify(body), { status: 403 });
    }
    return new Response(JSON.stringify(respondTo(pathname)), { status: 200 });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  endTestApp();
});

function respondTo(path: string): object {
  if (path.endsWith('/approvals')) return { data: requests, next: null };
  if (path.endsWith('/count')) return { data: { count: requests.length } };
  if (path.endsWith('/settings')) return { data: { needs_four_eyes: false } };
  if (path.endsWith('/approvals/a1/approve'))
    return { data: { ...approvalDetail, found_in: foundContents } };
  if (path.includes('/approvals/a1')) return { data: approvalDetail };
  return { data: sampleSession };
}

test('the list shows open requests and the four-eyes setting, or that there are no requests', async () => {
  const view = renderAreas([routes], '/approvals');
  const link = await screen.findByRole('link', { name: 'Spring' });
  expect(link.getAttribute('href')).toBe('/approvals/a1');
  expect(screen.getByText('Send an email campaign · 1,200 recipients')).toBeTruthy();
  fireEvent.click(await screen.findByRole('switch'));
  await waitFor(() =>
    expect(calls.find(({ call }) => call.startsWith('PUT'))?.body).toEqual({
      needs_four_eyes: true,
    }),
  );
  view.unmount();
  endTestApp();
  requests = [];
  renderAreas([routes], '/approvals');
  expect(await screen.findByText('No requests')).toBeTruthy();
});

test('a request shows changes since the last sent campaign and is approved with a note', async () => {
  renderAreas([routes], '/approvals/a1');
  expect(await screen.findByText('unknown.example')).toBeTruthy();
  expect(screen.getAllByText('New')).toHaveLength(1);
  expect(screen.getByText('A new offer')).toBeTruthy();
  expect(screen.queryByText('Tea <news@tea.example>')).toBeNull();
  expect(screen.getByText('1,200 recipients · valid for up to 1,320')).toBeTruthy();
  fireEvent.change(screen.getByLabelText('Note to the requester'), { target: { value: 'Good' } });
  fireEvent.click(screen.getByRole('button', { name: 'Approve' }));
  await waitFor(() =>
    expect(calls.find(({ call }) => call.endsWith('/a1/approve'))?.body).toEqual({
      reason: 'Good',
      // The request contains the number of recipients that the screen showed.
      recipients: 1200,
    }),
  );
});

test('a request to delete subscribers shows some of them, and approving it requires entering their number', async () => {
  approvalDetail = {
    ...APPROVAL,
    kind: 'subscribers_delete',
    subject: { id: 's1', title: 'Delete 3 subscribers', path: '/subscribers' },
    audience: { count: 3, total: 3, excluded: [] },
    people: [{ id: 'p1', title: 'ada@home.example' }],
    ...{ hosts: [], compared_with: null, ceiling: null },
    diff: [{ change: 'added', part: 'condition', text: 'Email ends with home.example' }],
  };
  renderAreas([routes], '/approvals/a1');
  const link = await screen.findByRole('link', { name: 'ada@home.example' });
  expect(link.getAttribute('href')).toBe('/subscribers/p1/view');
  expect(screen.getByText('3 subscribers')).toBeTruthy();
  expect(screen.getByText('and 2 others')).toBeTruthy();
  expect(screen.getByText('Email ends with home.example')).toBeTruthy();
  fireEvent.click(screen.getByRole('button', { name: 'Approve' }));
  const dialog = within(await screen.findByRole('dialog'));
  const confirmButton = dialog.getByRole<HTMLButtonElement>('button', { name: 'Approve' });
  expect(confirmButton.disabled).toBe(true);
  fireEvent.change(dialog.getByRole('textbox'), { target: { value: '3' } });
  fireEvent.click(confirmButton);
  const listDecisions = () => calls.filter(({ call }) => call.endsWith('/a1/approve'));
  await waitFor(() => expect(listDecisions()).toHaveLength(1));
});

test('an approved erasure lists content that still contains the address', async () => {
  approvalDetail = {
    ...APPROVAL,
    kind: 'subscriber_erase',
    subject: {
      id: 's1',
      title: 'Erase personal data of a subscriber',
      path: '/subscribers/s1/view',
    },
    audience: { count: 1, total: 1, excluded: [] },
    ...{ hosts: [], compared_with: null, ceiling: null, diff: [] },
  };
  foundContents = [
    { kind: 'campaign', id: 'c1', title: 'Spring' },
    { kind: 'sms', id: 't1', title: 'Spring by SMS' },
  ];
  renderAreas([routes], '/approvals/a1');
  fireEvent.click(await screen.findByRole('button', { name: 'Approve' }));
  const dialog = within(await screen.findByRole('dialog'));
  fireEvent.change(dialog.getByRole('textbox'), { target: { value: '1' } });
  fireEvent.click(dialog.getByRole('button', { name: 'Approve' }));
  const remaining = await screen.findByRole('dialog', {
    name: 'The address is still in contents that you wrote',
  });
  const names = within(remaining)
    .getAllByRole('listitem')
    .map((item) => item.textContent);
  expect(names).toEqual(['Spring', 'Spring by SMS']);
});

test('the findings of an SMS campaign are shown by the component that was registered for them', async () => {
  registerFindings(['sms_schedule'], (findings) => <p>{`SMS: ${JSON.stringify(findings)}`}</p>);
  const findings = [{ code: 'no_consent', severity: 'warning' }];
  approvalDetail = { ...APPROVAL, kind: 'sms_schedule', findings };
  renderAreas([routes], '/approvals/a1');
  expect(await screen.findByText(`SMS: ${JSON.stringify(findings)}`)).toBeTruthy();
});

test('a call without the required right becomes a request for approval', async () => {
  const call = { method: 'POST', path: '/client-api/api/campaigns/c1/schedule', body: {} } as const;
  await expect(requestCall(call, ' Please ')).resolves.toBeUndefined();
  expect(calls.map(({ call: name }) => name)).toEqual([
    'POST /client-api/api/campaigns/c1/schedule?ask=1&note=Please',
  ]);
});
