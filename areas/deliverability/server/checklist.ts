// What Gmail, Yahoo and Microsoft require of bulk senders, compared with the account's own data. An
// item without data is unknown, never met.
import type { ReportedDomain } from '#areas/domains/server/index.ts';
import type { CheckItem } from '../contract.ts';

export type ChecklistFacts = {
  domain: Pick<ReportedDomain, 'proofs' | 'policy'>;
  /** Emails of this installation in signed reports. */
  ours: { messages: number; aligned: number };
  /** Of the account within 30 days. */
  sent: number;
  complaints: number;
  /** Undefined without a definite answer. */
  isReverseConfirmed: boolean | undefined;
};

/** Fewer reported emails say nothing about a rate. */
export const MIN_REPORTED = 100;
const MIN_SENT = 1000;
export const MIN_ALIGNED = 0.98;
/** Gmail and Yahoo refuse senders above it. */
const MAX_COMPLAINTS = 0.003;

export function checklistFor(facts: ChecklistFacts): CheckItem[] {
  const { domain, ours, sent, complaints, isReverseConfirmed } = facts;
  const { proofs, policy } = domain;
  return [
    { item: 'dkim', state: stateOf(proofs?.dkim), share: null },
    { item: 'spf', state: stateOf(proofs?.spf), share: null },
    {
      item: 'dmarc',
      state: stateOf(policy === undefined ? undefined : policy !== null),
      share: null,
    },
    alignment(proofs, ours),
    // The sender adds the header fields of RFC 8058 to every marketing email.
    { item: 'unsubscribe', state: 'met', share: null },
    complaintRate(sent, complaints),
    { item: 'reverse_dns', state: stateOf(isReverseConfirmed), share: null },
  ];
}

const stateOf = (isMet: boolean | undefined): CheckItem['state'] =>
  isMet === undefined ? 'unknown' : isMet ? 'met' : 'failed';

/** Reports show what receivers saw; without enough of them, DNS shows what they should see. */
function alignment(
  proofs: ReportedDomain['proofs'],
  { messages, aligned }: ChecklistFacts['ours'],
): CheckItem {
  if (messages < MIN_REPORTED) {
    const isAligned = proofs && (proofs.dkim || proofs.spf);
    return { item: 'alignment', state: stateOf(isAligned), share: null };
  }
  const share = aligned / messages;
  return { item: 'alignment', state: stateOf(share >= MIN_ALIGNED), share };
}

/**
 * Gmail, Apple and Proton send no complaint reports, so the share of all emails is a lower bound: it
 * can show a failure, and never that all is well.
 */
function complaintRate(sent: number, complaints: number): CheckItem {
  const item = 'complaints' as const;
  if (sent < MIN_SENT || complaints === 0) return { item, state: 'unknown', share: null };
  const share = Math.min(1, complaints / sent);
  return { item, state: share >= MAX_COMPLAINTS ? 'failed' : 'unknown', share };
}
