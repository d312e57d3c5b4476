// Routes of timing at the addresses of each owner, and of the account's window.
import type { z } from 'zod';
import { type Handlers, type Route, serve } from '#platform/server/http/serve.ts';
import { timingCalls, windowCalls } from '../../timing-contract.ts';
import type { BroadcastOwner, BroadcastRow, ShownBroadcast } from '../owner.ts';
import { readTimingEffect } from './effect.ts';
import { previewTiming, setTiming, setWindow } from './timing.ts';
import { findWindow } from './windows.sql.ts';

type TimingCalls = ReturnType<typeof timingCalls<'/{base}', z.ZodObject>>;

export function timingRoutes<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  owner: BroadcastOwner<Row, Shown>,
  shown: z.ZodObject,
  textArea?: string,
): Route[] {
  // The types do not depend on the addresses.
  const calls = timingCalls(owner.base as '/{base}', owner.idKind, shown);
  const handlers: Handlers<TimingCalls> = {
    setTiming: ({ tx, who, params, body: { timing, revision } }) =>
      setTiming(tx, owner, who.accountId, params.id, timing, revision),
    previewTiming: ({ tx, who, params, body }) =>
      previewTiming(tx, owner, who.accountId, params.id, body),
    readTimingEffect: ({ tx, who, params }) =>
      readTimingEffect(tx, owner, who.accountId, params.id),
  };
  return serve<TimingCalls>(owner.area, calls, handlers, {}, textArea);
}

export const windowRoutes: Route[] = serve('broadcasts', windowCalls, {
  readSendingWindow: ({ tx, who }) => findWindow(tx, who.accountId),
  setSendingWindow: ({ tx, who, body }) => setWindow(tx, who.accountId, body.window),
});
