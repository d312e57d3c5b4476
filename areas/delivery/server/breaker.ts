// The circuit breaker: a campaign whose mails bounce or are complained about too much stops by itself,
// before mailbox providers stop its sender (standards: Gmail and Yahoo want complaints below 0.3 %).
//
// It counts from the start, or from where its owner last let it go on: that is a deliberate act, and the
// same mails must not stop it again at once.
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database.ts';
import { BREAKER } from '../limits.ts';
import { findTotals, openMessagesWithSetbacks, type Totals } from './breaker.sql.ts';
import { pause } from './control.ts';
import { messageHalted } from './events.ts';

export type HaltReason = 'bounces_high' | 'complaints_high' | 'mails_refused';

/** What a halted message's `state_details` say: so many of so many, and where the limits are. */
export type HaltDetails = { count: number; of: number; limit: number };

/** The last refusal, in the relay's words. */
type Refusal = { code: string; reply: string };

const NOTHING: Totals = { accepted: 0, handed: 0, hard_bounces: 0, complaints: 0 };

/** Which limit is passed, if any. */
export function judge(
  totals: Totals,
  from: Totals = NOTHING,
): [HaltReason, HaltDetails] | undefined {
  const handed = totals.handed - from.handed;
  const accepted = totals.accepted - from.accepted;
  const bounces = totals.hard_bounces - from.hard_bounces;
  const complaints = totals.complaints - from.complaints;
  // Refused at the hand-over, and not for the address's sake: the content, a block list, a policy.
  const refused = handed - accepted - bounces;
  const { bounceShare, bouncesAfter, complaintShare, complaintsAfter } = BREAKER;
  const { refusedShare, refusedAfter } = BREAKER;
  if (handed >= bouncesAfter && bounces / handed > bounceShare) {
    return ['bounces_high', { count: bounces, of: handed, limit: bounceShare }];
  }
  if (accepted >= complaintsAfter && complaints / accepted > complaintShare) {
    return ['complaints_high', { count: complaints, of: accepted, limit: complaintShare }];
  }
  if (handed >= refusedAfter && refused / handed > refusedShare) {
    return ['mails_refused', { count: refused, of: handed, limit: refusedShare }];
  }
  return undefined;
}

/** Pauses the message if a limit is passed, and tells its owner. True if it was. */
export async function checkBreaker(
  tx: Tx,
  accountId: number,
  messageId: number,
  refusal?: Refusal,
): Promise<boolean> {
  const found = await findTotals(tx, accountId, messageId);
  if (!found) return false;
  const [reason, figures] = judge(found.totals, found.from) ?? [];
  if (!reason || !figures) return false;
  const details = reason === 'mails_refused' ? { ...figures, ...refusal } : figures;
  if (!(await pause(tx, accountId, messageId, reason, details))) return false;
  const { kind, source_id: sourceId } = found;
  const facts = { accountId, messageId, kind, sourceId, at: clock.now() };
  const words = refusal ? { reply: refusal.reply } : {};
  await messageHalted.announce(tx, { ...facts, reason, ...figures, ...words });
  return true;
}

/** Bounces and complaints come in long after the hand-over: looked at by one elected worker. */
export const breakerPoller = {
  name: 'delivery.breaker',
  everyMs: 2_000,
  async run(db: Db, signal: AbortSignal): Promise<void> {
    for (const { account_id: accountId, id } of await openMessagesWithSetbacks(db)) {
      if (signal.aborted) return;
      await inTransaction(db, (tx) => checkBreaker(tx, accountId, id));
    }
  },
};
