// 1: kill -9 of an SMS sender, repeatedly, while a campaign is sent by SMPP: no recipient gets an
// SMS twice or is lost, and results that the sender did not record are unknown.
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { configureBilling } from '#areas/billing/server/settings.ts';
import { startSending, writeAudienceJob } from '#areas/delivery/server/ledger/index.ts';
import { registerSmsChannel } from '#areas/sms/server/channel.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { startSmppServer } from '#testing/servers/smpp-server.ts';
import { addSmsSender } from '#testing/worlds/sms-sender.ts';
import {
  type StartedCampaign,
  readDeliveryOf,
  type FaultTest,
  kill,
  withScene,
  waitUntil,
  waitUntilFinished,
} from './kit.ts';

const KILLS = Number(process.env.KILLS ?? 20);
const PER_SECOND = 100;
const WINDOW = 10;
const SUBSCRIBERS = KILLS * 150;
/**
 * Maximum number of SMS that a sender has in progress: SMS in its SMPP window, and SMS that are
 * prepared but wait for the rate limit.
 */
const MAX_IN_PROGRESS = 64;

export const fault: FaultTest = {
  number: 1,
  title: `kill -9 of an SMS sender, ${KILLS} times`,
  run: (print) =>
    withScene(async (scene) => {
      const { db } = scene;
      const center = await startSmppServer();
      try {
        const campaign = await startSmsCampaign(db);
        const url = `smpp://me:secret@127.0.0.1:${center.port}?window=${WINDOW}`;
        const sender = (rate: string) => scene.startSender({ env: { SMS_URL: url + rate } });
        const problems: string[] = [];
        let unknownBefore = 0;
        let maxUnknown = 0;
        for (let count = 1; count <= KILLS; count++) {
          const submittedBefore = center.submitted.length;
          const child = await sender(`&rate=${PER_SECOND}`);
          if (!(await waitUntil(() => center.submitted.length > submittedBefore, 60))) {
            problems.push(`After kill ${count - 1} nothing was sent for 60 s`);
            break;
          }
          await sleep(Math.random() * 1_000);
          await kill(child);
          const { counts } = await readDeliveryOf(db, campaign);
          const unknown = counts.unknown + counts.handing_over;
          maxUnknown = Math.max(maxUnknown, unknown - unknownBefore);
          unknownBefore = unknown;
          if (count % 5 === 0)
            print(`${count} kills, ${counts.accepted} accepted, ${unknown} unknown`);
        }
        if (maxUnknown > MAX_IN_PROGRESS)
          problems.push(
            `One kill left ${maxUnknown} unknown, more than the ${MAX_IN_PROGRESS} in progress`,
          );
        await sender('');
        if (!(await waitUntilFinished(db, campaign, 120)))
          problems.push('The campaign did not finish');
        const { summary, faults } = await compare(db, campaign, center.submitted);
        return {
          problems: [...problems, ...faults],
          facts: `${summary}; at most ${maxUnknown} unknown by one kill`,
        };
      } finally {
        await center.close();
      }
    }),
};

async function startSmsCampaign(db: Db): Promise<StartedCampaign> {
  configureBilling({ mode: 'off' } as Parameters<typeof configureBilling>[0]);
  registerSmsChannel('https://news.shop.example');
  const now = new Date();
  const { rows } = await sql<{ id: number }>`insert into accounts (title, created_at, modified_at)
    values ('Nordic Tea', ${now}, ${now}) returning id`.execute(db);
  const accountId = rows[0]?.id as number;
  await addSmsSender(db, accountId);
  // A time zone where it is day now, because quiet hours allow marketing SMS by day only.
  await sql`
    insert into subscribers (account_id, phone, phone_key, timezone, sms_status, created_at, modified_at)
    select ${accountId}::bigint, p, p, ${zoneByDay()}::text, 'active', ${now}, ${now}
    from (select '+3706' || (1000000 + n) as p from generate_series(1, ${SUBSCRIBERS}::int) n) people`.execute(
    db,
  );
  const content = { prefix: null, text: 'Tea', ending: null, plainQuotes: true, locale: 'en' };
  const text = {
    ...{ from: '+15125550177', isName: false, publicUrl: 'https://news.shop.example' },
    words: { ...content, campaign: null },
  };
  const { messageId } = await inTransaction(db, (tx) =>
    startSending(
      tx,
      { accountId, kind: 'sms_campaign', sourceId: null, text },
      { all: true, groups: [], excluded: [] },
    ),
  );
  const { signal } = new AbortController();
  await writeAudienceJob.run({ accountId, messageId }, { db, signal });
  return { accountId, messageId };
}

function zoneByDay(): string {
  const hourIn = (timeZone: string) =>
    Number(
      new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' }).format(),
    );
  const zones = ['Europe/Vilnius', 'America/New_York', 'Asia/Tokyo', 'Pacific/Honolulu'];
  return zones.find((zone) => hourIn(zone) >= 9 && hourIn(zone) < 18) ?? 'Europe/Vilnius';
}

/** Compares the ledger's states with what the SMSC accepted. */
async function compare(
  db: Db,
  { accountId, messageId }: StartedCampaign,
  submittedSms: readonly { to: string }[],
): Promise<{ summary: string; faults: string[] }> {
  const { rows } = await sql<{ phone: string; state: string | null }>`
    select s.phone_key as phone, (select n.state::text from results n
      where n.account_id = ${accountId} and n.message_id = ${messageId} and n.lane = r.lane
        and n.ordinal = r.ordinal order by n.attempt desc limit 1) as state
    from recipients r join subscribers s on s.account_id = ${accountId} and s.id = r.subscriber_id
    where r.account_id = ${accountId} and r.message_id = ${messageId}`.execute(db);
  const acceptedPhones = new Set(submittedSms.map(({ to }) => `+${to}`));
  const inState = (state: string) => rows.filter((row) => row.state === state);
  const faults: string[] = [];
  const duplicateCount = submittedSms.length - acceptedPhones.size;
  if (duplicateCount > 0) faults.push(`${duplicateCount} were accepted twice`);
  if (rows.length !== SUBSCRIBERS)
    faults.push(`${rows.length} of ${SUBSCRIBERS} are in the ledger`);
  const unfinishedCount = rows.length - inState('accepted').length - inState('unknown').length;
  if (unfinishedCount > 0) faults.push(`${unfinishedCount} are neither accepted nor unknown`);
  const neverAccepted = inState('accepted').filter(
    ({ phone }) => !acceptedPhones.has(phone),
  ).length;
  if (neverAccepted > 0)
    faults.push(`${neverAccepted} are recorded as accepted, but the provider never accepted them`);
  const summary = `${inState('accepted').length} accepted, ${inState('unknown').length} unknown of ${SUBSCRIBERS}; ${duplicateCount} sent twice`;
  return { summary, faults };
}
