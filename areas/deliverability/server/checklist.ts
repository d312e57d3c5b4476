// Requirements of Gmail, Yahoo and Microsoft for bulk senders, compared with the account's own
// data. An item without data is unknown, never met.
import type { DomainAuthentication } from '#areas/domains/server/index.ts';
import type { CheckItem, ComplianceItem } from '../contract.ts';
import type { Requirement } from '../signals-shared.ts';
import type { SignalMeans } from './signals/figures.ts';

export type ChecklistFacts = {
  domain: Pick<DomainAuthentication, 'proofs' | 'policy'>;
  /** Emails of this installation in signed reports. */
  ours: { messages: number; aligned: number };
  /** Emails and complaints of the account within 30 days. */
  sent: number;
  complaints: number;
  /** Means of Google Postmaster Tools; absent without enough days. */
  signals: SignalMeans;
  /** Copies in seed mailboxes: those received with TLS, and those where this is known. */
  seeds: { encrypted: number; known: number };
  /** Undefined without a definite answer. */
  isReverseConfirmed: boolean | undefined;
  /** Gmail's verdicts, on all emails as the domain. */
  compliance: readonly ComplianceItem[];
};

/** Fewer reported emails say nothing about a rate. */
export const MIN_REPORTED = 100;
const MIN_SENT = 1000;
export const MIN_ALIGNED = 0.98;
/** Gmail and Yahoo refuse senders above this rate. */
const MAX_COMPLAINTS = 0.003;
/** Below 1, since a few connections fail for reasons beyond the sender's control. */
const MIN_ENCRYPTED = 0.99;
/** Gmail's name of each requirement. */
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

export function checklistFor(facts: ChecklistFacts): CheckItem[] {
  const { proofs, policy } = facts.domain;
  const items = [
    plain('dkim', proofs?.dkim),
    plain('spf', proofs?.spf),
    plain('dmarc', policy === undefined ? undefined : policy !== null),
    alignment(facts),
    // The sender adds the header fields of RFC 8058 to every marketing email.
    plain('unsubscribe', true),
    complaintRate(facts),
    plain('reverse_dns', facts.isReverseConfirmed),
    encryption(facts),
  ];
  return items.map((item) => withVerdict(item, facts.compliance));
}

/**
 * Gmail's verdict also covers emails of other tools, so it is used only if the account has no
 * data.
 */
function withVerdict(item: CheckItem, compliance: ChecklistFacts['compliance']): CheckItem {
  if (item.state !== 'unknown') return item;
  const name = REQUIREMENT_OF[item.item];
  const verdict = compliance.find(({ requirement }) => requirement === name);
  if (!verdict || verdict.is_met === null) return item;
  return { ...plain(item.item, verdict.is_met), by: 'gmail' };
}

const stateOf = (isMet: boolean | undefined): CheckItem['state'] =>
  isMet === undefined ? 'unknown' : isMet ? 'met' : 'failed';

const plain = (item: CheckItem['item'], isMet: boolean | undefined): CheckItem => ({
  ...{ item, state: stateOf(isMet), share: null, by: null },
});

const measured = (
  item: CheckItem['item'],
  state: CheckItem['state'],
  share: number,
  by: Exclude<NonNullable<CheckItem['by']>, 'gmail'>,
): CheckItem => ({ item, state, share: Math.min(1, share), by });

/**
 * Reports show what receivers saw, and so do Gmail's figures, which are second choice. Without
 * enough of either, DNS shows what receivers should see.
 */
function alignment({ domain: { proofs }, ours, signals }: ChecklistFacts): CheckItem {
  if (ours.messages >= MIN_REPORTED) {
    const share = ours.aligned / ours.messages;
    return measured('alignment', stateOf(share >= MIN_ALIGNED), share, 'reports');
  }
  const { dmarc } = signals;
  if (dmarc !== undefined) {
    return measured('alignment', stateOf(dmarc >= MIN_ALIGNED), dmarc, 'postmaster');
  }
  return plain('alignment', proofs && (proofs.dkim || proofs.spf));
}

/**
 * Gmail, Apple and Proton send no complaint reports, so the reported share of all emails is a lower
 * bound: it can prove a failure, but not compliance. Postmaster Tools has Gmail's own rate.
 */
function complaintRate({ sent, complaints, signals }: ChecklistFacts): CheckItem {
  const reported = sent < MIN_SENT || complaints === 0 ? undefined : complaints / sent;
  if (reported !== undefined && reported >= MAX_COMPLAINTS) {
    return measured('complaints', 'failed', reported, 'reports');
  }
  const { spam_rate: rate } = signals;
  if (rate !== undefined) {
    return measured('complaints', stateOf(rate < MAX_COMPLAINTS), rate, 'postmaster');
  }
  if (reported === undefined) return plain('complaints', undefined);
  return measured('complaints', 'unknown', reported, 'reports');
}

/** Only the receiver knows whether the relay encrypts the last hop. */
function encryption({ signals, seeds }: ChecklistFacts): CheckItem {
  const { tls } = signals;
  if (tls !== undefined) return measured('tls', stateOf(tls >= MIN_ENCRYPTED), tls, 'postmaster');
  if (seeds.known === 0) return plain('tls', undefined);
  const share = seeds.encrypted / seeds.known;
  return measured('tls', stateOf(share === 1), share, 'seeds');
}
