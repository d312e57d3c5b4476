// @vitest-environment jsdom
// The compliance screen of a sender (verification by code, terms) and the steps of the SMS setup.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, test, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { Compliance } from '../../contract.ts';
import { readReturn, rememberReturn } from '../return-target.ts';
import ComplianceScreen from './compliance-screen.tsx';
import OnboardScreen from './onboard-screen.tsx';

const SESSION = {
  user: { id: 'u', email: 'ada@tea.example', name: 'Ada', surname: 'Bloom', language: 'eng' },
  account: { id: 'a', title: 'Nordic Tea', timezone: 'Europe/Oslo', country: 'NO' },
};

let terms: Compliance['terms'];
let status: Compliance['phone']['status'];
let owner: Compliance['owner'];
let postCalls: [string, unknown][];

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  queryClient.clear();
  vi.unstubAllGlobals();
  sessionStorage.clear();
});

function show(firstOwner: Compliance['owner']): void {
  owner = firstOwner;
  terms = null;
  status = 'draft';
  postCalls = [];
  const phone = {
    ...{ id: 'p1', kind: 'long_code', value: '+37061234567', use_case: 'Offers' },
    ...{ status: 'draft', reason: null, missing: ['owner'], is_shared: false },
    created: '2026-05-01T10:00:00.000Z',
  };
  const verification = { status: 'draft', reason: null, submitted_at: null, is_forwarded: false };
  vi.stubGlobal('fetch', async (path: string, init?: RequestInit) => {
    if (path.endsWith('/users')) return Response.json({ data: SESSION });
    if (path.endsWith('/sms/settings')) {
      return Response.json({ data: { provider: 'provider', is_free: true } });
    }
    if (init?.method !== 'POST') {
      const data = {
        phone: { ...phone, status },
        terms,
        verification: { ...verification, values: {} },
        owner,
      };
      return new Response(JSON.stringify({ data }));
    }
    postCalls.push([path, init.body ? JSON.parse(String(init.body)) : undefined]);
    if (path.endsWith('/terms')) {
      terms = { version: '2026-11-01', name: 'Ada Bloom', at: phone.created, is_current: true };
      status = 'active';
      return Response.json({ data: {} });
    }
    if (path.endsWith('/code')) {
      const expires_at = '2026-05-01T10:10:00.000Z';
      owner = { ...owner, code_expires_at: expires_at };
      return new Response(JSON.stringify({ data: { expires_at } }));
    }
    const errors = { code: ['This code is wrong. Check the SMS.'] };
    return new Response(JSON.stringify({ code: 'wrong_code', message: '', errors }), {
      status: 422,
    });
  });
  renderScreen(ComplianceScreen, {
    at: '/settings/phone/p1/compliance',
    path: '/settings/phone/$phone/compliance',
  });
}

test('a wrong code is refused with an error next to its field, and a new code can be sent', async () => {
  show({ by_code: true, code_expires_at: null, has_operator: true });
  fireEvent.click(await screen.findByRole('button', { name: 'Send code' }));
  const field = await screen.findByLabelText(/Code from the SMS/);
  fireEvent.change(field, { target: { value: '123456' } });
  fireEvent.click(screen.getByRole('button', { name: 'Verify' }));
  expect(await screen.findByText('This code is wrong. Check the SMS.')).toBeTruthy();
  await waitFor(() =>
    expect(postCalls).toEqual([
      ['/client-api/api/phone/p1/code', undefined],
      ['/client-api/api/phone/p1/code/verify', { code: '123456' }],
    ]),
  );
  expect(screen.getByRole('button', { name: 'Send a new code' })).toBeTruthy();
});

test('without an operator, the screen of a sender that cannot be verified by code mentions OPERATOR_EMAILS', async () => {
  show({ by_code: false, code_expires_at: null, has_operator: false });
  expect(await screen.findByText(/OPERATOR_EMAILS/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Send code' })).toBeNull();
});

test('the terms are accepted on the screen with the user’s name, and the screen links back to the campaign', async () => {
  rememberReturn({ to: '/sms/c1/edit', kind: 'campaign', takesSender: true });
  show({ by_code: false, code_expires_at: null, has_operator: true });
  fireEvent.click(await screen.findByRole('button', { name: 'I accept' }));
  const backLink = await screen.findByRole('link', { name: 'Back to your campaign' });
  expect(postCalls).toEqual([
    ['/client-api/api/phone/p1/compliance/terms', { version: '2026-11-01', name: 'Ada Bloom' }],
  ]);
  expect(backLink.getAttribute('href')).toBe('/sms/c1/edit');
  fireEvent.click(backLink);
  expect(readReturn()).toBeUndefined();
  expect(sessionStorage.getItem('sendloom.sms.sender')).toBe('p1');
});

test('SMS setup begins with a sender and continues with its compliance', async () => {
  let senders: object[] = [];
  vi.stubGlobal('fetch', async (path: string) => {
    if (path.endsWith('/users')) return Response.json({ data: SESSION });
    if (path.endsWith('/sms/settings')) return Response.json({ data: { is_onboarded: false } });
    return Response.json({ data: senders });
  });
  const targets = async () => {
    renderScreen(OnboardScreen, { at: '/users/sms_onboard' });
    const links = within(await screen.findByRole('list')).getAllByRole('link');
    return links.map((link) => link.getAttribute('href'));
  };
  expect(await targets()).toEqual(['/sms/create-sender', '/sms/create-sender', '/settings/phone']);
  endTestApp();
  queryClient.clear();
  senders = [{ id: 'p1', status: 'draft' }];
  expect((await targets())[1]).toBe('/sms/phone/p1/tcpa_and_ctia_compliance');
});

test('SMS setup offers a retry if its settings could not be loaded', async () => {
  let settings = new Response(null, { status: 500 });
  vi.stubGlobal('fetch', async (path: string) => {
    if (path.endsWith('/users')) return Response.json({ data: SESSION });
    return path.endsWith('/sms/settings') ? settings : Response.json({ data: [] });
  });
  renderScreen(OnboardScreen, { at: '/users/sms_onboard' });
  const retry = await screen.findByRole('button', { name: 'Try again' });
  settings = Response.json({ data: { is_onboarded: false } });
  fireEvent.click(retry);
  expect(await screen.findByRole('list')).toBeTruthy();
});
