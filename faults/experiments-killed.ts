// 38: kill -9 of the worker (which decides experiments), of the sender and once of PostgreSQL at
// random while a campaign with an experiment is sent in waves: each recipient gets one variant, the
// winner is decided once and sent to the remaining recipients, and no lane is stuck.
import type { ChildProcess } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import {
  retryWhileUnavailable,
  type FaultTest,
  killRunning,
  type FaultResult,
  readPostmasterPid,
  type Print,
  type Scene,
  stop,
  waitUntil,
  withScene,
} from './kit.ts';
import type { CallAsOwner } from './kit/owner.ts';
import { startRole } from './kit/roles.ts';
import {
  checkTested,
  readExperiment,
  isOver,
  openVariants,
  advanceTime,
  startTested,
  type TestedCampaign,
  withOwner,
} from './kit/tested-campaign.ts';

const KILLS = Number(process.env.EXPERIMENT_KILLS ?? 30);
const SUBSCRIBERS = Number(process.env.EXPERIMENT_PEOPLE ?? 2_000);
const SMTP = 'connections=4&rate=60';
/** Covers the last wave and the expiry of leases of killed senders. */
const MAX_SECONDS = 240;

export const fault: FaultTest = {
  number: 38,
  title: `kill -9 of worker, sender and PostgreSQL, ${KILLS} times, in an experiment with waves`,
  run: (print) =>
    withScene((scene) => withOwner(scene, SUBSCRIBERS, (callApi) => play(scene, callApi, print))),
};

async function play(scene: Scene, callApi: CallAsOwner, print: Print): Promise<FaultResult> {
  const { db } = scene;
  const campaign = await startTested(db, callApi);
  const processes = new KilledProcesses(scene);
  try {
    await processes.start();
    await killDuring(scene, campaign, processes, print);
    const problems: string[] = [];
    const isDone = () =>
      retryWhileUnavailable(async () => (await advance(scene, campaign), isOver(db, campaign)));
    if (!(await waitUntil(isDone, MAX_SECONDS)))
      problems.push(`The campaign did not finish: ${await describe(scene, campaign)}`);
    // The sender records its unrecorded results when it stops.
    await processes.end();
    const checkResult = await checkTested(scene, campaign, callApi);
    problems.push(...checkResult.problems);
    return { problems, facts: `${checkResult.facts} (${processes.summary()})` };
  } finally {
    await processes.end();
  }
}

async function killDuring(
  scene: Scene,
  campaign: TestedCampaign,
  processes: KilledProcesses,
  print: Print,
): Promise<void> {
  const { db } = scene;
  for (let count = 1; count <= KILLS; count++) {
    await sleep(300 + Math.random() * 2_000);
    await retryWhileUnavailable(() => advance(scene, campaign));
    if (await retryWhileUnavailable(() => isOver(db, campaign))) break;
    if (count === Math.ceil(KILLS / 2)) await processes.killDatabase();
    else await processes.killOne();
    if (count % 5 === 0)
      print(`${count} kills, ${await retryWhileUnavailable(() => describe(scene, campaign))}`);
  }
}

/**
 * Advances the time of the campaign. Records opens once each recipient of the test has had a first
 * attempt.
 */
async function advance({ db }: Scene, campaign: TestedCampaign): Promise<void> {
  await advanceTime(db, campaign);
  const { state, tested_at: testedAt } = await readExperiment(db, campaign);
  if (state === 'testing' && testedAt !== null) await openVariants(db, campaign);
}

async function describe({ db, relay }: Scene, campaign: TestedCampaign): Promise<string> {
  const { state, winner } = await readExperiment(db, campaign);
  return `${relay.accepted.length} emails, the experiment is ${state}, winner ${winner ?? 'none'}`;
}

/** A worker and a sender, started again after each kill. */
class KilledProcesses {
  private readonly scene: Scene;
  private worker: ChildProcess | undefined;
  private sender: ChildProcess | undefined;
  private readonly kills = { worker: 0, sender: 0, postgres: 0 };

  constructor(scene: Scene) {
    this.scene = scene;
  }

  async start(): Promise<void> {
    this.worker = await startRole(this.scene, 'worker');
    this.sender = await this.scene.startSender({ relay: SMTP });
  }

  async killOne(): Promise<void> {
    if (Math.random() < 0.5) {
      await killRunning(this.worker as ChildProcess);
      this.worker = await retryWhileUnavailable(() => startRole(this.scene, 'worker'));
      this.kills.worker++;
    } else {
      await killRunning(this.sender as ChildProcess);
      this.sender = await retryWhileUnavailable(() => this.scene.startSender({ relay: SMTP }));
      this.kills.sender++;
    }
  }

  async killDatabase(): Promise<void> {
    process.kill(readPostmasterPid(this.scene), 'SIGKILL');
    await sleep(300);
    this.scene.running.server = await startEmbeddedPostgres({ folder: this.scene.folder });
    this.kills.postgres++;
  }

  async end(): Promise<void> {
    const running = [this.worker, this.sender].filter((child) => child !== undefined);
    await Promise.all(running.map(stop));
  }

  summary(): string {
    const { worker, sender, postgres } = this.kills;
    return `${worker} worker, ${sender} sender, ${postgres} PostgreSQL`;
  }
}
