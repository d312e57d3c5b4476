// @vitest-environment jsdom
// The sign-in screens: the requests they send, and the errors they show when the server refuses.
import { fireEvent, screen, waitFor } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { queryClient } from '#platform/web/api/queries.ts';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import { routes } from './routes.tsx';
import { toSafePath } from './sign-in-service.ts';

const fetchMock = vi.fn<typeof fetch>();

beforeAll(() => startTestApp());
beforeEach(() => {
  fetchMock.mockReset();
  vi.stubGlobal('fetch', fetchMock);
  const methods = { data: { oidc: null, has_passwords: true } };
  queryClient.setQueryData(['auth', 'api', 'methods'], methods);
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
  document.cookie = 'logout_reason=; path=/; max-age=0';
});

function respond(status: number, body: object): void {
  fetchMock.mockResolvedValueOnce(new Response(JSON.stringify(body), { status }));
}

async function fill(values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    fireEvent.change(await screen.findByLabelText(label), { target: { value } });
  }
}

function getSentBody(): unknown {
  return JSON.parse(String(fetchMock.mock.calls.at(-1)?.[1]?.body));
}

it('sign-in requires an address and a password before it sends a request', async () => {
  renderAreas([routes], '/auth');
  fireEvent.click(await screen.findByRole('button', { name: 'Sign in' }));
  expect(await screen.findByText('Enter your email address')).toBeTruthy();
  expect(screen.getByText('Enter your password')).toBeTruthy();
  expect(fetchMock).not.toHaveBeenCalled();
});

it('sign-in shows in the form that the address or password is wrong', async () => {
  renderAreas([routes], '/auth');
  respond(422, { code: 'wrong_credentials', message: 'The address or the password is wrong.' });
  await fill({ 'Email address': ' a@b.co ', Password: 'not this one' });
  fireEvent.click(screen.getByRole('button', { name: 'Sign in' }));
  expect((await screen.findByRole('alert')).textContent).toBe(
    'The address or the password is wrong.',
  );
  expect(getSentBody()).toEqual({ email: 'a@b.co', password: 'not this one' });
});

it.each([
  ['/auth?next=/%23here', 'Sign in', { 'Email address': 'a@b.co', Password: 'right' }],
  ['/accept-invitation?token=t', 'Accept the invitation', { Password: 'long enough now' }],
])('other tabs are notified of a sign-in at %s', async (at, button, values) => {
  const tabs = new BroadcastChannel('sendloom.session');
  const onMessage = vi.fn<(message: unknown) => void>();
  tabs.onmessage = ({ data }) => onMessage(data);
  fetchMock.mockImplementation(async (address) => {
    const invitation = { email: 'a@b.co', account: 'Tea', has_user: true, provider: null };
    return new Response(
      JSON.stringify({ data: /invitation$/.test(String(address)) ? invitation : {} }),
    );
  });
  renderAreas([routes], at);
  await fill(values);
  fireEvent.click(screen.getByRole('button', { name: button }));
  await waitFor(() => expect(onMessage).toHaveBeenCalledWith('entered'));
  tabs.close();
});

it.each([
  ['unauthorized', 'Error occurred: Unauthorized. Please log in or contact support.'],
  ['userFetch', 'An error occurred while retrieving your data. Please log in again.'],
])('sign-in shows why the last session ended: %s', async (reason, message) => {
  document.cookie = `logout_reason=${reason}; path=/`;
  renderAreas([routes], '/auth');
  expect((await screen.findByRole('alert')).textContent).toBe(message);
});

it("sign-up requires a long enough password, sends the browser's language and reports a taken address", async () => {
  renderAreas([routes], '/auth/sign-up');
  await fill({ 'Email address': 'owner@example.com', Password: 'short' });
  fireEvent.click(screen.getByRole('button', { name: 'Create account' }));
  await waitFor(() => expect(screen.getAllByText('At least 10 characters')).toHaveLength(2));
  respond(409, { code: 'email_taken', message: 'Taken' });
  await fill({ Password: 'long enough now' });
  fireEvent.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText(/already exists/)).toBeTruthy();
  expect(getSentBody()).toMatchObject({ email: 'owner@example.com', language: 'eng' });
});

it("sign-up shows the server's error about the password below its field", async () => {
  renderAreas([routes], '/auth/sign-up');
  respond(422, {
    code: 'invalid',
    message: 'x',
    errors: { password: ['This one is too common.'] },
  });
  await fill({ 'Email address': 'owner@example.com', Password: 'passwordpassword' });
  fireEvent.click(screen.getByRole('button', { name: 'Create account' }));
  expect(await screen.findByText('This one is too common.')).toBeTruthy();
});

it('a request for a reset link does not reveal whether the address belongs to an account', async () => {
  renderAreas([routes], '/auth/forgot-password');
  respond(200, { success: true });
  await fill({ 'Email address': 'nobody@example.com' });
  fireEvent.click(screen.getByRole('button', { name: 'Send the link' }));
  expect(await screen.findByText(/If nobody@example.com belongs to an account/)).toBeTruthy();
});

it('the reset page offers to send a new link if the link is missing or used', async () => {
  renderAreas([routes], '/reset-password');
  expect(await screen.findByText('This link no longer works')).toBeTruthy();
  endTestApp();
  renderAreas([routes], '/reset-password?token=spent');
  respond(422, { code: 'link_expired', message: 'x' });
  await fill({ 'New password': 'long enough now' });
  fireEvent.click(screen.getByRole('button', { name: 'Save password' }));
  expect(await screen.findByRole('link', { name: 'Send a new link' })).toBeTruthy();
  expect(getSentBody()).toEqual({ token: 'spent', password: 'long enough now' });
});

it('the reset page confirms that the password was changed', async () => {
  renderAreas([routes], '/reset-password?token=good');
  respond(200, { success: true });
  await fill({ 'New password': 'long enough now' });
  fireEvent.click(screen.getByRole('button', { name: 'Save password' }));
  expect(await screen.findByText('Password changed')).toBeTruthy();
});

it('a verification link sends one request', async () => {
  renderAreas([routes], '/verify-email?token=good');
  respond(200, { success: true });
  expect(await screen.findByText('Email address verified')).toBeTruthy();
  expect(fetchMock).toHaveBeenCalledTimes(1);
});

it.each([
  ['/campaigns?page=2', '/campaigns?page=2'],
  ['https://evil.example/x', '/'],
  ['//evil.example', '/'],
  ['/\\evil.example', '/'],
  ['/.//evil.example/x', '/evil.example/x'],
  ['/x/..//evil.example', '/evil.example'],
  ['/.//auth', '/'],
  ['javascript:alert(1)', '/'],
  ['/auth', '/'],
])('after sign-in, %j leads to %j', (next, path) => {
  expect(toSafePath(next)).toBe(path);
});

it('sign-in offers the identity provider if passwords are off, and a password field on request', async () => {
  queryClient.setQueryData(['auth', 'api', 'methods'], {
    data: { oidc: 'Acme', has_passwords: false },
  });
  renderAreas([routes], '/auth?next=/campaigns&refused=identity_unknown');
  const link = await screen.findByRole('link', { name: 'Sign in with Acme' });
  expect(link.getAttribute('href')).toBe('/auth/api/oidc/start?next=%2Fcampaigns');
  expect(screen.getByText(/No user here is connected/)).toBeTruthy();
  expect(screen.queryByLabelText('Password')).toBeNull();
  fireEvent.click(screen.getByRole('button', { name: 'Use a password' }));
  expect(await screen.findByLabelText('Password')).toBeTruthy();
});
