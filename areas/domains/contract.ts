// Calls for sending domains (the valid domains of sender addresses) and the DNS records that verify
// them.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  listResponse,
  listQuery,
} from '#platform/contract.ts';

/**
 * A record that is `withheld` must not be published yet, because the name that it includes does not
 * have exactly one SPF record.
 */
export const RECORD_STATES = [
  'ok',
  'missing',
  'different',
  'unreachable',
  'withheld',
  'unchecked',
] as const;

export const DnsRecord = z.object({
  purpose: z.enum(['dkim', 'spf', 'dmarc', 'return_path', 'tracking']),
  /**
   * Whether the record verifies the domain; one such record is enough. The other records improve
   * deliverability.
   */
  required: z.boolean(),
  type: z.enum(['TXT', 'CNAME']),
  name: z.string(),
  value: z.string(),
  state: z.enum(RECORD_STATES),
  /** Found records of this kind, shortened. */
  found: z.array(z.string()),
});
export type DnsRecord = z.infer<typeof DnsRecord>;

export const Domain = z.object({
  id: Id,
  domain_name: z.string(),
  /** The name to display, which is in Unicode if it does not look like another domain. */
  shown_name: z.string(),
  email: z.string(),
  email_verified: z.boolean(),
  dns_verified: z.boolean(),
  /** Whether senders may use this domain: it is verified by email and by DNS. */
  verified: z.boolean(),
  /** Whether signature and return path belong to the organization of the From domain (RFC 9989). */
  alignment: z.object({
    dkim: z.boolean(),
    spf: z.boolean(),
    dmarc_policy: z.string().nullable(),
    /** Whether the policy is strict enough for BIMI, so that inboxes show the domain's logo. */
    bimi: z.boolean(),
  }),
  records: z.array(DnsRecord),
  /** Other mail servers' reports about email sent from the domain. */
  reports: z.object({
    /** The address that receives them; null on an installation that receives no email. */
    address: z.string().nullable(),
    /** Whether the domain's DMARC record contains the address. */
    requested: z.boolean(),
  }),
  checked: Instant.nullable(),
  created: Instant,
  modified: Instant,
});
export type Domain = z.infer<typeof Domain>;

/** An object that sends from this domain, such as a scheduled campaign or a transactional email. */
export const DomainUse = z.object({ kind: z.string(), id: z.string(), title: z.string() });
export type DomainUse = z.infer<typeof DomainUse>;

export const DomainMessage = z.object({ type: z.string(), message: z.string() });

const params = z.object({ id: idOf('domain') });

export const calls = defineCalls({
  listDomains: {
    method: 'GET',
    path: '/client-api/api/domains',
    caller: 'account',
    summary: 'List sending domains',
    description: 'Includes DNS records and verification status.',
    query: listQuery({ sorts: ['title', 'modified', 'created'], order: 'created' }),
    response: listResponse(Domain),
  },
  addDomain: {
    method: 'POST',
    path: '/client-api/api/domains',
    caller: 'account',
    requiredRight: 'settings',
    audit: ['email'],
    summary: 'Add the domain of an email address',
    description: 'Sends a confirmation link to the address.',
    body: z.strictObject({ email: z.string().trim().min(3).max(320) }),
    response: dataResponse(Domain),
    errors: { domain_listed: 409, free_provider: 422 },
  },
  checkDomain: {
    method: 'POST',
    path: '/client-api/api/domains/check_domain',
    caller: 'account',
    requiredRight: 'settings',
    audit: 'none',
    summary: 'Check a domain before adding it',
    description: 'Returns problems of the domain, and warnings.',
    body: z.strictObject({ domain: z.string().max(1000) }),
    response: z.object({ success: z.boolean(), messages: z.array(DomainMessage) }),
    transaction: 'own',
  },
  getDomain: {
    method: 'GET',
    path: '/client-api/api/domains/{id}',
    caller: 'account',
    summary: 'Get a sending domain',
    params,
    response: dataResponse(Domain),
  },
  recheckDomain: {
    method: 'POST',
    path: '/client-api/api/domains/{id}/check',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Check the DNS records of a domain',
    params,
    response: dataResponse(Domain),
    transaction: 'own',
  },
  resendDomainEmail: {
    method: 'POST',
    path: '/client-api/api/domains/{id}/resend',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Resend the confirmation email of a domain',
    params,
    response: SuccessResponse,
  },
  confirmDomain: {
    method: 'POST',
    path: '/client-api/api/domains/confirm',
    caller: 'visitor',
    summary: 'Confirm the address of a domain',
    description: 'Takes the token of the emailed link.',
    body: z.strictObject({ token: z.string().min(20).max(200) }),
    response: z.object({ data: z.object({ domain_name: z.string() }) }),
    errors: { link_expired: 422 },
  },
  readDomainUses: {
    method: 'GET',
    path: '/client-api/api/domains/{id}/uses',
    caller: 'account',
    summary: 'List uses of a domain',
    description:
      'Lists scheduled and sending campaigns, active workflows, transactional emails, and forms.',
    params,
    response: dataResponse(z.array(DomainUse)),
  },
  removeDomain: {
    method: 'DELETE',
    path: '/client-api/api/domains/{id}',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Remove a domain',
    description: 'No email can be sent from it afterwards.',
    params,
    response: SuccessResponse,
  },
});
