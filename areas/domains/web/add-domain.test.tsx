// @vitest-environment jsdom
// Adding a domain: validation, the conditions for continuing, and the dialog's two views. Also the
// records of a domain, and its confirmation.
import fc from 'fast-check';
import { configure, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { endTestApp, renderAreas, startTestApp } from '#platform/web/shell/test-app.tsx';
import {
  proposeDomain,
  listBlockers,
  validateLocalPart,
  readLocalPart,
  canContinue,
  readDomain,
} from './add-domain.ts';
import { routes } from './routes.tsx';

const DOMAIN = {
  id: 'dm1',
  domain_name: 'old.example',
  shown_name: 'old.example',
  email: 'me@old.example',
  email_verified: true,
  dns_verified: false,
  verified: false,
  alignment: { dkim: false, spf: false, dmarc_policy: null, bimi: false },
  records: [
    {
      purpose: 'dkim',
      required: true,
      type: 'TXT',
      name: 'sl1._domainkey.old.example',
      value: 'v=DKIM1; k=rsa; p=AAAA',
      state: 'missing',
      found: [],
    },
    {
      purpose: 'spf',
      required: false,
      type: 'TXT',
      name: 'old.example',
      value: 'v=spf1 include:bounces.loom.example ~all',
      state: 'different',
      found: ['v=spf1 -all', 'v=spf1 include:bounces.loom.example ~all'],
    },
  ],
  checked: '2026-11-21T06:00:00.000Z',
  created: '2026-11-20T06:00:00.000Z',
  modified: '2026-11-20T06:00:00.000Z',
};

describe('typed domains', () => {
  it.each([
    ['Tea.Example', 'tea.example', undefined],
    [' https://www.tea.example/shop?x=1 ', 'tea.example', undefined],
    ['www.fi', 'www.fi', undefined],
    ['me@tea.example', 'tea.example', undefined],
    ['bücher.example', 'xn--bcher-kva.example', undefined],
    ['чай.рф', 'xn--80as4b.xn--p1ai', undefined],
    ['', '', 'required'],
    ['a.b', 'a.b', 'short'],
    ['teaexample', 'teaexample', 'topLevel'],
    ['tea.e', 'tea.e', 'topLevel'],
    ['tea.123', 'tea.123', 'topLevel'],
    ['192.168.0.1', '192.168.0.1', 'topLevel'],
    ['tea shop.example', 'tea shop.example', 'characters'],
    ['-tea.example', '-tea.example', 'characters'],
    ['<b>.example', '<b>.example', 'characters'],
    ['tea\u0000.example', 'tea\u0000.example', 'characters'],
    [`${'a'.repeat(64)}.example`, `${'a'.repeat(64)}.example`, 'label'],
    [`${'a.'.repeat(125)}example`, `${'a.'.repeat(125)}example`, 'long'],
  ])('%j is read as %j with issue %j', (input, ascii, issue) => {
    const parsed = readDomain(input);
    expect(parsed.ascii).toBe(ascii);
    expect(parsed.issue).toBe(issue);
  });

  it('a domain is valid only if its lengths and characters are valid', () => {
    const label = fc.stringMatching(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/);
    const topLevel = fc.stringMatching(/^[a-z]{2,63}$/);
    fc.assert(
      fc.property(fc.array(label, { minLength: 1, maxLength: 4 }), topLevel, (labels, top) => {
        const domain = [...labels, top].join('.');
        fc.pre(domain.length >= 4 && domain.length <= 253 && !domain.includes('xn--'));
        fc.pre(!labels.some((label) => /^..--/.test(label)));
        expect(readDomain(domain)).toEqual({ ascii: domain, issue: undefined, isConverted: false });
        expect(readDomain(` HTTPS://${domain.toUpperCase()}/x?y=1 `).ascii).toBe(domain);
        expect(readDomain(`${'a'.repeat(64)}.${domain}`).issue).toBeDefined();
        expect(readDomain(`${domain}.1`).issue).toBeDefined();
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (input) => {
        const { ascii, issue } = readDomain(input);
        if (issue === undefined) expect(ascii).toMatch(/^[a-z0-9.-]{4,253}$/);
      }),
    );
  });

  it('very long text is not a valid domain', () => {
    for (const input of ['😀'.repeat(5000), 'a'.repeat(10_000), ' '.repeat(10_000)]) {
      expect(readDomain(input).issue).toBeDefined();
    }
  });

  it('the next step requires a valid, new, checked domain without blockers', () => {
    const parsed = readDomain('tea.example');
    const validResponse = { success: true, messages: [] };
    const step = {
      typed: parsed,
      isListed: false,
      checkedDomain: 'tea.example',
      response: validResponse,
    };
    const dmarc = { type: 'dmarc', message: 'x' };
    expect(canContinue(step)).toBe(true);
    expect(canContinue({ ...step, typed: readDomain('tea') })).toBe(false);
    expect(canContinue({ ...step, isListed: true })).toBe(false);
    expect(canContinue({ ...step, checkedDomain: 'te.example' })).toBe(false);
    expect(canContinue({ ...step, response: undefined })).toBe(false);
    expect(canContinue({ ...step, response: { success: false, messages: [] } })).toBe(false);
    expect(canContinue({ ...step, response: { success: false, messages: [dmarc] } })).toBe(true);
    const blockedResponse = {
      success: false,
      messages: [dmarc, { type: 'free_provider', message: 'y' }],
    };
    expect(canContinue({ ...step, response: blockedResponse })).toBe(false);
    expect(listBlockers(blockedResponse).map(({ type }) => type)).toEqual(['free_provider']);
  });

  it("an address requires a valid local part, and a mailbox provider's domain is not proposed", () => {
    expect(validateLocalPart('  ', 'tea.example')).toBe('localRequired');
    expect(validateLocalPart('a b', 'tea.example')).toBe('localInvalid');
    expect(validateLocalPart('a@b', 'tea.example')).toBe('localInvalid');
    expect(validateLocalPart('.news', 'tea.example')).toBe('localInvalid');
    expect(validateLocalPart('news', 'tea.example')).toBeUndefined();
    expect(readLocalPart('news@tea.example')).toBe('news');
    expect(readLocalPart('tea.example')).toBe('');
    expect(proposeDomain('ada@Tea.example')).toBe('tea.example');
    // Campaigns cannot be sent from addresses of mailbox providers.
    for (const address of ['a@gmail.com', 'a@yahoo.co.uk', 'a@proton.me'])
      expect(proposeDomain(address)).toBe('');
  });
});

const fetchMock = vi.fn<typeof fetch>();
const requests: { path: string; body: unknown }[] = [];
let check: object = { success: true, messages: [] };
let creation: { status: number; body: object };
let listGate: Promise<void>;

// The first test also loads and compiles the screen.
configure({ asyncUtilTimeout: 5000 });
beforeAll(() => startTestApp());
beforeEach(() => {
  requests.length = 0;
  check = { success: true, messages: [] };
  listGate = Promise.resolve();
  creation = { status: 200, body: { data: { ...DOMAIN, id: 'dm2', email: 'news@tea.example' } } };
  fetchMock.mockReset();
  fetchMock.mockImplementation(async (input, init) => {
    const { pathname } = new URL(String(input), location.origin);
    const path = pathname.replace('/client-api/api', '');
    requests.push({ path, body: init?.body && JSON.parse(String(init.body)) });
    if (path === '/users') return json({ data: SESSION });
    if (path === '/domains/check_domain') return json(check);
    if (path === '/domains' && init?.method === 'POST') return json(creation.body, creation.status);
    if (path === '/domains') {
      await listGate;
      return json({ data: [DOMAIN], meta: META });
    }
    if (path === '/domains/confirm') return json({ data: { domain_name: 'tea.example' } });
    return json({ data: DOMAIN });
  });
  vi.stubGlobal('fetch', fetchMock);
});
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const META = { from: 1, to: 1, page: 1, pageCount: 1, total: 1, perPage: 10 };
const SESSION = {
  user: {
    id: 'u1',
    email: 'owner@tea.example',
    name: null,
    surname: null,
    tour: 2,
    account: 'a1',
    language: 'eng',
  },
  account: { id: 'a1', title: '', timezone: 'UTC', country: null },
};

const json = (body: object, status = 200) => new Response(JSON.stringify(body), { status });
const next = () => screen.getByRole<HTMLButtonElement>('button', { name: 'Next' });
const checks = () => requests.filter(({ path }) => path === '/domains/check_domain');

async function type(domain: string): Promise<void> {
  fireEvent.change(await screen.findByLabelText('Domain'), { target: { value: domain } });
}

describe('the dialog', () => {
  it('the dialog checks the domain after 500 ms, adds it, confirms the address and closes', async () => {
    renderAreas([routes], '/settings/domains?add=1');
    await screen.findByText('Add a sending domain');
    const field = await screen.findByLabelText('Domain');
    for (const value of ['te.example', 'tea.example'])
      fireEvent.change(field, { target: { value } });
    const startedAt = Date.now();
    expect(next().disabled).toBe(true);
    await waitFor(() => expect(next().disabled).toBe(false));
    expect(Date.now() - startedAt).toBeGreaterThanOrEqual(490);
    expect(checks().map(({ body }) => body)).toEqual([{ domain: 'tea.example' }]);
    fireEvent.click(next());
    expect(await screen.findByText('@tea.example')).toBeTruthy();
    // The user's own address is proposed, because it has this domain.
    const local = screen.getByLabelText<HTMLInputElement>('Address for the email');
    expect(local.value).toBe('owner');
    // The proposed part is selected, so typing replaces it.
    await waitFor(() => expect([local.selectionStart, local.selectionEnd]).toEqual([0, 5]));
    fireEvent.change(local, { target: { value: '' } });
    fireEvent.click(screen.getByRole('button', { name: 'Add' }));
    expect(await screen.findByText('Please enter the part before the @')).toBeTruthy();
    fireEvent.change(screen.getByLabelText('Address for the email'), {
      target: { value: 'news' },
    });
    fireEvent.click(screen.getByRole('button', { name: 'Add' }));
    expect(
      await screen.findByText(
        'Domain successfully added. Verification email sent to news@tea.example.',
      ),
    ).toBeTruthy();
    expect(requests.find(({ body }) => (body as { email?: string })?.email)?.body).toEqual({
      email: 'news@tea.example',
    });
    await waitFor(() => expect(screen.queryByText('Add a sending domain')).toBeNull());
  });

  it('a domain proposed while the field has the focus is selected, so that typing replaces it', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    listGate = promise;
    renderAreas([routes], '/settings/domains?add=1');
    const field = await screen.findByLabelText<HTMLInputElement>('Domain');
    field.focus();
    expect(field.value).toBe('');
    resolve();
    await waitFor(() => expect(field.value).toBe('tea.example'));
    expect([field.selectionStart, field.selectionEnd]).toEqual([0, 11]);
    // The user's own input is not selected.
    fireEvent.change(field, { target: { value: 'g' } });
    expect([field.selectionStart, field.selectionEnd]).toEqual([1, 1]);
  });

  it('a domain that is already listed is refused without a request', async () => {
    renderAreas([routes], '/settings/domains?add=1');
    await screen.findAllByText('old.example');
    await type('OLD.example');
    expect(await screen.findByText('Domain has already been added to your list')).toBeTruthy();
    await new Promise((settle) => setTimeout(settle, 700));
    expect(checks()).toEqual([]);
    expect(next().disabled).toBe(true);
  });

  it('a mailbox provider is refused, with an explanation on demand', async () => {
    const message = 'gmail.com addresses are not allowed due to DMARC rules';
    check = { success: false, messages: [{ type: 'free_provider', message }] };
    renderAreas([routes], '/settings/domains?add=1');
    await type('gmail.com');
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toContain(message);
    const learnMore = within(alert).getByRole('button', { name: 'Learn more' });
    expect(learnMore.getAttribute('aria-expanded')).toBe('false');
    fireEvent.click(learnMore);
    expect(learnMore.getAttribute('aria-expanded')).toBe('true');
    expect(alert.textContent).toContain('Use your own domain');
    expect(next().disabled).toBe(true);
  });

  it('DMARC advice does not block the next step', async () => {
    check = { success: true, messages: [{ type: 'dmarc', message: 'Publish DKIM first.' }] };
    renderAreas([routes], '/settings/domains?add=1');
    await type('tea.example');
    expect(await screen.findByText('Publish DKIM first.')).toBeTruthy();
    expect(screen.queryByRole('alert')).toBeNull();
    expect(next().disabled).toBe(false);
  });

  it('a server error about the address appears in the dialog', async () => {
    creation = {
      status: 409,
      body: { code: 'domain_listed', message: 'x', errors: { email: ['Listed by somebody.'] } },
    };
    renderAreas([routes], '/settings/domains?add=1');
    await type('news@bücher.example');
    expect(await screen.findByText('xn--bcher-kva.example')).toBeTruthy();
    await waitFor(() => expect(next().disabled).toBe(false));
    fireEvent.click(next());
    const local = await screen.findByLabelText<HTMLInputElement>('Address for the email');
    expect(local.value).toBe('news');
    fireEvent.click(screen.getByRole('button', { name: 'Add' }));
    expect(await screen.findByText('Listed by somebody.')).toBeTruthy();
  });
});

it('each record shows its DNS result, with advice about a problem', async () => {
  renderAreas([routes], '/settings/domains/dm1');
  expect(await screen.findByText('DKIM signature')).toBeTruthy();
  expect(screen.getByText('Not found')).toBeTruthy();
  expect(screen.getByText('v=spf1 -all')).toBeTruthy();
  expect(screen.getByText(/more than one SPF record/)).toBeTruthy();
  expect(screen.getAllByRole('button', { name: 'Copy the value' })).toHaveLength(2);
});

it('the value of a withheld record is hidden, and the reason is shown', async () => {
  const [dkim, spf] = DOMAIN.records;
  const returnPath = { ...spf, purpose: 'return_path', type: 'CNAME', name: 'bounce.old.example' };
  const records = [dkim, { ...spf, state: 'withheld', found: [] }, { ...returnPath, state: 'ok' }];
  const respond = fetchMock.getMockImplementation() as typeof fetch;
  fetchMock.mockImplementation(async (input, init) =>
    String(input).endsWith('/domains/dm1')
      ? json({ data: { ...DOMAIN, records } })
      : respond(input, init),
  );
  renderAreas([routes], '/settings/domains/dm1');
  expect(await screen.findByText("Don't publish yet")).toBeTruthy();
  expect(screen.getByText(/own SPF record is missing, and receivers treat/)).toBeTruthy();
  expect(screen.getByText("This installation's SPF record is missing")).toBeTruthy();
  expect(screen.getAllByRole('button', { name: 'Copy the value' })).toHaveLength(2);
});

it('a confirmation link with the path of the settings leads to the confirmation page', async () => {
  const { router } = renderAreas([routes], `/settings/domains?confirm=${'x'.repeat(30)}`);
  expect(await screen.findByText('Domain confirmed')).toBeTruthy();
  expect(router.state.location.pathname).toBe('/confirm-domain');
  expect(requests.find(({ path }) => path === '/domains/confirm')?.body).toEqual({
    token: 'x'.repeat(30),
  });
});
