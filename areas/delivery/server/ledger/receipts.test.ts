// Delivery receipts of SMS: how the copy of a receipt is found, and the state of copies with
// several parts.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import {
  startSmsSender,
  ACCEPTED,
  type FakeSmsProvider,
  fakeSmsProvider,
  writeTestSms,
} from '#testing/servers/fake-sms-provider.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { readSmsFigures, findSmsReference, sendOne, settleSms } from './index.ts';

const server: TestServer = await testServer();
let provider: FakeSmsProvider;
let accountId: number;

writeTestSms();

beforeEach(async () => {
  provider = fakeSmsProvider();
  ({ accountId } = await server.owner());
});

/** Sends an SMS to each number through the simulated provider. Returns the message IDs. */
async function sendTo(...numbers: string[]): Promise<number[]> {
  const text = { from: '+15550001', title: 'Hello', body: 'Hello' };
  const sentIds = [];
  for (const recipient of numbers) {
    sentIds.push(
      await inTransaction(server.db, (tx) =>
        sendOne(tx, {
          ...{ accountId, kind: 'sms_transactional', sourceId: 4, text, recipient },
          ...{ values: {}, idempotencyKey: recipient },
        }),
      ),
    );
  }
  const sender = startSmsSender(server.db, provider.open);
  const countResults = async () => {
    const { rows } = await sql`select 1 from sms_results where account_id = ${accountId}`.execute(
      server.db,
    );
    return rows.length;
  };
  await expect.poll(countResults).toBe(numbers.length);
  await sender.close();
  return sentIds.map(({ messageId }) => messageId);
}

test('an alias of a receipt ID matches only an SMS from the same account to the same number', async () => {
  const [first, second] = ['+4791000001', '+4791000002'];
  provider.script.respond = ({ to }) => ({
    ...ACCEPTED,
    sms: { remoteId: `smpp:centre:2775/${to === first ? '00A1' : '161'}` },
  });
  await sendTo(first, second);
  const referenceTo = (to: string) =>
    provider.accepted.find((smsHandoff) => smsHandoff.to === to)?.reference;
  const findReference = (id: string, aliases: string[], number: string, ofAccount = accountId) =>
    findSmsReference(
      server.db,
      {
        ids: [`smpp:centre:2775/${id}`],
        aliases: aliases.map((alias) => `smpp:centre:2775/${alias}`),
        numbers: [number.slice(1)],
      },
      ofAccount,
    );
  // 161 is the id of the second SMS, and the decimal form of the first one's id.
  const aliases = ['161', 'a1'];
  expect(await findReference('161', aliases, second)).toMatchObject({
    reference: referenceTo(second),
  });
  expect(await findReference('a1', ['a1', '161'], first)).toMatchObject({
    reference: referenceTo(first),
  });
  expect(await findReference('a1', ['a1'], '+15125559999')).toBeUndefined();
  expect(await findReference('a1', ['a1'], first, accountId + 1)).toBeUndefined();
});

test('a two-part SMS is delivered once both parts are delivered, in any order', async () => {
  const figuresAfter = async (receipts: [string, boolean][]) => {
    provider = fakeSmsProvider();
    ({ accountId } = await server.owner());
    const [messageId] = await sendTo('+4791000003');
    const { reference } = provider.accepted[0] as { reference: string };
    for (const [id, isDelivered] of receipts) {
      const receipt = { isDelivered, at: clock.now(), remoteId: id, part: { id, partCount: 2 } };
      await inTransaction(server.db, (tx) => settleSms(tx, reference, receipt));
    }
    const allFigures = await inTransaction(server.db, (tx) =>
      readSmsFigures(tx, accountId, [messageId as number]),
    );
    const { delivered = 0, undelivered = 0 } = allFigures.get(messageId as number) ?? {};
    return { delivered, undelivered };
  };
  const noReceipts = { delivered: 0, undelivered: 0 };
  const failedFigures = { delivered: 0, undelivered: 1 };
  expect(await figuresAfter([['A', true]])).toEqual(noReceipts);
  expect(
    await figuresAfter([
      ['A', true],
      ['A', true],
    ]),
  ).toEqual(noReceipts);
  for (const [first, second] of [
    [true, false],
    [false, true],
  ] as const) {
    expect(
      await figuresAfter([
        ['A', first],
        ['B', second],
      ]),
    ).toEqual(failedFigures);
  }
  expect(
    await figuresAfter([
      ['B', true],
      ['A', true],
    ]),
  ).toEqual({ delivered: 1, undelivered: 0 });
});
