// Queries for saved test recipients: addresses and numbers that test messages were sent to.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type TestChannel = 'email' | 'sms';

/** Returns the recipients, the most recently used first. */
export async function findTestRecipients(
  db: Reader,
  accountId: number,
  channel: TestChannel,
): Promise<string[]> {
  const rows = await db
    .selectFrom('test_recipients')
    .select('contact')
    .where('account_id', '=', accountId)
    .where('channel', '=', channel)
    .orderBy('used_at', 'desc')
    .orderBy('contact_key')
    .execute();
  return rows.map((row) => row.contact);
}

/**
 * Recipients that differ only in case are the same; only the newest `limit` of the channel are
 * stored.
 */
export async function upsertTestRecipients(
  tx: Tx,
  accountId: number,
  {
    channel,
    contacts,
    limit,
  }: { channel: TestChannel; contacts: readonly string[]; limit: number },
  at: Date,
): Promise<void> {
  await sql`
    insert into test_recipients (account_id, channel, contact_key, contact, used_at)
    select ${accountId}::bigint, ${channel}::text, lower(u), min(u), ${at}::timestamptz
    from unnest(${[...contacts]}::text[]) as u group by lower(u) order by lower(u)
    on conflict (account_id, channel, contact_key) do update
      set contact = excluded.contact, used_at = excluded.used_at`.execute(tx);
  await sql`
    delete from test_recipients
    where account_id = ${accountId} and channel = ${channel} and contact_key in (
      select contact_key from test_recipients
      where account_id = ${accountId} and channel = ${channel}
      order by used_at desc, contact_key offset ${limit})`.execute(tx);
}

/** Deletes these recipients from the channel, or from all channels if none is given. */
export async function deleteTestRecipients(
  tx: Tx,
  accountId: number,
  contacts: readonly string[],
  channel?: TestChannel,
): Promise<void> {
  const keys = contacts.map((contact) => contact.toLowerCase());
  await sql`
    delete from test_recipients
    where account_id = ${accountId} and contact_key = any(${keys}::text[])
      and (${channel ?? null}::text is null or channel = ${channel ?? null})`.execute(tx);
}
