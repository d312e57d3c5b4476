// Two relays that an account may add, and the installation's relay; tests can inspect the server of
// each.
import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, expect } from 'vitest';
import {
  openPool,
  type RunningSender,
  runSenders,
  soleRelay,
} from '#areas/delivery/server/sender/index.ts';
import { relayKinds } from '#main/relays.ts';
import { loadConfig } from '#platform/server/config.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { openSmtpRelay, parseSmtpUrl } from '#providers/smtp/index.ts';
import { addPeople, startMessage } from './sending-helpers.ts';
import { relaySettings } from './relay-settings.ts';
import { type TestOwner, type TestServer, testServer } from '../setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '../servers/smtp-server.ts';

export const URL_ = '/client-api/api/relays';
export let server: TestServer;
export let relay: TestSmtpServer;
export let testSmtpServer: TestSmtpServer;
export let instance: TestSmtpServer;
export let sender: RunningSender | undefined;

beforeAll(async () => {
  server = await testServer();
});

beforeEach(async () => {
  allowPrivateAddresses(true);
  relay = await startSmtpServer();
  testSmtpServer = await startSmtpServer();
  instance = await startSmtpServer();
  return async () => {
    for (const server of [relay, testSmtpServer, instance]) await server.close();
  };
});

afterEach(async () => {
  await sender?.close();
  sender = undefined;
  // Later tests must see only their own accounts' messages.
  await sql`update messages set state = 'cancelled'`.execute(server.db);
  await sql`delete from single_sends`.execute(server.db);
});

export function startSender(): void {
  const previousSender = sender;
  const options = parseSmtpUrl(`${instance.url}?tls=none&connections=2`);
  const installationRelay = soleRelay(`installation ${instance.url}`, (source) =>
    openSmtpRelay(options, source),
  );
  const running = runSenders(
    server.db,
    openPool(server.db, [installationRelay]),
    relayKinds(loadConfig({})),
  );
  sender = {
    async close() {
      await Promise.all([running.close(), previousSender?.close()]);
    },
  };
}

export async function addRelay(owner: TestOwner, port: number, changes: object = {}) {
  const response = await owner.post(URL_, relaySettings(port, changes));
  expect(response.status, response.text).toBe(200);
  return response.body.data;
}

export async function createCampaign(
  accountId: number,
  subscriberCount: number,
  domains?: string[],
) {
  await addPeople(server.db, accountId, subscriberCount, domains);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  return messageId;
}
