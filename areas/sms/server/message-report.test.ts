// The report of a workflow's SMS step: the sums of the step's messages, and their links.
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { sendOne } from '#areas/delivery/server/ledger/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { startSmsSender, ACCEPTED, fakeSmsProvider } from '#testing/servers/fake-sms-provider.ts';
import { testServer } from '#testing/setup/server.ts';
import { addSmsSender } from '#testing/worlds/sms-sender.ts';
import type { FrozenSmsText } from './channel.ts';

const server = await testServer();
const STEP = 77;
const pathOf = (step: number) =>
  `/client-api/api/transactional/sms/${encodeId('step', step)}/report`;

test("a workflow step's report sums its messages, lists each link once, and does not exist until an SMS is sent", async () => {
  const noon = new Date();
  noon.setUTCHours(noon.getUTCHours() < 18 ? 18 : 42, 0, 0, 0);
  clock.freeze(noon);
  onTestFinished(() => clock.reset());
  const [owner, otherOwner] = [await server.owner(), await server.owner()];
  const { accountId } = owner;
  await addSmsSender(server.db, accountId);
  expect((await owner.get(pathOf(STEP))).status).toBe(404);
  const { rows } = await sql<{ id: number; phone: string }>`
    insert into subscribers (account_id, phone, phone_key, sms_status, created_at, modified_at)
    select ${accountId}::bigint, p, p, 'active', ${noon}, ${noon}
    from unnest(array['+15125550101', '+15125550102', '+15125550103']) p
    returning id, phone`.execute(server.db);
  const sendSms = (content: string, { id, phone }: { id: number; phone: string }) => {
    const text: FrozenSmsText = {
      ...{
        from: '+15125550177',
        isName: false,
        publicUrl: server.config.publicUrl,
        title: content,
      },
      words: {
        ...{ prefix: null, text: `${content} https://bloom.example/tulips`, ending: null },
        ...{ plainQuotes: true, locale: 'en', campaign: null },
      },
    };
    return inTransaction(server.db, (tx) =>
      sendOne(tx, {
        ...{ accountId, kind: 'sms_workflow', sourceId: STEP, text, values: {} },
        ...{ recipient: phone, subscriberId: id, idempotencyKey: phone },
      }),
    );
  };
  const provider = fakeSmsProvider();
  provider.script.respond = ({ to }) =>
    to.endsWith('103') ? { ...ACCEPTED, outcome: 'failed', reply: 'no such number' } : ACCEPTED;
  startSmsSender(server.db, provider.open);
  // There are two messages because the step's text changed between them.
  for (const [at, person] of rows.entries()) await sendSms(at === 0 ? 'Old' : 'New', person);
  await expect
    .poll(async () => (await owner.get(pathOf(STEP))).body.data?.figures, { timeout: 30_000 })
    .toMatchObject({ sent: 3, accepted: 2, delivered: null, failed: 1, unsubscribes: 0 });
  expect((await owner.get(pathOf(STEP))).body.data).toMatchObject({
    text: 'New',
    sender: '+15125550177',
  });
  expect((await owner.get(`${pathOf(STEP)}/clicks`)).body.data).toEqual([
    { url: 'https://bloom.example/tulips', clicks: 0, people: 0 },
  ]);
  expect((await otherOwner.get(pathOf(STEP))).status).toBe(404);
  expect((await otherOwner.get(`${pathOf(STEP)}/clicks`)).status).toBe(404);
}, 60_000);
