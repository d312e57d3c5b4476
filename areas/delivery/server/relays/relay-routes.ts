// Routes for accounts' own relays and warm-ups.
import type { Db } from '#platform/server/database/database.ts';
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { calls } from '../../relays-contract.ts';
import type { RelayKinds } from './relay-kinds.ts';
import { testRelay, testUnsavedRelay } from './relay-trial.ts';
import { listRelaysWithUse } from './relay-use.ts';
import * as relays from './relays.ts';
import * as warmUps from '../warm-up/warm-up-plans.ts';

const TRIALS = { capacity: 10, perSecond: 0.1 };
const limitTrials = (db: Db, accountId: number) =>
  requireToken(db, `relay-test:${accountId}`, TRIALS);

export function relayRoutes(kinds: RelayKinds): Route[] {
  return createRoutes('delivery', calls, {
    listRelays: ({ tx, caller }) => listRelaysWithUse(tx, caller.accountId),
    createRelay: ({ db, caller, body }) => relays.createRelay(db, caller.accountId, body),
    readRelay: ({ tx, caller, params }) => relays.readRelay(tx, caller.accountId, params.id),
    updateRelay: ({ db, caller, params, body }) =>
      relays.updateRelay(db, caller.accountId, params.id, body),
    removeRelay: ({ tx, caller, params }) => relays.removeRelay(tx, caller.accountId, params.id),
    testRelay: async ({ db, caller, params, body }) => {
      await limitTrials(db, caller.accountId);
      return testRelay(db, kinds, caller, params.id, body.from);
    },
    tryTypedRelay: async ({ db, caller, body }) => {
      await limitTrials(db, caller.accountId);
      return testUnsavedRelay(db, kinds, caller, body);
    },
    listWarmUps: ({ tx, caller }) => warmUps.listWarmUps(tx, caller.accountId),
    startWarmUp: ({ tx, caller, body }) => warmUps.startWarmUp(tx, caller.accountId, body),
    endWarmUp: ({ tx, caller, body }) => warmUps.endWarmUp(tx, caller.accountId, body.domain),
  });
}
