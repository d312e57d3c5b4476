// 32: kill -9 of a backup, repeatedly, and backups to a full disk, while subscribers are added and
// changed: no killed backup leaves a snapshot open, the next backup starts from the beginning, and
// the restored data is one snapshot of the database. A restore is killed as well.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createDatabase, type Db } from '#platform/server/database/database.ts';
import { fillAccount } from '#testing/worlds/whole-account.ts';
import {
  type FaultTest,
  kill,
  type FaultResult,
  type Print,
  type Scene,
  SECRET,
  withScene,
  waitUntil,
} from './kit.ts';
import { runOnSmallDisk, type SmallDisk } from './kit/small-disk.ts';

const SUBSCRIBERS = Number(process.env.BACKUP_PEOPLE ?? 1_000_000);
const KILLS = Number(process.env.BACKUP_KILLS ?? 5);
const MEGABYTES = 250;
const MAIN = join(import.meta.dirname, '../main');

export const fault: FaultTest = {
  number: 32,
  title: `kill -9 of a backup, ${KILLS} times, backups to a full disk, and kill -9 of a restore`,
  run: (print) =>
    runOnSmallDisk(MEGABYTES, (disk) => withScene((scene) => play(scene, disk, print))),
};

async function play(scene: Scene, disk: SmallDisk, print: Print): Promise<FaultResult> {
  const problems: string[] = [];
  await fillAccount(scene.db, SUBSCRIBERS);
  const target = join(disk.folder, 'backup');
  const writer = startWriter(scene.db);
  const kills = await killBackups(scene, target, print).catch(async (error: Error) => {
    await writer.stop();
    throw error;
  });
  if (kills.lasting > 0) problems.push(`After ${kills.lasting} kills the session remained open`);
  problems.push(...(await onFullDisk(scene, disk, target)));
  const lastRun = await waitForEnd(run(scene, 'backup', target));
  if (lastRun.code !== 0) problems.push(`The last backup failed: ${lastRun.output}`);
  const pairs = await writer.stop();
  print(`${kills.kills} kills; ${pairs} pairs were added during the backups`);
  const restoreProblems = await restoreThroughKill(scene, target, print);
  problems.push(...restoreProblems.problems);
  return {
    problems,
    facts:
      `${kills.kills} kills and a full disk, no snapshot held by a killed backup; ` +
      `restored, through a kill: ${restoreProblems.facts}`,
  };
}

/**
 * Inserts a subscriber and a group in one transaction, repeatedly: a consistent snapshot has the
 * same number of both.
 */
function startWriter(db: Db): { stop(): Promise<number> } {
  let isStopping = false;
  const writing = (async () => {
    let count = 0;
    for (; !isStopping; count++) {
      const name = `pair${count}`;
      await db.transaction().execute(async (tx) => {
        await sql`insert into subscribers (account_id, email, email_key, created_at, modified_at)
          select id, ${name}, ${name}, now(), now() from accounts`.execute(tx);
        await sql`insert into groups (account_id, title, title_key, created_at, modified_at)
          select id, ${name}, ${name}, now(), now() from accounts`.execute(tx);
        // Existing rows change as well.
        await sql`update subscribers set firstname = ${name}
          where email_key = ${`person${1 + (count % SUBSCRIBERS)}@home.example`}
            and account_id = (select id from accounts)`.execute(tx);
      });
      await sleep(5);
    }
    return count;
  })();
  return {
    stop() {
      isStopping = true;
      return writing;
    },
  };
}

/**
 * Checks that a backup fails on a disk that is full from the start or fills up during the backup.
 */
async function onFullDisk(scene: Scene, disk: SmallDisk, target: string): Promise<string[]> {
  const isRefused = async (child: ChildProcess) => {
    const { code, output } = await waitForEnd(child);
    disk.free();
    return code !== 0 && /ENOSPC|no space/i.test(output)
      ? []
      : [`Output on a full disk: ${output}`];
  };
  disk.fill();
  const problems = await isRefused(run(scene, 'backup', target));
  const child = run(scene, 'backup', target);
  const refusal = isRefused(child);
  while (countParts(target) === 0 && child.exitCode === null) await sleep(5);
  disk.fill();
  return [...problems, ...(await refusal)];
}

/** Counts parts of the backup that were written after this instant. */
function countParts(target: string, sinceMs = 0): number {
  const rows = join(`${target}.partial`, 'rows');
  if (!existsSync(rows)) return 0;
  return readdirSync(rows).filter(
    (name) =>
      !name.endsWith('.partial') &&
      (statSync(join(rows, name), { throwIfNoEntry: false })?.mtimeMs ?? 0) > sinceMs,
  ).length;
}

async function killBackups(scene: Scene, target: string, print: Print) {
  let [kills, lasting] = [0, 0];
  while (kills < KILLS) {
    const startedAt = Date.now();
    const child = run(scene, 'backup', target);
    const exit = once(child, 'exit');
    while (countParts(target, startedAt) === 0 && child.exitCode === null) await sleep(5);
    await sleep(Math.random() * 50);
    if (child.exitCode !== null)
      throw new Error('The backup ended before the kill: raise the number of subscribers');
    child.kill('SIGKILL');
    await exit;
    kills += 1;
    if (!(await waitUntil(async () => (await countSessions(scene.db)) === 0, 20))) lasting += 1;
    print(`${kills} kills, ${countParts(target)} parts were written`);
  }
  return { kills, lasting };
}

async function countSessions(db: Db): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'backup'`.execute(db);
  return rows[0]?.count ?? 0;
}

async function restoreThroughKill(scene: Scene, target: string, print: Print) {
  const problems: string[] = [];
  await sql`create database restored`.execute(scene.db);
  const url = new URL(scene.running.server.url);
  url.pathname = '/restored';
  const db = createDatabase(url.href, 1, 'restored');
  const firstRun = run(scene, 'restore', target, url.href);
  const hasRows = () =>
    sql`select 1 from subscribers limit 1`.execute(db).then(
      ({ rows }) => rows.length > 0,
      () => false,
    );
  if (!(await waitUntil(hasRows, 60))) problems.push('Nothing was restored within a minute');
  await kill(firstRun);
  const start = await waitForEnd(run(scene, 'migrate', '', url.href));
  if (!start.output.includes('did not finish')) {
    problems.push(`Output of a start after a partial restore: ${start.output}`);
  }
  const secondRun = await waitForEnd(run(scene, 'restore', target, url.href));
  if (secondRun.code !== 0) problems.push(`The restore failed: ${secondRun.output}`);
  print(secondRun.output.trim().split('\n').at(-1) ?? '');
  const { rows } = await sql<Record<string, number>>`select
    count(*) filter (where email like 'person%')::int as people,
    count(*) filter (where email like 'pair%')::int as pairs,
    (select count(*) from groups where title like 'pair%')::int as groups,
    (select count(*) from group_members)::int as members,
    count(*) filter (where firstname like 'pair%')::int as changed from subscribers`.execute(db);
  await db.destroy();
  const { people = 0, pairs = 0, groups = 0, members = 0, changed = 0 } = rows[0] ?? {};
  if (people !== SUBSCRIBERS || members !== SUBSCRIBERS) {
    problems.push(`${people} subscribers and ${members} group members instead of ${SUBSCRIBERS}`);
  }
  if (pairs !== groups || changed !== groups) {
    problems.push(`No snapshot had ${pairs} subscribers, ${groups} groups and ${changed} changes`);
  }
  return { problems, facts: `${people} subscribers, ${pairs} pairs, one snapshot` };
}

function run(scene: Scene, command: string, target: string, url?: string): ChildProcess {
  return spawn(
    process.execPath,
    [join(MAIN, `${command}.ts`), ...(target ? [target, '--connections', '2'] : [])],
    {
      env: {
        ...process.env,
        NODE_ENV: 'development',
        BILLING: 'off',
        DATA_DIR: scene.folder,
        DATABASE_URL: url ?? scene.running.server.url,
        SECRET,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
}

async function waitForEnd(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (data: Buffer) => (output += data.toString()));
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}
