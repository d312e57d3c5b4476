// Measures the time from the start of a huge campaign to its first SMS, over SMPP to an SMSC in
// this process, and the sender's memory while the campaign continues. npm run bench -- sms-start
// [--json] [--recipients 1000000] [--seconds 60]
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { configureBilling } from '#areas/billing/server/settings.ts';
import { startSending, writeAudienceJob } from '#areas/delivery/server/ledger/index.ts';
import { registerSmsChannel } from '#areas/sms/server/channel.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { startSmppServer } from '#testing/servers/smpp-server.ts';
import { addSmsSender } from '#testing/worlds/sms-sender.ts';
import { withScene } from '../faults/kit.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    recipients: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '60' },
  },
  allowPositionals: true,
});
const recipients = Number(values.recipients);
const FIRST_WITHIN_MS = 3_000;
const ZONES = ['Europe/Vilnius', 'America/New_York', 'Asia/Tokyo', 'Pacific/Honolulu'];

/**
 * Returns a time zone where it is day now, because quiet hours allow marketing SMS only during the
 * day.
 */
function zoneByDay(): string {
  const hourIn = (timeZone: string) =>
    Number(
      new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', hourCycle: 'h23' }).format(),
    );
  return ZONES.find((zone) => hourIn(zone) >= 9 && hourIn(zone) < 18) ?? 'Europe/Vilnius';
}

async function addAccount(db: Db): Promise<number> {
  const now = new Date();
  const { rows } = await sql<{ id: number }>`insert into accounts (title, created_at, modified_at)
    values ('Nordic Tea', ${now}, ${now}) returning id`.execute(db);
  const accountId = rows[0]?.id as number;
  await addSmsSender(db, accountId);
  await sql`
    insert into subscribers (account_id, phone, phone_key, timezone, sms_status, created_at, modified_at)
    select ${accountId}::bigint, p, p, ${zoneByDay()}::text, 'active', ${now}, ${now}
    from (select '+3706' || (1000000 + n) as p from generate_series(1, ${recipients}::int) n) people`.execute(
    db,
  );
  await sql`analyze subscribers`.execute(db);
  return accountId;
}

const campaignOf = (accountId: number) => ({
  ...({ accountId, kind: 'sms_campaign', sourceId: null } as const),
  text: {
    ...{ from: '+15125550177', isName: false, publicUrl: 'https://news.shop.example' },
    words: {
      ...{ prefix: null, text: 'Tulips are in', ending: null, plainQuotes: true },
      ...{ locale: 'en', campaign: null },
    },
  },
});

const megabytesOf = (pid: number) =>
  Math.round(
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024,
  );

const report = { first: 0, taken: 0, memory: [] as number[] };
await withScene(async (scene) => {
  const { db } = scene;
  configureBilling({ mode: 'off' } as Parameters<typeof configureBilling>[0]);
  registerSmsChannel('https://news.shop.example');
  const center = await startSmppServer();
  try {
    const accountId = await addAccount(db);
    const url = `smpp://me:secret@127.0.0.1:${center.port}?window=50`;
    const child = await scene.startSender({ env: { SMS_URL: url } });
    await sleep(3_000);
    const startedAt = performance.now();
    const { messageId } = await inTransaction(db, (tx) =>
      startSending(tx, campaignOf(accountId), { all: true, groups: [], excluded: [] }),
    );
    const { signal } = new AbortController();
    const audience = Promise.resolve(
      writeAudienceJob.run({ accountId, messageId }, { db, signal }),
    );
    while (center.submitted.length === 0) await sleep(10);
    report.first = Math.round(performance.now() - startedAt);
    for (let n = 0; n < Number(values.seconds); n++) {
      await sleep(1_000);
      report.memory.push(megabytesOf(child.pid as number));
    }
    report.taken = center.submitted.length;
    await audience;
    return { problems: [], facts: '' };
  } finally {
    await center.close();
  }
});
const { first, taken: acceptedCount, memory } = report;
const half = memory[Math.floor(memory.length / 2)];
const [from, last, peak] = [memory[0], memory.at(-1), Math.max(...memory)];
console.log(
  `first SMS of a campaign to ${recipients}: after ${first} ms; ${acceptedCount} accepted in ${values.seconds} s; sender ${from} MB after a second, ${half} MB half-way, ${last} MB at the end, ${peak} MB at most`,
);
if (values.json) {
  const ratio = Math.round((FIRST_WITHIN_MS / first) * 100) / 100;
  console.log(
    JSON.stringify({
      bench: 'sms-start',
      ratio,
      recipients,
      first,
      taken: acceptedCount,
      from,
      half,
      last,
      most: peak,
    }),
  );
}
process.exit(first <= FIRST_WITHIN_MS ? 0 : 1);
