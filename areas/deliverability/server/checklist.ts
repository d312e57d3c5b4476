// Checks whether an account meets the requirements of Gmail, Yahoo and Microsoft for bulk senders,
// from the account's own data. Where these are missing, Gmail's verdict is used. An item with
// neither is unknown, never met.
import type { DomainAuthentication } from '#areas/domains/server/index.ts';
import type { CheckItem, ComplianceItem } from '../contract.ts';
import type { Requirement } from '../signals-shared.ts';
import type { SignalMeans } from './signals/figures.ts';

export type ChecklistInputs = {
  domain: Pick<DomainAuthentication, 'proofs' | 'policy'>;
  /** Emails sent by this installation, as counted in DMARC reports with a valid signature. */
  ownEmails: { messages: number; aligned: number };
  /** Number of emails that the account sent within 30 days, for which `complaints` are counted. */
  sentCount: number;
  complaints: number;
  /** Means of Google Postmaster Tools; missing without enough days of data. */
  signals: SignalMeans;
  /** Copies in seed mailboxes: how many were received with TLS, and for how many this is known. */
  seeds: { encrypted: number; known: number };
  /** Undefined without a definite DNS response. */
  isReverseConfirmed: boolean | undefined;
  /** Gmail's verdicts, which are based on all emails from the domain. */
  compliance: readonly ComplianceItem[];
};

/** Minimum reported emails for a rate. */
export const MIN_REPORTED = 100;
const MIN_SENT = 1000;
export const MIN_ALIGNED = 0.98;
/** Gmail and Yahoo refuse email from senders above this rate. */
const MAX_COMPLAINTS = 0.003;
/**
 * The minimum share of encrypted connections in Postmaster Tools. It is below 1, because a few
 * connections fail for reasons outside the sender's control.
 */
const MIN_ENCRYPTED = 0.99;
/** The name of each requirement at Gmail. */
const REQUIREMENT_OF: Readonly<Record<CheckItem['item'], Requirement>> = {
  dkim: 'dkim',
  spf: 'spf',
  dmarc: 'dmarc_policy',
  alignment: 'dmarc_alignment',
  unsubscribe: 'one_click_unsubscribe',
  complaints: 'user_reported_spam_rate',
  reverse_dns: 'dns_records',
  tls: 'encryption',
};

export function createChecklist(inputs: ChecklistInputs): CheckItem[] {
  const { proofs, policy } = inputs.domain;
  const items = [
    createItem('dkim', proofs?.dkim),
    createItem('spf', proofs?.spf),
    createItem('dmarc', policy === undefined ? undefined : policy !== null),
    checkAlignment(inputs),
    // The sender adds the header fields of RFC 8058 to every marketing email.
    createItem('unsubscribe', true),
    checkComplaintRate(inputs),
    createItem('reverse_dns', inputs.isReverseConfirmed),
    checkEncryption(inputs),
  ];
  return items.map((item) => applyVerdict(item, inputs.compliance));
}

/**
 * Uses Gmail's verdict only for items that the account's own data leave unknown, because the
 * verdict also covers emails of other tools.
 */
function applyVerdict(item: CheckItem, compliance: ChecklistInputs['compliance']): CheckItem {
  if (item.state !== 'unknown') return item;
  const name = REQUIREMENT_OF[item.item];
  const verdict = compliance.find(({ requirement }) => requirement === name);
  if (!verdict || verdict.is_met === null) return item;
  return { ...createItem(item.item, verdict.is_met), by: 'gmail' };
}

const toState = (isMet: boolean | undefined): CheckItem['state'] =>
  isMet === undefined ? 'unknown' : isMet ? 'met' : 'failed';

const createItem = (item: CheckItem['item'], isMet: boolean | undefined): CheckItem => ({
  ...{ item, state: toState(isMet), share: null, by: null },
});

const createItemWithShare = (
  item: CheckItem['item'],
  state: CheckItem['state'],
  share: number,
  measuredBy: Exclude<NonNullable<CheckItem['by']>, 'gmail'>,
): CheckItem => ({ item, state, share: Math.min(1, share), by: measuredBy });

/**
 * Checks alignment by DMARC reports; if too few emails were reported, by Gmail's data from
 * Postmaster Tools. Both show what receivers have seen. Without either, DNS shows what receivers
 * should see.
 */
function checkAlignment({ domain: { proofs }, ownEmails, signals }: ChecklistInputs): CheckItem {
  if (ownEmails.messages >= MIN_REPORTED) {
    const share = ownEmails.aligned / ownEmails.messages;
    return createItemWithShare('alignment', toState(share >= MIN_ALIGNED), share, 'reports');
  }
  const { dmarc } = signals;
  if (dmarc !== undefined) {
    return createItemWithShare('alignment', toState(dmarc >= MIN_ALIGNED), dmarc, 'postmaster');
  }
  return createItem('alignment', proofs && (proofs.dkim || proofs.spf));
}

/**
 * Checks the complaint rate. Gmail, Apple and Proton send no complaint reports, so the reported
 * share of all emails is a lower bound. It can prove a failure, but not compliance. Postmaster
 * Tools provides Gmail's own rate.
 */
function checkComplaintRate({ sentCount, complaints, signals }: ChecklistInputs): CheckItem {
  const reportedRate =
    sentCount < MIN_SENT || complaints === 0 ? undefined : complaints / sentCount;
  if (reportedRate !== undefined && reportedRate >= MAX_COMPLAINTS) {
    return createItemWithShare('complaints', 'failed', reportedRate, 'reports');
  }
  const { spam_rate: rate } = signals;
  if (rate !== undefined) {
    return createItemWithShare('complaints', toState(rate < MAX_COMPLAINTS), rate, 'postmaster');
  }
  if (reportedRate === undefined) return createItem('complaints', undefined);
  return createItemWithShare('complaints', 'unknown', reportedRate, 'reports');
}

/** Checks encryption. Only the receiver can report whether the relay encrypts the last hop. */
function checkEncryption({ signals, seeds }: ChecklistInputs): CheckItem {
  const { tls } = signals;
  if (tls !== undefined)
    return createItemWithShare('tls', toState(tls >= MIN_ENCRYPTED), tls, 'postmaster');
  if (seeds.known === 0) return createItem('tls', undefined);
  const share = seeds.encrypted / seeds.known;
  return createItemWithShare('tls', toState(share === 1), share, 'seeds');
}
