// Sending domains over HTTP, with real emails, keys and a local DNS server.
import { createPrivateKey, createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type TestDns, testDns } from '#testing/servers/dns-server.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import type { DnsRecord, Domain } from '../contract.ts';
import { findDomainIssue, normalizeDomain } from '../shared.ts';
import { createResolver } from './dns-check.ts';
import { recheckDueDomains } from './domains.ts';
import { domainEmailNeeded } from './events.ts';
import { isVerifiedSender, listSigningKeys } from './senders.ts';

let server: TestServer;
let dns: TestDns;
const emails: { email: string; token: string }[] = [];

beforeAll(async () => {
  dns = await testDns();
  dns.zone.set('bounces.loom.example', { TXT: ['v=spf1 ip4:192.0.2.1 -all'] });
  server = await testServer({
    DNS_SERVERS: dns.address,
    BOUNCE_DOMAIN: 'bounces.loom.example',
    PUBLIC_URL: 'https://app.loom.example',
    SMTP_URL: 'smtp://127.0.0.1:2525',
    SIGN_UP: 'open',
  });
  domainEmailNeeded.on(async (_, event) => {
    emails.push(event);
  });
});
afterAll(() => dns.close());
afterEach(() => {
  clock.reset();
  dns.isSilent = false;
});

const URL_ = '/client-api/api/domains';

function publish(
  records: DnsRecord[],
  isIncluded: (record: DnsRecord) => boolean = () => true,
): void {
  for (const record of records.filter(isIncluded)) {
    dns.zone.set(
      record.name,
      record.type === 'TXT' ? { TXT: [record.value] } : { CNAME: record.value },
    );
  }
}

test('a domain can send and sign after it is added, confirmed by email, published and re-checked', async () => {
  const owner = await server.owner();
  const created = await owner.post(URL_, { email: ' News@Tea.example ' });
  expect(created.status).toBe(200);
  const domain: Domain = created.body.data;
  expect(domain).toMatchObject({
    domain_name: 'tea.example',
    email: 'News@tea.example',
    verified: false,
  });
  expect(domain.records.map((record) => [record.purpose, record.name, record.state])).toEqual([
    ['dkim', 'sl1._domainkey.tea.example', 'unchecked'],
    ['dkim', 'sl2._domainkey.tea.example', 'unchecked'],
    ['spf', 'tea.example', 'unchecked'],
    ['return_path', 'bounce.tea.example', 'unchecked'],
    ['dmarc', '_dmarc.tea.example', 'unchecked'],
    ['tracking', 'links.tea.example', 'unchecked'],
  ]);
  const token = emails.find((email) => email.email === 'News@tea.example')?.token;
  const confirmation = await server.client().post(`${URL_}/confirm`, { token });
  expect(confirmation.body.data.domain_name).toBe('tea.example');
  // Email clients prefetch links, so a second request gets the same result.
  const secondConfirmation = await server.client().post(`${URL_}/confirm`, { token });
  expect(secondConfirmation.body.data.domain_name).toBe('tea.example');
  const forgedToken = `${owner.accountId}.${'A'.repeat(43)}`;
  expect((await server.client().post(`${URL_}/confirm`, { token: forgedToken })).body.code).toBe(
    'link_expired',
  );

  const firstCheck = await owner.post(`${URL_}/${domain.id}/check`);
  expect(firstCheck.body.data).toMatchObject({ dns_verified: false, email_verified: true });
  expect(
    firstCheck.body.data.records.every((record: DnsRecord) => record.state === 'missing'),
  ).toBe(true);
  expect(await isVerifiedSender(server.db, owner.accountId, 'news@tea.example')).toBe(false);

  publish(domain.records);
  const secondCheck = await owner.post(`${URL_}/${domain.id}/check`);
  expect(secondCheck.body.data).toMatchObject({
    verified: true,
    alignment: { dkim: true, spf: true, dmarc_policy: 'none', bimi: false },
  });
  expect(secondCheck.body.data.records.every((record: DnsRecord) => record.state === 'ok')).toBe(
    true,
  );
  expect(await isVerifiedSender(server.db, owner.accountId, 'Sale@TEA.example')).toBe(true);
  const keys = await listSigningKeys(server.db, owner.accountId, 'sale@tea.example');
  expect(keys.map((key) => key.selector)).toEqual(['sl1']);
  const publicKey = createPublicKey(createPrivateKey(keys[0]?.privateKey ?? ''));
  expect(domain.records[0]?.value).toBe(
    `v=DKIM1; k=rsa; p=${publicKey.export({ type: 'spki', format: 'der' }).toString('base64')}`,
  );
  expect((await owner.get('/client-api/api/users/onboard')).body.data.domain_verified).toBe(true);
});

test('a check reports a different key, duplicate SPF or DMARC records, and a CNAME that points elsewhere', async () => {
  const owner = await server.owner();
  const domain: Domain = (await owner.post(URL_, { email: 'a@cake.example' })).body.data;
  publish(domain.records);
  dns.zone.set('sl1._domainkey.cake.example', { TXT: ['v=DKIM1; k=rsa; p=AAAA'] });
  dns.zone.set('cake.example', {
    TXT: ['v=spf1 include:bounces.loom.example ~all', 'v=spf1 -all', 'other'],
  });
  dns.zone.set('links.cake.example', { CNAME: 'elsewhere.example' });
  dns.zone.set('_dmarc.cake.example', { TXT: ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] });
  const { body } = await owner.post(`${URL_}/${domain.id}/check`);
  const states = Object.fromEntries(
    body.data.records.map((record: DnsRecord) => [record.name, record.state]),
  );
  expect(states).toMatchObject({
    'sl1._domainkey.cake.example': 'different',
    'sl2._domainkey.cake.example': 'ok',
    'cake.example': 'different',
    'links.cake.example': 'different',
    '_dmarc.cake.example': 'different',
  });
  expect(body.data.alignment.dmarc_policy).toBeNull();
  expect(body.data.records[5].found).toEqual(['elsewhere.example']);
  // Only the published key signs.
  expect(
    (await listSigningKeys(server.db, owner.accountId, 'a@cake.example')).map(
      (key) => key.selector,
    ),
  ).toEqual(['sl2']);
});

test('SPF is aligned through the return-path record, regardless of the domain’s SPF record', async () => {
  const owner = await server.owner();
  const domain: Domain = (await owner.post(URL_, { email: 'a@route.example' })).body.data;
  const checkSpf = async () => {
    const { data } = (await owner.post(`${URL_}/${domain.id}/check`)).body;
    const spf = data.records.find((record: DnsRecord) => record.purpose === 'spf');
    return [data.alignment.spf, spf.state];
  };
  publish(domain.records, (record) => record.purpose === 'return_path');
  expect(await checkSpf()).toEqual([true, 'missing']);
  // The domain's own record does not establish alignment.
  dns.zone.delete('bounce.route.example');
  publish(domain.records, (record) => record.purpose === 'spf');
  expect(await checkSpf()).toEqual([false, 'ok']);
});

test('the SPF record is withheld unless the host name that it includes has exactly one SPF record', async () => {
  const owner = await server.owner();
  const domain: Domain = (await owner.post(URL_, { email: 'a@careful.example' })).body.data;
  const bounceRecord = dns.zone.get('bounces.loom.example');
  try {
    publish(domain.records, (record) => record.purpose === 'return_path');
    for (const TXT of [[], ['some other text'], ['v=spf1 -all', 'v=spf1 ?all']]) {
      dns.zone.set('bounces.loom.example', { TXT });
      const { data } = (await owner.post(`${URL_}/${domain.id}/check`)).body;
      const states = data.records.map((dnsRecord: DnsRecord) => [
        dnsRecord.purpose,
        dnsRecord.state,
      ]);
      expect(states).toContainEqual(['spf', 'withheld']);
      expect(states).toContainEqual(['return_path', 'ok']);
      expect(data.alignment.spf).toBe(false);
    }
  } finally {
    dns.zone.set('bounces.loom.example', bounceRecord ?? {});
  }
});

test('the DMARC policy of the organizational domain covers a subdomain', async () => {
  const owner = await server.owner();
  dns.zone.set('_dmarc.corp.example', { TXT: ['v=DMARC1; p=reject; rua=mailto:d@corp.example'] });
  const domain: Domain = (await owner.post(URL_, { email: 'a@mail.news.corp.example' })).body.data;
  const { body } = await owner.post(`${URL_}/${domain.id}/check`);
  expect(body.data.alignment.dmarc_policy).toBe('reject');
  expect(body.data.records.find((record: DnsRecord) => record.purpose === 'dmarc').state).toBe(
    'ok',
  );
});

test('an inbox logo requires a strict DMARC policy that covers all failing emails', async () => {
  const owner = await server.owner();
  const domain: Domain = (await owner.post(URL_, { email: 'a@logo.example' })).body.data;
  const isLogoPossible = async (record: string) => {
    dns.zone.set('_dmarc.logo.example', { TXT: [record] });
    return (await owner.post(`${URL_}/${domain.id}/check`)).body.data.alignment.bimi;
  };
  for (const record of [
    'v=DMARC1; p=none',
    'v=DMARC1; p=reject; sp=none',
    'v=DMARC1; p=quarantine; pct=20',
    'v=DMARC1; p=reject; t=y',
  ])
    expect(await isLogoPossible(record), record).toBe(false);
  for (const record of [
    'v=DMARC1; p=reject',
    'v=DMARC1; p=Quarantine; pct=100; sp=reject',
    'v=DMARC1;p=quarantine;rua=mailto:d@logo.example',
  ])
    expect(await isLogoPossible(record), record).toBe(true);
});

test('an unresponsive resolver does not remove a verification, but two successive checks that find no records do', async () => {
  const owner = await server.owner();
  const domain: Domain = (await owner.post(URL_, { email: 'a@bread.example' })).body.data;
  await server.client().post(`${URL_}/confirm`, {
    token: emails.find((email) => email.email === 'a@bread.example')?.token,
  });
  publish(domain.records);
  const tools = {
    hosts: {
      trackingHost: 'app.loom.example',
      bounceHost: 'bounces.loom.example',
      receivesReports: false,
    },
    resolver: createResolver([dns.address]),
  };
  expect(await recheckDueDomains(server.db, owner.accountId, tools)).toBe(1);
  expect(await recheckDueDomains(server.db, owner.accountId, tools)).toBe(0);
  expect(await isVerifiedSender(server.db, owner.accountId, 'a@bread.example')).toBe(true);
  clock.advance(7 * 3_600_000);
  dns.isSilent = true;
  expect(await recheckDueDomains(server.db, owner.accountId, tools)).toBe(1);
  const isSender = () => isVerifiedSender(server.db, owner.accountId, 'a@bread.example');
  const signingSelectors = async () =>
    (await listSigningKeys(server.db, owner.accountId, 'a@bread.example')).map(
      (key) => key.selector,
    );
  expect([await isSender(), await signingSelectors()]).toEqual([true, ['sl1']]);
  clock.advance(7 * 3_600_000);
  dns.isSilent = false;
  for (const record of domain.records) dns.zone.delete(record.name);
  // A single failed check may be due to a zone transfer, so it is repeated soon.
  expect(await recheckDueDomains(server.db, owner.accountId, tools)).toBe(1);
  expect([await isSender(), await signingSelectors()]).toEqual([true, ['sl1']]);
  expect(await recheckDueDomains(server.db, owner.accountId, tools)).toBe(0);
  clock.advance(6 * 60_000);
  expect(await recheckDueDomains(server.db, owner.accountId, tools)).toBe(1);
  expect([await isSender(), await signingSelectors()]).toEqual([false, []]);
  // Restored records are found soon, not hours later.
  publish(domain.records);
  clock.advance(6 * 60_000);
  expect(await recheckDueDomains(server.db, owner.accountId, tools)).toBe(1);
  expect([await isSender(), await signingSelectors()]).toEqual([true, ['sl1']]);
  clock.advance(6 * 60_000);
  expect(await recheckDueDomains(server.db, owner.accountId, tools)).toBe(0);
}, 30_000);

test('the check before adding a domain blocks free providers, and only warns of a strict DMARC policy', async () => {
  const owner = await server.owner();
  const check = async (domain: string) =>
    (await owner.post(`${URL_}/check_domain`, { domain })).body;
  expect(await check('gmail.com')).toEqual({
    success: false,
    messages: [
      { type: 'free_provider', message: 'gmail.com addresses are not allowed due to DMARC rules' },
    ],
  });
  dns.zone.set('_dmarc.strict.example', { TXT: ['v=DMARC1; p=reject'] });
  expect(await check('strict.example')).toMatchObject({
    success: true,
    messages: [{ type: 'dmarc' }],
  });
  expect(await check('fine.example')).toEqual({ success: true, messages: [] });
  await owner.post(URL_, { email: 'a@fine.example' });
  expect(await check('https://www.fine.example/path')).toMatchObject({
    success: false,
    messages: [{ type: 'listed', message: 'Domain has already been added to your list' }],
  });
  expect((await check('nonsense')).messages[0].type).toBe('invalid');
});

test('adding a domain refuses a missing local part, free providers, duplicates and invalid input', async () => {
  const owner = await server.owner();
  const add = (email: string) => owner.post(URL_, { email });
  expect((await add('@soap.example')).body.errors.email).toEqual([
    'Please enter a valid email address',
  ]);
  expect((await add('a b@soap.example')).status).toBe(422);
  for (const name of [
    'gmail.com',
    'online.no',
    'hotmail.se',
    'inbox.lt',
    'inbox.lv',
    'chmail.ir',
  ]) {
    expect((await add(`me@${name}`)).body.code).toBe('free_provider');
  }
  expect((await add(`a@${'x'.repeat(64)}.example`)).body.errors.email[0]).toMatch(/63/);
  expect((await add('a@soap.example')).status).toBe(200);
  expect(await add('b@SOAP.example')).toMatchObject({
    status: 409,
    body: { code: 'domain_listed' },
  });
  expect((await add('c@bücher.example')).body.data).toMatchObject({
    domain_name: 'xn--bcher-kva.example',
    shown_name: 'bücher.example',
  });
  // The first letters of the domain are Cyrillic, so the list shows the punycode, as browsers do.
  expect((await add('c@раypal.example')).body.data.shown_name).toMatch(/^xn--/);
});

test('a domain is found by its displayed and its ASCII form, and sorted by the displayed one', async () => {
  const owner = await server.owner();
  for (const name of ['zebra.example', 'bücher.example', 'apfel.example']) {
    expect((await owner.post(URL_, { email: `a@${name}` })).status).toBe(200);
  }
  const listNames = async (query: string) => {
    const { body } = await owner.get(`${URL_}?${query}`);
    return body.data.map((row: { shown_name: string }) => row.shown_name);
  };
  for (const search of ['büch', 'BÜCHER', 'ücher.ex', 'xn--bch']) {
    expect(await listNames(`search=${encodeURIComponent(search)}`), search).toEqual([
      'bücher.example',
    ]);
  }
  expect(await listNames('search=nothing')).toEqual([]);
  const names = ['apfel.example', 'bücher.example', 'zebra.example'];
  expect(await listNames('order=title&direction=asc')).toEqual(names);
  expect(await listNames('order=title&direction=desc')).toEqual(names.toReversed());
  expect(await listNames('order=title&direction=asc&limit=2&page=2')).toEqual(['zebra.example']);
  expect(await listNames('order=title&direction=desc&search=b')).toEqual([
    'zebra.example',
    'bücher.example',
  ]);
});

test('a resent confirmation email invalidates the earlier link; attempts to add a domain are limited to 30 an hour', async () => {
  const owner = await server.owner();
  const { id } = (await owner.post(URL_, { email: 'a@paced.example' })).body.data;
  const firstToken = emails.find((email) => email.email === 'a@paced.example')?.token;
  expect((await owner.post(`${URL_}/${id}/resend`)).status).toBe(200);
  const confirm = (token: string | undefined) => server.client().post(`${URL_}/confirm`, { token });
  expect((await confirm(firstToken)).body.code).toBe('link_expired');
  const secondToken = emails.findLast((email) => email.email === 'a@paced.example')?.token;
  expect((await confirm(secondToken)).status).toBe(200);
  // Without a limit, adding and removing the domain repeatedly would flood one address with email.
  const statuses: number[] = [];
  for (let i = 0; i < 35; i++) {
    statuses.push((await owner.post(URL_, { email: '@refused.example' })).status);
  }
  // One more attempt is permitted every two minutes, which may pass on a slow machine.
  expect(statuses.indexOf(429)).toBeGreaterThanOrEqual(29);
  expect(statuses.filter((status) => status === 422).length).toBeLessThan(35);
});

test('domains that do not fit into one round of checks are checked in the next one', async () => {
  const owner = await server.owner();
  const at = clock.now();
  const rows = Array.from({ length: 130 }, (_, i) => ({
    account_id: owner.accountId,
    domain: `d${i}.many.example`,
    email: `a@d${i}.many.example`,
    created_at: at,
    modified_at: at,
  }));
  await server.db.insertInto('domains').values(rows).execute();
  const tools = {
    hosts: { trackingHost: 'app.loom.example', bounceHost: undefined, receivesReports: false },
    resolver: createResolver([dns.address]),
  };
  expect(await recheckDueDomains(server.db, owner.accountId, tools)).toBe(100);
  clock.advance(6 * 60_000);
  expect(await recheckDueDomains(server.db, owner.accountId, tools)).toBe(100);
  const uncheckedDomains = await server.db
    .selectFrom('domains')
    .select('id')
    .where('account_id', '=', owner.accountId)
    .where('dns_checked_at', 'is', null)
    .execute();
  expect(uncheckedDomains).toEqual([]);
});

test('the uses of a domain are its scheduled campaigns and those being sent', async () => {
  const owner = await server.owner();
  const otherOwner = await server.owner();
  const { id } = (await owner.post(URL_, { email: 'a@tee-leaf.example' })).body.data;
  const { accountId } = owner;
  const campaign = async (client: typeof owner, title: string, from_email: string) => {
    const created = await client.post('/client-api/api/campaigns', { title, from_email });
    expect(created.status, created.text).toBe(200);
    return decodeId('campaign', created.body.data.id) as number;
  };
  const schedule = (campaignId: number) =>
    sql`update campaigns set status = 'SCHEDULED', scheduled_at = ${clock.now()}
      where id = ${campaignId}`.execute(server.db);
  await campaign(owner, 'A draft', 'a@tee-leaf.example');
  const laterCampaign = await campaign(owner, 'Later', 'a@TEE-leaf.example');
  const elsewhere = await campaign(owner, 'Elsewhere', 'a@news.tee-leaf.example');
  for (const draft of [laterCampaign, elsewhere]) await schedule(draft);
  await schedule(await campaign(otherOwner, 'Of others', 'a@tee-leaf.example'));
  for (const [title, state] of [
    ['On its way', 'sending'],
    ['Over', 'finished'],
  ] as const) {
    const campaignId = await campaign(owner, title, 'b@tee-leaf.example');
    await sql`
      with message as (
        insert into messages (account_id, kind, source_id, state, frozen, created_at, modified_at)
        values (${accountId}, 'campaign', ${campaignId}, ${state}, '{}', ${clock.now()}, ${clock.now()})
        returning id
      )
      update campaigns set status = 'SENT', message_id = message.id from message
      where account_id = ${accountId} and campaigns.id = ${campaignId}`.execute(server.db);
  }
  const uses = await owner.get(`${URL_}/${id}/uses`);
  expect(uses.status, uses.text).toBe(200);
  expect(uses.body.data).toEqual([
    { kind: 'campaign', id: encodeId('campaign', laterCampaign), title: 'Later' },
    { kind: 'campaign', id: expect.any(String), title: 'On its way' },
  ]);
});

test("another account's domain is not found", async () => {
  const owner = await server.owner();
  const otherOwner = await server.owner();
  const { id } = (await otherOwner.post(URL_, { email: 'a@theirs.example' })).body.data;
  for (const response of [
    await owner.get(`${URL_}/${id}`),
    await owner.get(`${URL_}/${id}/uses`),
    await owner.post(`${URL_}/${id}/check`),
    await owner.post(`${URL_}/${id}/resend`),
    await owner.delete(`${URL_}/${id}`),
  ]) {
    expect(response.status).toBe(404);
  }
  expect((await owner.get(URL_)).body.data).toEqual([]);
  expect((await otherOwner.get(`${URL_}?no_paginate=true`)).body).toEqual({
    data: [expect.objectContaining({ id })],
  });
  expect((await otherOwner.delete(`${URL_}/${id}`)).status).toBe(200);
  expect(decodeId('domain', id)).toBeTypeOf('number');
});

test('a typed domain is cleaned, and its first syntax error is found', () => {
  expect(findDomainIssue('a.bc')).toBeUndefined();
  expect(findDomainIssue('shop.xn--p1ai')).toBeUndefined();
  expect(findDomainIssue('')).toBe('required');
  expect(findDomainIssue('a.b')).toBe('short');
  expect(findDomainIssue('shop.1x')).toBe('topLevel');
  expect(findDomainIssue('-a.example')).toBe('characters');
  expect(findDomainIssue(`${'a.'.repeat(126)}example`)).toBe('long');
  expect(normalizeDomain('Mailto:info@Shop.Example')).toBe('shop.example');
  expect(normalizeDomain('HTTPS://www.shop.example./en?a=b')).toBe('shop.example');
  expect(normalizeDomain('www.fi')).toBe('www.fi');
  fc.assert(
    fc.property(fc.string(), (input) => {
      findDomainIssue(normalizeDomain(input));
    }),
  );
});
