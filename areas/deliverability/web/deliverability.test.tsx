// @vitest-environment jsdom
// The screens of deliverability: the next step, sources that the owner names, files with errors,
// the health of domains, and signals.
import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { endTestApp, renderScreen, startTestApp } from '#platform/web/shell/test-app.tsx';
import type { Advice, DomainHealth, DomainReports, ReportSource } from '../contract.ts';
import DeliverabilityScreen from './deliverability-screen.tsx';
import type { Signals } from '../signals-contract.ts';
import DomainReportsScreen from './domain-reports-screen.tsx';
import CampaignPlacements from './placements/campaign-placements.tsx';
import SignalsScreen from './signals-screen.tsx';

beforeAll(() => startTestApp());
afterEach(() => {
  endTestApp();
  vi.unstubAllGlobals();
});

const source = (changes: Partial<ReportSource>): ReportSource => ({
  ...{ source: 'ours', kind: 'ours', name: '', verdict: 'ours', title: '', suggestion: '' },
  ...{ messages: 100, aligned: 90, dkim: 90, spf: 50, refused: 0, unsigned: 0, addresses: [] },
  ...changes,
});
const google = source({
  source: 'selector:tea.example/google',
  kind: 'selector',
  verdict: 'unknown',
  suggestion: 'Google Workspace',
  refused: 3,
});
const domain: DomainReports = {
  ...{ id: 'd1', domain_name: 'tea.example', shown_name: 'tea.example', policy: 'none' },
  ...{ address: 'r+1@bounce.tea.example', requested: true, last_report: '2026-11-28' },
  advice: { code: 'name_source', source: google.source, messages: 1200 },
  totals: { messages: 1300, aligned: 1290, unsigned: 7 },
  days: [{ day: '2026-11-28', aligned: 1290, failed: 10 }],
  checklist: [
    { item: 'dkim', state: 'met', share: null, by: null },
    { item: 'complaints', state: 'failed', share: 0.004, by: 'reports' },
    { item: 'tls', state: 'met', share: 0.995, by: 'postmaster' },
    { item: 'reverse_dns', state: 'met', share: null, by: 'gmail' },
  ],
  bulk_since: '2026-11-20',
  compliance: [],
  bimi: {
    ...{ record: 'v=BIMI1; l=', logo: null, certificate: null, valid_until: null },
    ...{ findings: ['logo_missing', 'certificate_missing'], checked: '2026-11-28T10:00:00Z' },
  },
  blocklists: [],
  sources: [
    source({}),
    google,
    source({
      source: 'network:192.0.2.0/24',
      kind: 'network',
      verdict: 'unknown',
      messages: 0,
      unsigned: 7,
    }),
  ],
  reporters: [
    { name: 'receiver.example', signed: true, reports: 2, messages: 1300, last: '2026-11-28' },
    { name: 'Forger', signed: false, reports: 1, messages: 7, last: '2026-11-28' },
  ],
  tls: { sessions: 10, failures: 1, results: [{ result: 'certificate-expired', sessions: 1 }] },
};

type RecordedCall = { url: string; method: string; body: unknown };

function mockResponses(responses: Record<string, unknown>): RecordedCall[] {
  const calls: RecordedCall[] = [];
  vi.stubGlobal('fetch', async (input: RequestInfo | URL, init?: RequestInit) => {
    const url = input instanceof Request ? input.url : String(input);
    const body = typeof init?.body === 'string' ? JSON.parse(init.body) : undefined;
    calls.push({ url, method: init?.method ?? 'GET', body });
    const allResponses: Record<string, unknown> = {
      '/deliverability/pilot': { data: [] },
      ...responses,
    };
    const key = Object.keys(allResponses).find((path) => url.includes(path));
    return Response.json(key ? allResponses[key] : { success: true });
  });
  return calls;
}

const openDomain = () =>
  renderScreen(DomainReportsScreen, {
    at: '/settings/deliverability/d1',
    path: '/settings/deliverability/$domain',
  });

it.each<[Advice, RegExp]>([
  [domain.advice, /^Is tea\.example, key google yours\? It sent 1,200 emails/],
  [{ code: 'to_quarantine', share: 0.991 }, /You can move tea\.example to p=quarantine: 99\.1%/],
  [
    { code: 'more_evidence', days: 4, reporters: 0, messages: 1000 },
    /still missing: days: 4, emails: 1,000\.$/,
  ],
  [{ code: 'later_reject', day: '2026-12-10' }, /Stay at p=quarantine until Dec 10, 2026/],
  [{ code: 'fix_known', source: google.source, title: 'Shop', share: 0.5 }, /from Shop pass/],
])('the advice %j is shown in words', async (advice, text) => {
  mockResponses({
    '/domains': { data: [{ ...domain, advice }] },
    '/files': { data: [] },
    '/health': { data: [] },
  });
  renderScreen(DeliverabilityScreen, { at: '/settings/deliverability' });
  expect((await screen.findByRole('alert')).textContent).toMatch(text);
});

it('an account without domains is prompted to add one', async () => {
  mockResponses({ '/domains': { data: [] }, '/health': { data: [] } });
  renderScreen(DeliverabilityScreen, { at: '/settings/deliverability' });
  const link = await screen.findByRole('link', { name: 'Add domain' });
  expect(link.getAttribute('href')).toBe('/settings/domains?add=1');
  expect(screen.queryByText('Upload report')).toBeNull();
});

it('each mailbox provider shows its state, and each cause shows its date and next step', async () => {
  const since = '2026-11-27T10:00:00Z';
  const row = { since, reports_complaints: true, causes: [] };
  const mailboxes: DomainHealth['mailboxes'] = [
    {
      ...{ ...row, mailbox: 'yahoo', state: 'act', sent: 2_030 },
      causes: [{ cause: 'complaints', level: 'act', since, count: 15, of: 2_000, detail: null }],
    },
    {
      ...{ ...row, mailbox: 'gmail', state: 'act', sent: 5_000, reports_complaints: false },
      causes: [{ cause: 'compliance', level: 'act', since, count: 0, of: 0, detail: 'encryption' }],
    },
    { ...row, mailbox: 'other', state: 'no_data', sent: 40 },
  ];
  const health: DomainHealth = {
    ...{ domain_name: 'tea.example', shown_name: 'tea.example', state: 'act', measured: since },
    mailboxes,
    causes: [
      { cause: 'blocklist', level: 'act', since, count: 0, of: 0, detail: 'ZEN: 192.0.2.7' },
    ],
  };
  mockResponses({
    '/domains': { data: [domain] },
    '/files': { data: [] },
    '/health': { data: [health] },
  });
  renderScreen(DeliverabilityScreen, { at: '/settings/deliverability' });
  const yahoo = (await screen.findByText('Yahoo')).closest('li') as HTMLElement;
  expect(within(yahoo).getByText('Act now')).toBeTruthy();
  expect(within(yahoo).getByText(/0\.8% of 2,000 emails were reported/).textContent).toMatch(
    /Since Nov 27, 2026\. Send only to people who opened/,
  );
  const gmail = screen.getByText('Gmail').closest('li') as HTMLElement;
  expect(within(gmail).getByText(/complaint rate is unknown/)).toBeTruthy();
  expect(
    within(gmail).getByText(/considers a requirement unmet: Encryption \(TLS\)\./),
  ).toBeTruthy();
  const otherProviders = screen.getByText('Other providers').closest('li') as HTMLElement;
  expect(within(otherProviders).getByText('No data')).toBeTruthy();
  expect(screen.getByText(/Listed as a spam sender: ZEN: 192\.0\.2\.7\./)).toBeTruthy();
});

it('received files show why they are not counted', async () => {
  const file = {
    id: 'f',
    origin: 'upload',
    name: 'r.xml',
    reports: 0,
    created: '2026-11-28T10:00:00Z',
  };
  const files = [
    { ...file, id: 'a', state: 'unreadable', fault: 'in_future' },
    { ...file, id: 'b', state: 'foreign', fault: 'foreign_domain' },
    { ...file, id: 'c', state: 'unreadable', fault: 'doctype' },
  ];
  const counts = { received: 1_290, waiting: 0, parsed: 1_280, duplicate: 0 };
  mockResponses({
    '/domains': { data: [domain] },
    '/files': { data: files, counts: { ...counts, unreadable: 6, foreign: 4 } },
    '/health': { data: [] },
  });
  renderScreen(DeliverabilityScreen, { at: '/settings/deliverability' });
  expect(await screen.findByText(/older than 60 days/)).toBeTruthy();
  expect(screen.getByText(/domain that is not added/)).toBeTruthy();
  expect(screen.getByText('This is no DMARC or TLS report.')).toBeTruthy();
  expect(
    screen.getByText(
      'Received in 60 days: 1,290 · Counted: 1,280 · Not readable: 6 · Not your domain: 4',
    ),
  ).toBeTruthy();
});

it('unsigned evidence is shown separately, and a source can be named', async () => {
  const calls = mockResponses({ '/sources': { success: true }, '/domains/d1': { data: domain } });
  openDomain();
  const unsignedSource = (await screen.findByText('192.0.2.0/24')).closest('li') as HTMLElement;
  expect(unsignedSource.dataset.unsigned).toBe('true');
  expect(within(unsignedSource).getByText('In reports without a signature: 7')).toBeTruthy();
  expect(screen.getByText('No valid signature: not evaluated')).toBeTruthy();
  expect(screen.getByText(/Measured: at least 0\.4%/).textContent).toContain('Gmail');
  expect(screen.getByText('Failed')).toBeTruthy();
  expect(screen.getByRole('link', { name: /Unengaged/ }).getAttribute('href')).toBe(
    '/subscribers/segments/create',
  );
  expect(screen.getByText(/90% of 10 reported connections/)).toBeTruthy();
  expect(screen.getByText('r+1@bounce.tea.example')).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Actions for Emails from Sendloom' })).toBeNull();
  const name = 'Actions for tea.example, key google';
  fireEvent.click(screen.getByRole('button', { name }));
  fireEvent.click(await screen.findByRole('menuitem', { name: 'This is mine' }));
  const field = await screen.findByLabelText('Tool or service');
  expect(field).toHaveProperty('value', 'Google Workspace');
  fireEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(calls.some(({ method }) => method === 'PUT')).toBe(true));
  expect(calls.find(({ method }) => method === 'PUT')).toMatchObject({
    url: expect.stringContaining('/domains/d1/sources'),
    body: { source: google.source, verdict: 'known', title: 'Google Workspace' },
  });
});

it('markup in report names is shown as text', async () => {
  const image = '<img src=x onerror="alert(1)">';
  const formula = '=HYPERLINK("https://evil.example/","Report")';
  const selector = `selector:tea.example/${image}/$t(deliverability:title){{domain}}`;
  const hostile: DomainReports = {
    ...domain,
    advice: { code: 'name_source', source: selector, messages: 10 },
    sources: [source({ source: selector, kind: 'selector', verdict: 'known', title: formula })],
    reporters: [image, formula].map((name) => ({
      ...{ name, signed: false, reports: 1, messages: 7, last: '2026-11-28' },
    })),
  };
  mockResponses({ '/domains/d1': { data: hostile } });
  openDomain();
  const reporters = await screen.findByRole('region', { name: 'Reporting organizations' });
  expect(within(reporters).getByText(image)).toBeTruthy();
  expect(within(reporters).getByText(formula)).toBeTruthy();
  const sources = screen.getByRole('region', { name: 'Who sends as this domain' });
  const hostileTitle = `tea.example, key ${image}/$t(deliverability:title){{domain}}`;
  expect(within(sources).getByText(hostileTitle)).toBeTruthy();
  expect(within(sources).getByText(formula)).toBeTruthy();
  expect(screen.getByRole('alert').textContent).toContain(`Is ${hostileTitle} yours?`);
  expect(document.querySelector('img, [onerror]')).toBeNull();
  expect(document.querySelector('a[href*="evil.example"]')).toBeNull();
});

it('the domain page shows the problems of the logo and the share of encrypted emails', async () => {
  const calls = mockResponses({ '/domains/d1': { data: domain } });
  openDomain();
  const bimi = await screen.findByRole('region', { name: 'Logo in inboxes (BIMI)' });
  expect(within(bimi).getByText('Not complete')).toBeTruthy();
  expect(within(bimi).getByText('The record names no logo (l=).')).toBeTruthy();
  expect(screen.getByText(/At Gmail in 30 days: 99\.5% encrypted\./)).toBeTruthy();
  expect(screen.getByText(/bulk sender since Nov 20, 2026/)).toBeTruthy();
  fireEvent.click(within(bimi).getByRole('button', { name: 'Check now' }));
  await waitFor(() => expect(calls.some(({ url }) => url.endsWith('/domains/d1/bimi'))).toBe(true));
});

it("the domain page lists Gmail's requirements with the reason and the next step", async () => {
  const since = '2026-11-20T10:00:00Z';
  const asOf = '2026-11-27T10:00:00Z';
  mockResponses({
    '/domains/d1': {
      data: {
        ...domain,
        compliance: [
          { requirement: 'spf', is_met: true, reason: null, since, as_of: asOf },
          { requirement: 'dkim', is_met: null, reason: null, since, as_of: asOf },
          {
            ...{ requirement: 'one_click_unsubscribe', is_met: false, since, as_of: asOf },
            reason: 'no_unsub_general',
          },
        ],
      },
    },
  });
  openDomain();
  const gmail = await screen.findByRole('region', { name: 'Requirements of Gmail' });
  const unmet = within(gmail).getByText('One-click unsubscribe').closest('li') as HTMLElement;
  expect(within(unmet).getByText('Needs work')).toBeTruthy();
  expect(unmet.textContent).toContain('Most emails lack it. Every marketing email from here');
  expect(unmet.textContent).toContain('since Nov 20, 2026');
  expect(within(gmail).getByText('Met')).toBeTruthy();
  expect(within(gmail).getByText(/As of Nov 27, 2026\. The last retrieval .* failed/)).toBeTruthy();
  const unknown = within(gmail).getByText('DKIM').closest('li') as HTMLElement;
  expect(within(unknown).getByText('Unknown')).toBeTruthy();
  expect(unknown.textContent).not.toContain('since');
  expect(screen.getByText(/Gmail’s own verdict\.$/)).toBeTruthy();
});

it('the domain page states what is missing if Gmail has no verdict', async () => {
  mockResponses({ '/domains/d1': { data: domain } });
  openDomain();
  const gmail = await screen.findByRole('region', { name: 'Requirements of Gmail' });
  expect(within(gmail).getByText(/No verdict from Gmail/)).toBeTruthy();
  expect(within(gmail).getByRole('link').getAttribute('href')).toBe(
    '/settings/deliverability/signals',
  );
});

it('the report of a campaign shows the folders of its seed copies', async () => {
  const noPlacements = { inbox: 0, category: 0, spam: 0, missing: 0, unknown: 0, waiting: 0 };
  mockResponses({
    '/placement': {
      data: {
        placements: [
          { mailbox: 'gmail', ...noPlacements, inbox: 2, spam: 1 },
          { mailbox: 'other', ...noPlacements, missing: 1 },
        ],
        gmail: { spam_rate: 0.005, day: '2026-11-27' },
      },
    },
  });
  renderScreen(() => <CampaignPlacements id="c1" />, { at: '/campaigns/c1/report' });
  const gmail = (await screen.findByText('Gmail')).closest('li') as HTMLElement;
  expect(within(gmail).getByText('Inbox: 2')).toBeTruthy();
  expect(within(gmail).getByText('Spam folder: 1')).toBeTruthy();
  expect(within(gmail).queryByText(/Not found/)).toBeNull();
  const otherProviders = screen.getByText('Other providers').closest('li') as HTMLElement;
  expect(within(otherProviders).getByText('Not found: 1')).toBeTruthy();
  expect(screen.getByText(/marked 0\.5% of this campaign as spam.*Nov 27, 2026/)).toBeTruthy();
});

const signals: Signals = {
  postmaster: { has_client: true, connection: null },
  domains: [],
  snds: [],
  seeds: [
    {
      ...{ id: 's1', email: 'seed@gmail.com', host: 'imap.gmail.com', port: 993, login: 'seed' },
      ...{ service: null, fault: 'refused', checked: '2026-11-28T10:00:00Z' },
    },
  ],
  seed_services: ['microsoft'],
  placements: [
    {
      ...{ subject: 'Spring teas', sent: '2026-11-28T10:00:00Z' },
      copies: [
        { email: 'a@gmail.com', place: 'category', folder: 'promotions', is_encrypted: true },
        { email: 'b@gmx.de', place: 'spam', folder: 'Spam', is_encrypted: null },
        { email: 'c@gmx.de', place: 'unknown', folder: null, is_encrypted: null },
        { email: 'd@gmx.de', place: null, folder: null, is_encrypted: null },
      ],
    },
  ],
};
const openSignals = (at = '/settings/deliverability/signals') =>
  renderScreen(SignalsScreen, { at });

it('a service without statistics is shown as having no data, and each seed copy shows its folder', async () => {
  mockResponses({ '/signals': { data: signals } });
  openSignals();
  expect(await screen.findByText('No data from the last seven days.')).toBeTruthy();
  expect(screen.getByText('The login is refused')).toBeTruthy();
  for (const place of [
    'Inbox, tab promotions',
    'Spam folder',
    'Unknown: the mailbox could not be opened',
    'Not looked up yet',
  ]) {
    expect(screen.getByText(place)).toBeTruthy();
  }
  expect(screen.getByRole('button', { name: 'Connect to Google' })).toBeTruthy();
});

it('the parameters that Google adds to the redirect are used once', async () => {
  const calls = mockResponses({ '/signals': { data: signals } });
  openSignals('/settings/deliverability/signals?code=abc&state=xyz');
  await waitFor(() =>
    expect(calls.filter(({ method }) => method === 'POST')).toMatchObject([
      { body: { code: 'abc', state: 'xyz' } },
    ]),
  );
});

it('a seed mailbox can be added through OAuth consent if its service is configured', async () => {
  const calls = mockResponses({ '/signals': { data: { ...signals, seeds: [] } } });
  openSignals('/settings/deliverability/signals?code=abc&state=seed.xyz');
  await waitFor(() =>
    expect(calls.filter(({ method }) => method === 'POST')).toMatchObject([
      {
        url: expect.stringContaining('/seeds/consent/finish'),
        body: { code: 'abc', state: 'seed.xyz' },
      },
    ]),
  );
  fireEvent.click(await screen.findByRole('button', { name: 'Add mailbox' }));
  const consent = await screen.findByRole<HTMLButtonElement>('button', {
    name: 'Sign in with Microsoft',
  });
  expect(consent.disabled).toBe(true);
  fireEvent.change(screen.getByLabelText(/^Email address/), { target: { value: 'me@live.com' } });
  expect(consent.disabled).toBe(false);
  expect(screen.queryByRole('button', { name: 'Sign in with Google' })).toBeNull();
});

it.each([
  ['microsoft', /Only the owner.*microsoft\.com/],
  ['google', /This also revokes access at Google/],
  [null, /landed are deleted\.$/],
] as const)(
  'the confirmation to remove a mailbox of %s states how its access ends',
  async (service, text) => {
    const [seed] = signals.seeds;
    mockResponses({ '/signals': { data: { ...signals, seeds: [{ ...seed, service }] } } });
    openSignals();
    fireEvent.click(await screen.findByRole('button', { name: /seed@gmail\.com/ }));
    fireEvent.click(await screen.findByRole('menuitem', { name: 'Remove mailbox' }));
    expect(await screen.findByText(text)).toBeTruthy();
  },
);

it('the IMAP server of a known provider is filled in', async () => {
  mockResponses({ '/signals': { data: { ...signals, seeds: [] } } });
  openSignals();
  fireEvent.click(await screen.findByRole('button', { name: 'Add mailbox' }));
  const email = await screen.findByLabelText(/^Email address/);
  fireEvent.change(email, { target: { value: 'me@gmx.de' } });
  expect(screen.getByLabelText<HTMLInputElement>(/^IMAP server/).value).toBe('imap.gmx.net');
});
