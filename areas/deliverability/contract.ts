// Calls for deliverability: the reports that mail servers send about an account's domains (DMARC,
// TLS), the sources that send in a domain's name, the next step for each domain, the check of its
// BIMI record, and the health of domains.
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
import { type Mailbox, MAILBOXES } from '#areas/subscribers/shared.ts';
import { FILE_STATES, MAX_SOURCE, MAX_TITLE_LENGTH } from './shared.ts';
import { signalCalls } from './signals-contract.ts';
import { COMPLIANCE_REASONS, REQUIREMENTS } from './signals-shared.ts';

const Share = z.number().min(0).max(1);

/** The next step for a domain: a code, and the values for the sentence that explains it. */
export const Advice = z.discriminatedUnion('code', [
  z.object({ code: z.enum(['publish', 'upload', 'request', 'wait', 'unsigned']) }),
  z.object({
    code: z.enum(['name_source', 'check_unknown']),
    source: z.string(),
    messages: z.number(),
  }),
  z.object({ code: z.literal('fix_ours'), share: Share }),
  z.object({ code: z.literal('fix_known'), source: z.string(), title: z.string(), share: Share }),
  z.object({
    code: z.literal('more_evidence'),
    days: z.number(),
    reporters: z.number(),
    messages: z.number(),
  }),
  z.object({
    code: z.enum(['below', 'to_quarantine', 'below_reject', 'to_reject']),
    share: Share,
  }),
  z.object({ code: z.literal('later_reject'), day: z.string() }),
  z.object({ code: z.enum(['stay_quarantine', 'protected']) }),
]);
export type Advice = z.infer<typeof Advice>;

const Totals = z.object({
  messages: z.number(),
  aligned: z.number(),
  /** The number of emails in unsigned reports, which `messages` and the advice leave out. */
  unsigned: z.number(),
});

export const DomainSummary = z.object({
  id: Id,
  domain_name: z.string(),
  shown_name: z.string(),
  /** The published policy; null without a record or before the first check. */
  policy: z.string().nullable(),
  /** The address that receives reports; null on an installation that receives no email. */
  address: z.string().nullable(),
  requested: z.boolean(),
  advice: Advice,
  totals: Totals,
  last_report: Day.nullable(),
});
export type DomainSummary = z.infer<typeof DomainSummary>;

export const VERDICTS = ['ours', 'known', 'unknown', 'abuse', 'forwarded', 'rest'] as const;

export const ReportSource = z.object({
  source: z.string(),
  kind: z.enum(['ours', 'forwarded', 'rest', 'domain', 'selector', 'network']),
  name: z.string(),
  verdict: z.enum(VERDICTS),
  /** The name that the owner gave to the source. */
  title: z.string(),
  /** The service that the source probably is; empty if unknown. */
  suggestion: z.string(),
  messages: z.number(),
  aligned: z.number(),
  dkim: z.number(),
  spf: z.number(),
  /** The number of quarantined or rejected emails. */
  refused: z.number(),
  unsigned: z.number(),
  addresses: z.array(z.string()),
});
export type ReportSource = z.infer<typeof ReportSource>;

/** A requirement of large mailbox providers for bulk senders. */
export const CheckItem = z.object({
  item: z.enum([
    'dkim',
    'spf',
    'dmarc',
    'alignment',
    'unsubscribe',
    'complaints',
    'reverse_dns',
    'tls',
  ]),
  state: z.enum(['met', 'failed', 'unknown']),
  /** The measured share, or null. A share of complaints in reports is a lower bound. */
  share: Share.nullable(),
  /** What the state was measured from, or `gmail` for Gmail's verdict; null for neither. */
  by: z.enum(['reports', 'postmaster', 'seeds', 'gmail']).nullable(),
});
export type CheckItem = z.infer<typeof CheckItem>;

/** Whether a blocklist lists `subject`: a domain, or an IP address that sends email. */
export const BlocklistState = z.object({
  list: z.string(),
  subject: z.string(),
  /** Whether most receivers refuse email from subjects on this list. */
  is_blocking: z.boolean(),
  state: z.enum(['listed', 'clear', 'unknown']),
  since: Instant.nullable(),
});
export type BlocklistState = z.infer<typeof BlocklistState>;

export const BIMI_FINDINGS = [
  'record_missing',
  'policy',
  'logo_missing',
  'logo_unreachable',
  'logo_large',
  'logo_not_svg',
  'logo_profile',
  'logo_title',
  'logo_script',
  'logo_external',
  'logo_animation',
  'logo_image',
  'logo_not_square',
  'certificate_missing',
  'certificate_unreachable',
  'certificate_unreadable',
  'certificate_expired',
  'certificate_early',
  'certificate_purpose',
  'certificate_domain',
  'certificate_chain',
] as const;
export type BimiFinding = (typeof BIMI_FINDINGS)[number];

/** The logo that mailbox providers may show next to emails of the domain. */
export const Bimi = z.object({
  record: z.string().nullable(),
  logo: z.string().nullable(),
  certificate: z.string().nullable(),
  findings: z.array(z.enum(BIMI_FINDINGS)),
  /** The earliest expiry of the certificate and its issuers. */
  valid_until: Instant.nullable(),
  checked: Instant,
});
export type Bimi = z.infer<typeof Bimi>;

/** Gmail's verdict on one of its requirements, based on all emails from the domain. */
export const ComplianceItem = z.object({
  requirement: z.enum(REQUIREMENTS),
  /** Null if the requirement was met and the last retrieval failed. */
  is_met: z.boolean().nullable(),
  reason: z.enum(COMPLIANCE_REASONS).nullable(),
  /** The start of its current state, met or unmet. */
  since: Instant,
  /** The time of the last retrieval of the verdict. */
  as_of: Instant,
});
export type ComplianceItem = z.infer<typeof ComplianceItem>;

export const DomainReports = DomainSummary.extend({
  checklist: z.array(CheckItem),
  /**
   * The first day when the organizational domain sent at least 5,000 emails to one large provider;
   * null if there is none.
   */
  bulk_since: Day.nullable(),
  /** The verdicts from Postmaster Tools; empty without data from the last seven days. */
  compliance: z.array(ComplianceItem),
  /** Null before the first check. */
  bimi: Bimi.nullable(),
  blocklists: z.array(BlocklistState),
  days: z.array(z.object({ day: Day, aligned: z.number(), failed: z.number() })),
  sources: z.array(ReportSource),
  reporters: z.array(
    z.object({
      name: z.string(),
      signed: z.boolean(),
      reports: z.number(),
      messages: z.number(),
      last: Day,
    }),
  ),
  /** Results of encrypted delivery to the domain (SMTP TLS reports). */
  tls: z.object({
    sessions: z.number(),
    failures: z.number(),
    results: z.array(z.object({ result: z.string(), sessions: z.number() })),
  }),
});
export type DomainReports = z.infer<typeof DomainReports>;

const HEALTH_STATES = ['good', 'watch', 'act', 'stopped', 'no_data'] as const;

export const HealthCause = z.object({
  cause: z.enum([
    'complaints',
    'bounces',
    'refusals',
    'waiting',
    'opens',
    'spam_rate',
    'compliance',
    'blocklist',
    'alignment',
    'stopped',
  ]),
  level: z.enum(['watch', 'act']),
  since: Instant,
  /**
   * The number of events among `of` emails. For `opens`, these are the missing and the expected
   * opens. For causes that are not shares, `of` or both numbers are 0.
   */
  count: z.number(),
  of: z.number(),
  /** The blocklist and the listed subject, or the requirement for `compliance`. */
  detail: z.string().nullable(),
});
export type HealthCause = z.infer<typeof HealthCause>;

const MAILBOX_NAMES = Object.keys(MAILBOXES) as [Mailbox, ...Mailbox[]];

export const DomainHealth = z.object({
  domain_name: z.string(),
  shown_name: z.string(),
  state: z.enum(HEALTH_STATES),
  /** Causes that affect the whole domain. */
  causes: z.array(HealthCause),
  mailboxes: z.array(
    z.object({
      mailbox: z.enum(MAILBOX_NAMES),
      state: z.enum(HEALTH_STATES),
      since: Instant,
      /** The number of emails within seven days. */
      sent: z.number(),
      /**
       * Whether the provider reports complaints. Without reports the complaint rate is unknown, not
       * zero.
       */
      reports_complaints: z.boolean(),
      causes: z.array(HealthCause),
    }),
  ),
  measured: Instant.nullable(),
});
export type DomainHealth = z.infer<typeof DomainHealth>;

export const ReportFile = z.object({
  id: Id,
  origin: z.enum(['email', 'upload']),
  name: z.string(),
  state: z.enum(FILE_STATES),
  fault: z.string().nullable(),
  reports: z.number(),
  created: Instant,
});
export type ReportFile = z.infer<typeof ReportFile>;

/** The number of files received within 60 days, and how many of them have each state. */
const FileCounts = z.object({
  received: z.number(),
  waiting: z.number(),
  parsed: z.number(),
  duplicate: z.number(),
  unreadable: z.number(),
  foreign: z.number(),
});
export type FileCounts = z.infer<typeof FileCounts>;

const params = z.object({ id: idOf('domain') });
const base = '/client-api/api/deliverability';

export const calls = defineCalls({
  listDeliverability: {
    method: 'GET',
    path: `${base}/domains`,
    caller: 'account',
    summary: 'List domains and their reports',
    description:
      'Returns 30-day statistics from signed DMARC reports, and the next step for each domain.',
    response: dataResponse(z.array(DomainSummary)),
  },
  listHealth: {
    method: 'GET',
    path: `${base}/health`,
    caller: 'account',
    summary: 'List the health of sending domains',
    description:
      'The health at each mailbox provider is measured every 15 minutes from delivery results of the last seven days. With too few results it is `no_data`, never `good`.',
    response: dataResponse(z.array(DomainHealth)),
  },
  getDeliverability: {
    method: 'GET',
    path: `${base}/domains/{id}`,
    caller: 'account',
    summary: 'Get the reports of a domain',
    description:
      'Returns sources, reporters and days. Lists at most 200 sources, most messages first. The advice, the totals and the checklist always cover the last 30 days.',
    params,
    query: z.strictObject({ days: z.coerce.number().int().min(1).max(400).default(30) }),
    response: dataResponse(DomainReports),
  },
  checkBimi: {
    method: 'POST',
    path: `${base}/domains/{id}/bimi`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Check the BIMI record of a domain',
    description:
      'Reads the record, the logo and its certificate now. They are also read daily. If DNS does not respond, the earlier result remains.',
    params,
    response: SuccessResponse,
    transaction: 'own',
  },
  setSource: {
    method: 'PUT',
    path: `${base}/domains/{id}/sources`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Set the identity of a source',
    description:
      'Set `verdict` to `unknown` to undo an earlier decision. The verdict `known` requires a title, unless the service of the source is recognized.',
    params,
    body: z.strictObject({
      source: z
        .string()
        .max(MAX_SOURCE)
        .regex(/^(domain|selector|network):./),
      verdict: z.enum(['known', 'unknown', 'abuse']),
      title: z.string().trim().max(MAX_TITLE_LENGTH).default(''),
    }),
    response: SuccessResponse,
  },
  uploadReport: {
    method: 'POST',
    path: `${base}/files`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Upload a DMARC or TLS report',
    description:
      'Accepts XML or JSON, also packed as gzip or ZIP, or the original email (.eml), of up to 10 MB. Only an email proves who the reporter is.',
    response: dataResponse(ReportFile),
    transaction: 'own',
    acceptsIdempotencyKey: false,
    errors: { file_missing: 422, file_empty: 422, file_too_large: 413, too_many_reports: 429 },
  },
  listReportFiles: {
    method: 'GET',
    path: `${base}/files`,
    caller: 'account',
    summary: 'List received report files',
    description:
      'Returns the newest 50 files, and how many files of each state were received within 60 days.',
    response: z.object({ data: z.array(ReportFile), counts: FileCounts }),
  },
  ...signalCalls,
});
