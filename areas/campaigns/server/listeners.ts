// What campaigns hear from below: their mails begin to leave, their delivery changes, a group goes.
import { markAccount } from '#areas/accounts/server/index.ts';
import { type MessageFacts, readDelivery } from '#areas/delivery/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database.ts';
import { hint } from '#platform/server/live.ts';
import * as store from './campaigns.sql.ts';
import { beginResend } from './resends.sql.ts';

const DAY_MS = 86_400_000;

/** The first hand-over: the campaign is SENT, and the onboarding's step done. */
export async function campaignStarted(tx: Tx, facts: MessageFacts): Promise<void> {
  if (facts.kind !== 'campaign') return;
  const id = await store.markSent(tx, facts.accountId, facts.messageId, facts.at);
  if (id === undefined) return;
  await markAccount(tx, facts.accountId, 'email_sent_at');
  await beginResend(tx, facts.accountId, id, facts.at);
  hint(tx, facts.accountId, 'campaign', id);
}

/** Paused, waiting, going on, finished, or some more copies accepted. */
export async function campaignChanged(tx: Tx, facts: MessageFacts): Promise<void> {
  if (facts.kind !== 'campaign' || facts.sourceId === null) return;
  hint(tx, facts.accountId, 'campaign', facts.sourceId);
}

/** Answers `group.usedBy`: campaigns that are still to read their people from it. */
export async function campaignsUsingGroup(
  tx: Tx,
  { accountId, groupId }: { accountId: number; groupId: number },
): Promise<{ kind: string; id: string; title: string }[]> {
  const recent = new Date(clock.now().getTime() - DAY_MS);
  const rows = await store.campaignsUsingGroup(tx, accountId, groupId, recent);
  const messageIds = rows.flatMap((row) => (row.message_id === null ? [] : [row.message_id]));
  const deliveries = await readDelivery(tx, accountId, messageIds);
  const isWritten = (messageId: number | null) =>
    deliveries.some((one) => one.messageId === messageId && one.isAudienceDone);
  const reading = rows.filter((row) => row.status === 'SCHEDULED' || !isWritten(row.message_id));
  // A section of their mail may be shown to this group alone.
  const pattern = `"group": "${encodeId('group', groupId)}"`;
  const showing = await store.campaignsUsingTag(tx, accountId, pattern);
  const others = showing.filter(({ id }) => !reading.some((row) => row.id === id));
  return named([...reading, ...others]);
}

/** Answers `field.usedBy`: campaigns still to be sent that name its merge tag, in either spelling. */
export async function campaignsUsingField(
  tx: Tx,
  { accountId, name }: { accountId: number; name: string },
): Promise<{ kind: string; id: string; title: string }[]> {
  const rows = await store.campaignsUsingTag(
    tx,
    accountId,
    `\\{\\{\\s*${name}\\M|\\{\\$${name}\\}|"field": "${name}"`,
  );
  return named(rows);
}

/** Answers `image.usedBy`: campaigns still to be sent that show the picture. */
export async function campaignsUsingImage(
  tx: Tx,
  { accountId, fileKey }: { accountId: number; fileKey: string },
): Promise<{ kind: string; id: string; title: string }[]> {
  return named(await store.campaignsUsingTag(tx, accountId, fileKey));
}

function named(rows: readonly { id: number; title: string }[]) {
  return rows.map(({ id, title }) => ({ kind: 'campaign', id: encodeId('campaign', id), title }));
}

/** Drafts lose the group; their check asks for recipients. */
export async function forgetGroup(
  tx: Tx,
  { accountId, groupId }: { accountId: number; groupId: number },
): Promise<void> {
  await store.forgetGroup(tx, accountId, groupId);
}
