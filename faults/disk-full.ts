// 18: the disk of PostgreSQL and of the files is full while a campaign is sent, opens arrive and a
// list is imported: calls answer 503, nothing is half-written, and everything continues once there
// is space.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { ingest } from '#areas/imports/server/index.ts';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import {
  type StartedCampaign,
  readDeliveryOf,
  type FaultTest,
  findDeliveryProblems,
  type Scene,
  withScene,
  waitUntil,
  waitUntilFinished,
} from './kit.ts';
import { type Importing, newImport, findImportProblems, readImportState } from './kit/importing.ts';
import { startSupervisedRole, type SupervisedRole } from './kit/roles.ts';
import { runOnSmallDisk, type SmallDisk } from './kit/small-disk.ts';

const MEGABYTES = 1_200;
const SUBSCRIBERS = 6_000;
const ROWS = 200_000;
const FULL_SECONDS = 20;
const PORT = 21_000 + (process.pid % 10_000);

export const fault: FaultTest = {
  number: 18,
  title: `disk full for ${FULL_SECONDS} s while sending, tracking and importing`,
  run: (print) =>
    runOnSmallDisk(MEGABYTES, (disk) =>
      withScene((scene) => play(scene, disk, print), {}, { at: disk.folder }),
    ),
};

type RunningWork = {
  campaign: StartedCampaign;
  importing: Importing;
  roles: SupervisedRole[];
  problems: string[];
};

async function play(scene: Scene, disk: SmallDisk, print: (sentence: string) => void) {
  const work = await startWork(scene);
  const { campaign, importing, roles, problems } = work;
  const { db } = scene;
  let isDead = false;
  void scene.running.server.unexpectedExit.then(() => (isDead = true));
  const hasStarted = async () =>
    scene.relay.accepted.length > 300 && (await readImportState(scene, importing)).checkpoint > 0;
  if (!(await waitUntil(hasStarted, 120)))
    problems.push('The campaign or the import did not start');
  disk.fill();
  const wasRefused = await waitUntil(() => isRefused(scene), 60);
  if (!wasRefused) problems.push('The database still wrote on a full disk');
  const meanwhile = await whileFull(scene, disk, campaign);
  print(
    `${meanwhile.pixels} pixels answered, statuses of requests ${[...meanwhile.statuses].join(', ')}`,
  );
  // Requests that need little space may succeed, and rate limits may refuse some.
  const areExpected = [...meanwhile.statuses].every((status) => status < 500 || status === 503);
  if (!areExpected || !meanwhile.statuses.has(503)) {
    problems.push(`Calls returned ${[...meanwhile.statuses].join(', ')} instead of 503`);
  }
  problems.push(...meanwhile.problems);
  disk.free();
  if (isDead) scene.running.server = await startEmbeddedPostgres({ folder: scene.folder });
  print(`the disk has space again${isDead ? ', and PostgreSQL was started again' : ''}`);
  problems.push(...(await untilAllIsDone(scene, work, meanwhile.pixels)));
  for (const role of roles) role.release();
  const { counts } = await readDeliveryOf(db, campaign);
  await scene.running.server.stop();
  disk.fill();
  problems.push(...(await checkRefusedStart(scene)));
  disk.free();
  scene.running.server = await startEmbeddedPostgres({ folder: scene.folder });
  return {
    problems,
    facts:
      `${counts.accepted} accepted, ${counts.unknown} unknown of ${SUBSCRIBERS}; ${importing.people} imported, ` +
      `each once; ${meanwhile.pixels} pixels answered meanwhile, all counted; ` +
      `PostgreSQL ${isDead ? 'restarted' : 'kept running'}; statuses of requests ${[...meanwhile.statuses].join(', ')}`,
  };
}

async function startWork(scene: Scene): Promise<RunningWork> {
  const campaign = await scene.campaign(SUBSCRIBERS);
  const importing = await newImport(scene, ROWS);
  const smtp = `${scene.relay.url}?tls=none&connections=4&rate=200`;
  // The roles log nothing because they would log the same error each second.
  const quiet = { LOG_LEVEL: 'silent', SMTP_URL: smtp };
  const web = {
    ...quiet,
    NODE_ENV: 'development',
    BILLING: 'off',
    HOST: '127.0.0.1',
    PORT: `${PORT}`,
  };
  const roles = [
    await startSupervisedRole(scene, 'web', web),
    await startSupervisedRole(scene, 'sender', quiet),
    await startSupervisedRole(scene, 'worker', quiet),
  ];
  return { campaign, importing, roles, problems: [] };
}

/**
 * Tries to write a table that needs space. Returns whether PostgreSQL refuses it or the connection
 * fails.
 */
async function isRefused({ db }: Scene): Promise<boolean> {
  return sql`create table if not exists ballast as select repeat(md5(n::text), 200) as t
    from generate_series(1, 3000) n`
    .execute(db)
    .then(
      () =>
        sql`drop table ballast`.execute(db).then(
          () => false,
          () => true,
        ),
      () => true,
    );
}

async function whileFull(scene: Scene, disk: SmallDisk, campaign: StartedCampaign) {
  const deadline = performance.now() + FULL_SECONDS * 1_000;
  const statuses = new Set<number>();
  const problems: string[] = [];
  let pixels = 0;
  for (let round = 0; performance.now() < deadline; round++) {
    disk.fill();
    const token = getInstallationTokens().make({
      account: campaign.accountId,
      message: campaign.messageId,
      subscriber: 1 + (round % SUBSCRIBERS),
      ordinal: 1,
    });
    const pixel = await fetch(`http://127.0.0.1:${PORT}/t/o/${token}.gif`);
    if (pixel.status === 200) pixels++;
    else problems.push(`A pixel was answered ${pixel.status}`);
    if (round % 10 === 0) {
      statuses.add(await signUp(round));
      problems.push(...(await tryUpload(scene)));
    }
    await sleep(100);
  }
  return { pixels, statuses, problems };
}

async function signUp(round: number): Promise<number> {
  const response = await fetch(`http://127.0.0.1:${PORT}/auth/api/sign-up`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-sendloom': '1' },
    body: JSON.stringify({ email: `owner${round}@tea.example`, password: 'a long password, yes' }),
  });
  await response.text();
  return response.status;
}

/** Checks that an upload that does not fit is refused and no part of it remains on the disk. */
async function tryUpload({ db, folder }: Scene): Promise<string[]> {
  const problems: string[] = [];
  async function* bytes() {
    yield Buffer.from('email\n');
    for (let n = 0; n < 64; n++) yield Buffer.from(`person${n}@example.com\n`.repeat(10_000));
  }
  const upload = { accountId: 1, userId: 1, method: 'file', fileName: 'a.csv' } as const;
  await ingest(db, { ...upload, maxBytes: 1e9, bytes: bytes() }).then(
    () => problems.push('A list was imported on a full disk'),
    () => undefined,
  );
  const leftFiles = readdirSync(join(folder, 'files'), { recursive: true, encoding: 'utf8' });
  if (leftFiles.some((file) => file.includes('.partial-')))
    problems.push('A partial file remained');
  return problems;
}

/** Checks that PostgreSQL refuses to start on the full disk and reports the cause. */
async function checkRefusedStart({ folder }: Scene): Promise<string[]> {
  const message = await startEmbeddedPostgres({ folder }).then(
    async (server) => {
      await server.stop();
      return 'it started';
    },
    (error: Error) => error.message,
  );
  return /disk .* is full|no space left/i.test(message)
    ? []
    : [`PostgreSQL on a full disk: ${message}`];
}

async function untilAllIsDone(scene: Scene, work: RunningWork, pixels: number): Promise<string[]> {
  const { db } = scene;
  const { campaign, importing } = work;
  const problems: string[] = [];
  if (!(await waitUntilFinished(db, campaign, 180))) problems.push('The campaign did not finish');
  const isImported = async () => (await readImportState(scene, importing)).state === 'finished';
  if (!(await waitUntil(isImported, 240))) problems.push('The import did not finish');
  const opens = async () => {
    const { rows } = await sql<{ count: number }>`select count(*) from events
      where account_id = ${campaign.accountId} and kind = 'open'`.execute(db);
    return Number(rows[0]?.count);
  };
  if (!(await waitUntil(async () => (await opens()) === pixels, 60))) {
    problems.push(`${await opens()} of ${pixels} answered opens are stored`);
  }
  problems.push(...(await findDeliveryProblems(db, campaign, scene.log())));
  problems.push(...(await findImportProblems(scene, importing)));
  return problems;
}
