// Provides data about an account's sending domains, mostly to other areas: verification, alignment,
// signing key, own hosts, and uses of a domain.
import { domainToASCII } from 'node:url';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { unseal } from '#platform/server/secrets.ts';
import type { DomainUse } from '../contract.ts';
import type { DnsCheck } from './dns-check.ts';
import { KEY_PURPOSE } from './domains.ts';
import * as store from './domains.sql.ts';
import { domainUsedBy } from './events.ts';
import { type DnsStatus, listSigningNames } from './proof.ts';

/** Returns the domain of an address in its DNS form: ASCII, lower case. */
export function parseSenderDomain(email: string): string {
  const name = email.slice(email.lastIndexOf('@') + 1);
  return (domainToASCII(name) || name).toLowerCase();
}

/**
 * Lists the objects that can no longer send if the domain is removed.
 * @throws `not_found` if the account does not have the domain
 */
export async function listDomainUses(tx: Tx, accountId: number, id: number): Promise<DomainUse[]> {
  const row = await store.findDomain(tx, accountId, id);
  if (!row) throw notFound();
  return domainUsedBy.collect(tx, { accountId, domain: row.domain });
}

/**
 * Returns whether the address may be used as a sender: its domain is confirmed by email and by DNS.
 */
export async function isVerifiedSender(
  db: Reader,
  accountId: number,
  email: string,
): Promise<boolean> {
  const name = parseSenderDomain(email);
  const row = await store.findDomainByName(db, accountId, name);
  return row?.email_verified_at != null && row.dns_verified_at !== null;
}

/**
 * Reads the alignment of an address's domain at its last check; undefined before the first check or
 * if the account does not have the domain.
 */
export async function readAlignment(
  db: Reader,
  accountId: number,
  email: string,
): Promise<DnsCheck['alignment'] | undefined> {
  const name = parseSenderDomain(email);
  const row = await store.findDomainByName(db, accountId, name);
  return (row?.dns_status as Partial<DnsCheck> | undefined)?.alignment;
}

export type ProvenHosts = {
  domain: string;
  /** The domain's own name for links, if it points here. */
  links: string | undefined;
  /** The domain's own name for the return path, if it points here. */
  returnPath: string | undefined;
};

/**
 * Lists the verified domains and their host names that pointed to this installation at the last
 * check.
 */
export async function listProvenHosts(db: Reader, accountId: number): Promise<ProvenHosts[]> {
  const rows = await store.listVerifiedRows(db, accountId);
  return rows.map(({ domain, dns_status }) => {
    const { records = [] } = dns_status as Partial<Pick<DnsCheck, 'records'>>;
    const findRecordName = (purpose: string) =>
      records.find((record) => record.purpose === purpose && record.state === 'ok')?.name;
    return { domain, links: findRecordName('tracking'), returnPath: findRecordName('return_path') };
  });
}

/** Lists the verified domains, which the account may send from. */
export function listVerifiedDomains(db: Reader, accountId: number): Promise<string[]> {
  return store.listVerifiedNames(db, accountId);
}

export type SigningKey = { domain: string; selector: string; privateKey: string };

/**
 * Returns a list with the key (PEM) that signs emails from an address. It is empty if the domain is
 * not verified or has no such key. The key is the first active key with a record found by the last
 * check. If that check found none, the last successful check decides.
 */
export async function listSigningKeys(
  db: Reader,
  accountId: number,
  email: string,
): Promise<SigningKey[]> {
  const name = parseSenderDomain(email);
  const row = await store.findDomainByName(db, accountId, name);
  if (!row?.dns_verified_at) return [];
  const signingNames = listSigningNames(row.dns_status as DnsStatus);
  const keys = await store.findKeys(db, accountId, [row.id]);
  // One signature is enough; the other key is for the next rotation.
  return keys
    .filter((key) => key.is_active && signingNames.has(`${key.selector}._domainkey.${row.domain}`))
    .slice(0, 1)
    .map((key) => ({
      domain: row.domain,
      selector: key.selector,
      privateKey: unseal(KEY_PURPOSE, key.sealed_private_key),
    }));
}
