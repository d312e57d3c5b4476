// The environment of a fault test: a separate durable PostgreSQL, a relay that stores accepted
// messages, and the product's sender in processes that can be killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { configureDelivery } from '#areas/delivery/server/index.ts';
import {
  type MessageDelivery,
  readDelivery,
  writeAudienceJob,
} from '#areas/delivery/server/ledger/index.ts';
import {
  openPool,
  runSender,
  type RunningSender,
  soleRelay,
} from '#areas/delivery/server/sender/index.ts';
import { migrateDatabase } from '#main/prepare.ts';
import { adoptDatabaseTime, createDatabase, type Db } from '#platform/server/database/database.ts';
import {
  type EmbeddedPostgres,
  startEmbeddedPostgres,
} from '#platform/server/database/embedded-postgres.ts';
import { configureSecrets } from '#platform/server/secrets.ts';
import { openSmtpRelay, parseSmtpUrl, type SmtpOptions } from '#providers/smtp/index.ts';
import { checkInvariant } from '#testing/oracles/invariants.ts';
import { addPeople, proveDomain, startMessage } from '#testing/worlds/sending-helpers.ts';
import {
  startSmtpServer,
  type TestSmtpServer,
  type TestSmtpServerOptions,
} from '#testing/servers/smtp-server.ts';

export type FaultResult = { problems: string[]; facts: string };
export type Print = (sentence: string) => void;

export type FaultTest = {
  /** Number in the list of faults. */
  number: number;
  title: string;
  /** True if the fault runs only when it is named, because it has special requirements. */
  isOptIn?: boolean;
  run(print: Print): Promise<FaultResult>;
};

export const SECRET = 'a secret of the faults, thirty-two characters and more';
const ROLE = join(import.meta.dirname, '../main/role-process.ts');

export type Scene = {
  db: Db;
  /** The database server. A fault that kills it stores the restarted server here. */
  running: { server: EmbeddedPostgres };
  folder: string;
  relay: TestSmtpServer;
  /** Message-IDs that the relay accepted, oldest first. */
  log(): string[];
  startSender(options?: SenderOptions): Promise<ChildProcess>;
  /**
   * Creates an account and a message to all of its subscribers, who are already in the ledger: only
   * a sender is missing.
   */
  campaign(subscriberCount: number, domains?: readonly string[]): Promise<StartedCampaign>;
};

export type SenderOptions = {
  /** Query string of SMTP_URL. */
  relay?: string;
  /** Modules to preload. */
  imports?: readonly string[];
  env?: NodeJS.ProcessEnv;
};

/**
 * Starts a sender in this process, for faults that need options without a setting (short time
 * limits).
 */
export function startLocalSender(scene: Scene, options: Partial<SmtpOptions>): RunningSender {
  const relay = parseSmtpUrl(`${scene.relay.url}?tls=none`, options);
  const sole = soleRelay('fault', (source) => openSmtpRelay(relay, source));
  return runSender(scene.db, openPool(scene.db, [sole]));
}

/** Overrides the default time limits. */
export function limits(changes: Partial<SmtpOptions['limits']>): SmtpOptions['limits'] {
  return { ...parseSmtpUrl('smtp://127.0.0.1?tls=none').limits, ...changes };
}

export type StartedCampaign = { accountId: number; messageId: number };

type Database = Pick<EmbeddedPostgres, 'url' | 'cluster' | 'stop'>;

type SceneOptions = {
  /** An existing database; if unset, a server is started. */
  database?: Database;
  /** Folder for the data; if unset, a temporary folder is used. */
  at?: string;
  /** Creates the tables; by default the tables of this version. */
  migrate?: (url: string) => Promise<unknown>;
};

/** Runs `play` with a separate database and relay and removes both afterwards. */
export async function withScene(
  play: (scene: Scene) => Promise<FaultResult>,
  relayOptions: TestSmtpServerOptions = {},
  { at, migrate = migrateDatabase, database }: SceneOptions = {},
): Promise<FaultResult> {
  const folder = at ?? mkdtempSync(join(tmpdir(), 'sendloom-faults-'));
  configureSecrets(SECRET);
  configureDelivery({ bounceDomain: undefined, needsVerifiedSender: false });
  const running = {
    server: database ? serverOf(database) : await startEmbeddedPostgres({ folder }),
  };
  const relay = await startSmtpServer(relayOptions);
  const children = new Set<ChildProcess>();
  try {
    const { url } = running.server;
    await migrate(url);
    const db = createDatabase(url, 5, 'faults');
    await adoptDatabaseTime(db);
    const scene: Scene = {
      db,
      running,
      folder,
      relay,
      log: () => relay.accepted.map((receivedMessage) => receivedMessage.messageId),
      async startSender(options = {}) {
        const child = await startSender({ url, folder, relay: relay.url }, options);
        children.add(child);
        return child;
      },
      campaign: (subscribers, domains) => newCampaign(db, subscribers, domains),
    };
    const outcome = await play(scene);
    await Promise.all([...children].map(stop));
    await db.destroy();
    return outcome;
  } finally {
    for (const child of children) child.kill('SIGKILL');
    await relay.close();
    await running.server.stop().catch(() => {});
    rmSync(running.server.cluster, { recursive: true, force: true });
    if (at === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/** Represents an existing database, whose exit is not watched. */
const serverOf = (database: Database): EmbeddedPostgres => ({
  ...database,
  unexpectedExit: new Promise(() => {}),
});

async function newCampaign(
  db: Db,
  subscriberCount: number,
  domains?: readonly string[],
): Promise<StartedCampaign> {
  const now = new Date();
  const { rows } = await sql<{ id: number }>`insert into accounts (title, created_at, modified_at)
    values ('Nordic Tea', ${now}, ${now}) returning id`.execute(db);
  const accountId = rows[0]?.id as number;
  await proveDomain(db, accountId);
  await addPeople(db, accountId, subscriberCount, domains);
  const messageId = await startMessage(db, accountId);
  const { signal } = new AbortController();
  await writeAudienceJob.run({ accountId, messageId }, { db, signal });
  return { accountId, messageId };
}

async function startSender(
  target: { url: string; folder: string; relay: string },
  { relay = 'connections=4', imports = [], env }: SenderOptions,
): Promise<ChildProcess> {
  const child = spawn(
    process.execPath,
    [...imports.flatMap((file) => ['--import', file]), ROLE, 'sender'],
    {
      env: {
        ...process.env,
        NODE_ENV: 'test',
        DATA_DIR: target.folder,
        DATABASE_URL: target.url,
        SECRET,
        SMTP_URL: `${target.relay}?tls=none&${relay}`,
        LOG_LEVEL: 'error',
        ...env,
      },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
  const [report] = (await Promise.race([once(child, 'message'), once(child, 'exit')])) as [unknown];
  if (typeof report !== 'object') throw new Error('The sender did not start');
  return child;
}

/** Stops the process gracefully. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/** Kills the process, which has no chance to clean up. */
export async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

/** Kills a process if it has not ended already. */
export async function killRunning(child: ChildProcess): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) await kill(child);
}

/** Retries the work every half second until it succeeds, at most 120 times. */
export async function retryWhileUnavailable<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt >= 120) throw error;
      await sleep(500);
    }
  }
}

export async function readDeliveryOf(
  db: Db,
  { accountId, messageId }: StartedCampaign,
): Promise<MessageDelivery> {
  const [delivery] = await readDelivery(db, accountId, [messageId]);
  if (!delivery) throw new Error('The message was deleted');
  return delivery;
}

/** Waits for the condition. Returns false if it is not met within the given number of seconds. */
export async function waitUntil(isTrue: () => Promise<boolean> | boolean, seconds: number) {
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    if (await isTrue()) return true;
    await sleep(50);
  }
  return false;
}

export async function waitUntilFinished(db: Db, campaign: StartedCampaign, seconds: number) {
  return waitUntil(async () => (await readDeliveryOf(db, campaign)).state === 'finished', seconds);
}

/**
 * Checks invariant I (testing/oracles/invariants.ts), and that every recipient is accepted, failed,
 * skipped or unknown.
 */
export async function findDeliveryProblems(
  db: Db,
  { accountId, messageId }: StartedCampaign,
  log: readonly string[],
): Promise<string[]> {
  const { states, problems } = await checkInvariant(db, accountId, messageId, log);
  for (const state of ['pending', 'handing_over', 'deferred']) {
    if (states[state]) problems.push(`${states[state]} remain ${state}`);
  }
  return problems;
}

/** Returns the process id of the scene's PostgreSQL. */
export function readPostmasterPid({ running }: Scene): number {
  return Number(
    readFileSync(join(running.server.cluster, 'postmaster.pid'), 'utf8').split('\n')[0],
  );
}
