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
    listRelays: ({ tx, who }) => listRelaysWithUse(tx, who.accountId),
    createRelay: ({ db, who, body }) => relays.createRelay(db, who.accountId, body),
    readRelay: ({ tx, who, params }) => relays.readRelay(tx, who.accountId, params.id),
    updateRelay: ({ db, who, params, body }) =>
      relays.updateRelay(db, who.accountId, params.id, body),
    removeRelay: ({ tx, who, params }) => relays.removeRelay(tx, who.accountId, params.id),
    testRelay: async ({ db, who, params, body }) => {
      await limitTrials(db, who.accountId);
      return testRelay(db, kinds, who, params.id, body.from);
    },
    tryTypedRelay: async ({ db, who, body }) => {
      await limitTrials(db, who.accountId);
      return tryTypedRelay(db, kinds, who, body);
    },
    listWarmUps: ({ tx, who }) => warmUps.listWarmUps(tx, who.accountId),
    startWarmUp: ({ tx, who, body }) => warmUps.startWarmUp(tx, who.accountId, body),
    endWarmUp: ({ tx, who, body }) => warmUps.endWarmUp(tx, who.accountId, body.domain),
  });
}
