// Routes of accounts' own relays and of warm-ups.
import type { Db } from '#platform/server/database/database.ts';
import { type Route, serve } from '#platform/server/http/serve.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { calls } from '../../relays-contract.ts';
import type { RelayKinds } from './relay-kinds.ts';
import { testRelay, tryTypedRelay } from './relay-trial.ts';
import { listRelaysWithUse } from './relay-use.ts';
import * as relays from './relays.ts';
import * as warmUps from '../warm-up/warm-up-plans.ts';

const TRIALS = { capacity: 10, perSecond: 0.1 };
const limitTrials = (db: Db, accountId: number) =>
  requireToken(db, `relay-test:${accountId}`, TRIALS);

export function relayRoutes(kinds: RelayKinds): Route[] {
  return serve('delivery', calls, {
    listRelays: async ({ tx, who }) => ({ data: await listRelaysWithUse(tx, who.accountId) }),
    createRelay: async ({ db, who, body }) => ({
      data: await relays.createRelay(db, who.accountId, body),
    }),
    readRelay: async ({ tx, who, params }) => ({
      data: await relays.readRelay(tx, who.accountId, params.id),
    }),
    updateRelay: async ({ db, who, params, body }) => ({
      data: await relays.updateRelay(db, who.accountId, params.id, body),
    }),
    removeRelay: async ({ tx, who, params }) => {
      await relays.removeRelay(tx, who.accountId, params.id);
      return { success: true as const };
    },
    testRelay: async ({ db, who, params, body }) => {
      await limitTrials(db, who.accountId);
      return { data: await testRelay(db, kinds, who, params.id, body.from) };
    },
    tryTypedRelay: async ({ db, who, body }) => {
      await limitTrials(db, who.accountId);
      return { data: await tryTypedRelay(db, kinds, who, body) };
    },
    listWarmUps: async ({ tx, who }) => ({ data: await warmUps.listWarmUps(tx, who.accountId) }),
    startWarmUp: async ({ tx, who, body }) => ({
      data: await warmUps.startWarmUp(tx, who.accountId, body),
    }),
    endWarmUp: async ({ tx, who, body }) => ({
      data: await warmUps.endWarmUp(tx, who.accountId, body.domain),
    }),
  });
}
