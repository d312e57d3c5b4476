// Declares the deliverability area and exports its public interface. Also deletes old reports.
import { accountRemoved, forEachAccount } from '#areas/accounts/server/index.ts';
import { createResolver, readSendingHosts } from '#areas/domains/server/index.ts';
import { messageStarted } from '#areas/delivery/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import { clock } from '#platform/server/clock.ts';
import type { Config } from '#platform/server/config.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { files } from '#platform/server/files/files.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { FILES_DAYS } from '../shared.ts';
import { addDays } from './advice.ts';
import { bimiPoller } from './bimi/bimi.ts';
import { listBlocklists } from './dns/blocklists.ts';
import { sendingChecksPoller } from './dns/check-sending.ts';
import { type HealthDependencies, measureHealth } from './health/measure.ts';
import { setHealth, exposeChecks } from './metrics.ts';
import { freezeForecastJob } from './forecast/freeze.ts';
import { hostsPoller } from './hosts/assign.ts';
import { sealPoller } from './forecast/seal.ts';
import { revokeAccessJob } from './oauth/revoke.ts';
import { pilotRoutes } from './pilot/pilot-routes.ts';
import { runPilots } from './pilot/run.ts';
import { abandonFile, processFile } from './process-file.ts';
import { configureProcessing, processFileJob } from './process-file-job.ts';
import { deleteOld, rewriteReportNames } from './reports.sql.ts';
import { deliverabilityRoutes } from './routes.ts';
import { deleteOldCopies, findSeedsNaming } from './seeds/seeds.sql.ts';
import { createSeedServices } from './seeds/seed-services.ts';
import {
  configureSeeds,
  revokeSeeds,
  seedCopiesJob,
  createStartHandler,
  seedsPoller,
} from './seeds/seeds.ts';
import { disconnect, postmasterPoller, type PostmasterDependencies } from './signals/connection.ts';
import { GOOGLE } from './signals/postmaster.ts';
import { sndsPoller } from './signals/snds.ts';
import {
  contentsNamingAddresses,
  addressesErased,
  eraseFromTexts,
} from '#platform/server/erasure/erasure.ts';
import { rewriteSources } from './overview.sql.ts';

export function area(config: Config): Area {
  const hosts = readSendingHosts(config);
  const tools = { hosts, dnsServers: config.dnsServers };
  const lists = listBlocklists(config.blocklists);
  const ownIps = config.sendingIps;
  const resolver = createResolver(config.dnsServers);
  const postmaster: PostmasterDependencies = {
    ...{ urls: GOOGLE, client: config.googleOAuth, hosts },
    redirect: `${config.publicUrl}/settings/deliverability/signals`,
  };
  const checks = { resolver, lists, hosts, ownIps, pauseMs: QUERY_PAUSE_MS };
  return {
    name: 'deliverability',
    description:
      'Deliverability: DMARC and TLS reports, the health of sending domains, Postmaster Tools, seed mailboxes and the autopilot.',
    routes: [
      ...deliverabilityRoutes({
        ...{ hosts, sending: { lists, ownIps }, bimi: { resolver, hosts } },
        signals: { postmaster, ownIps, hasSnds: config.sndsUrl !== undefined },
      }),
      ...pilotRoutes,
    ],
    questionHandlers: [handleQuestion(contentsNamingAddresses, findSeedsNaming)],
    eventHandlers: [
      on(messageStarted, createStartHandler),
      on(addressesErased, eraseFromTexts(rewriteReportNames, rewriteSources)),
      on(accountRemoved, async (tx, { accountId }) => {
        await disconnect(tx, accountId, postmaster);
        await revokeSeeds(tx, accountId);
      }),
    ],
    jobs: [processFileJob, freezeForecastJob, seedCopiesJob, revokeAccessJob],
    pollers: [
      retentionPoller,
      sealPoller,
      healthPoller({ hosts, lists, ownIps }),
      pilotPoller,
      postmasterPoller(postmaster),
      seedsPoller,
      ...(config.sndsUrl === undefined ? [] : [sndsPoller(config.sndsUrl)]),
      // In development, no DNS is queried for blocklists, BIMI and hosts.
      ...(config.isProduction
        ? [sendingChecksPoller(checks), bimiPoller({ resolver, hosts }), hostsPoller(resolver)]
        : []),
    ],
    setUp: () => {
      const clients = { google: config.googleOAuth, microsoft: config.microsoftOAuth };
      configureSeeds({ services: createSeedServices(clients), redirect: postmaster.redirect });
      configureProcessing(
        (file, { db }) => processFile(db, file, tools),
        (file, { db }) => abandonFile(db, file),
      );
      exposeChecks();
    },
  };
}

/** Pause between two queries of a blocklist, so that it gets at most one per second. */
const QUERY_PAUSE_MS = 1_000;
const DAY_MS = 86_400_000;
const SUMS_DAYS = 400;

/** Deletes reports, sums and copies to seeds after 400 days, and received files after 60. */
export async function removeOldReports(db: Db, accountId: number): Promise<void> {
  const now = clock.now();
  const keys = await inTransaction(db, async (tx) => {
    await deleteOldCopies(tx, accountId, new Date(now.getTime() - SUMS_DAYS * DAY_MS));
    return deleteOld(tx, accountId, {
      day: addDays(now.toISOString().slice(0, 10), -SUMS_DAYS),
      filesBefore: new Date(now.getTime() - FILES_DAYS * DAY_MS),
    });
  });
  for (const key of keys) await files.remove(key);
}

const retentionPoller: Poller = {
  name: 'deliverability.retention',
  intervalMs: 6 * 3_600_000,
  run: (db, signal) => forEachAccount(db, signal, (accountId) => removeOldReports(db, accountId)),
};

const pilotPoller: Poller = {
  name: 'deliverability.pilot',
  intervalMs: 5 * 60_000,
  run: (db, signal) => forEachAccount(db, signal, (accountId) => runPilots(db, accountId)),
};

const healthPoller = (tools: HealthDependencies): Poller => ({
  name: 'deliverability.health',
  intervalMs: 15 * 60_000,
  async run(db, signal) {
    const counts = new Map<string, number>();
    await forEachAccount(db, signal, async (accountId) => {
      for (const state of await measureHealth(db, accountId, tools)) {
        counts.set(state, (counts.get(state) ?? 0) + 1);
      }
    });
    if (!signal.aborted) setHealth(counts);
  },
});

export { healthChanged, pilotHolds, pilotMoved } from './events.ts';
export { getMailboxName } from './health/mailbox-names.ts';
export { countForecast } from './forecast/counting.ts';
export { forecastAudience } from './forecast/forecast.ts';
export { freezeForecastSoon } from './forecast/freeze.ts';
export { sealDueCampaigns } from './forecast/seal.ts';
export { readForecast } from './forecast/stored.ts';
export { listMessageLimits } from './pilot/campaign-limits.ts';
export { MAX_REPORT_BYTES } from './reading/limits.ts';
export { acceptsReportFor, receiveReport } from './receive.ts';
export { collectEvidence } from './seeds/campaign-evidence.ts';
