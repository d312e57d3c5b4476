// A server, a scripted relay and a message to subscribers, for tests of sending failures.
import { sql } from 'kysely';
import { beforeEach, expect } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { checkInvariant } from '../oracles/invariants.ts';
import { addPeople, isFinished, startMessage, waitForDelivery } from './sending-helpers.ts';
import { type TestServer, testServer } from '../setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '../servers/smtp-server.ts';

export const server: TestServer = await testServer();
export let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return async () => {
    // Senders of later tests must see only their own messages.
    await sql`update messages set state = 'cancelled'`.execute(server.db);
    await relay.close();
  };
});

export const listAcceptedIds = () => relay.accepted.map((message) => message.messageId);
export const sleep = (milliseconds: number) =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));

/**
 * Advances the clock until the message is finished, because a paused lane or a slow rate may delay
 * it.
 */
export async function runToCompletion(accountId: number, messageId: number) {
  for (let minutes = 0; minutes < 15; minutes++) {
    clock.advance(60_000);
    const delivery = await waitForDelivery(
      server.db,
      accountId,
      messageId,
      isFinished,
      3_000,
    ).catch(() => undefined);
    if (delivery) return delivery;
  }
  return waitForDelivery(server.db, accountId, messageId, isFinished);
}

export async function prepareCampaign(subscriberCount: number) {
  const owner = await server.owner();
  const { accountId } = owner;
  // The verification email to the owner is deleted, so that it is not sent.
  await sql`delete from single_sends where account_id = ${accountId}`.execute(server.db);
  const ids = await addPeople(server.db, accountId, subscriberCount);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  return { owner, accountId, messageId, ids };
}

export async function expectInvariant(accountId: number, messageId: number, states: object) {
  const invariant = await checkInvariant(server.db, accountId, messageId, listAcceptedIds());
  expect(invariant).toEqual({ states, problems: [] });
}
