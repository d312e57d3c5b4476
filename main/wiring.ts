// Which areas and providers this product is made of: routes, jobs, and who hears which event.
import type { FastifyPluginAsync } from 'fastify';
import { accountRoutes, forgottenPasswordJob } from '#areas/accounts/server/index.ts';
import type { Config } from '#platform/server/config.ts';
import type { Route } from '#platform/server/http/serve.ts';
import type { Job } from '#platform/server/jobs.ts';
import { livePlugin, liveRoutes } from '#platform/server/live.ts';

/** All JSON calls. */
export function allRoutes(config: Config): Route[] {
  return [...liveRoutes, ...accountRoutes({ signUp: config.signUp })];
}

/** Public pages, tracking and other surfaces that are no JSON calls. */
export function allPlugins(_config: Config): FastifyPluginAsync[] {
  return [livePlugin];
}

export const allJobs: readonly Job[] = [forgottenPasswordJob as Job];

let connected = false;

/** Connects events upward and questions; once per process. */
export function connectEvents(_config: Config): void {
  if (connected) return;
  connected = true;
}
