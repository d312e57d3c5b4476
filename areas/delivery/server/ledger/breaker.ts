// The circuit breaker: it pauses a message with too many bounces, complaints or refusals, before
// mailbox providers block its sender (Gmail and Yahoo require complaints below 0.3 %). It counts
// from the owner's last resume, if any, so that the same bounces do not stop the message again
// immediately.
import { listReportingMailboxes } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { BREAKER } from '../../shared.ts';
import {
  findGroupTotals,
  type FoundTotals,
  listNewestSoftBounces,
  listOpenMessagesWithSetbacks,
  type SetBack,
  type BreakerTotals,
} from './breaker.sql.ts';
import { pauseMessage } from './control.ts';
import { messageHalted } from '../events.ts';
import { FIRST_MESSAGE_KEY, PAGE_ROWS, PageCursor } from './pages.ts';
import { classifyCause } from '../feedback/classification.ts';

export type HaltReason = 'bounces_high' | 'complaints_high' | 'mails_refused';

/** Part of the `state_details` of a message that the breaker halted: the counts and the limit. */
export type HaltDetails = { count: number; of: number; limit: number };

/** Code and reply of the newest refusal. */
type RefusalReply = { code: string; reply: string };

const ZERO_TOTALS: BreakerTotals = {
  ...{ accepted: 0, handed: 0, hard_bounces: 0, soft_bounces: 0, complaints: 0 },
  accepted_by: {},
};

/**
 * A mailbox provider is treated as reporting complaints if it has reported one within this time.
 */
const REPORTING_MS = 180 * 86_400_000;

/**
 * Maximum number of newest soft bounces that are classified; the result is extrapolated to all.
 */
const MAX_READ = 2_000;

/**
 * Returns the number of copies that complaints are divided by: copies accepted by mailbox providers
 * that report complaints, or all accepted copies if no such provider or no count by provider is
 * known. It is at least BREAKER.complaintsAfter (but not more than all accepted copies), so that
 * one complaint does not stop a campaign.
 */
function copiesReported(
  totals: BreakerTotals,
  baseline: BreakerTotals,
  reporting: ReadonlySet<number>,
): number {
  const acceptedCount = totals.accepted - baseline.accepted;
  // Totals stored by an older version lack the counts by mailbox provider.
  if (!totals.accepted_by || !baseline.accepted_by || reporting.size === 0) return acceptedCount;
  let reportedCount = 0;
  for (const mailbox of reporting) {
    reportedCount += (totals.accepted_by[mailbox] ?? 0) - (baseline.accepted_by[mailbox] ?? 0);
  }
  return Math.min(acceptedCount, Math.max(reportedCount, BREAKER.complaintsAfter));
}

const NO_MAILBOXES: ReadonlySet<number> = new Set();

/**
 * Returns the first limit that is exceeded, if any; all soft bounces are treated as refusals.
 * @param reporting mailbox providers that report complaints
 */
export function findExceededLimit(
  totals: BreakerTotals,
  baseline: BreakerTotals = ZERO_TOTALS,
  reporting = NO_MAILBOXES,
): [HaltReason, HaltDetails] | undefined {
  const handedOff = totals.handed - baseline.handed;
  const acceptedCount = totals.accepted - baseline.accepted;
  const bounces = totals.hard_bounces - baseline.hard_bounces;
  const complaints = totals.complaints - baseline.complaints;
  // Soft bounces from later reports also count because some relays accept everything at first.
  const refusedCount = totals.soft_bounces - baseline.soft_bounces;
  const { bounceShare, bouncesAfter, complaintShare, complaintsAfter } = BREAKER;
  const { refusedShare, refusedAfter } = BREAKER;
  if (handedOff >= bouncesAfter && bounces / handedOff > bounceShare) {
    return ['bounces_high', { count: bounces, of: handedOff, limit: bounceShare }];
  }
  const reportedCount = copiesReported(totals, baseline, reporting);
  if (acceptedCount >= complaintsAfter && complaints / reportedCount > complaintShare) {
    return ['complaints_high', { count: complaints, of: reportedCount, limit: complaintShare }];
  }
  if (handedOff >= refusedAfter && refusedCount / handedOff > refusedShare) {
    return ['mails_refused', { count: refusedCount, of: handedOff, limit: refusedShare }];
  }
  return undefined;
}

/**
 * If the message's group exceeds a limit, pauses the group and notifies the owner. Returns whether
 * it did.
 */
export async function checkBreaker(tx: Tx, accountId: number, messageId: number): Promise<boolean> {
  const groupTotals = await findGroupTotals(tx, accountId, messageId);
  if (!groupTotals) return false;
  const halt = await findHalt(tx, accountId, groupTotals);
  if (!halt) return false;
  const { reason, counts, refusal } = halt;
  const details = { ...counts, ...refusal };
  if (!(await pauseMessage(tx, accountId, messageId, reason, details))) return false;
  const { kind, source_id: sourceId } = groupTotals;
  const event = { accountId, messageId, kind, sourceId, at: clock.now() };
  const reply = refusal ? { reply: refusal.reply } : {};
  await messageHalted.announce(tx, { ...event, reason, ...counts, ...reply });
  return true;
}

type Halt = { reason: HaltReason; counts: HaltDetails; refusal?: RefusalReply };

/**
 * Returns the exceeded limit, if any. Refusals are classified before they stop a message: only
 * refusals that meet `isContentRefusal` count.
 */
async function findHalt(
  tx: Tx,
  accountId: number,
  { totals, from, messageIds }: FoundTotals & { messageIds: readonly number[] },
): Promise<Halt | undefined> {
  const hasComplaints = totals.complaints > (from?.complaints ?? 0);
  const since = new Date(clock.now().getTime() - REPORTING_MS);
  const reporting = hasComplaints
    ? await listReportingMailboxes(tx, accountId, since)
    : NO_MAILBOXES;
  const [reason, counts] = findExceededLimit(totals, from, reporting) ?? [];
  if (!reason || !counts) return undefined;
  if (reason !== 'mails_refused') return { reason, counts };
  const refusalsBefore = from?.soft_bounces ?? 0;
  const soft = totals.soft_bounces - refusalsBefore;
  const limit = Math.min(soft, MAX_READ);
  const softBounces = await listNewestSoftBounces(tx, accountId, messageIds, limit);
  const contentRefusals = softBounces.filter(isContentRefusal);
  const count = Math.round((soft * contentRefusals.length) / Math.max(1, softBounces.length));
  const [reasonNow, exactCounts] =
    findExceededLimit({ ...totals, soft_bounces: refusalsBefore + count }, from, reporting) ?? [];
  if (reasonNow !== 'mails_refused' || !exactCounts) return undefined;
  const { code, reply } = contentRefusals[0] ?? {};
  return { reason, counts: exactCounts, refusal: { code: code ?? '', reply: reply ?? '' } };
}

/**
 * Returns whether a filter, a rule, the message or the sending domain is the cause, or no cause of
 * a permanent refusal is known. Full mailboxes do not count, nor do network failures with a
 * temporary code or a code 5.4.x.
 */
function isContentRefusal({ cause, code, reply }: SetBack): boolean {
  const refusalCause = cause ?? classifyCause(code ?? '', reply ?? '');
  if (refusalCause === 'network') return code?.startsWith('5') === true && !code.startsWith('5.4.');
  return refusalCause === 'policy' || refusalCause === 'message' || refusalCause === 'domain';
}

/** The elected worker polls because bounces and complaints may arrive long after the handoffs. */
export const breakerPoller = pollBreaker(PAGE_ROWS);

/** @param size messages per poll; the next poll continues after them */
export function pollBreaker(size: number): Poller {
  const pages = new PageCursor(FIRST_MESSAGE_KEY, size);
  return {
    name: 'delivery.breaker',
    intervalMs: 2_000,
    async run(db, signal) {
      const messages = await listOpenMessagesWithSetbacks(db, pages);
      for (const { account_id: accountId, id } of pages.advance(messages, (key) => key)) {
        if (signal.aborted) return;
        await inTransaction(db, (tx) => checkBreaker(tx, accountId, id));
      }
    },
  };
}
