// @vitest-environment jsdom
// The forms of the settings: requests, client-side validation, and server errors.
import { notificationsStore } from '@mantine/notifications';
import { configure, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import { routes } from '../routes.tsx';
import { parseDevice } from './device.ts';

const USER = {
  id: 'u1',
  email: 'owner@tea.example',
  name: 'Ada',
  surname: 'Lovelace',
  tour: 2,
  account: 'a1',
  language: 'eng',
  email_verified: true,
};
const ACCOUNT = {
  id: 'a1',
  title: 'Tea House',
  website: 'https://tea.example',
  address: null,
  city: null,
  state: null,
  zip_code: null,
  country: null,
  timezone: 'Europe/Vilnius',
  language: 'eng',
  date_format: 'auto',
  status: 'active',
  activation_level: 0,
  industry: null,
  subscriber_collection: null,
  active_plan: { id: 'unlimited' },
  plan_valid_to: null,
  subscriber_count: 20000,
  created: '2026-11-01T06:00:00.000Z',
};
const CURRENT_USER = { ...USER, created: ACCOUNT.created, is_you: true, denied: [] };
const COLLEAGUE = {
  ...CURRENT_USER,
  id: 'u2',
  email: 'cook@tea.example',
  name: null,
  surname: null,
  is_you: false,
};
const SESSION = {
  id: 's1',
  user_agent: 'Mozilla/5.0 (X11; Linux x86_64) Firefox/130.0',
  ip: '192.0.2.1',
  created: ACCOUNT.created,
  last_seen: ACCOUNT.created,
  is_current: false,
};

const KEY = {
  id: 'k1',
  kind: 'token',
  title: 'Shop',
  account: 'Tea',
  last_used: null,
  created: '2026-01-01T00:00:00.000Z',
};

const fetchMock = vi.fn<typeof fetch>();
const sentCalls: { call: string; body: unknown }[] = [];
let responses: Record<string, { status?: number; body: object }>;

// The first test needs more time, because it also loads and compiles the first screen.
configure({ asyncUtilTimeout: 5000 });
beforeAll(() => startTestApp());
beforeEach(() => {
  sentCalls.length = 0;
  responses = {
    'GET /client-api/api/users': { body: { data: { user: USER, account: ACCOUNT } } },
    'GET /client-api/api/accounts/dashboard_reachable': { body: { data: { reachable: 12345 } } },
    'GET /client-api/api/account_users': listOf(CURRENT_USER, COLLEAGUE),
    'GET /client-api/api/account_users/u1': { body: { data: CURRENT_USER } },
    'GET /client-api/api/users/u1/access_keys': { body: { data: [KEY] } },
    'GET /client-api/api/account_users/u2': { body: { data: COLLEAGUE } },
    'GET /client-api/api/invitations': listOf(),
    'GET /client-api/api/sessions': listOf(SESSION),
    'GET /client-api/api/tokens': listOf(),
  };
  fetchMock.mockImplementation(async (input, init) => {
    const { pathname } = new URL(String(input), location.origin);
    const call = `${init?.method ?? 'GET'} ${pathname}`;
    sentCalls.push({ call, body: init?.body && JSON.parse(String(init.body)) });
    const { status = 200, body } = responses[call] ?? { body: { success: true, data: ACCOUNT } };
    return new Response(JSON.stringify(body), { status });
  });
  vi.stubGlobal('fetch', fetchMock);
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

function listOf(...data: object[]) {
  const total = data.length;
  return {
    body: { data, meta: { from: 1, to: total, page: 1, pageCount: 1, total, perPage: 10 } },
  };
}

const bodyOf = (call: string) => sentCalls.findLast((request) => request.call === call)?.body;
const button = (name: string) => screen.getByRole('button', { name });

async function fill(values: Record<string, string>): Promise<void> {
  for (const [label, value] of Object.entries(values)) {
    fireEvent.change(await screen.findByLabelText(label), { target: { value } });
  }
}

describe('the account', () => {
  it('the account screen is the first settings page and shows the number of reachable subscribers', async () => {
    const { router } = renderAreas([routes], '/settings');
    expect(await screen.findByText('12,345')).toBeTruthy();
    expect(router.state.location.pathname).toBe('/settings/account');
    expect(screen.queryByText('Plan')).toBeNull();
    const sub = within(screen.getAllByRole('navigation')[0] as HTMLElement);
    expect(sub.getByRole('link', { name: 'Users' })).toBeTruthy();
  });

  it('refuses a private website without a request and saves a public one', async () => {
    renderAreas([routes], '/settings/account');
    await fill({ Website: 'http://10.0.0.1' });
    fireEvent.click(screen.getAllByRole('button', { name: 'Save' })[0] as HTMLElement);
    expect(
      await screen.findByText('Please provide valid URL with https or http protocol'),
    ).toBeTruthy();
    expect(bodyOf('PATCH /client-api/api/accounts')).toBeUndefined();
    await fill({ Website: ' https://new.example ' });
    fireEvent.click(screen.getAllByRole('button', { name: 'Save' })[0] as HTMLElement);
    await waitFor(() =>
      expect(bodyOf('PATCH /client-api/api/accounts')).toEqual({
        title: 'Tea House',
        website: 'https://new.example',
      }),
    );
  });

  it("saves the postal address together with the account's time zone", async () => {
    const address = {
      address: 'Storgata 1',
      city: 'Oslo',
      state: 'Oslo',
      zip_code: '0155',
      country: 'NO',
    };
    const account = { ...ACCOUNT, ...address };
    responses['GET /client-api/api/users'] = { body: { data: { user: USER, account } } };
    renderAreas([routes], '/settings/account');
    await fill({ City: 'Bergen' });
    fireEvent.click(screen.getAllByRole('button', { name: 'Save' })[1] as HTMLElement);
    await waitFor(() =>
      expect(bodyOf('PATCH /client-api/api/account_questionnaire')).toEqual({
        ...address,
        city: 'Bergen',
        timezone: ACCOUNT.timezone,
      }),
    );
  });

  it('requires each part of the postal address, and checks a postal code only with a country', async () => {
    renderAreas([routes], '/settings/account');
    await fill({ 'Postal/ZIP code': '123' });
    fireEvent.click(screen.getAllByRole('button', { name: 'Save' })[1] as HTMLElement);
    for (const message of [
      'Address is required',
      'City is required',
      'State is required',
      'Country is required',
      'Please select country to validate Postal/ZIP code',
    ]) {
      expect(await screen.findByText(message)).toBeTruthy();
    }
  });
});

describe('the profile', () => {
  it("saves the new email address of the user's profile before it requests the verification email", async () => {
    const { router } = renderAreas([routes], '/settings/user');
    const field = await screen.findByRole('textbox', { name: 'Email address' });
    expect(screen.getByText('Confirmed')).toBeTruthy();
    fireEvent.change(field, { target: { value: 'new@tea.example' } });
    // The state belongs to the saved address, not to the typed one.
    expect(screen.queryByText('Confirmed')).toBeNull();
    expect(router.state.location.pathname).toBe('/settings/user/u1');
    // The address is verified, so changing it requires the password, because reset links will go to
    // the new one.
    const [password] = await screen.findAllByLabelText('Current password');
    fireEvent.click(button('Change email address'));
    await waitFor(() => expect(document.activeElement).toBe(password));
    expect(password?.getAttribute('aria-invalid')).toBe('true');
    fireEvent.change(password as Element, { target: { value: 'correct horse battery' } });
    fireEvent.click(button('Change email address'));
    expect(
      await screen.findByText('Verification email has been sent to new@tea.example'),
    ).toBeTruthy();
    expect(notificationsStore.getState().notifications.at(-1)?.autoClose).toBe(2_500);
    const calls = sentCalls.map(({ call }) => call);
    const patch = calls.indexOf('PATCH /client-api/api/users/u1');
    expect(sentCalls[patch]?.body).toEqual({
      email: 'new@tea.example',
      current: 'correct horse battery',
    });
    expect(calls[patch + 1]).toBe('GET /client-api/api/users/u1/resend_verification_letter');
  });

  it('requires a long enough new password, sends the selected access keys, and shows an error if the current password is wrong', async () => {
    responses['POST /client-api/api/users/u1/password'] = {
      status: 422,
      body: { code: 'wrong_password', message: 'x', errors: { current: ['Not the current one.'] } },
    };
    renderAreas([routes], '/settings/user/u1');
    await fill({ 'Current password': 'old one', 'New password': 'short' });
    fireEvent.click(button('Change password'));
    await waitFor(() => expect(screen.getAllByText('At least 10 characters')).toHaveLength(2));
    await fill({ 'New password': 'long enough now' });
    fireEvent.click(screen.getByLabelText('API token “Shop”'));
    fireEvent.click(button('Change password'));
    expect(await screen.findByText('Not the current one.')).toBeTruthy();
    expect(bodyOf('POST /client-api/api/users/u1/password')).toEqual({
      current: 'old one',
      password: 'long enough now',
      end: ['k1'],
    });
  });

  it('shows the device of a session', async () => {
    renderAreas([routes], '/settings/user/u1');
    expect(await screen.findByText('Firefox on Linux')).toBeTruthy();
    const iphone =
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1';
    expect(parseDevice(iphone)).toEqual({ browser: 'Safari', system: 'iOS' });
    const edge = 'Mozilla/5.0 (Windows NT 10.0) Chrome/130.0 Safari/537.36 Edg/130.0';
    expect(parseDevice(edge)).toEqual({ browser: 'Edge', system: 'Windows' });
    expect(parseDevice(null)).toEqual({ browser: undefined, system: undefined });
  });
});

describe('users', () => {
  it('removes a user after confirmation and returns to the list', async () => {
    const { router } = renderAreas([routes], '/settings/user/u2');
    const seenTexts: string[] = [];
    router.history.subscribe(({ location: { pathname } }) => seenTexts.push(pathname));
    fireEvent.click(await screen.findByRole('button', { name: 'Remove from account' }));
    responses['GET /client-api/api/account_users/u2'] = { status: 404, body: {} };
    const dialog = await screen.findByRole('dialog', { name: 'Remove cook@tea.example?' });
    fireEvent.click(within(dialog).getByRole('button', { name: 'Remove from account' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/settings/users'));
    expect(sentCalls.some(({ call }) => call === 'DELETE /client-api/api/account_users/u2')).toBe(
      true,
    );
    expect(seenTexts).toEqual(['/settings/users']);
  });

  it('shows in the dialog that the invited address already belongs to a member', async () => {
    responses['POST /client-api/api/invitations'] = {
      status: 409,
      body: { code: 'already_member', message: 'x', errors: { email: ['Already here.'] } },
    };
    renderAreas([routes], '/settings/users');
    fireEvent.click(await screen.findByRole('button', { name: 'Invite a user' }));
    const dialog = await screen.findByRole('dialog');
    const field = within(dialog).getByLabelText('Email address');
    fireEvent.change(field, { target: { value: 'cook@tea.example' } });
    fireEvent.click(within(dialog).getByRole('button', { name: 'Send invitation' }));
    expect(await screen.findByText('Already here.')).toBeTruthy();
  });
});

it.each([
  ['1 day', 1],
  ['7 days', 7],
  ['30 days', 30],
  ['365 days', 365],
  ['Forever, until revoked', null],
])('a token valid for %s is created and shown once', async (label, validity_days) => {
  responses['POST /client-api/api/tokens'] = { body: { data: { token: 'sl_1_secret' } } };
  renderAreas([routes], '/settings/tokens');
  fireEvent.click(
    (await screen.findAllByRole('button', { name: 'Create token' }))[0] as HTMLElement,
  );
  const dialog = await screen.findByRole('dialog');
  const create = within(dialog).getByRole('button', { name: 'Create token' });
  fireEvent.click(create);
  expect(await screen.findByText('Please give the token a title')).toBeTruthy();
  fireEvent.change(within(dialog).getByLabelText('Title'), { target: { value: ' Shop ' } });
  fireEvent.click(within(dialog).getByLabelText(label));
  fireEvent.click(create);
  expect(await screen.findByText('sl_1_secret')).toBeTruthy();
  const noLimits = { scopes: null, networks: null };
  expect(bodyOf('POST /client-api/api/tokens')).toEqual({
    title: 'Shop',
    validity_days,
    ...noLimits,
  });
  fireEvent.click(button('I have stored it'));
  await waitFor(() => expect(screen.queryByText('sl_1_secret')).toBeNull());
});

const TOKEN = {
  ...{ id: 't1', title: 'Till', scopes: ['read'], networks: null, last_ip: null },
  ...{ user: { id: 'u1', email: USER.email }, created: ACCOUNT.created, modified: ACCOUNT.created },
  ...{ expires: null, is_expired: false, last_used: null, last_client: null, former_until: null },
};

it.each([
  { is_expired: false, text: /The former token works for another 24 hours/ },
  { is_expired: true, text: /The former token has expired and stays invalid\./ },
])(
  'the rotation dialog states whether the former token still works (expired: $is_expired)',
  async ({ is_expired, text }) => {
    responses['GET /client-api/api/tokens'] = listOf({ ...TOKEN, is_expired });
    renderAreas([routes], '/settings/tokens');
    fireEvent.click(await screen.findByRole('button', { name: /Till/ }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Rotate' }));
    expect((await screen.findByRole('dialog')).textContent).toMatch(text);
  },
);

it("the rights of another user's token can be changed, but it cannot be rotated", async () => {
  responses['GET /client-api/api/tokens'] = listOf(TOKEN, {
    ...TOKEN,
    ...{ id: 't2', title: 'Shop', user: { id: 'u2', email: 'cook@tea.example' } },
  });
  renderAreas([routes], '/settings/tokens');
  const openDialog = async (title: string) => {
    fireEvent.click(await screen.findByRole('button', { name: new RegExp(title) }));
  };
  await openDialog('Shop');
  expect(await screen.findByRole('menuitem', { name: 'Edit token' })).toBeTruthy();
  expect(screen.queryByRole('menuitem', { name: 'Rotate' })).toBeNull();
  fireEvent.click(screen.getByRole('menuitem', { name: 'Edit token' }));
  const dialog = await screen.findByRole('dialog');
  fireEvent.click(within(dialog).getByLabelText('Export'));
  fireEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(bodyOf('PATCH /client-api/api/tokens/t2')).toEqual({
      title: 'Shop',
      scopes: ['read', 'export'],
      networks: null,
    }),
  );
});

describe('rights', () => {
  it("a colleague's rights are set by preset or individually", async () => {
    renderAreas([routes], '/settings/user/u2');
    const preset = (await screen.findByLabelText('Access')) as HTMLSelectElement;
    expect(preset.value).toBe('full');
    fireEvent.change(preset, { target: { value: 'no_export' } });
    expect((screen.getByLabelText('Export') as HTMLInputElement).checked).toBe(false);
    fireEvent.click(screen.getByLabelText('Billing'));
    expect(preset.value).toBe('');
    fireEvent.click(screen.getAllByRole('button', { name: 'Save' }).at(-1) as HTMLElement);
    await waitFor(() =>
      expect(bodyOf('PUT /client-api/api/account_users/u2/rights')).toEqual({
        denied: ['export', 'billing'],
      }),
    );
  });

  it('users without the admin right see neither invitations nor API tokens', async () => {
    const rights = ['read', 'drafts'];
    responses['GET /client-api/api/users'] = {
      body: { data: { user: USER, account: ACCOUNT, rights } },
    };
    renderAreas([routes], '/settings/users');
    expect(await screen.findAllByText('cook@tea.example')).toHaveLength(2);
    expect(screen.queryByRole('button', { name: 'Invite a user' })).toBeNull();
    expect(screen.queryByRole('link', { name: 'API access tokens' })).toBeNull();
  });
});

describe('an invitation', () => {
  const invitation = {
    email: 'cook@tea.example',
    account: 'Tea House',
    has_user: false,
    provider: null,
  };

  it('requires a long enough password from a new user', async () => {
    responses['POST /auth/api/invitation'] = { body: { data: invitation } };
    responses['POST /auth/api/accept-invitation'] = {
      status: 422,
      body: { code: 'link_expired', message: 'x' },
    };
    renderAreas([routes], '/accept-invitation?token=good');
    expect(await screen.findByText('Join Tea House')).toBeTruthy();
    await fill({ Password: 'short' });
    fireEvent.click(button('Accept the invitation'));
    await waitFor(() => expect(screen.getAllByText('At least 10 characters')).toHaveLength(2));
    await fill({ Password: 'long enough now' });
    fireEvent.click(button('Accept the invitation'));
    expect(await screen.findByText('This link no longer works')).toBeTruthy();
    expect(bodyOf('POST /auth/api/accept-invitation')).toEqual({
      token: 'good',
      password: 'long enough now',
    });
  });

  it("accepts an existing user's password of any length and shows an error if it is wrong", async () => {
    responses['POST /auth/api/invitation'] = { body: { data: { ...invitation, has_user: true } } };
    responses['POST /auth/api/accept-invitation'] = {
      status: 422,
      body: { code: 'wrong_credentials', message: 'x', errors: { password: ['Wrong one.'] } },
    };
    renderAreas([routes], '/accept-invitation?token=good');
    await fill({ Password: 'old' });
    fireEvent.click(button('Accept the invitation'));
    expect(await screen.findByText('Wrong one.')).toBeTruthy();
  });

  it('an invitation is accepted without a password if its address signs in only at the provider', async () => {
    responses['POST /auth/api/invitation'] = {
      body: { data: { ...invitation, provider: 'Acme' } },
    };
    responses['POST /auth/api/join-by-invitation'] = { body: { data: {} } };
    renderAreas([routes], '/accept-invitation?token=good');
    expect(await screen.findByText('Sign in with your account at Acme.')).toBeTruthy();
    expect(screen.queryByLabelText('Password')).toBeNull();
    fireEvent.click(button('Accept the invitation'));
    await waitFor(() =>
      expect(bodyOf('POST /auth/api/join-by-invitation')).toEqual({ token: 'good' }),
    );
  });

  it('shows that a withdrawn invitation is invalid', async () => {
    responses['POST /auth/api/invitation'] = {
      status: 422,
      body: { code: 'link_expired', message: 'x' },
    };
    renderAreas([routes], '/accept-invitation?token=spent');
    expect(await screen.findByText('This link no longer works')).toBeTruthy();
  });
});
