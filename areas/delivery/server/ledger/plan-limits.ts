// Enforces the limit of a plan: once the month's emails are used up, marketing emails are paused,
// and resumed with a larger plan or a new month. While the operator suspends an account, all its
// marketing is paused. Transactional and system email is always sent.
import {
  billingEmailNeeded,
  type PlanCapacity,
  readPlanCapacity,
} from '#areas/billing/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { afterCommit, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { LIMIT_NEAR } from '../../shared.ts';
import { getMessageKindRules } from '../../message-kinds.ts';
import { messageHalted } from '../events.ts';
import { pauseMessage } from './control.ts';
import { resumeMessage } from './resume.ts';
import { PageCursor } from './pages.ts';
import {
  listAccountsSendingMarketing,
  listLimitedMessages,
  type LimitedMessage,
  listOpenMarketing,
} from './plan-limits.sql.ts';
import { suspendSingles, releaseSingles } from './streams.sql.ts';

type LimitReason = 'plan_limit' | 'account_suspended';

const pages = new PageCursor<number>(0, 1_000);

/**
 * Runs in the elected worker. A plan's limit can be exceeded by the emails sent between two polls.
 */
export const planLimitsPoller: Poller = {
  name: 'delivery.plan_limits',
  intervalMs: 1_000,
  async run(db, signal) {
    const accounts = await listAccountsSendingMarketing(db, pages);
    for (const { account_id: accountId } of pages.advance(accounts, (row) => row.account_id)) {
      if (signal.aborted) return;
      await isolateFailure('Could not check a plan limit', { account: accountId }, () =>
        inTransaction(db, (tx) => enforcePlan(tx, accountId)),
      );
    }
  },
};

/**
 * Pauses marketing messages when the account has reached a limit; resumes them when it no longer
 * has.
 */
export async function enforcePlan(tx: Tx, accountId: number): Promise<void> {
  const capacity = await readPlanCapacity(tx, accountId, 'emails');
  if (capacity.emails) await warnNearLimit(tx, accountId, capacity, capacity.emails);
  for (const message of await listOpenMarketing(tx, accountId)) {
    const limit = limitOf(capacity, message);
    if (limit) await stop(tx, accountId, message, limit, capacity);
  }
  for (const message of await listLimitedMessages(tx, accountId)) {
    if (limitOf(capacity, message) === undefined) await resumeLimited(tx, accountId, message);
  }
}

/**
 * Returns the limit that stops a message; undefined if none does. A plan's emails do not limit SMS.
 */
function limitOf({ isSuspended, isEnforced, emails }: PlanCapacity, { kind }: LimitedMessage) {
  if (isSuspended) return 'account_suspended';
  const isUsedUp = emails !== null && emails.used >= emails.limit;
  return isEnforced && isUsedUp && getMessageKindRules(kind).channel === 'email'
    ? 'plan_limit'
    : undefined;
}

async function stop(
  tx: Tx,
  accountId: number,
  { id: messageId, kind, source_id: sourceId }: LimitedMessage,
  limit: LimitReason,
  { emails, month }: PlanCapacity,
): Promise<void> {
  const details = limit === 'plan_limit' ? { until: month.end.toISOString() } : undefined;
  if (!(await pauseMessage(tx, accountId, messageId, limit, details))) return;
  if (getMessageKindRules(kind).isAutomated) await suspendSingles(tx, accountId, messageId);
  if (limit !== 'plan_limit') return;
  const event = { accountId, messageId, kind, sourceId, at: clock.now() };
  await messageHalted.announce(tx, {
    ...event,
    reason: limit,
    count: emails?.used ?? 0,
    of: emails?.limit ?? 0,
    limit: 1,
  });
}

async function resumeLimited(
  tx: Tx,
  accountId: number,
  { id, kind }: LimitedMessage,
): Promise<void> {
  if (!(await resumeMessage(tx, accountId, id))) return;
  if (getMessageKindRules(kind).isAutomated) await releaseSingles(tx, accountId, id, clock.now());
}

/**
 * Warnings that this process has announced. If another process announces the same warning, no
 * second email is sent.
 */
const warnedAccounts = new Set<string>();

/** Warns the account once most of the month's emails are used. */
async function warnNearLimit(
  tx: Tx,
  accountId: number,
  { isEnforced, month }: PlanCapacity,
  { used, limit }: { used: number; limit: number },
): Promise<void> {
  if (!isEnforced || used < limit * LIMIT_NEAR || used >= limit) return;
  const occasion = `limit near ${month.start.getTime()} ${limit}`;
  if (warnedAccounts.has(`${accountId} ${occasion}`)) return;
  await billingEmailNeeded.announce(tx, {
    accountId,
    kind: 'limitNear',
    occasion,
    values: { figure: String(used), limit: String(limit) },
  });
  afterCommit(() => {
    if (warnedAccounts.size > 100_000) warnedAccounts.clear();
    warnedAccounts.add(`${accountId} ${occasion}`);
  });
}
