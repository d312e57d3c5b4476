// Imports for the fault tests: starts an import of an uploaded file and checks the invariants of an
// import after any fault.
import { join } from 'node:path';
import { sql } from 'kysely';
import { startImport, ingest } from '#areas/imports/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { configureFiles } from '#platform/server/files/files.ts';
import type { Scene } from '../kit.ts';

export interface Importing {
  accountId: number;
  importId: number;
  people: number;
  broken: number;
}

/** One row in this many has no address. */
const BROKEN_EVERY = 500;

/** Creates an account and starts an import of that many rows into one group. */
export async function newImport(scene: Scene, rows: number): Promise<Importing> {
  const { db, folder } = scene;
  configureFiles({ kind: 'disk', folder: join(folder, 'files') });
  const now = new Date();
  const { rows: made } = await sql<{ id: number }>`
    insert into accounts (title, created_at, modified_at) values ('Nordic Tea', ${now}, ${now}) returning id
  `.execute(db);
  const accountId = made[0]?.id as number;
  const lines = Array.from({ length: rows }, (_, i) =>
    i % BROKEN_EVERY === 0 ? `nobody ${i},N` : `person${(i * 7919) % 15_485_863}@example.com,P${i}`,
  );
  async function* bytes() {
    yield Buffer.from(`email,firstname\n${lines.join('\n')}\n`);
  }
  const caller = { accountId, userId: 1 };
  const upload = { ...caller, method: 'file', fileName: 'people.csv', maxBytes: 1e9 } as const;
  const preview = await ingest(db, { ...upload, bytes: bytes() });
  const importId = decodeId('import', preview.id) as number;
  await inTransaction(db, (tx) =>
    startImport(
      tx,
      caller,
      {
        source: importId,
        columns: [
          { column: 0, target: 'email' },
          { column: 1, target: 'firstname' },
        ],
        tags: [],
        new_tags: ['Everybody'],
        consent: { attested: true, channels: ['email'] },
      },
      { yesNo: { yes: 'Yes', no: 'No' }, formatListTitle: (service) => `${service} #` },
    ),
  );
  const broken = Math.ceil(rows / BROKEN_EVERY);
  return { accountId, importId, people: rows - broken, broken };
}

export async function readImportState(scene: Scene, { accountId, importId }: Importing) {
  return scene.db
    .selectFrom('imports')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', importId)
    .executeTakeFirstOrThrow();
}

/**
 * Checks that the counts are exact, no subscriber is missing or duplicated, all are in the group,
 * and no staged rows remain.
 */
export async function findImportProblems(scene: Scene, importing: Importing): Promise<string[]> {
  const { accountId, importId, people, broken } = importing;
  const row = await readImportState(scene, importing);
  const { rows } = await sql<Record<string, number>>`
    select (select count(*) from subscribers where account_id = ${accountId}) as subscribers,
      (select count(distinct email_key) from subscribers where account_id = ${accountId}) as addresses,
      (select count(*) from group_members where account_id = ${accountId}) as members,
      (select count(*) from consents where account_id = ${accountId}) as consents,
      (select count(*) from import_rejections where account_id = ${accountId} and import_id = ${importId}) as rejections,
      (select subscriber_count from accounts where id = ${accountId}) as counted,
      (select count(*) from staged_people) as staged
  `.execute(scene.db);
  const actualCounts = {
    ...rows[0],
    created: row.created_count,
    rejected: row.rejected_count,
  } as Record<string, number>;
  const expectedCounts: Record<string, number> = {
    subscribers: people,
    addresses: people,
    members: people,
    consents: people,
    counted: people,
    created: people,
    rejections: broken,
    rejected: broken,
    staged: 0,
  };
  return Object.entries(expectedCounts).flatMap(([name, count]) =>
    actualCounts[name] === count ? [] : [`${name}: ${actualCounts[name]} instead of ${count}`],
  );
}
