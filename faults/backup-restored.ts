// 26: a sender is killed, and a backup is made and restored into another database. Nothing is
// sent before sending is resumed; then the remaining recipients get the email, and none gets it
// twice.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { resumeInstance } from '#areas/delivery/server/ledger/index.ts';
import { migrateDatabase } from '#main/prepare.ts';
import { restoreBackup } from '#platform/server/backup/restore.ts';
import { writeBackup } from '#platform/server/backup/write.ts';
import { createDatabase, inTransaction } from '#platform/server/database/database.ts';
import { createFileStore } from '#platform/server/files/files.ts';
import {
  readDeliveryOf,
  type FaultTest,
  kill,
  findDeliveryProblems,
  SECRET,
  type Scene,
  withScene,
  waitUntil,
  waitUntilFinished,
} from './kit.ts';

const SUBSCRIBERS = 3_000;
const PACE = 'connections=4&rate=300';
const PAUSED_SECONDS = 8;

export const fault: FaultTest = {
  number: 26,
  title: 'a backup of a killed instance is restored',
  run: (print) =>
    withScene(async (scene) => {
      const campaign = await scene.campaign(SUBSCRIBERS);
      const problems: string[] = [];
      const sender = await scene.startSender({ relay: PACE });
      if (!(await waitUntil(() => scene.relay.accepted.length > SUBSCRIBERS / 3, 60))) {
        problems.push('Nothing was sent');
      }
      await kill(sender);
      // Gives the relay time to process the sent emails.
      await sleep(1_000);
      const sentBefore = scene.relay.accepted.length;
      const url = await restoreBackupOf(scene);
      print(`${sentBefore} sent before the backup`);
      const db = createDatabase(url, 3, 'restored');
      await scene.startSender({ relay: PACE, env: { DATABASE_URL: url } });
      await sleep(PAUSED_SECONDS * 1_000);
      const meanwhile = scene.relay.accepted.length - sentBefore;
      if (meanwhile > 0) problems.push(`${meanwhile} sent before sending was resumed`);
      await inTransaction(db, resumeInstance);
      if (!(await waitUntilFinished(db, campaign, 120)))
        problems.push('The campaign did not finish');
      problems.push(...(await findDeliveryProblems(db, campaign, scene.log())));
      const { counts } = await readDeliveryOf(db, campaign);
      const duplicateCount = scene.log().length - new Set(scene.log()).size;
      if (duplicateCount > 0) problems.push(`${duplicateCount} were sent twice`);
      await db.destroy();
      return {
        problems,
        facts:
          `${counts.accepted} accepted, ${counts.unknown} unknown of ${SUBSCRIBERS}, none twice; ` +
          `none in the ${PAUSED_SECONDS} s before sending was resumed`,
      };
    }),
};

/** Backs up one database and restores it into another database on the same server. */
async function restoreBackupOf({ db, folder, running }: Scene): Promise<string> {
  const store = createFileStore({ kind: 'disk', folder: join(folder, 'files') });
  const target = join(folder, 'backup');
  const options = { connections: 2, print: () => {} };
  await writeBackup(
    { databaseUrl: running.server.url, secret: SECRET, files: store },
    target,
    options,
  );
  await sql`create database restored`.execute(db);
  const url = new URL(running.server.url);
  url.pathname = '/restored';
  await migrateDatabase(url.href);
  const files = createFileStore({ kind: 'disk', folder: join(folder, 'restored-files') });
  await restoreBackup({ databaseUrl: url.href, files }, target, options);
  return url.href;
}
