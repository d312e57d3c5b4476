// Sending, the whole way: a campaign's recipients in PostgreSQL (durable, as in production) → leased,
// compiled message with 12 tracked links and merge fields → SMTP → recorded; against Postfix's
// `smtp-source -d` with the same 20 KB message into the same `smtp-sink`, in interleaved rounds.
// npm run bench -- send [--json] [--recipients 200000] [--rounds 5] [--sessions 10] [--senders 1]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { compileMessage, momentOf, render } from '#areas/content/server/index.ts';
import {
  type Audience,
  configureDelivery,
  pause,
  resume,
  start,
  writeAudienceJob,
} from '#areas/delivery/server/index.ts';
import { installationTokens } from '#areas/tracking/server/index.ts';
import { freePort, migrateDatabase } from '#main/prepare.ts';
import { MEMORY_FLAGS } from '#main/role.ts';
import { createDatabase, type Db, inTransaction } from '#platform/server/database.ts';
import { startEmbeddedPostgres } from '#platform/server/embedded-postgres.ts';
import { configureSecrets } from '#platform/server/secrets.ts';
import { benchSource } from './send/message.ts';
import { isInstalled, runSource, startSink } from './send/postfix.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    recipients: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '5' },
    sessions: { type: 'string', default: '10' },
    senders: { type: 'string', default: '1' },
    kilobytes: { type: 'string', default: '20' },
  },
  allowPositionals: true,
});
const recipients = Number(values.recipients);
const rounds = Number(values.rounds);
const sessions = Number(values.sessions);
const senders = Number(values.senders);

/** People of the campaign that only warms the sender up. */
const WARM_UP = Math.min(recipients, 10_000);

const SECRET = 'a secret of the benchmark, thirty-two characters';

type Round = { source: number; ours: number; cpu: number; audience: number; recorded: number };

async function main(): Promise<void> {
  if (!isInstalled('smtp-sink') || !isInstalled('smtp-source')) {
    console.error("This benchmark needs smtp-source and smtp-sink (Debian's package postfix).");
    process.exit(2);
  }
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-send-'));
  configureSecrets(SECRET);
  configureDelivery({ bounceDomain: 'bounces.tea.example', needsVerifiedSender: false });
  const given = process.env.DATABASE_URL;
  const server = given ? undefined : await startEmbeddedPostgres({ folder });
  const url = given ?? (server?.url as string);
  const port = (await freePort(0, '127.0.0.1')) as number;
  const sink = await startSink(port);
  try {
    await migrateDatabase(url);
    const db = createDatabase(url, 5);
    await run(db, url, folder, port);
    await db.destroy();
  } finally {
    sink.kill();
    await server?.stop();
    if (server) rmSync(server.cluster, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(db: Db, databaseUrl: string, folder: string, port: number): Promise<void> {
  const accountId = await addPeople(db);
  const file = join(folder, 'message');
  const bytes = writeMessage(accountId, file);
  console.log(
    `${recipients} recipients, a message of ${bytes} bytes, ${sessions} connections, ${senders} sender(s)`,
  );
  const env = {
    ...process.env,
    NODE_ENV: 'test',
    DATA_DIR: folder,
    DATABASE_URL: databaseUrl,
    SECRET,
    SMTP_URL: `smtp://127.0.0.1:${port}?tls=none&connections=${sessions}`,
    BOUNCE_DOMAIN: 'bounces.tea.example',
    LOG_LEVEL: 'warn',
  };
  const processes = await Promise.all(Array.from({ length: senders }, () => startProcess(env)));
  const warmUp = await prepareCampaign(db, accountId, {
    all: false,
    groups: [await addGroup(db, accountId)],
    excluded: [],
  });
  await runCampaign(db, accountId, warmUp.id, processes, WARM_UP);
  const results: Round[] = [];
  for (let round = 0; round < rounds; round++) {
    const message = await prepareCampaign(db, accountId);
    const source = await runSource(port, file, recipients, sessions);
    const ours = await runCampaign(db, accountId, message.id, processes);
    results.push({ source, ...ours, audience: message.seconds });
    print(round, results.at(-1) as Round);
  }
  const usage = await Promise.all(processes.map(usageOf));
  for (const child of processes) child.send('stop');
  await Promise.all(processes.map((child) => once(child, 'exit')));
  report(results, Math.max(...usage.map(({ peak }) => peak)));
}

/** One account's people, with a suppression list that none of them is on. */
async function addPeople(db: Db): Promise<number> {
  const at = new Date();
  const { rows } = await sql<{ id: number }>`insert into accounts (title, created_at, modified_at)
    values ('Nordic Tea', ${at}, ${at}) returning id`.execute(db);
  const accountId = rows[0]?.id as number;
  await sql`insert into subscribers
      (account_id, email, email_key, firstname, lastname, mailbox, created_at, modified_at)
    select ${accountId}::bigint, e, e, case when n % 3 > 0 then 'Åse ' || n end, 'Nordmann', n % 4,
      ${at}, ${at}
    from (select n, 'person' || n || '@example.com' as e from generate_series(1, ${recipients}::int) n)
    people`.execute(db);
  await sql`insert into suppressions (account_id, channel, address_hash, reason, created_at)
    select ${accountId}::bigint, 'email', sha256(convert_to(n::text, 'UTF8')), 'bounced', ${at}
    from generate_series(1, 5000) n`.execute(db);
  await sql`analyze`.execute(db);
  return accountId;
}

/** Some of them, for a campaign before those that count. */
async function addGroup(db: Db, accountId: number): Promise<number> {
  const at = new Date();
  const { rows } = await sql<{ id: number }>`insert into groups
      (account_id, title, title_key, created_at, modified_at)
    values (${accountId}, 'Warm-up', 'warm-up', ${at}, ${at}) returning id`.execute(db);
  const groupId = rows[0]?.id as number;
  await sql`insert into group_members (account_id, group_id, subscriber_id, created_at)
    select account_id, ${groupId}, id, ${at} from subscribers where account_id = ${accountId}
    order by id limit ${WARM_UP}`.execute(db);
  return groupId;
}

/** What smtp-source sends: one recipient's copy, with bare line feeds as it wants them. */
function writeMessage(accountId: number, file: string): number {
  const compiled = compileMessage({
    ...benchSource(accountId, Number(values.kilobytes)),
    message_id: 1,
  });
  const tokens = installationTokens();
  const facts = { account: accountId, message: 1, subscriber: 1000, ordinal: 1000 };
  const buffer = Buffer.alloc(1 << 20);
  const recipient = {
    email: 'person1000@example.com',
    token: tokens.make(facts),
    message_token: tokens.make(facts, 'messageId'),
    values: { firstname: 'Åse 1000', lastname: 'Nordmann', email: 'person1000@example.com' },
  };
  const end = render(compiled, recipient, momentOf(new Date(), compiled.locale), buffer, 0);
  writeFileSync(file, buffer.toString('latin1', 0, end).replaceAll('\r\n', '\n'), 'latin1');
  return end;
}

/** A campaign whose audience is written, waiting for the word. */
async function prepareCampaign(
  db: Db,
  accountId: number,
  audience: Audience = { all: true, groups: [], excluded: [] },
) {
  const source = benchSource(accountId, Number(values.kilobytes));
  const begun = performance.now();
  const id = await inTransaction(db, async (tx) => {
    const message = { accountId, kind: 'campaign', sourceId: 1, source };
    const { messageId } = await start(tx, message, audience);
    await pause(tx, accountId, messageId);
    return messageId;
  });
  const { signal } = new AbortController();
  await writeAudienceJob.run({ accountId, messageId: id }, { db, signal });
  const seconds = (performance.now() - begun) / 1_000;
  await sql`analyze recipients`.execute(db);
  return { id, seconds };
}

async function runCampaign(
  db: Db,
  accountId: number,
  messageId: number,
  processes: readonly ChildProcess[],
  count = recipients,
) {
  const before = await Promise.all(processes.map(usageOf));
  const begun = performance.now();
  await inTransaction(db, (tx) => resume(tx, accountId, messageId));
  for (;;) {
    const { rows } = await sql<{ state: string }>`select state from messages
      where account_id = ${accountId} and id = ${messageId}`.execute(db);
    if (rows[0]?.state === 'finished') break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const seconds = (performance.now() - begun) / 1_000;
  const after = await Promise.all(processes.map(usageOf));
  const cpu = after.reduce((sum, usage, i) => sum + usage.cpu - (before[i]?.cpu ?? 0), 0);
  const { rows } = await sql<{ recorded: number; accepted: number }>`
    select c.accepted, (select count(*) from results r where r.account_id = ${accountId}
      and r.message_id = ${messageId} and r.state = 'accepted') as recorded
    from delivery_counts c where c.account_id = ${accountId} and c.message_id = ${messageId}`.execute(
    db,
  );
  const recorded = rows[0]?.recorded ?? 0;
  if (recorded !== count || rows[0]?.accepted !== count) {
    throw new Error(`${recorded} of ${count} are recorded as accepted`);
  }
  return { ours: count / seconds, cpu: cpu / count, recorded };
}

async function startProcess(env: NodeJS.ProcessEnv): Promise<ChildProcess> {
  const file = join(import.meta.dirname, 'send/sender-process.ts');
  const child = spawn(process.execPath, [...MEMORY_FLAGS.sender, file], {
    env,
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (first !== 'ready') throw new Error('The sender did not start');
  return child;
}

async function usageOf(child: ChildProcess): Promise<{ cpu: number; peak: number }> {
  child.send('usage');
  const [usage] = (await once(child, 'message')) as [{ cpu: number; peak: number }];
  return usage;
}

function print(round: number, { source, ours, cpu, audience }: Round): void {
  if (round === 0) {
    console.log('round  smtp-source/s  sendloom/s  ratio  CPU µs  audience s');
  }
  console.log(
    [
      String(round + 1).padStart(5),
      source.toFixed(0).padStart(14),
      ours.toFixed(0).padStart(11),
      (ours / source).toFixed(2).padStart(6),
      cpu.toFixed(1).padStart(7),
      audience.toFixed(1).padStart(11),
    ].join(' '),
  );
}

function report(results: readonly Round[], peak: number): void {
  const ratio = median(results.map((round) => round.ours / round.source));
  const cpu = median(results.map((round) => round.cpu));
  const perSecond = Math.round(median(results.map((round) => round.ours)));
  const megabytes = Math.round(peak / 1024 / 1024);
  console.log(
    `median: ${ratio.toFixed(2)} × smtp-source, ${cpu.toFixed(1)} µs of CPU a message, accepted = recorded, ${megabytes} MB at most`,
  );
  if (!values.json) return;
  const rounded = { ratio: Math.round(ratio * 100) / 100, cpu: Math.round(cpu * 10) / 10 };
  console.log(
    JSON.stringify({
      bench: 'send',
      ...rounded,
      perSecond,
      megabytes,
      recipients,
      sessions,
      senders,
    }),
  );
}

function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[figures.length >> 1] ?? 0;
}

await main();
