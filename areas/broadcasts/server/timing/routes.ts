// Routes for a broadcast's timing, which each kind of broadcast registers under its own paths, and
// routes for the account's sending window.
import type { z } from 'zod';
import { type Handlers, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { timingCalls, windowCalls } from '../../timing-contract.ts';
import type { BroadcastAdapter, BroadcastRow, ShownBroadcast } from '../adapter.ts';
import { readTimingEffect } from './effect.ts';
import { previewTiming, setTiming, setWindow } from './timing.ts';
import { findWindow } from './windows.sql.ts';

type TimingCalls = ReturnType<typeof timingCalls<'/{base}', z.ZodObject>>;

export function timingRoutes<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  adapter: BroadcastAdapter<Row, Shown>,
  schema: z.ZodObject,
  textArea?: string,
): Route[] {
  // The path does not affect the types of the calls.
  const calls = timingCalls(adapter.base as '/{base}', adapter.idKind, schema);
  const handlers: Handlers<TimingCalls> = {
    setTiming: ({ tx, caller, params, body: { timing, revision } }) =>
      setTiming(tx, adapter, caller.accountId, params.id, timing, revision),
    previewTiming: ({ tx, caller, params, body }) =>
      previewTiming(tx, adapter, caller.accountId, params.id, body),
    readTimingEffect: ({ tx, caller, params }) =>
      readTimingEffect(tx, adapter, caller.accountId, params.id),
  };
  return createRoutes<TimingCalls>(adapter.area, calls, handlers, {}, textArea);
}

export const windowRoutes: Route[] = createRoutes('broadcasts', windowCalls, {
  readSendingWindow: ({ tx, caller }) => findWindow(tx, caller.accountId),
  setSendingWindow: ({ tx, caller, body }) => setWindow(tx, caller.accountId, body.window),
});
