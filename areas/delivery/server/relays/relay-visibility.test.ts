// The installation's relays are visible to its operator only; accounts see their own.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { relaySettings } from '#testing/worlds/relay-settings.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { haltRefusedMessage } from '../ledger/control.ts';
import { messageHalted } from '../events.ts';
import { readDelivery } from '../ledger/read-delivery.ts';

let server: TestServer;

beforeAll(async () => {
  server = await testServer();
  allowPrivateAddresses(true);
});

async function addOwnRelay(owner: TestOwner, port: number): Promise<void> {
  const { status } = await owner.post('/client-api/api/relays', relaySettings(port));
  expect(status).toBe(200);
}

async function prepareMessage(owner: TestOwner) {
  const [person] = (await addPeople(server.db, owner.accountId, 1)) as [number];
  const message = await startMessage(server.db, owner.accountId);
  await server.runJobs();
  return { person, message };
}

test('the delivery explanation names a relay only if it belongs to the account', async () => {
  const owner = await server.owner();
  const { person, message } = await prepareMessage(owner);
  const relay = await startSmtpServer();
  startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, owner.accountId, message, isFinished);
  await relay.close();
  const path = `/client-api/api/messages/${encodeId('message', message)}/why`;
  const readAcceptance = async () => {
    const { body } = await owner.get(`${path}?subscriber=${encodeId('subscriber', person)}`);
    return body.data.steps.find(({ kind }: { kind: string }) => kind === 'accepted');
  };
  expect(await readAcceptance()).toMatchObject({ reply: expect.stringMatching(/./), relay: null });
  await addOwnRelay(owner, relay.port);
  expect(await readAcceptance()).toMatchObject({ relay: `127.0.0.1:${relay.port}` });
});

test('the reply during an outage is shown only if the relay belongs to the account', async () => {
  const [guest, host] = [await server.owner(), await server.owner()];
  const { message } = await prepareMessage(guest);
  const closedServer = await startSmtpServer();
  const { port, url } = closedServer;
  await closedServer.close();
  startTestSender(server.db, url);
  const isWaiting = (delivery: { state: string }) => delivery.state === 'waiting';
  const guestDelivery = await waitForDelivery(server.db, guest.accountId, message, isWaiting);
  expect(guestDelivery).toMatchObject({ reason: 'relay_unreachable' });
  expect(JSON.stringify(guestDelivery)).not.toContain(`${port}`);
  const { rows } = await sql<{ details: object }>`select state_details as details from messages
    where account_id = ${guest.accountId} and id = ${message}`.execute(server.db);
  expect(JSON.stringify(rows)).toContain(`127.0.0.1:${port}`);

  const hostMessage = await prepareMessage(host);
  await addOwnRelay(host, port);
  await sql`update messages set state = 'waiting', state_reason = 'relay_unreachable',
    state_details = ${JSON.stringify(rows[0]?.details)}
    where account_id = ${host.accountId} and id = ${hostMessage.message}`.execute(server.db);
  const [delivery] = await readDelivery(server.db, host.accountId, [hostMessage.message]);
  expect(delivery?.details?.reply).toContain(`127.0.0.1:${port}`);
});

test("the account sees an installation relay's refusal of its sender, but no connection error", async () => {
  const owner = await server.owner();
  const replies: (string | undefined)[] = [];
  const stop = messageHalted.on(async (_, { reply }) => void replies.push(reply));
  const certificate = "altnames: Host: smtp.inside.example is not in the cert's";
  const { message: first } = await prepareMessage(owner);
  const another = await startMessage(server.db, owner.accountId);
  for (const [message, code, reply] of [
    [first, '535', 'Wrong password'],
    [another, '', certificate],
  ] as const) {
    await inTransaction(server.db, (tx) =>
      haltRefusedMessage(tx, owner.accountId, message, { code, reply }),
    );
    const [delivery] = await readDelivery(server.db, owner.accountId, [message]);
    expect(delivery?.state).toBe('paused');
    expect(delivery?.details?.reply).toBe(code ? reply : undefined);
  }
  stop();
  expect(replies).toEqual(['Wrong password', '—']);
});
