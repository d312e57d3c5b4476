// Queries for the webhooks that receive feedback from providers: each account has one per provider.
// Its row is inserted with its first change or event.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type WebhookRow = {
  provider: string;
  generation: number;
  sealed_key: Buffer | null;
  last_event_at: Date | null;
};

export function findWebhooks(db: Reader, accountId: number): Promise<WebhookRow[]> {
  return db
    .selectFrom('provider_hooks')
    .select(['provider', 'generation', 'sealed_key', 'last_event_at'])
    .where('account_id', '=', accountId)
    .execute();
}

export function findWebhook(
  db: Reader,
  accountId: number,
  provider: string,
): Promise<WebhookRow | undefined> {
  return db
    .selectFrom('provider_hooks')
    .select(['provider', 'generation', 'sealed_key', 'last_event_at'])
    .where('account_id', '=', accountId)
    .where('provider', '=', provider)
    .executeTakeFirst();
}

export async function saveKey(
  tx: Tx,
  accountId: number,
  provider: string,
  key: { sealed: Buffer | null; confirmedAt: Date | null; at: Date },
): Promise<void> {
  await sql`
    insert into provider_hooks (account_id, provider, sealed_key, confirmed_at, modified_at)
    values (${accountId}, ${provider}, ${key.sealed}, ${key.confirmedAt}, ${key.at})
    on conflict (account_id, provider) do update set sealed_key = excluded.sealed_key,
      confirmed_at = excluded.confirmed_at, modified_at = excluded.modified_at`.execute(tx);
}

export async function incrementGeneration(
  tx: Tx,
  accountId: number,
  provider: string,
  at: Date,
): Promise<void> {
  await sql`
    insert into provider_hooks (account_id, provider, generation, modified_at)
    values (${accountId}, ${provider}, 2, ${at})
    on conflict (account_id, provider) do update set generation = provider_hooks.generation + 1,
      modified_at = excluded.modified_at`.execute(tx);
}

/**
 * Records the time of an event, unless an event since `unlessSince` is recorded, so that a busy
 * webhook does not update its row constantly.
 */
export async function recordEventTime(
  tx: Tx,
  accountId: number,
  provider: string,
  at: Date,
  unlessSince: Date,
): Promise<void> {
  await sql`
    insert into provider_hooks (account_id, provider, last_event_at, modified_at)
    values (${accountId}, ${provider}, ${at}, ${at})
    on conflict (account_id, provider) do update set last_event_at = excluded.last_event_at
      where provider_hooks.last_event_at is null or provider_hooks.last_event_at < ${unlessSince}`.execute(
    tx,
  );
}
