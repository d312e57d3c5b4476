// The circuit breaker: a campaign whose mails bounce or are complained about too much stops by itself,
// before mailbox providers stop its sender (standards: Gmail and Yahoo want complaints below 0.3 %).
//
// It counts from the start, or from where its owner last let it go on: that is a deliberate act, and the
// same mails must not stop it again at once.
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database.ts';
import type { Poller } from '#platform/server/pollers.ts';
import { BREAKER } from '../../limits.ts';
import {
  findTotals,
  type FoundTotals,
  newestSoftBounces,
  openMessagesWithSetbacks,
  type SetBack,
  type Totals,
} from './breaker.sql.ts';
import { pause } from './control.ts';
import { messageHalted } from '../events.ts';
import { FIRST, PAGE, Pages } from './pages.ts';
import { causeOf } from '../feedback/classification.ts';

export type HaltReason = 'bounces_high' | 'complaints_high' | 'mails_refused';

/** What a halted message's `state_details` say: so many of so many, and where the limits are. */
export type HaltDetails = { count: number; of: number; limit: number };

/** The newest refusal, in its relay's words. */
type Refusal = { code: string; reply: string };

const NOTHING: Totals = { accepted: 0, handed: 0, hard_bounces: 0, soft_bounces: 0, complaints: 0 };

/** Of so many soft bounces each is read for its cause; of more, the share is taken from the newest. */
const MOST_READ = 2_000;

/** Which limit is passed, if any: by all soft bounces, whatever their cause. */
export function judge(
  totals: Totals,
  from: Totals = NOTHING,
): [HaltReason, HaltDetails] | undefined {
  const handed = totals.handed - from.handed;
  const accepted = totals.accepted - from.accepted;
  const bounces = totals.hard_bounces - from.hard_bounces;
  const complaints = totals.complaints - from.complaints;
  // At the hand-over, or by a report: a relay that takes everything only reports.
  const refused = totals.soft_bounces - from.soft_bounces;
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
export async function checkBreaker(tx: Tx, accountId: number, messageId: number): Promise<boolean> {
  const found = await findTotals(tx, accountId, messageId);
  if (!found) return false;
  const halt = await judgeMessage(tx, accountId, messageId, found);
  if (!halt) return false;
  const { reason, figures, words } = halt;
  const details = { ...figures, ...words };
  if (!(await pause(tx, accountId, messageId, reason, details))) return false;
  const { kind, source_id: sourceId } = found;
  const facts = { accountId, messageId, kind, sourceId, at: clock.now() };
  const reply = words ? { reply: words.reply } : {};
  await messageHalted.announce(tx, { ...facts, reason, ...figures, ...reply });
  return true;
}

type Halt = { reason: HaltReason; figures: HaltDetails; words?: Refusal };

/** Refusals are read before they stop anything: full mailboxes and closed roads are no reason to. */
async function judgeMessage(
  tx: Tx,
  accountId: number,
  messageId: number,
  { totals, from }: FoundTotals,
): Promise<Halt | undefined> {
  const [reason, figures] = judge(totals, from) ?? [];
  if (!reason || !figures) return undefined;
  if (reason !== 'mails_refused') return { reason, figures };
  const before = from?.soft_bounces ?? 0;
  const soft = totals.soft_bounces - before;
  const limit = Math.min(soft, MOST_READ);
  const read = await newestSoftBounces(tx, accountId, messageId, limit);
  const refused = read.filter(isOfMail);
  const count = Math.round((soft * refused.length) / Math.max(1, read.length));
  const [still, exact] = judge({ ...totals, soft_bounces: before + count }, from) ?? [];
  if (still !== 'mails_refused' || !exact) return undefined;
  const { code, reply } = refused[0] ?? {};
  return { reason, figures: exact, words: { code: code ?? '', reply: reply ?? '' } };
}

/** A filter's, a rule's or the sending domain's matter, or a refusal that nobody explains. */
function isOfMail({ cause, code, reply }: SetBack): boolean {
  const why = cause ?? causeOf(code ?? '', reply ?? '');
  if (why === 'network') return code?.startsWith('5') === true && !code.startsWith('5.4.');
  return why === 'policy' || why === 'message' || why === 'domain';
}

/** Bounces and complaints come in long after the hand-over: looked at by one elected worker. */
export const breakerPoller = pollBreaker(PAGE);

/** @param size how many messages one look takes; the next one goes on behind them */
export function pollBreaker(size: number): Poller {
  const pages = new Pages(FIRST, size);
  return {
    name: 'delivery.breaker',
    everyMs: 2_000,
    async run(db, signal) {
      const found = await openMessagesWithSetbacks(db, pages);
      for (const { account_id: accountId, id } of pages.passed(found, (one) => one)) {
        if (signal.aborted) return;
        await inTransaction(db, (tx) => checkBreaker(tx, accountId, id));
      }
    },
  };
}
