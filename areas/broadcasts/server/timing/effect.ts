// The effect of best hours: the open rate, compared with the control group.
import type { z } from 'zod';
import { getMessageKindRules } from '#areas/delivery/message-kinds.ts';
import { readActionsByHour, findMessagesOfLead } from '#areas/delivery/server/ledger/index.ts';
import { newcombe, proportionRate } from '#areas/experiments/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { TimingEffect } from '../../timing-contract.ts';
import { getBroadcastRow } from '../broadcasts.ts';
import type { BroadcastAdapter, BroadcastRow } from '../adapter.ts';
import { getTiming } from './rules.ts';

/**
 * Returns null for SMS, which have no opens, for a broadcast that was not sent at best hours, and
 * until both groups have accepted copies.
 */
export async function readTimingEffect<Row extends BroadcastRow>(
  db: Reader,
  adapter: BroadcastAdapter<Row>,
  accountId: number,
  id: number,
): Promise<z.infer<typeof TimingEffect> | null> {
  const row = await getBroadcastRow<Row>(db, adapter, accountId, id);
  const { message_id: lead } = row;
  const isEmail = getMessageKindRules(adapter.messageKind).channel === 'email';
  if (lead === null || !isEmail || getTiming(row).when !== 'best_hour') return null;
  const messageIds = await findMessagesOfLead(db, accountId, lead);
  const { own, control } = await readActionsByHour(
    db,
    accountId,
    messageIds,
    `${adapter.area}/${id}`,
  );
  if (own.accepted === 0 || control.accepted === 0) return null;
  const difference = proportionRate(own) - proportionRate(control);
  return { own, control, difference, ...newcombe(own, control) };
}
