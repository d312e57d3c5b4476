// Helpers of sending tests: they add subscribers, start a message to all of them, and wait for its
// end.
import { sql } from 'kysely';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import {
  type Audience,
  type MessageDelivery,
  readDelivery,
  startSending,
} from '#areas/delivery/server/ledger/index.ts';
import { getMailbox } from '#areas/subscribers/shared.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import type { MessageSource } from '#areas/content/server/index.ts';

/** Adds active subscribers `person1@gmail.com`, `person2@outlook.com` …; returns their IDs. */
export async function addPeople(
  db: Db,
  accountId: number,
  count: number,
  domains: readonly string[] = ['gmail.com', 'outlook.com', 'home.example'],
): Promise<number[]> {
  const emails = Array.from(
    { length: count },
    (_, i) => `person${i + 1}@${domains[i % domains.length]}`,
  );
  const { rows } = await sql<{ id: number }>`
    insert into subscribers
      (account_id, email, email_key, firstname, mailbox, created_at, modified_at)
    select ${accountId}::bigint, e, e, 'Name ' || n, b, ${clock.now()}, ${clock.now()}
    from unnest(${emails}::text[], ${emails.map(getMailbox)}::smallint[]) with ordinality u(e, b, n)
    returning id`.execute(db);
  return rows.map((row) => row.id);
}

/**
 * Makes the sending domain verified without a DKIM key, so that a real relay accepts its messages.
 */
export async function proveDomain(db: Db, accountId: number): Promise<void> {
  const at = clock.now();
  // The domain is recorded as just checked. Its DNS records do not exist, so the next check, some
  // minutes later, would revoke the verification.
  await sql`insert into domains (account_id, domain, email, email_verified_at, dns_verified_at,
      dns_checked_at, dns_status, created_at, modified_at)
    values (${accountId}, 'tea.example', 'news@tea.example', ${at}, ${at}, ${at},
      ${JSON.stringify({ records: [] })}, ${at}, ${at})`.execute(db);
}

export const ALL_SUBSCRIBERS: Audience = { all: true, groups: [], excluded: [] };

/** Starts a small message. Its recipients are written once the jobs have run. */
export async function startMessage(
  db: Db,
  accountId: number,
  changes: Partial<MessageSource> = {},
  audience: Audience = ALL_SUBSCRIBERS,
): Promise<number> {
  const { message_id: _, ...source } = sampleSource({ account_id: accountId, ...changes });
  const message = { accountId, kind: 'campaign', sourceId: 1, source } as const;
  return inTransaction(db, async (tx) => (await startSending(tx, message, audience)).messageId);
}

/** Waits until the delivery is in the expected state and returns it. */
export async function waitForDelivery(
  db: Db,
  accountId: number,
  messageId: number,
  isExpected: (delivery: MessageDelivery) => boolean,
  withinMs = 30_000,
): Promise<MessageDelivery> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const [delivery] = await readDelivery(db, accountId, [messageId]);
    if (delivery && isExpected(delivery)) return delivery;
    if (performance.now() > deadline) {
      throw new Error(`The delivery did not reach the expected state: ${JSON.stringify(delivery)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export const isFinished = (delivery: MessageDelivery) => delivery.state === 'finished';
