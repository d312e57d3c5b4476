// What campaigns hear from below: their mails begin to leave, their delivery changes.
import { markAccount } from '#areas/accounts/server/index.ts';
import type { MessageFacts } from '#areas/delivery/server/index.ts';
import type { Tx } from '#platform/server/database.ts';
import { hint } from '#platform/server/live.ts';
import * as store from './campaigns.sql.ts';
import { beginResend, endResend } from './resends.sql.ts';

/** The first hand-over: the campaign is SENT, and the onboarding's step done. */
export async function campaignStarted(tx: Tx, facts: MessageFacts): Promise<void> {
  if (facts.kind !== 'campaign') return;
  const id = await store.markSent(tx, facts.accountId, facts.messageId, facts.at);
  if (id === undefined) return;
  await markAccount(tx, facts.accountId, 'email_sent_at');
  await beginResend(tx, facts.accountId, id, facts.at);
  hint(tx, facts.accountId, 'campaign', id);
}

/**
 * Everybody is done with. Where nobody was there to be mailed it is SENT all the same, and there is nobody to
 * mail again.
 */
export async function campaignFinished(tx: Tx, facts: MessageFacts): Promise<void> {
  if (facts.kind !== 'campaign') return;
  const { accountId, messageId, at } = facts;
  const id = await store.markSent(tx, accountId, messageId, at);
  if (id !== undefined) {
    const reason = 'nobody_to_send_to';
    await endResend(tx, accountId, id, { state: 'cancelled', reason }, at);
  }
  await campaignChanged(tx, facts);
}

/** Paused, waiting, going on, or some more copies accepted. */
export async function campaignChanged(tx: Tx, facts: MessageFacts): Promise<void> {
  if (facts.kind !== 'campaign' || facts.sourceId === null) return;
  hint(tx, facts.accountId, 'campaign', facts.sourceId);
}
