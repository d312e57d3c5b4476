// Measures the whole of sending: recipients in a durable PostgreSQL are leased, a message with 12
// tracked links and merge fields is rendered for each, sent by SMTP, and recorded. This is compared
// with Postfix's `smtp-source -d`, which sends a copy of the message to the same `smtp-sink`, in
// alternating rounds. The CPU time of both is printed, because the same system calls cost more on a
// slow or busy machine. npm run bench -- send [--json] [--recipients 200000] [--rounds 5]
// [--sessions 10] [--senders 1] [--kilobytes 20] [--dkim: emails are signed with RSA-2048, and the
// rate is compared with the signatures per second that `openssl speed` reports, times the number of
// senders] [--alone: without rounds of smtp-source, to measure memory where those rounds would take
// too long] [--share 25: each sender gets this percentage of a processor, to measure scaling on few
// processors (as root)] [--apart: smtp-sink on the first processor and all else on the others, as
// if it were another machine]
import { type ChildProcess, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { sql } from 'kysely';
import { compileMessage, createRenderMoment, render } from '#areas/content/server/index.ts';
import {
  type Audience,
  pauseMessage,
  resumeMessage,
  startSending,
  writeAudienceJob,
} from '#areas/delivery/server/ledger/index.ts';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { median } from './kit/figures.ts';
import { benchSource } from './send/message.ts';
import { runSource, type SourceSpeed } from './send/postfix.ts';
import { limitCpu } from './send/share.ts';
import {
  addPeople,
  addSigningKey,
  withBenchSetup,
  type BenchSetup,
  startProcess,
  readUsage,
} from './send/setup.ts';

const { values } = parseArgs({
  options: {
    json: { type: 'boolean', default: false },
    recipients: { type: 'string', default: '200000' },
    rounds: { type: 'string', default: '5' },
    sessions: { type: 'string', default: '10' },
    senders: { type: 'string', default: '1' },
    kilobytes: { type: 'string', default: '20' },
    dkim: { type: 'boolean', default: false },
    alone: { type: 'boolean', default: false },
    apart: { type: 'boolean', default: false },
    share: { type: 'string' },
  },
  allowPositionals: true,
});
const recipients = Number(values.recipients);
const rounds = Number(values.rounds);
const sessions = Number(values.sessions);
const senders = Number(values.senders);
const cpuShare = Number(values.share ?? 0);
if (!(cpuShare >= 0)) throw new Error('--share must be a percentage of one processor');

/** The number of recipients of the warm-up campaign. */
const WARM_UP = Math.min(recipients, 10_000);

type SendRound = {
  source: SourceSpeed;
  ours: number;
  cpu: number;
  audience: number;
  recorded: number;
};

async function run({ db, folder, port, env }: BenchSetup): Promise<void> {
  const accountId = await addPeople(db, recipients);
  if (values.dkim) await addSigningKey(db, accountId);
  const file = join(folder, 'message');
  const bytes = writeMessage(accountId, file);
  console.log(
    `${recipients} recipients, a message of ${bytes} bytes${values.dkim ? ', signed with RSA-2048' : ''}, ${sessions} connections, ${senders} sender(s)`,
  );
  const processes = await Promise.all(
    Array.from({ length: senders }, () => startProcess(env(sessions))),
  );
  const releaseShares = cpuShare
    ? processes.map(({ pid }) => limitCpu(pid as number, cpuShare))
    : [];
  const warmUp = await prepareCampaign(db, accountId, {
    all: false,
    groups: [await addGroup(db, accountId)],
    excluded: [],
  });
  await runCampaign(db, accountId, warmUp.id, processes, WARM_UP);
  const results: SendRound[] = [];
  for (let round = 0; round < rounds; round++) {
    const message = await prepareCampaign(db, accountId);
    // The baseline is the rate of smtp-source or, with --dkim, the signing rate of OpenSSL.
    const source = await limitOf(() => runSource(port, file, recipients, sessions));
    const sendRate = await runCampaign(db, accountId, message.id, processes);
    results.push({ source, ...sendRate, audience: message.seconds });
    print(round, results.at(-1) as SendRound);
  }
  const usage = await Promise.all(processes.map(readUsage));
  for (const child of processes) child.send('stop');
  await Promise.all(processes.map((child) => once(child, 'exit')));
  for (const end of releaseShares) end();
  report(results, Math.max(...usage.map(({ peak }) => peak)));
}

/** Creates a group of some subscribers for the warm-up campaign. */
async function addGroup(db: Db, accountId: number): Promise<number> {
  const now = new Date();
  const { rows } = await sql<{ id: number }>`insert into groups
      (account_id, title, title_key, created_at, modified_at)
    values (${accountId}, 'Warm-up', 'warm-up', ${now}, ${now}) returning id`.execute(db);
  const groupId = rows[0]?.id as number;
  await sql`insert into group_members (account_id, group_id, subscriber_id, created_at)
    select account_id, ${groupId}, id, ${now} from subscribers where account_id = ${accountId}
    order by id limit ${WARM_UP}`.execute(db);
  return groupId;
}

/**
 * Writes the message for smtp-source: one recipient's copy, with bare line feeds, which smtp-source
 * requires.
 */
function writeMessage(accountId: number, file: string): number {
  const compiledMessage = compileMessage({
    ...benchSource(accountId, Number(values.kilobytes)),
    message_id: 1,
  });
  const tokens = getInstallationTokens();
  const copy = { account: accountId, message: 1, subscriber: 1000, ordinal: 1000 };
  const buffer = Buffer.alloc(1 << 20);
  const recipient = {
    email: 'person1000@example.com',
    token: tokens.make(copy),
    message_token: tokens.make(copy, 'messageId'),
    values: { firstname: 'Åse 1000', lastname: 'Nordmann', email: 'person1000@example.com' },
  };
  const end = render(
    compiledMessage,
    recipient,
    createRenderMoment(new Date(), compiledMessage.locale),
    buffer,
    0,
  );
  writeFileSync(file, buffer.toString('latin1', 0, end).replaceAll('\r\n', '\n'), 'latin1');
  return end;
}

/** Creates a campaign and writes its audience, so that it can be started. */
async function prepareCampaign(
  db: Db,
  accountId: number,
  audience: Audience = { all: true, groups: [], excluded: [] },
) {
  const source = benchSource(accountId, Number(values.kilobytes));
  const startedAt = performance.now();
  const id = await inTransaction(db, async (tx) => {
    const message = { accountId, kind: 'campaign', sourceId: 1, source } as const;
    const { messageId } = await startSending(tx, message, audience);
    await pauseMessage(tx, accountId, messageId);
    return messageId;
  });
  const { signal } = new AbortController();
  await writeAudienceJob.run({ accountId, messageId: id }, { db, signal });
  const seconds = (performance.now() - startedAt) / 1_000;
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
  const usageBefore = await Promise.all(processes.map(readUsage));
  const startedAt = performance.now();
  await inTransaction(db, (tx) => resumeMessage(tx, accountId, messageId));
  for (;;) {
    const { rows } = await sql<{ state: string; why: string | null }>`
      select state, state_reason as why from messages
      where account_id = ${accountId} and id = ${messageId}`.execute(db);
    if (rows[0]?.state === 'finished') break;
    if (rows[0]?.state === 'paused') throw new Error(`The campaign was paused: ${rows[0].why}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  const usageAfter = await Promise.all(processes.map(readUsage));
  const cpu = usageAfter.reduce((sum, usage, i) => sum + usage.cpu - (usageBefore[i]?.cpu ?? 0), 0);
  const { rows } = await sql<{ recorded: number; accepted: number }>`
    select c.accepted, (select count(*) from results r where r.account_id = ${accountId}
      and r.message_id = ${messageId} and r.state = 'accepted') as recorded
    from delivery_counts c where c.account_id = ${accountId} and c.message_id = ${messageId}`.execute(
    db,
  );
  const recordedCount = rows[0]?.recorded ?? 0;
  if (recordedCount !== count || rows[0]?.accepted !== count) {
    throw new Error(`${recordedCount} of ${count} are recorded as accepted`);
  }
  return { ours: count / seconds, cpu: cpu / count, recorded: recordedCount };
}

function print(round: number, { source, ours, cpu, audience }: SendRound): void {
  if (round === 0) {
    const limit = values.dkim ? ' openssl signs' : 'smtp-source/s';
    console.log(`round  ${limit.padStart(13)}  sendloom/s  ratio  CPU µs  its CPU µs  audience s`);
  }
  console.log(
    [
      String(round + 1).padStart(5),
      source.perSecond.toFixed(0).padStart(14),
      ours.toFixed(0).padStart(11),
      (ours / source.perSecond).toFixed(2).padStart(6),
      cpu.toFixed(1).padStart(7),
      (Number.isNaN(source.cpu) ? '' : source.cpu.toFixed(1)).padStart(11),
      audience.toFixed(1).padStart(11),
    ].join(' '),
  );
}

function report(results: readonly SendRound[], peak: number): void {
  const ratio = median(results.map((round) => round.ours / round.source.perSecond));
  const cpu = median(results.map((round) => round.cpu));
  const sourceCpu = median(results.map((round) => round.source.cpu));
  const perSecond = Math.round(median(results.map((round) => round.ours)));
  const megabytes = Math.round(peak / 1024 / 1024);
  console.log(
    `median: ${ratio.toFixed(2)} × ${values.dkim ? 'the signing rate of openssl' : 'smtp-source'}, ${cpu.toFixed(1)} µs of CPU a message${Number.isNaN(sourceCpu) ? '' : ` (smtp-source: ${sourceCpu.toFixed(1)})`}, accepted = recorded, ${megabytes} MB at most`,
  );
  if (!values.json) return;
  const roundedRound = { ratio: Math.round(ratio * 100) / 100, cpu: Math.round(cpu * 10) / 10 };
  console.log(
    JSON.stringify({
      bench: 'send',
      ...roundedRound,
      perSecond,
      megabytes,
      recipients,
      sessions,
      senders,
      kilobytes: Number(values.kilobytes),
      dkim: values.dkim,
    }),
  );
}

async function limitOf(runs: () => Promise<SourceSpeed>): Promise<SourceSpeed> {
  if (values.dkim) return { perSecond: signsPerSecond() * senders, cpu: Number.NaN };
  return values.alone ? { perSecond: Number.NaN, cpu: Number.NaN } : runs();
}

/** Returns the signatures per second of one OpenSSL thread. */
function signsPerSecond(): number {
  const args = ['speed', '-seconds', '2', '-mr', 'rsa2048'];
  const output = execFileSync('openssl', args, { stdio: ['ignore', 'pipe', 'ignore'] }).toString();
  // Newer versions print signatures per second, and older versions print seconds per signature.
  const signatureRate = Number(/^\+F2:\d+:2048:([\d.]+)/m.exec(output)?.[1]);
  if (!signatureRate) throw new Error('openssl speed reported no signing rate');
  return signatureRate < 1 ? 1 / signatureRate : signatureRate;
}

await withBenchSetup(run, { isApart: values.apart });
