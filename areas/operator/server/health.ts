// State of the installation: process reports, the queue, the database, and problems.
import { countOpenMessages } from '#areas/delivery/server/ledger/index.ts';
import type { RelayFacts } from '#areas/delivery/server/sender/index.ts';
import { listUnreachableNodes } from '#platform/server/database/across-accounts.sql.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db } from '#platform/server/database/database.ts';
import { readDatabaseStats } from '#platform/server/database/database-facts.sql.ts';
import { readInstanceSetting } from '#platform/server/database/instance-settings.sql.ts';
import {
  findOldestDueTime,
  listProcesses,
  countQueuedJobs,
} from '#platform/server/jobs/jobs.sql.ts';
import { EXPIRY_MS } from '#platform/server/jobs/heartbeat.ts';
import { type ProcessFacts, processFacts } from '#platform/server/process/process-facts.ts';
import type { InstallationHealth } from '../contract.ts';
import { findProblems } from './problems.ts';

type ReportedFacts = Partial<
  ProcessFacts & { relays: RelayFacts[]; sent_last_minute: number | null }
>;

export async function readHealth(db: Db): Promise<InstallationHealth> {
  const now = clock.now();
  const [rows, queue, oldest, openMessages, database, away, paused, self] = await Promise.all([
    listProcesses(db),
    countQueuedJobs(db, now),
    findOldestDueTime(db, now),
    countOpenMessages(db),
    readDatabaseStats(db),
    listUnreachableNodes(db),
    readInstanceSetting(db, 'sending_paused'),
    processFacts(),
  ]);
  const reports = rows.map((row) => ({ row, facts: row.facts as ReportedFacts }));
  const figures = {
    processes: reports.map(({ row, facts }) => ({
      id: row.id,
      role: row.role,
      host: facts.host ?? '',
      version: facts.version ?? '',
      started: row.started_at.toISOString(),
      seen: row.seen_at.toISOString(),
      is_alive: now.getTime() - row.seen_at.getTime() < EXPIRY_MS,
      memory_megabytes: facts.memory_megabytes ?? 0,
      longest_pause: facts.longest_pause ?? null,
    })),
    queue: queue.toSorted((a, b) => a.job.localeCompare(b.job)),
    oldest_job: oldest?.toISOString() ?? null,
    open_messages: openMessages,
    sending_rate: sumRates(
      reports.filter(({ row }) => now.getTime() - row.seen_at.getTime() < EXPIRY_MS),
    ),
    relays: mergeRelays(reports.map(({ facts }) => facts.relays ?? [])),
    disks: listDisks(reports.map(({ facts }) => facts)),
    database,
    nodes_away: away,
    errors: reports
      .flatMap(({ row, facts }) => presentErrors(row.role, facts))
      .toSorted(compareNewestFirst),
    version: self.version,
    node: self.node,
  };
  return { ...figures, troubles: findProblems(figures, { isPaused: paused !== undefined, now }) };
}

/**
 * Emails that running senders sent within the last minute; null if none of them has measured a
 * minute.
 */
function sumRates(reports: readonly { facts: ReportedFacts }[]): number | null {
  const rates = reports.flatMap(({ facts }) => facts.sent_last_minute ?? []);
  return rates.length === 0 ? null : rates.reduce((sum, rate) => sum + rate, 0);
}

const RANK = { ready: 0, waiting: 1, refused: 2 } as const;

/**
 * Combines the reports of all senders on each of the installation's relays: the worst state, and
 * the sums of the counts.
 */
function mergeRelays(reports: readonly RelayFacts[][]): InstallationHealth['relays'] {
  const byName = new Map<string, InstallationHealth['relays'][number]>();
  for (const relay of reports.flat()) {
    const previous = byName.get(relay.name);
    const worst = previous && RANK[previous.is] >= RANK[relay.is] ? previous : relay;
    byName.set(relay.name, {
      name: relay.name,
      is: worst.is,
      reply: worst.reply,
      accepted: relay.accepted + (previous?.accepted ?? 0),
      refused: relay.refused + (previous?.refused ?? 0),
    });
  }
  return [...byName.values()];
}

function listDisks(reports: readonly ReportedFacts[]): InstallationHealth['disks'] {
  const byHost = new Map<string, InstallationHealth['disks'][number]>();
  for (const { host, disk } of reports) {
    if (host !== undefined && disk) byHost.set(host, { host, ...disk });
  }
  return [...byHost.values()];
}

const presentErrors = (role: string, { errors = [] }: ReportedFacts) =>
  errors.map(({ at, ...error }) => ({ role, ...error, at: new Date(at).toISOString() }));

const compareNewestFirst = (a: { at: string }, b: { at: string }) => b.at.localeCompare(a.at);
