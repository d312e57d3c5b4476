// Sending domains: they are added with an address, confirmed by an email, and verified by DNS.
import { generateKeyPair } from 'node:crypto';
import type { Resolver } from 'node:dns/promises';
import { domainToASCII, domainToUnicode } from 'node:url';
import { promisify } from 'node:util';
import { readAccount, markAccount } from '#areas/accounts/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { encodeId } from '#platform/ids.ts';
import { isLanguage, type Language } from '#platform/languages.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { hashSecret, generateSecret, seal } from '#platform/server/secrets.ts';
import { serverTexts } from '#platform/server/texts.ts';
import type { Domain } from '../contract.ts';
import { findDomainIssue, normalizeDomain } from '../shared.ts';
import { checkDns, findDmarc, type SendingHosts, parseTags, requiredRecords } from './dns-check.ts';
import * as store from './domains.sql.ts';
import { isFreeProvider } from './free-providers.ts';
import { domainEmailNeeded, domainsChanged } from './events.ts';
import { applyCheck, type DnsStatus } from './proof.ts';
import { buildDmarcRecord, createReportAddress, requestsReports } from './report-address.ts';

export const SELECTORS = ['sl1', 'sl2'];
export const KEY_PURPOSE = 'dkim private key';
const generate = promisify(generateKeyPair);

export type DomainDependencies = { hosts: SendingHosts; resolver: Resolver };

/**
 * Returns the domain in punycode and lower case.
 * @throws `invalid` for the field, with the issue
 */
function readName(input: string, field: string): string {
  const tidy = normalizeDomain(input);
  const ascii = domainToASCII(tidy).toLowerCase();
  const issue = findDomainIssue(ascii || tidy);
  if (issue) throw invalid({ [field]: [`errors.domain.${issue}`] });
  return ascii;
}

export async function addDomain(
  tx: Tx,
  accountId: number,
  input: string,
  tools: DomainDependencies,
): Promise<Domain> {
  const { email, name } = readAddress(input);
  if (isFreeProvider(name)) {
    throw new AppError('free_provider', {
      values: { domain: toUnicodeDomain(name) },
      errors: { email: ['errors.free_provider'] },
    });
  }
  const secret = generateSecret();
  const at = clock.now();
  const row = await store.insertDomain(tx, {
    accountId,
    name,
    email,
    secretHash: hashSecret(secret),
    at,
  });
  if (!row) throw new AppError('domain_listed', { errors: { email: ['errors.domain_listed'] } });
  for (const selector of SELECTORS) await addKey(tx, accountId, row.id, selector);
  await emailLink(tx, accountId, row, secret);
  return present(tx, accountId, row, tools.hosts);
}

/**
 * Parses an email address. Returns it with the domain in punycode, and the domain alone as `name`.
 * @throws `invalid`
 */
function readAddress(input: string): { email: string; name: string } {
  const separator = input.lastIndexOf('@');
  const local = input.slice(0, separator);
  if (
    separator < 1 ||
    local.length > 64 ||
    !/^[^\s@,;:<>()[\]\\"]+$/.test(local) ||
    /^\.|\.\.|\.$/.test(local)
  ) {
    throw invalid({ email: ['errors.fields.email'] });
  }
  const name = readName(input.slice(separator + 1), 'email');
  return { email: `${local}@${name}`, name };
}

async function addKey(
  tx: Tx,
  accountId: number,
  domainId: number,
  selector: string,
): Promise<void> {
  const { publicKey, privateKey } = await generate('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'der' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  await store.insertKey(tx, {
    accountId,
    domainId,
    selector,
    publicKey: publicKey.toString('base64'),
    sealedPrivateKey: seal(KEY_PURPOSE, privateKey),
    at: clock.now(),
  });
}

async function emailLink(
  tx: Tx,
  accountId: number,
  row: store.DomainRow,
  secret: string,
): Promise<void> {
  const account = await readAccount(tx, accountId);
  await domainEmailNeeded.announce(tx, {
    accountId,
    domain: row.domain,
    email: row.email,
    language: isLanguage(account.language) ? account.language : 'eng',
    token: `${accountId}.${secret}`,
  });
}

export async function resendDomainVerification(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<void> {
  const row = await store.findDomain(tx, accountId, id);
  if (!row) throw notFound();
  if (row.email_verified_at) return;
  const secret = generateSecret();
  await store.updateSecret(tx, accountId, id, hashSecret(secret), clock.now());
  await emailLink(tx, accountId, row, secret);
}

/**
 * Confirms the address of a domain after the emailed link was opened. Returns the domain.
 * @throws `link_expired`
 */
export async function confirmDomain(tx: Tx, token: string): Promise<string> {
  const [account, secret] = token.split('.');
  const accountId = Number(account);
  if (!Number.isSafeInteger(accountId) || accountId < 1 || !secret)
    throw new AppError('link_expired');
  const row = await store.confirmEmail(tx, accountId, hashSecret(secret), clock.now());
  if (!row) throw new AppError('link_expired');
  if (row.dns_verified_at) {
    await markAccount(tx, accountId, 'domain_verified_at');
    await domainsChanged.announce(tx, { accountId });
  }
  return row.domain;
}

/** Checks a domain before it is added. A strict DMARC policy is only a warning. */
export async function checkDomain(
  db: Db,
  accountId: number,
  input: string,
  tools: DomainDependencies,
  language: Language,
): Promise<{ success: boolean; messages: { type: string; message: string }[] }> {
  const t = serverTexts('domains', language);
  const tidy = normalizeDomain(input);
  const name = domainToASCII(tidy).toLowerCase();
  const issue = findDomainIssue(name || tidy);
  const refuse = (type: string, message: string) => ({
    success: false,
    messages: [{ type, message }],
  });
  if (issue) return refuse('invalid', t(`errors.domain.${issue}`));
  if (isFreeProvider(name))
    return refuse('free_provider', t('errors.free_provider', { domain: toUnicodeDomain(name) }));
  if (await store.findDomainByName(db, accountId, name))
    return refuse('listed', t('errors.domain_listed'));
  const dmarc = await findDmarc(tools.resolver, name);
  const policy = dmarc && parseTags(dmarc).get('p')?.toLowerCase();
  const isStrict = policy === 'reject' || policy === 'quarantine';
  return {
    success: true,
    messages: isStrict
      ? [{ type: 'dmarc', message: t('check.dmarc', { domain: toUnicodeDomain(name), policy }) }]
      : [],
  };
}

type NamedDomain = Awaited<ReturnType<typeof store.listNames>>[number];

/** Returns the sorted ids of the domains that match a search in DNS or Unicode form. */
function filterAndSort(
  domains: readonly NamedDomain[],
  { search = '', order, direction }: ListRequest<'title' | 'modified' | 'created'>,
): number[] {
  const term = search.trim().toLowerCase();
  const named = domains.map((domain) => ({ ...domain, shown: toUnicodeDomain(domain.domain) }));
  // The Unicode form is searched even if it is not displayed because it looks like another domain.
  const matches = named.filter(({ domain, shown }) =>
    [domain, shown, domainToUnicode(domain)].some((form) => form.includes(term)),
  );
  const sign = direction === 'desc' ? -1 : 1;
  const compare = (a: (typeof named)[number], b: (typeof named)[number]) => {
    if (order === 'title') return a.shown.localeCompare(b.shown, 'en');
    const column = order === 'modified' ? 'modified_at' : 'created_at';
    return a[column].getTime() - b[column].getTime();
  };
  return matches.sort((a, b) => sign * (compare(a, b) || a.id - b.id)).map(({ id }) => id);
}

export async function listDomains(
  tx: Tx,
  accountId: number,
  list: ListRequest<'title' | 'modified' | 'created'>,
  hosts: SendingHosts,
) {
  const rows: store.DomainRow[] = [];
  const ids = filterAndSort(await store.listNames(tx, accountId), list);
  const page = await buildListResponse(
    list,
    {
      rows: async ({ offset, limit }) => {
        const page = ids.slice(offset, offset + limit);
        rows.push(...(await store.findDomains(tx, accountId, page)));
        return rows;
      },
      total: async () => ids.length,
    },
    (row) => row,
  );
  const keys = await store.findKeys(
    tx,
    accountId,
    rows.map((row) => row.id),
  );
  return { ...page, data: page.data.map((row) => presentRow(row, keys, hosts)) };
}

export async function readDomain(
  tx: Tx,
  accountId: number,
  id: number,
  hosts: SendingHosts,
): Promise<Domain> {
  const row = await store.findDomain(tx, accountId, id);
  if (!row) throw notFound();
  return present(tx, accountId, row, hosts);
}

async function present(
  db: Reader,
  accountId: number,
  row: store.DomainRow,
  hosts: SendingHosts,
): Promise<Domain> {
  return presentRow(row, await store.findKeys(db, accountId, [row.id]), hosts);
}

function presentRow(row: store.DomainRow, allKeys: store.KeyRow[], hosts: SendingHosts): Domain {
  const keys = toPublishedKeys(allKeys.filter((key) => key.domain_id === row.id));
  const check = row.dns_status as DnsStatus;
  const address = createReportAddress(
    row.domain,
    { accountId: row.account_id, domainId: row.id },
    hosts,
  );
  const dmarc = findStoredDmarc(check);
  const records = requiredRecords(row.domain, keys, hosts).map((term) => {
    const lastResult = check.records?.find(
      (record) => record.name === term.name && record.purpose === term.purpose,
    );
    const value =
      term.purpose === 'dmarc'
        ? buildDmarcRecord(dmarc?.record, address, dmarc?.isInherited)
        : term.value;
    return {
      ...term,
      value,
      state: lastResult?.state ?? ('unchecked' as const),
      found: lastResult?.found ?? [],
    };
  });
  const isVerified = row.email_verified_at !== null && row.dns_verified_at !== null;
  return {
    id: encodeId('domain', row.id),
    domain_name: row.domain,
    shown_name: toUnicodeDomain(row.domain),
    email: row.email,
    email_verified: row.email_verified_at !== null,
    dns_verified: row.dns_verified_at !== null,
    verified: isVerified,
    // Checks stored by earlier releases have no value for the logo.
    alignment: { dkim: false, spf: false, dmarc_policy: null, bimi: false, ...check.alignment },
    records,
    reports: {
      address: address ?? null,
      requested: address !== undefined && requestsReports(dmarc?.record ?? '', address),
    },
    checked: row.dns_checked_at?.toISOString() ?? null,
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  };
}

/**
 * Returns the DMARC record at the last check. Checks of earlier releases have only the shortened
 * record.
 */
function findStoredDmarc({
  dmarc,
  records = [],
}: DnsStatus): NonNullable<DnsStatus['dmarc']> | undefined {
  if (dmarc !== undefined) return dmarc ?? undefined;
  const record = records.find(({ purpose }) => purpose === 'dmarc')?.found[0];
  return record === undefined ? undefined : { record: record, isInherited: false };
}

const toPublishedKeys = (keys: store.KeyRow[]) =>
  keys.map((key) => ({ selector: key.selector, publicKey: key.public_key }));

/** Checks the records outside any transaction, because DNS may be slow, and stores the result. */
export async function recheckDomain(
  db: Db,
  accountId: number,
  id: number,
  tools: DomainDependencies,
): Promise<Domain> {
  const row = await store.findDomain(db, accountId, id);
  if (!row) throw notFound();
  const keys = toPublishedKeys(await store.findKeys(db, accountId, [id]));
  const check = await checkDns(tools.resolver, row.domain, keys, tools.hosts);
  return inTransaction(db, async (tx) => {
    const at = clock.now();
    const previous = { verifiedAt: row.dns_verified_at, status: row.dns_status as DnsStatus };
    const { verifiedAt, status } = applyCheck(previous, check, at);
    const updated = await store.saveCheck(tx, accountId, id, {
      status: JSON.stringify(status),
      verifiedAt,
      at,
    });
    if (!updated) throw notFound();
    if ((verifiedAt === null) !== (row.dns_verified_at === null)) {
      await domainsChanged.announce(tx, { accountId });
    }
    if (verifiedAt && updated.email_verified_at)
      await markAccount(tx, accountId, 'domain_verified_at');
    return present(tx, accountId, updated, tools.hosts);
  });
}

export async function removeDomain(tx: Tx, accountId: number, id: number): Promise<void> {
  const row = await store.findDomain(tx, accountId, id);
  if (!row || !(await store.deleteDomain(tx, accountId, id))) throw notFound();
  recordChange({ before: { domain: row.domain } });
  await domainsChanged.announce(tx, { accountId });
}

/**
 * Checks a domain. A domain that was removed concurrently is ignored, so that the remaining ones
 * are checked.
 */
async function recheckUnlessRemoved(
  db: Db,
  accountId: number,
  id: number,
  tools: DomainDependencies,
): Promise<void> {
  try {
    await recheckDomain(db, accountId, id, tools);
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'not_found')) throw error;
  }
}

/**
 * Checks the DNS records of due domains and returns their number. A domain is due every six hours.
 * For a week after an unverified domain was added, or after a domain lost its records, it is due
 * every five minutes.
 */
export async function recheckDueDomains(
  db: Db,
  accountId: number,
  tools: DomainDependencies,
): Promise<number> {
  const minutesAgo = (minutes: number) => new Date(clock.now().getTime() - minutes * 60_000);
  const dueDomains = await store.listDueDomains(db, accountId, {
    regular: minutesAgo(6 * 60),
    frequent: minutesAgo(5),
    recentSince: minutesAgo(7 * 24 * 60),
  });
  for (const { id } of dueDomains) await recheckUnlessRemoved(db, accountId, id, tools);
  return dueDomains.length;
}
