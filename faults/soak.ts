// 27: the product under load for a while on a large account, campaign after campaign, with opens
// and imports. Its processes must not grow, and no table may accumulate dead rows. `SOAK_MINUTES`
// and `SOAK_PEOPLE` make it longer and larger.
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import { readDelivery } from '#areas/delivery/server/ledger/index.ts';
import { ALL_SUBSCRIBERS, proveDomain, startMessage } from '#testing/worlds/sending-helpers.ts';
import { type FaultTest, type Scene, withScene } from './kit.ts';
import { newImport, readImportState } from './kit/importing.ts';
import { startSupervisedRole, type SupervisedRole } from './kit/roles.ts';

const MINUTES = Number(process.env.SOAK_MINUTES ?? 6);
const SUBSCRIBERS = Number(process.env.SOAK_PEOPLE ?? 200_000);
const RECIPIENTS = 5_000;
const IMPORTED = 10_000;
const SAMPLE_SECONDS = 5;
const PORT = 21_000 + (process.pid % 10_000);
/** Megabytes that a process may grow from the second third to the last. */
const MAX_GROWTH_MB = 20;
/** Queues with reported sizes. They should be emptied as fast as they fill. */
const QUEUE_TABLES = ['hits', 'tracked_accounts', 'staged_people', 'deferrals', 'lanes'];
/** Dead rows allowed in a table, in addition to a fifth of its live rows. */
const MAX_DEAD_ROWS = 20_000;

export const fault: FaultTest = {
  number: 27,
  title: `${MINUTES} minutes of soak`,
  run: (print) => withScene((scene) => soak(scene, print)),
};

type MemorySample = { second: number; megabytes: Record<string, number> };
type SoakCounts = { campaigns: number; copies: number; pixels: number; imports: number };

async function soak(scene: Scene, print: (sentence: string) => void) {
  const accountId = await largeAccount(scene);
  const smtp = `${scene.relay.url}?tls=none&connections=10&rate=400`;
  const roles: Record<string, SupervisedRole> = {
    web: await startSupervisedRole(scene, 'web', {
      NODE_ENV: 'development',
      // No plan limits the number of emails.
      BILLING: 'off',
      SMTP_URL: smtp,
      HOST: '127.0.0.1',
      PORT: `${PORT}`,
    }),
    sender: await startSupervisedRole(scene, 'sender', { SMTP_URL: smtp }),
    worker: await startSupervisedRole(scene, 'worker'),
  };
  const deadline = performance.now() + MINUTES * 60_000;
  const isOver = () => performance.now() > deadline;
  const counts: SoakCounts = { campaigns: 0, copies: 0, pixels: 0, imports: 0 };
  const samples: MemorySample[] = [];
  await Promise.all([
    sendCampaigns(scene, accountId, counts, isOver),
    loadPixels(accountId, counts, isOver),
    imports(scene, counts, isOver),
    watch(roles, samples, isOver, print),
  ]);
  const problems = growthOf(samples);
  if (counts.copies === 0) problems.push('No copy was sent');
  for (const [name, role] of Object.entries(roles)) {
    if (role.ends() > 0) problems.push(`The ${name} ended ${role.ends()} times`);
    role.release();
  }
  const tables = await checkTables(scene);
  problems.push(...tables.problems);
  return {
    problems,
    facts:
      `${SUBSCRIBERS} subscribers, ${counts.campaigns} campaigns, ${counts.copies} copies, ${counts.pixels} opens, ` +
      `${counts.imports} imports; median megabytes in the second and the last third: ${sizes(samples)}; ${tables.facts}`,
  };
}

async function largeAccount({ db }: Scene): Promise<number> {
  const now = new Date();
  const { rows } = await sql<{ id: number }>`insert into accounts
    (title, subscriber_count, created_at, modified_at)
    values ('Nordic Tea', ${SUBSCRIBERS}, ${now}, ${now}) returning id`.execute(db);
  const accountId = rows[0]?.id as number;
  await proveDomain(db, accountId);
  await sql`
    insert into subscribers (account_id, email, email_key, mailbox, created_at, modified_at)
    select ${accountId}, e, e, n % 3, ${now}, ${now}
    from (select n, 'person' || n || '@example.com' as e from generate_series(1, ${SUBSCRIBERS}::int) n) x
  `.execute(db);
  const { rows: groups } = await sql<{ id: number }>`
    insert into groups (account_id, title, title_key, created_at, modified_at)
    values (${accountId}, 'Rest', 'rest', ${now}, ${now}) returning id`.execute(db);
  // All but a few subscribers are in the group that each campaign excludes.
  await sql`
    insert into group_members (account_id, group_id, subscriber_id, created_at)
    select ${accountId}, ${groups[0]?.id}, id, ${now} from subscribers
    where account_id = ${accountId} order by id offset ${RECIPIENTS}`.execute(db);
  return accountId;
}

/** Sends campaigns one after the other, each to the same RECIPIENTS subscribers. */
async function sendCampaigns(
  scene: Scene,
  accountId: number,
  counts: SoakCounts,
  isOver: () => boolean,
) {
  const { db } = scene;
  const { rows } = await sql<{ id: number }>`
    select id from groups where account_id = ${accountId}`.execute(db);
  const audience = { ...ALL_SUBSCRIBERS, excluded: rows.map((row) => row.id) };
  while (!isOver()) {
    const messageId = await startMessage(db, accountId, {}, audience);
    for (;;) {
      const [delivery] = await readDelivery(db, accountId, [messageId]);
      if (delivery?.state === 'finished' || isOver()) break;
      await sleep(200);
    }
    counts.campaigns++;
    counts.copies += scene.relay.accepted.length;
    // The relay stores messages in this process, which is not measured.
    scene.relay.accepted.length = 0;
  }
}

async function loadPixels(accountId: number, counts: SoakCounts, isOver: () => boolean) {
  while (!isOver()) {
    const copies = Array.from({ length: 20 }, (_, i) => ({
      account: accountId,
      message: 1 + (counts.campaigns % 50),
      subscriber: 1 + ((counts.pixels + i) % RECIPIENTS),
      ordinal: 1,
    }));
    const [tokens = []] = getInstallationTokens().makeMany(copies);
    await Promise.all(tokens.map((token) => fetch(`http://127.0.0.1:${PORT}/t/o/${token}.gif`)));
    counts.pixels += tokens.length;
    await sleep(100);
  }
}

async function imports(scene: Scene, counts: SoakCounts, isOver: () => boolean) {
  while (!isOver()) {
    const importing = await newImport(scene, IMPORTED);
    while (!isOver() && (await readImportState(scene, importing)).state !== 'finished')
      await sleep(500);
    counts.imports++;
    await sleep(5_000);
  }
}

async function watch(
  roles: Record<string, SupervisedRole>,
  samples: MemorySample[],
  isOver: () => boolean,
  print: (sentence: string) => void,
) {
  for (let second = 0; !isOver(); second += SAMPLE_SECONDS) {
    const megabytes: Record<string, number> = {};
    for (const [name, role] of Object.entries(roles)) megabytes[name] = residentOf(role.pid());
    samples.push({ second, megabytes });
    if (second % 60 === 0) print(`${second} s: ${JSON.stringify(megabytes)}`);
    await sleep(SAMPLE_SECONDS * 1_000);
  }
}

function residentOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
  } catch {
    return 0;
  }
}

/** Returns the medians of the second and the last third. */
function thirdsOf(samples: readonly MemorySample[], name: string): [number, number] {
  const series = samples.map(({ megabytes }) => megabytes[name] ?? 0);
  const third = Math.floor(series.length / 3);
  return [medianOf(series.slice(third, 2 * third)), medianOf(series.slice(2 * third))];
}

const medianOf = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

const namesOf = (samples: readonly MemorySample[]) => Object.keys(samples[0]?.megabytes ?? {});

function growthOf(samples: readonly MemorySample[]): string[] {
  return namesOf(samples).flatMap((name) => {
    const [before, after] = thirdsOf(samples, name);
    return after - before > MAX_GROWTH_MB ? [`The ${name} grew from ${before} to ${after} MB`] : [];
  });
}

const sizes = (samples: readonly MemorySample[]) =>
  namesOf(samples)
    .map((name) => `${name} ${thirdsOf(samples, name).join(' and ')}`)
    .join(', ');

/** Checks the dead rows of all tables and reports queue sizes. */
async function checkTables({ db }: Scene) {
  const problems: string[] = [];
  await sleep(15_000);
  const { rows } = await sql<{ name: string; live: number; dead: number; megabytes: number }>`
    select relname as name, n_live_tup as live, n_dead_tup as dead,
      round(pg_total_relation_size(relid) / 1048576.0)::int as megabytes
    from pg_stat_user_tables order by n_dead_tup desc`.execute(db);
  for (const { name, dead, live } of rows) {
    if (dead > MAX_DEAD_ROWS + live / 5)
      problems.push(`${name}: ${dead} dead rows and ${live} live rows`);
  }
  const queues = rows.filter(({ name }) => QUEUE_TABLES.includes(name));
  const summary = queues.map(({ name, megabytes }) => `${name} ${megabytes} MB`).join(', ');
  const worst = rows[0];
  return { problems, facts: `${summary}; most dead rows: ${worst?.dead} of ${worst?.name}` };
}
