// 26: kill -9 in the middle of the migrations, repeatedly: each migration is applied completely or
// not at all, and the result equals an undisturbed run's.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { createDatabase, type Db } from '#platform/server/database/database.ts';
import { readMigrations } from '#platform/server/migrations/migrate.ts';
import { type FaultTest, kill, type Scene, withScene } from './kit.ts';

const ROUNDS = 3;
const MAX_KILLS = 20;
const MIGRATE = join(import.meta.dirname, 'kit/migrate.ts');

export const fault: FaultTest = {
  number: 26,
  title: `kill -9 in the middle of the migrations, ${ROUNDS} databases`,
  run: (print) =>
    withScene(async (scene) => {
      const problems: string[] = [];
      const expectedSchema = await schemaOf(scene.db);
      const { length } = await readMigrations();
      const appliedCounts = new Set<number>();
      let kills = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const url = await newDatabase(scene, `killed_${round}`);
        const db = createDatabase(url, 2, 'killed');
        for (let count = 0; count < MAX_KILLS; count++) {
          const child = await startMigration(url);
          const finished = once(child, 'message');
          const isDone = await Promise.race([
            finished.then(() => true),
            // The average delay grows with each attempt, so that all migrations get applied.
            sleep(Math.random() * (100 + 60 * count)).then(() => false),
          ]);
          if (isDone) break;
          await kill(child);
          kills++;
          appliedCounts.add(await countApplied(db));
        }
        const lastMigration = await startMigration(url);
        await once(lastMigration, 'exit');
        const actualSchema = await schemaOf(db);
        if ((await countApplied(db)) !== length) problems.push('Not every migration ran');
        for (const line of different(expectedSchema, actualSchema)) problems.push(line);
        await db.destroy();
        print(`${kills} kills, after ${appliedCounts.size} different numbers of migrations`);
      }
      if (appliedCounts.size < 3) problems.push('No kill interrupted a migration');
      return {
        problems,
        facts: `${kills} kills, after ${[...appliedCounts].sort((a, b) => a - b).join(', ')} of ${length} migrations; the schema equals that of an undisturbed run`,
      };
    }),
};

async function newDatabase({ db, running }: Scene, name: string): Promise<string> {
  await sql`create database ${sql.ref(name)}`.execute(db);
  const url = new URL(running.server.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** Resolves once the process has started to migrate. */
async function startMigration(url: string): Promise<ChildProcess> {
  const child = spawn(process.execPath, [MIGRATE, url], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  await once(child, 'message');
  return child;
}

async function countApplied(db: Db): Promise<number> {
  const { rows } = await sql<{ known: boolean }>`
    select to_regclass('schema_migrations') is not null as known`.execute(db);
  if (!rows[0]?.known) return 0;
  const { rows: counted } = await sql<{ count: number }>`
    select count(*) from schema_migrations`.execute(db);
  return Number(counted[0]?.count);
}

/** Returns the schema as text: a line per column, index, constraint, function and type. */
async function schemaOf(db: Db): Promise<Set<string>> {
  const { rows } = await sql<{ line: string }>`
    select format('%s.%s %s %s %s', table_name, column_name, udt_name, is_nullable, column_default)
      as line from information_schema.columns where table_schema in ('public', 'graphile_worker')
    union all select indexdef from pg_indexes where schemaname in ('public', 'graphile_worker')
    union all select conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid)
      from pg_constraint where connamespace = 'public'::regnamespace
    union all select proname || ' ' || md5(prosrc) from pg_proc
      where pronamespace in ('public'::regnamespace)
    union all select t.typname || ' ' || e.enumlabel from pg_enum e
      join pg_type t on t.oid = e.enumtypid
    union all select name || ' ' || checksum from schema_migrations`.execute(db);
  return new Set(rows.map((row) => row.line));
}

function different(
  expectedSchema: ReadonlySet<string>,
  actualSchema: ReadonlySet<string>,
): string[] {
  return [
    ...[...expectedSchema]
      .filter((line) => !actualSchema.has(line))
      .map((line) => `Missing: ${line}`),
    ...[...actualSchema]
      .filter((line) => !expectedSchema.has(line))
      .map((line) => `Added: ${line}`),
  ].slice(0, 10);
}
