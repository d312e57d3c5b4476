// Resumes paused messages, and adds the job that writes a message's recipients if it is missing.
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { findJobPayloads } from '#platform/server/jobs/jobs.ts';
import type { LeadId } from '../../lead-id.ts';
import { lockGroup } from '../groups/groups.sql.ts';
import type { Audience } from './audience.sql.ts';
import { addAudienceJob, audienceKeys, finishIfComplete, writeAudienceJob } from './audience.ts';
import { findTotals, saveBreakerFrom } from './breaker.sql.ts';
import { changeState } from './control.ts';
import { lockMessage, type LedgerMessageRow } from './messages.sql.ts';

const RESUMED = { state: 'sending', reason: null } as const;

/**
 * Resumes a message and its group, whose circuit breaker then counts from zero. Returns whether at
 * least one of them was paused.
 */
export async function resumeMessage(
  tx: Tx,
  accountId: number,
  message: number | LeadId,
): Promise<boolean> {
  const ids = await lockGroup(tx, accountId, message);
  let wasPaused = false;
  for (const id of ids) if (await resumeOne(tx, accountId, id)) wasPaused = true;
  // Messages of an experiment that was paused before its decision may have no open recipients left.
  if (wasPaused && ids.length > 1) for (const id of ids) await finishIfComplete(tx, accountId, id);
  return wasPaused;
}

async function resumeOne(tx: Tx, accountId: number, messageId: number): Promise<boolean> {
  const message = await lockMessage(tx, accountId, messageId);
  if (message?.state !== 'paused') return false;
  const savedTotals = await findTotals(tx, accountId, messageId);
  if (savedTotals) await saveBreakerFrom(tx, accountId, messageId, savedTotals.totals, clock.now());
  if (await isMissingAudienceJob(tx, message)) await addAudienceJob(tx, accountId, messageId);
  // The day's cap of the sending domain's warm-up may still be used up.
  const isDelayed = message.held_until !== null && message.held_until > clock.now();
  const stateChange = isDelayed ? ({ state: 'waiting', reason: 'warm_up' } as const) : RESUMED;
  return changeState(tx, accountId, messageId, { ...stateChange, from: ['paused'] });
}

/**
 * Returns whether the audience is incomplete and no job writes it. If the job was abandoned while
 * the owner had paused the message, the reason for the pause does not show it, so the jobs are
 * searched.
 */
export async function isMissingAudienceJob(tx: Tx, message: LedgerMessageRow): Promise<boolean> {
  // Shared messages of single sends have no audience.
  if (message.is_audience_complete || message.frozen_hash !== null) return false;
  // The job of the group's lead also writes the recipients of this message.
  if (isWrittenByLead(message)) return false;
  // The job failed and paused the message, and may still be in the queue, so the queue is no proof.
  if (message.state_reason === 'audience_failed') return true;
  const jobs = await findJobPayloads(tx, writeAudienceJob, audienceKeys(message.account_id));
  return !jobs.some(({ messageId }) => messageId === message.id);
}

function isWrittenByLead({ id, group_of: lead, audience }: LedgerMessageRow): boolean {
  const { isWrittenByLead: isWritten } = audience as Partial<Audience>;
  return lead !== null && lead !== id && isWritten === true;
}
