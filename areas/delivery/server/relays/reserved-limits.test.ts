// The reserve of an hourly limit is used by urgent email only.
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { openSmtpRelay, parseSmtpUrl } from '#providers/smtp/index.ts';
import { testServer } from '#testing/setup/server.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { SLOT_MS } from './allowance.ts';
import { sendOne } from '../ledger/index.ts';
import { openPool, runSender, soleRelay } from '../sender/index.ts';
import type { MessageKind } from '../../message-kinds.ts';

const server = await testServer();

/** Sends a single email of each of these kinds, in this order; the recipient names the kind. */
async function sendEach(kinds: readonly MessageKind[]): Promise<void> {
  const { accountId } = await server.owner();
  await sql`delete from single_sends`.execute(server.db);
  const { message_id: _, ...source } = sampleSource({
    kind: 'transactional',
    account_id: accountId,
  });
  for (const kind of kinds) {
    const recipientOptions = { recipient: `${kind}@home.example`, idempotencyKey: kind };
    const single = { accountId, kind, sourceId: null, source, values: {}, ...recipientOptions };
    await inTransaction(server.db, (tx) => sendOne(tx, single));
  }
}

/** Opens a pool whose relay has used up a limit of a hundred an hour, except for the reserve. */
async function openUsedUp(key: string, url: string) {
  const now = clock.now();
  const state = {
    credit: 1,
    at: now.getTime(),
    slots: [[Math.floor(now.getTime() / SLOT_MS), 98]],
  };
  await sql`insert into relay_allowances (key, state, modified_at)
    values (${key}, ${JSON.stringify(state)}::jsonb, ${now})`.execute(server.db);
  const options = parseSmtpUrl(`${url}?tls=none&connections=1`);
  const relay = soleRelay(key, (source) => openSmtpRelay(options, source));
  return openPool(server.db, [{ ...relay, limits: { perHour: 100 } }]);
}

test('system and transactional emails use the reserve, while test and workflow emails wait', async () => {
  const smtp = await startSmtpServer();
  await sendEach(['test', 'workflow', 'letter', 'transactional']);
  const sender = runSender(server.db, await openUsedUp('kept/all', smtp.url));
  onTestFinished(async () => {
    await sender.close();
    await smtp.close();
    clock.reset();
  });
  await smtp.waitForMessages(2);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const sentKinds = () => smtp.accepted.map(({ to }) => to[0]?.split('@')[0]).toSorted();
  expect(sentKinds()).toEqual(['letter', 'transactional']);
  clock.advance(3_600_000 + SLOT_MS);
  await smtp.waitForMessages(4);
  expect(sentKinds()).toEqual(['letter', 'test', 'transactional', 'workflow']);
}, 30_000);
