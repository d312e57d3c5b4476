// 29: kill -9 of the worker in the middle of an export, repeatedly: every subscriber is in the file
// once.
import { join } from 'node:path';
import { sql } from 'kysely';
import { startExport } from '#areas/exports/server/index.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { configureFiles, files } from '#platform/server/files/files.ts';
import { type FaultTest, type Scene, withScene } from './kit.ts';
import { killWorkerDuring, type WorkerTask } from './kit/worker-killed.ts';

const KILLS = Number(process.env.EXPORT_KILLS ?? 3);
const SUBSCRIBERS = 400_000;

interface Exporting {
  accountId: number;
  exportId: number;
}

export const fault: FaultTest = {
  number: 29,
  title: `kill -9 of the worker in an export, ${KILLS} times`,
  run: (print) =>
    withScene(async (scene) => {
      const exporting = await newExport(scene);
      const work: WorkerTask = {
        async state() {
          const { parts, state, row_count: count } = await stateOf(scene, exporting);
          const progress = `${count} subscribers written`;
          return { reached: parts, summary: progress, isFinished: state === 'finished' };
        },
        problems: () => problemsOf(scene, exporting),
        facts: `${SUBSCRIBERS} subscribers, each once`,
      };
      return killWorkerDuring(scene, work, KILLS, print);
    }),
};

async function newExport({ db, folder }: Scene): Promise<Exporting> {
  configureFiles({ kind: 'disk', folder: join(folder, 'files') });
  const createdAt = new Date(Date.now() - 60_000);
  const { rows } = await sql<{ id: number }>`
    insert into accounts (title, subscriber_count, created_at, modified_at)
    values ('Nordic Tea', ${SUBSCRIBERS}, ${createdAt}, ${createdAt}) returning id`.execute(db);
  const accountId = rows[0]?.id as number;
  await sql`
    insert into subscribers (account_id, email, email_key, firstname, created_at, modified_at)
    select ${accountId}, e, e, 'P' || n, ${createdAt}, ${createdAt}
    from (select n, 'person' || n || '@example.com' as e from generate_series(1, ${SUBSCRIBERS}::int) n) x
  `.execute(db);
  const caller = { accountId, userId: 1, language: 'eng' as const };
  const row = await inTransaction(db, (tx) =>
    startExport(tx, caller, {
      all: true,
      format: 'csv',
      columns: ['email', 'firstname', 'groups'],
    }),
  );
  return { accountId, exportId: row.id };
}

function stateOf({ db }: Scene, { accountId, exportId }: Exporting) {
  return db
    .selectFrom('exports')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', exportId)
    .executeTakeFirstOrThrow();
}

/** Checks that every address is in the file once and no partial file remains. */
async function problemsOf(scene: Scene, exporting: Exporting): Promise<string[]> {
  const { file_key: key, row_count: counted } = await stateOf(scene, exporting);
  const stream = await files.get(key ?? '');
  if (stream === undefined) return ['The file does not exist'];
  let text = '';
  for await (const chunk of stream) text += String(chunk);
  const lines = text.split('\r\n').slice(1, -1);
  const addresses = new Set(lines.map((line) => line.slice(0, line.indexOf(','))));
  const remaining: string[] = [];
  for await (const file of files.list()) if (file.includes('/parts/')) remaining.push(file);
  return [
    ...(lines.length === SUBSCRIBERS ? [] : [`${lines.length} rows instead of ${SUBSCRIBERS}`]),
    ...(addresses.size === SUBSCRIBERS
      ? []
      : [`${addresses.size} addresses instead of ${SUBSCRIBERS}`]),
    ...(counted === SUBSCRIBERS ? [] : [`${counted} counted instead of ${SUBSCRIBERS}`]),
    ...(remaining.length === 0 ? [] : [`${remaining.length} parts remain`]),
  ];
}
