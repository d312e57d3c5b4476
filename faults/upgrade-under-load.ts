// 31: the last release runs under full load and is replaced by this version, one role after the
// other. No request fails, no copy is sent twice, and contracting migrations (which remove what
// only the last release uses) run once its last role is gone. docs/reliability.md describes
// deliberate faults that this test detects.
import { type ChildProcess, execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Role } from '#main/role.ts';
import { listContractNames, listPendingMigrations } from '#platform/server/migrations/migrate.ts';
import { proveDomain } from '#testing/worlds/sending-helpers.ts';
import { newOwner, startCampaign } from './kit/owner.ts';
import { NoRelease, type UnpackedRelease, unpackRelease } from './kit/release.ts';
import { startRole } from './kit/roles.ts';
import { checkDeliveries } from './kit/upgraded.ts';
import { Upstreams } from './kit/upstreams.ts';
import { PUBLIC_URL, startVisitors } from './kit/visitors.ts';
import {
  type FaultTest,
  type FaultResult,
  type Print,
  type Scene,
  SECRET,
  withScene,
  stop,
  waitUntil,
} from './kit.ts';

const SUBSCRIBERS = Number(process.env.UPGRADE_PEOPLE ?? 1_000);
/** Pause between two steps. */
const STEP_MS = Number(process.env.UPGRADE_STEP_MS ?? 5_000);
const PER_SECOND = 60;
/** Below the system's ephemeral ports, because many of them are in use here. */
const FIRST_PORT = 21_000 + (process.pid % 10_000);
/**
 * Maximum time until a worker runs the contracting migrations after the last old role has stopped:
 * see docs/operations/upgrade.md.
 */
const CONTRACT_SECONDS = 120;

export const fault: FaultTest = {
  number: 31,
  title: 'this version replaces the last release, under load',
  async run(print) {
    const folder = mkdtempSync(join(tmpdir(), 'sendloom-release-'));
    try {
      const release = await unpackRelease(folder, print);
      print(`the last release: ${release.name}`);
      const migrate = async (url: string) => migrateAs(release, url);
      return await withScene((scene) => play(scene, release, print), {}, { migrate });
    } catch (error) {
      if (!(error instanceof NoRelease)) throw error;
      return { problems: [error.message], facts: '' };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const CURRENT_RELEASE: UnpackedRelease = {
  root: join(import.meta.dirname, '..'),
  node: process.execPath,
  name: 'this',
};

async function play(scene: Scene, release: UnpackedRelease, print: Print): Promise<FaultResult> {
  const { db } = scene;
  const problems: string[] = [];
  const upstreams = new Upstreams();
  const roles = new ReleaseRoles(scene, upstreams);
  try {
    for (const role of ['web', 'web', 'worker', 'sender', 'sender'] as const) {
      await roles.start(role, release);
    }
    const owner = await newOwner(
      upstreams,
      (accountId) => proveDomain(db, accountId),
      db,
      SUBSCRIBERS,
    );
    const campaigns: string[] = [];
    const campaign = async (phase: string) => {
      campaigns.push(await startCampaign(upstreams, owner, `Sent ${phase}`));
      await sleep(STEP_MS);
    };
    await campaign('by the release alone');
    const visitors = startVisitors(scene, upstreams, owner);
    await sleep(STEP_MS);
    print(migrateAs(CURRENT_RELEASE, scene.running.server.url).trim().split('\n').join(' '));
    const waiting = await listPendingMigrations(scene.running.server.url);
    const earlyContracts = (await newContracts(release)).filter((name) => !waiting.includes(name));
    if (earlyContracts.length > 0)
      problems.push(`Removed while the release was running: ${earlyContracts.join(', ')}`);
    await campaign('by the release on the new schema');
    // A role of the release starts, as after a restart of its machine.
    await roles.start('web', release);
    await roles.end('web', release);
    await sleep(STEP_MS);
    await roles.exchange('web', release);
    await campaign('by both, started by either');
    await roles.exchange('sender', release);
    await roles.exchange('worker', release);
    await campaign('by both, the jobs done by the new version');
    await roles.exchange('sender', release);
    if ((await listPendingMigrations(scene.running.server.url)).join() !== waiting.join()) {
      problems.push('The upgrade removed columns that a role of the release still read');
    }
    await roles.exchange('web', release);
    print('the last role of the release stopped');
    await campaign('by this version alone');
    const isOver = async () =>
      (await listPendingMigrations(scene.running.server.url)).length === 0 &&
      (await countUnfinished(scene)) === 0;
    if (!(await waitUntil(isOver, CONTRACT_SECONDS + SUBSCRIBERS / 10))) {
      problems.push(
        `Still waiting: ${await countUnfinished(scene)} campaigns, ${waiting.join(', ')}`,
      );
    }
    await visitors.stop();
    for (const failure of visitors.failures.slice(0, 8)) problems.push(failure);
    if (visitors.failures.length > 0) problems.push(`${visitors.failures.length} requests failed`);
    const outcome = await checkDeliveries(scene, visitors, campaigns.length);
    problems.push(...outcome.problems);
    return { problems, facts: factsOf(release, upstreams, visitors, outcome.facts, waiting) };
  } finally {
    await roles.endAll();
  }
}

/** Lists contracting migrations that the release does not have. */
async function newContracts({ root }: UnpackedRelease): Promise<string[]> {
  const knownContracts = await listContractNames(join(root, 'migrations'));
  return (await listContractNames()).filter((name) => !knownContracts.includes(name));
}

function factsOf(
  { name }: UnpackedRelease,
  upstreams: Upstreams,
  { answered, failures }: ReturnType<typeof startVisitors>,
  deliveryFacts: string,
  waiting: string[],
): string {
  const answeredCount = Object.values(answered).reduce((total, count) => total + count, 0);
  const countsByKind = Object.entries(answered).map(([kind, count]) => `${count} ${kind}`);
  return (
    `${failures.length} of ${answeredCount + failures.length} requests failed (${countsByKind.join(', ')}; ` +
    `${upstreams.passedOn} passed on, the longest ${(upstreams.longestMs / 1_000).toFixed(1)} s); ` +
    `${deliveryFacts}; ${waiting.length} migrations waited for the last role of ${name}`
  );
}

async function countUnfinished({ db }: Scene): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from messages
    where kind = 'campaign' and state <> 'finished'`.execute(db);
  return rows[0]?.count ?? 0;
}

/** Runs the migrations of the given release; returns their output. */
function migrateAs({ root, node }: UnpackedRelease, url: string): string {
  return execFileSync(node, [join(root, 'main/migrate.ts')], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'test', DATABASE_URL: url, SECRET },
  });
}

type RunningRole = { role: Role; of: UnpackedRelease; child: ChildProcess; port: number };

class ReleaseRoles {
  private readonly running: RunningRole[] = [];
  private nextPort = FIRST_PORT;

  private readonly scene: Scene;
  private readonly upstreams: Upstreams;

  constructor(scene: Scene, upstreams: Upstreams) {
    this.scene = scene;
    this.upstreams = upstreams;
  }

  /** A web role gets requests as soon as it reports readiness. */
  async start(role: Role, release: UnpackedRelease): Promise<void> {
    const port = this.nextPort++;
    const env = {
      NODE_ENV: 'development',
      // No plan limits the number of emails.
      BILLING: 'off',
      PORT: `${port}`,
      PUBLIC_URL,
      TRUST_PROXY: '1',
      SIGN_UP: 'open',
      SMTP_URL: `${this.scene.relay.url}?tls=none&connections=4&rate=${PER_SECOND}`,
    };
    const child = await startRole(this.scene, role, env, release);
    this.running.push({ role, of: release, child, port });
    if (role === 'web') this.upstreams.ports.push(port);
  }

  /**
   * Stops the oldest process of the role that runs the given release. The proxy notices a stopped
   * web role by a refused connection.
   */
  async end(role: Role, release: UnpackedRelease): Promise<void> {
    const index = this.running.findIndex(
      (running) => running.role === role && running.of === release,
    );
    const [old] = this.running.splice(index, 1);
    if (!old) throw new Error(`No process of the role ${role}`);
    await stop(old.child);
    const { ports } = this.upstreams;
    if (role === 'web') ports.splice(ports.indexOf(old.port), 1);
  }

  async exchange(role: Role, release: UnpackedRelease): Promise<void> {
    await this.start(role, CURRENT_RELEASE);
    await this.end(role, release);
  }

  async endAll(): Promise<void> {
    await Promise.all(this.running.map(({ child }) => stop(child)));
  }
}
