// @vitest-environment jsdom
// The list of mail servers, their warm-ups, the form, and test emails, with a scripted API.
import { act, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import {
  endTestApp,
  renderAreas,
  renderScreen,
  startTestApp,
} from '#platform/web/shell/test-app.tsx';
import type { ListedRelay, WarmUp } from '../relays-contract.ts';
import RelayScreen from './relay-screen.tsx';
import RelaysScreen from './relays-screen.tsx';
import { routes } from './routes.tsx';

const RELAY: ListedRelay = {
  quotas: [{ unit: 'hour', used: 120, most: 500, more_at: null }],
  id: 'rel1',
  title: 'Our Postfix',
  kind: 'smtp',
  host: 'mail.tea.example',
  port: 587,
  tls: 'required',
  username: 'ada',
  has_password: true,
  connections: 5,
  messages_per_connection: 0,
  chunking: true,
  per_second: null,
  per_minute: null,
  per_hour: 500,
  per_day: null,
  domain_limits: [{ domain: 'gmail.com', per_minute: 60 }],
  priority: 1,
  weight: 1,
  enabled: true,
  health: {
    state: 'refused',
    since: '2027-01-04T09:00:00.000Z',
    at: '2027-01-04T09:00:00.000Z',
    code: '5.7.8',
    reply: 'Username and Password not accepted',
  },
  created: '2027-01-01T00:00:00.000Z',
  modified: '2027-01-01T00:00:00.000Z',
};

const PLAN: WarmUp = {
  domain: 'tea.example',
  state: 'running',
  day: 3,
  days: 12,
  cap: 130,
  used: 65,
  next_day_at: null,
  caps: [50, 80, 130],
  sent: [50, 71, 65],
};

const sentRequests: { method: string; path: string; body: unknown }[] = [];
let relays: ListedRelay[];
/** If undefined, the request for the warm-ups fails. */
let plans: WarmUp[] | undefined;
let isTestAccepted: boolean;
/** If set, every request other than GET fails with these field errors. */
let refusal: Record<string, string[]> | undefined;

beforeAll(() => startTestApp());
beforeEach(() => {
  relays = [RELAY];
  plans = [PLAN];
  isTestAccepted = false;
  refusal = undefined;
  sentRequests.length = 0;
  vi.stubGlobal('fetch', async (input: Request | string | URL, init?: RequestInit) => {
    const request = new Request(
      new URL(String(input instanceof Request ? input.url : input), 'http://localhost'),
      init,
    );
    const path = new URL(request.url).pathname;
    const body: unknown = request.method === 'GET' ? undefined : JSON.parse(await request.text());
    if (request.method !== 'GET') sentRequests.push({ method: request.method, path, body });
    if (refusal && request.method !== 'GET') {
      const message = 'Please check what is marked';
      return Response.json({ code: 'invalid', message, errors: refusal }, { status: 422 });
    }
    const isBroken = path.endsWith('/warm_ups') && plans === undefined;
    return Response.json(isBroken ? {} : respond(request.method, path), {
      status: isBroken ? 400 : 200,
    });
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  endTestApp();
});

function respond(method: string, path: string): unknown {
  if (path.endsWith('/test')) {
    const lines = [
      { who: 'us', text: 'AUTH PLAIN ***' },
      { who: 'relay', text: '535 5.7.8 Username and Password not accepted' },
    ];
    return {
      data: { accepted: isTestAccepted, code: isTestAccepted ? 'accepted' : 'sign_in', lines },
    };
  }
  if (path.endsWith('/users'))
    return { data: { user: { email: 'ada@tea.example', language: 'eng' }, account: {} } };
  if (path.endsWith('/webhooks')) return { data: [] };
  if (path.endsWith('/warm_ups')) return { data: plans };
  return { data: method === 'GET' && path.endsWith('/relays') ? relays : (relays[0] ?? RELAY) };
}

test("the page shows a mail server's state and limits, and the progress of a warm-up", async () => {
  renderScreen(RelaysScreen, { at: '/settings/relays' });
  await screen.findByText('Our Postfix');
  expect(screen.getByText('Rejecting')).toBeTruthy();
  expect(screen.getByText(/5\.7\.8 Username and Password not accepted/)).toBeTruthy();
  expect(screen.getByText(/500 an hour/).textContent).toContain('gmail.com: 60 a minute');
  expect(await screen.findByText(/Day 3 of 12/)).toBeTruthy();
  expect(screen.getByText(/65 of 130 sent today/)).toBeTruthy();
});

test('the page shows the use of each limit, and "Limit reached" for a mail server with a used-up limit', async () => {
  const ready = {
    ...RELAY,
    health: { ...RELAY.health, state: 'ready', code: null, reply: null },
  } as const;
  relays = [
    ready,
    {
      ...ready,
      id: 'rel2',
      title: 'Spare',
      quotas: [{ unit: 'day', used: 4900, most: 5000, more_at: '2027-01-04T14:05:00.000Z' }],
    },
  ];
  renderScreen(RelaysScreen, { at: '/settings/relays' });
  expect(await screen.findByText('120 of 500 in the last hour.')).toBeTruthy();
  const usedUp = screen.getByText(
    /4,900 of 5,000 in the last 24 hours\. Resumes for campaigns .*2027/,
  );
  const card = usedUp.closest('li') as HTMLElement;
  expect(within(card).getByText('Limit reached')).toBeTruthy();
  expect(within(card).queryByText('Ready')).toBeNull();
  expect(screen.getAllByText('Ready')).toHaveLength(1);
});

test('only the later of two exhausted limits shows when sending resumes; without a reserve, that time applies to all email', async () => {
  const hour = { unit: 'hour', used: 490, most: 500, more_at: '2027-01-04T10:05:00.000Z' } as const;
  const day = { unit: 'day', used: 4900, most: 5000, more_at: '2027-01-05T09:05:00.000Z' } as const;
  relays = [
    { ...RELAY, quotas: [hour, day] },
    { ...RELAY, id: 'rel2', title: 'Small', quotas: [{ ...hour, used: 40, most: 40 }] },
  ];
  renderScreen(RelaysScreen, { at: '/settings/relays' });
  expect(await screen.findByText('490 of 500 in the last hour.')).toBeTruthy();
  expect(screen.getByText(/in the last 24 hours\. Resumes for campaigns .*2027/)).toBeTruthy();
  expect(screen.getByText(/40 of 40 in the last hour\. Resumes .*2027/)).toBeTruthy();
});

test('a warm-up shows its plan day by day, with today marked', async () => {
  plans = [{ ...PLAN, days: 4, caps: [50, 80, 130, 200], sent: [50, null, 65] }];
  renderScreen(RelaysScreen, { at: '/settings/relays' });
  const table = await screen.findByRole('table', { name: 'Plan of tea.example', hidden: true });
  const rows = within(table).getAllByRole('row', { hidden: true });
  expect(rows.map((row) => [...row.children].map((cell) => cell.textContent))).toEqual([
    ['Day', 'Limit', 'Sent'],
    ['1', '50', '50'],
    ['2', '80', '–'],
    ['3Today', '130', '65'],
    ['4', '200', ''],
  ]);
  expect(rows[3]?.getAttribute('aria-current')).toBe('date');
});

test('the warm-up section links to the sending domains if it is empty, and offers a retry after an error', async () => {
  plans = [];
  renderScreen(RelaysScreen, { at: '/settings/relays' });
  const link = await screen.findByRole('link', { name: 'Go to sending domains' });
  expect(link.getAttribute('href')).toBe('/settings/domains');
  endTestApp();
  plans = undefined;
  renderScreen(RelaysScreen, { at: '/settings/relays' });
  const section = await screen.findByRole('region', { name: 'Warm-up of sending domains' });
  expect(await within(section).findByRole('button', { name: 'Try again' })).toBeTruthy();
});

test('the page without mail servers suggests sending through your own server', async () => {
  relays = [];
  renderScreen(RelaysScreen, { at: '/settings/relays' });
  expect(await screen.findByText('Send through your own server')).toBeTruthy();
});

test('a failed test explains its result and shows the SMTP conversation', async () => {
  renderScreen(RelaysScreen, { at: '/settings/relays' });
  fireEvent.click(await screen.findByRole('button', { name: 'Send a test' }));
  const senderField = await screen.findByLabelText('Sender');
  fireEvent.change(senderField, { target: { value: 'news@tea.example' } });
  fireEvent.click(screen.getByRole('button', { name: 'Send' }));
  expect(await screen.findByText('The server did not accept the email')).toBeTruthy();
  expect(screen.getByText(/refuses the user or the password\. Enter them again/)).toBeTruthy();
  expect(screen.getByText(/AUTH PLAIN \*\*\*/)).toBeTruthy();
  expect(sentRequests[0]).toEqual({
    method: 'POST',
    path: '/client-api/api/relays/rel1/test',
    body: { from: 'news@tea.example' },
  });
});

test('saving a mail server without entering a password keeps the stored one', async () => {
  renderScreen(RelayScreen, { at: '/settings/relays/rel1', path: '/settings/relays/$relay' });
  const title = await screen.findByLabelText('Name');
  expect(screen.getByText('Leave it empty to keep the stored one.')).toBeTruthy();
  fireEvent.change(title, { target: { value: 'Mail' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sentRequests).toHaveLength(1));
  expect(sentRequests[0]).toMatchObject({ method: 'PATCH', body: { title: 'Mail' } });
  expect(sentRequests[0]?.body).not.toHaveProperty('password');
});

test("saving the form keeps another user's changes to fields that were not edited", async () => {
  relays = [{ ...RELAY, enabled: false }];
  const { router } = renderAreas([routes], '/settings/relays/rel1');
  expect(await screen.findByRole('checkbox', { name: 'On' })).toHaveProperty('checked', false);
  await act(() => router.navigate({ to: '/settings/relays' }));
  await screen.findByRole('button', { name: 'Turn on' });
  relays = [RELAY];
  await act(() => router.navigate({ to: '/settings/relays/$relay', params: { relay: 'rel1' } }));
  expect(await screen.findByRole('checkbox', { name: 'On' })).toHaveProperty('checked', true);
  relays = [{ ...RELAY, enabled: false }];
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Mail' } });
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sentRequests).toHaveLength(1));
  expect(sentRequests[0]?.body).toEqual({ title: 'Mail' });
});

test('Cancel leaves the changed form without saving and without confirmation', async () => {
  const { router } = renderAreas([routes], '/settings/relays/rel1');
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Mail' } });
  fireEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  await waitFor(() => expect(router.state.location.pathname).toBe('/settings/relays'));
  expect(screen.queryByRole('dialog')).toBeNull();
  expect(sentRequests).toEqual([]);
});

test('server errors about the domain limits and about a hidden field are shown', async () => {
  relays = [{ ...RELAY, kind: 'ses', host: 'email.eu-north-1.amazonaws.com', username: 'AKIA' }];
  renderAreas([routes], '/settings/relays/rel1');
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Mail' } });
  refusal = { domain_limits: ['Each domain can have one limit only'] };
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Each domain can have one limit only')).toBeTruthy();
  refusal = { host: ['Nobody knows this host'] };
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  expect(await screen.findByText(/Nobody knows this host/)).toBeTruthy();
});

test('a new mail server requires a name and a host', async () => {
  renderScreen(RelayScreen, { at: '/settings/relays/new', path: '/settings/relays/$relay' });
  fireEvent.click(await screen.findByRole('button', { name: 'Add a mail server' }));
  expect(await screen.findByText('Please enter a name')).toBeTruthy();
  expect(screen.getByText("Please enter the server's host name")).toBeTruthy();
  expect(sentRequests).toEqual([]);
});

test('a new mail server is added as disabled and can be enabled after the test that follows', async () => {
  isTestAccepted = true;
  relays = [{ ...RELAY, enabled: false }];
  renderAreas([routes], '/settings/relays/new');
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Our Postfix' } });
  fireEvent.change(screen.getByLabelText('Host'), { target: { value: 'mail.tea.example' } });
  fireEvent.click(screen.getByRole('button', { name: 'Add a mail server' }));
  const dialog = await screen.findByRole('dialog', { name: 'Test Our Postfix' });
  expect(sentRequests[0]).toMatchObject({ method: 'POST', body: { enabled: false } });
  fireEvent.change(await within(dialog).findByLabelText('Sender'), {
    target: { value: 'news@tea.example' },
  });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Send' }));
  fireEvent.click(await within(dialog).findByRole('button', { name: 'Turn it on' }));
  await waitFor(() => expect(sentRequests.at(-1)?.body).toEqual({ enabled: true }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('unsaved settings can be tested and remain in the form', async () => {
  renderAreas([routes], '/settings/relays/rel1');
  fireEvent.change(await screen.findByLabelText('User'), { target: { value: 'grace' } });
  fireEvent.click(screen.getByRole('button', { name: 'Send a test' }));
  const dialog = await screen.findByRole('dialog', { name: 'Test Our Postfix' });
  expect(await within(dialog).findByText(/nothing is saved/)).toBeTruthy();
  fireEvent.change(within(dialog).getByLabelText('Sender'), {
    target: { value: 'news@tea.example' },
  });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Send' }));
  expect(await within(dialog).findByText('The server did not accept the email')).toBeTruthy();
  expect(sentRequests).toEqual([
    {
      method: 'POST',
      path: '/client-api/api/relays/test',
      body: {
        from: 'news@tea.example',
        title: 'Our Postfix',
        kind: 'smtp',
        host: 'mail.tea.example',
        port: 587,
        tls: 'required',
        username: 'grace',
        password: '',
        chunking: true,
        known: 'rel1',
      },
    },
  ]);
  fireEvent.click(within(dialog).getByRole('button', { name: 'Close' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect((screen.getByLabelText('User') as HTMLInputElement).value).toBe('grace');
});

test('a test of a new mail server requires only a host, and server errors appear next to their fields', async () => {
  renderScreen(RelayScreen, { at: '/settings/relays/new', path: '/settings/relays/$relay' });
  fireEvent.click(await screen.findByRole('button', { name: 'Send a test' }));
  expect(await screen.findByText("Please enter the server's host name")).toBeTruthy();
  expect(screen.queryByText('Please enter a name')).toBeNull();
  expect(screen.queryByRole('dialog')).toBeNull();
  fireEvent.change(screen.getByLabelText('Host'), { target: { value: 'mail.tea.example' } });
  fireEvent.click(screen.getByRole('button', { name: 'Send a test' }));
  const dialog = await screen.findByRole('dialog', { name: 'Test mail.tea.example' });
  refusal = { host: ['mail.tea.example cannot be found'] };
  fireEvent.change(await within(dialog).findByLabelText('Sender'), {
    target: { value: 'news@tea.example' },
  });
  fireEvent.click(within(dialog).getByRole('button', { name: 'Send' }));
  expect(await screen.findByText('mail.tea.example cannot be found')).toBeTruthy();
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText('Host')));
});

test('unencrypted sending is offered only for localhost', async () => {
  renderScreen(RelayScreen, { at: '/settings/relays/new', path: '/settings/relays/$relay' });
  const unencryptedOptions = async () => {
    fireEvent.click(screen.getByRole('combobox', { name: 'Encryption' }));
    const options = await screen.findAllByRole('option', { hidden: true });
    return options.map((option) => option.textContent).filter((text) => text === 'None');
  };
  const host = await screen.findByLabelText('Host');
  fireEvent.change(host, { target: { value: 'mail.tea.example' } });
  expect(await unencryptedOptions()).toEqual([]);
  fireEvent.change(host, { target: { value: 'localhost' } });
  expect(await unencryptedOptions()).toEqual(['None']);
});
