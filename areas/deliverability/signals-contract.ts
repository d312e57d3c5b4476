// Calls that return the evidence of Google Postmaster Tools, Microsoft SNDS and seed mailboxes, and
// that connect and disconnect Postmaster Tools and seed mailboxes.
import { z } from 'zod';
import {
  dataResponse,
  Day,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
} from '#platform/contract.ts';
import { MAX_EMAIL, MAX_HOST, MAX_KEY, SEED_SERVICES } from './signals-shared.ts';

export const PostmasterState = z.object({
  /**
   * Whether users can grant access on Google's page; if not, they need the key of a service
   * account.
   */
  has_client: z.boolean(),
  connection: z
    .object({
      /** The email address of the service account; empty if a user granted the access instead. */
      title: z.string(),
      fault: z.enum(['refused', 'disabled', 'unavailable']).nullable(),
      checked: Instant.nullable(),
    })
    .nullable(),
});
export type PostmasterState = z.infer<typeof PostmasterState>;

/** `unknown` means that the mailbox could not be searched. */
export const PLACES = ['inbox', 'category', 'spam', 'missing', 'unknown'] as const;

export const SeedMailbox = z.object({
  id: Id,
  email: z.string(),
  host: z.string(),
  port: z.number(),
  login: z.string(),
  /** The service at which a user granted the access; null if a password is used. */
  service: z.enum(SEED_SERVICES).nullable(),
  fault: z.enum(['refused', 'unreachable']).nullable(),
  checked: Instant.nullable(),
});
export type SeedMailbox = z.infer<typeof SeedMailbox>;

export const Placement = z.object({
  subject: z.string(),
  sent: Instant,
  copies: z.array(
    z.object({
      email: z.string(),
      /** The placement of the copy; null while it is searched for. */
      place: z.enum(PLACES).nullable(),
      folder: z.string().nullable(),
      is_encrypted: z.boolean().nullable(),
    }),
  ),
});
export type Placement = z.infer<typeof Placement>;

export const Signals = z.object({
  postmaster: PostmasterState,
  domains: z.array(
    z.object({
      domain_name: z.string(),
      shown_name: z.string(),
      /** The newest value of each kind; a kind without recent data is absent. */
      values: z.array(
        z.object({
          kind: z.enum(['spam_rate', 'tls', 'dkim', 'spf', 'dmarc', 'errors']),
          day: Day,
          value: z.number(),
        }),
      ),
    }),
  ),
  /** The data of SNDS; null on an installation without SNDS. */
  snds: z
    .array(
      z.object({
        ip: z.string(),
        day: Day,
        messages: z.number(),
        result: z.enum(['green', 'yellow', 'red']),
        /** The upper end of the reported range. */
        complaints: z.number().nullable(),
        traps: z.number(),
      }),
    )
    .nullable(),
  seeds: z.array(SeedMailbox),
  /** The services at which users can grant access: an OAuth client is configured for these. */
  seed_services: z.array(z.enum(SEED_SERVICES)),
  placements: z.array(Placement),
});
export type Signals = z.infer<typeof Signals>;

const base = '/client-api/api/deliverability';
const Text = (max: number) => z.string().trim().min(1).max(max);

export const signalCalls = defineCalls({
  getSignals: {
    method: 'GET',
    path: `${base}/signals`,
    caller: 'account',
    summary: 'Get the evidence of connected services',
    description:
      'Returns Google Postmaster Tools statistics per domain, Microsoft SNDS statistics per IP address, and where copies of the last 20 campaigns landed. A missing value means that there is no data.',
    response: dataResponse(Signals),
  },
  startPostmaster: {
    method: 'POST',
    path: `${base}/postmaster/consent`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Start the consent for Postmaster Tools',
    description: "Returns the URL of Google's consent page.",
    response: dataResponse(z.object({ url: z.string() })),
    errors: { postmaster_without_client: 409 },
  },
  finishPostmaster: {
    method: 'POST',
    path: `${base}/postmaster/consent/finish`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Confirm the consent for Postmaster Tools',
    description:
      'Takes the parameters that Google added to the address of the page. The consent is valid for 15 minutes.',
    body: z.strictObject({ code: Text(2_000), state: Text(2_000) }),
    response: SuccessResponse,
    transaction: 'own',
    acceptsIdempotencyKey: false,
    errors: { postmaster_refused: 422, postmaster_unavailable: 502 },
  },
  connectPostmaster: {
    method: 'PUT',
    path: `${base}/postmaster`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Set the key for Postmaster Tools',
    description:
      'Accepts the JSON key of a Google service account that is a user of the domains in Postmaster Tools. The key is stored encrypted and never returned.',
    body: z.strictObject({ key: Text(MAX_KEY) }),
    response: SuccessResponse,
    transaction: 'own',
    acceptsIdempotencyKey: false,
    errors: { postmaster_refused: 422, postmaster_unavailable: 502 },
  },
  disconnectPostmaster: {
    method: 'DELETE',
    path: `${base}/postmaster`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Disconnect Postmaster Tools',
    description:
      'Deletes the credentials and the statistics. Access by consent is revoked at Google, which ends all access of this installation for that Google user.',
    response: SuccessResponse,
  },
  addSeed: {
    method: 'POST',
    path: `${base}/seeds`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Add a seed mailbox',
    description:
      'An account has at most 20 seed mailboxes. The mailbox is added only if it can be opened by IMAP over TLS. The password is stored encrypted and never returned.',
    body: z.strictObject({
      email: z.email().max(MAX_EMAIL),
      host: Text(MAX_HOST),
      port: z.number().int().min(1).max(65_535).default(993),
      login: z.string().trim().max(MAX_EMAIL).default(''),
      password: z.string().min(1).max(500),
    }),
    response: dataResponse(SeedMailbox),
    transaction: 'own',
    acceptsIdempotencyKey: false,
    errors: { seed_refused: 422, seed_unreachable: 422, seed_exists: 409, too_many_seeds: 409 },
  },
  startSeedConsent: {
    method: 'POST',
    path: `${base}/seeds/consent`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Start the consent for a seed mailbox',
    description: "Returns the URL of the service's consent page.",
    body: z.strictObject({
      service: z.enum(SEED_SERVICES),
      email: z.email().max(MAX_EMAIL),
    }),
    response: dataResponse(z.object({ url: z.string() })),
    errors: { seed_without_client: 409, seed_exists: 409, too_many_seeds: 409 },
  },
  finishSeedConsent: {
    method: 'POST',
    path: `${base}/seeds/consent/finish`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Confirm the consent for a seed mailbox',
    description:
      'Takes the parameters that the service added to the address of the page. The consent is valid for 15 minutes. The mailbox is added only if it can be opened. The refresh token is stored encrypted and never returned.',
    body: z.strictObject({ code: Text(4_000), state: Text(2_000) }),
    response: dataResponse(SeedMailbox),
    transaction: 'own',
    acceptsIdempotencyKey: false,
    errors: {
      ...{ seed_refused: 422, seed_unreachable: 422, seed_exists: 409, too_many_seeds: 409 },
      seed_without_client: 409,
    },
  },
  deleteSeed: {
    method: 'DELETE',
    path: `${base}/seeds/{id}`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Delete a seed mailbox',
    description:
      'Also deletes the placements of earlier copies in it. Access by consent is revoked at Google. At Microsoft, only the owner of the mailbox can revoke the access.',
    params: z.object({ id: idOf('seed_mailbox') }),
    response: SuccessResponse,
  },
});
