// Handles requests about connected services and seed mailboxes.
import { listDomainAuthentication } from '#areas/domains/server/index.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { Handlers, CallLimits } from '#platform/server/http/serve.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import type { signalCalls, Signals } from '../../signals-contract.ts';
import { SEED_SERVICES } from '../../signals-shared.ts';
import { ADVICE_DAYS, addDays } from '../advice.ts';
import { listSeenAddresses } from '../dns/sending-dns.sql.ts';
import { finishSeedConsent, startSeedConsent } from '../seeds/seed-consent.ts';
import { addSeed, listPlacements, listSeeds, removeSeed, getSeedTools } from '../seeds/seeds.ts';
import * as connection from './connection.ts';
import { SIGNAL_KINDS } from './postmaster.ts';
import { listLatestSnds, readSignals, type SignalRow } from './signals.sql.ts';

export type SignalDependencies = {
  postmaster: connection.PostmasterDependencies;
  ownIps: readonly string[];
  hasSnds: boolean;
};

const SNDS_DAYS = 7;
const MAX_ADDRESSES = 20;
/** Limit of the calls that sign in at an external service. */
const CONNECTIONS = { capacity: 20, perSecond: 20 / 3600 };

type SignalCalls = typeof signalCalls;

export const signalLimits: CallLimits<SignalCalls> = {
  addSeed: ({ db, caller }) => requireToken(db, `seed:${caller.accountId}`, CONNECTIONS),
  connectPostmaster: ({ db, caller }) =>
    requireToken(db, `postmaster:${caller.accountId}`, CONNECTIONS),
  finishSeedConsent: ({ db, caller }) => requireToken(db, `seed:${caller.accountId}`, CONNECTIONS),
  finishPostmaster: ({ db, caller }) =>
    requireToken(db, `postmaster:${caller.accountId}`, CONNECTIONS),
};

export function createSignalHandlers(tools: SignalDependencies): Handlers<SignalCalls> {
  const { postmaster } = tools;
  return {
    getSignals: ({ tx, caller }) => readEvidence(tx, caller.accountId, tools),
    startPostmaster: ({ caller }) =>
      Promise.resolve({ url: connection.startConsent(caller, postmaster) }),
    finishPostmaster: ({ db, caller, body }) =>
      connection.finishConsent(db, caller, body, postmaster),
    connectPostmaster: ({ db, caller, body }) =>
      connection.connectKey(db, caller.accountId, body.key, postmaster),
    disconnectPostmaster: ({ tx, caller }) =>
      connection.disconnect(tx, caller.accountId, postmaster),
    addSeed: ({ db, caller, body }) => addSeed(db, caller.accountId, body),
    startSeedConsent: async ({ tx, caller, body }) => ({
      url: await startSeedConsent(tx, caller, body),
    }),
    finishSeedConsent: ({ db, caller, body }) => finishSeedConsent(db, caller, body),
    deleteSeed: ({ tx, caller, params }) => removeSeed(tx, caller.accountId, params.id),
  };
}

async function readEvidence(
  db: Reader,
  accountId: number,
  { postmaster, ownIps, hasSnds }: SignalDependencies,
): Promise<Signals> {
  const today = clock.now().toISOString().slice(0, 10);
  const since = addDays(today, 1 - ADVICE_DAYS);
  const rows = await readSignals(db, accountId, since);
  const domains = await listDomainAuthentication(db, accountId, postmaster.hosts);
  const seenIps = await listSeenAddresses(db, accountId, { day: since, limit: MAX_ADDRESSES });
  return {
    postmaster: await connection.readPostmasterState(db, accountId, postmaster),
    domains: domains.map(({ id, domain }) => ({
      ...{ domain_name: domain, shown_name: toUnicodeDomain(domain) },
      values: listNewest(rows.filter(({ domainId }) => domainId === id)),
    })),
    snds: hasSnds
      ? await listLatestSnds(db, [...ownIps, ...seenIps], addDays(today, -SNDS_DAYS))
      : null,
    seeds: await listSeeds(db, accountId),
    seed_services: SEED_SERVICES.filter((service) => getSeedTools().services?.[service]),
    placements: await listPlacements(db, accountId),
  };
}

/** Returns the newest value of each kind. Rows are sorted by day, newest first. */
function listNewest(rows: readonly SignalRow[]): Signals['domains'][number]['values'] {
  return SIGNAL_KINDS.flatMap((kind) => {
    const row = rows.find((row) => row.kind === kind);
    return row ? [{ kind, day: row.day, value: row.value }] : [];
  });
}
