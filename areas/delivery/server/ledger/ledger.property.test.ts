// No matter what the relay replies, and no matter how often the message is paused or its sender
// replaced: each recipient ends in the state that the replies require, and the ledger is correct
// (invariant I).
import { sql } from 'kysely';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { checkInvariant, listRecipients } from '#testing/oracles/invariants.ts';
import { addPeople, startMessage } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { testServer } from '#testing/setup/server.ts';
import { type SmtpScript, startSmtpServer } from '#testing/servers/smtp-server.ts';
import { propertyOptions } from '#testing/setup/property-runs.ts';
import { pauseMessage, readDelivery, resumeMessage } from './index.ts';

const server = await testServer();

/** The relay's treatment of copies to a recipient, and the recipient's final state. */
const FINAL_STATES = {
  taken: 'accepted',
  'deferred at rcpt': 'accepted',
  'deferred at dot': 'accepted',
  'refused at rcpt': 'failed',
  'refused at dot': 'failed',
  'taken, no answer': 'unknown',
  'lost, no answer': 'unknown',
} as const;
type Treatment = keyof typeof FINAL_STATES;

const treatment = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Treatment>('taken') },
  { weight: 5, arbitrary: fc.constantFrom(...(Object.keys(FINAL_STATES) as Treatment[])) },
);
const disturbance = fc.record({
  what: fc.constantFrom('pause', 'new sender', 'second sender'),
  after: fc.integer({ min: 0, max: 150 }),
});

/**
 * Returns the relay's script: copies to an address get its result, except that a deferral concerns
 * only the first copy.
 */
function scriptOf(results: ReadonlyMap<string, Treatment>): SmtpScript {
  const seenKeys = new Set<string>();
  const isFirst = (key: string) => !seenKeys.has(key) && seenKeys.add(key) !== undefined;
  return {
    rcpt: ({ line }) => {
      const address = /<([^>]*)>/.exec(line)?.[1] ?? '';
      const result = results.get(address);
      if (result === 'refused at rcpt') return '550 5.1.1 No such user';
      if (result === 'deferred at rcpt' && isFirst(address)) return '450 4.2.0 Greylisted';
      return undefined;
    },
    dot: ({ to: [to = ''] }) => {
      const result = results.get(to);
      if (result === 'refused at dot') return '554 5.6.0 Not this one';
      if (result === 'deferred at dot' && isFirst(to)) return '451 4.6.0 Later';
      if (result === 'taken, no answer') return { hangUp: 'instead', isStored: true };
      if (result === 'lost, no answer') return { hangUp: 'instead', isStored: false };
      return undefined;
    },
  };
}

const sleep = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

test('each recipient ends in the state that the replies require', { timeout: 120_000 }, () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(treatment, { minLength: 20, maxLength: 60 }),
      fc.array(disturbance, { maxLength: 4 }),
      async (results, actions) => {
        const { accountId } = await server.owner();
        await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
        const ids = await addPeople(server.db, accountId, results.length, [
          'home.example',
          'gmail.com',
        ]);
        const emailOf = (i: number) => `person${i + 1}@${i % 2 ? 'gmail.com' : 'home.example'}`;
        const script = scriptOf(new Map(results.map((treatment, i) => [emailOf(i), treatment])));
        const relay = await startSmtpServer({ script });
        const messageId = await startMessage(server.db, accountId);
        await server.runJobs();
        const senders = [startTestSender(server.db, relay.url, { rate: 300 })];
        for (const { what, after } of actions) {
          await sleep(after);
          if (what === 'pause') {
            await inTransaction(server.db, (tx) => pauseMessage(tx, accountId, messageId));
            await sleep(30);
            await inTransaction(server.db, (tx) => resumeMessage(tx, accountId, messageId));
          } else {
            if (what === 'new sender') await senders.pop()?.close();
            senders.push(startTestSender(server.db, relay.url, { rate: 300 }));
          }
        }
        await finish(accountId, messageId);
        for (const sender of senders) await sender.close();
        await relay.close();
        const log = relay.accepted.map((receivedMessage) => receivedMessage.messageId);
        const { problems } = await checkInvariant(server.db, accountId, messageId, log);
        expect(problems).toEqual([]);
        const recipients = await listRecipients(server.db, accountId, messageId);
        const states = new Map(
          recipients.map((recipient) => [recipient.subscriber_id, recipient.state]),
        );
        expect(ids.map((id) => states.get(id))).toEqual(
          results.map((treatment) => FINAL_STATES[treatment]),
        );
      },
    ),
    propertyOptions(30, 3),
  ),
);

/** Advances the time to the next retries until the message is finished. */
async function finish(accountId: number, messageId: number): Promise<void> {
  for (let attempt = 0; attempt < 600; attempt++) {
    const [delivery] = await readDelivery(server.db, accountId, [messageId]);
    if (delivery?.state === 'finished') return;
    if (delivery?.counts.pending === 0 && delivery.counts.handing_over === 0) {
      clock.advance(5 * 60_000);
    }
    await sleep(50);
  }
  throw new Error('The message did not finish');
}
