// Configured third-party scripts: published to the page, which asks for consent before loading one,
// and allowed by the content security policy. Without configuration there are none.
import { z } from 'zod';
import { dataResponse, defineCalls } from '../../contract.ts';
import type { Config, ThirdPartiesConfig } from '../config.ts';
import { type Route, createRoutes } from './serve.ts';

const calls = defineCalls({
  thirdParties: {
    method: 'GET',
    path: '/client-api/api/third_parties',
    caller: 'account',
    requiredRight: 'none',
    summary: 'Get third-party scripts of the installation',
    description: 'A value is null if this script is not configured.',
    response: dataResponse(
      z.object({
        live_chat: z.string().nullable(),
        feedback: z.string().nullable(),
        analytics: z.string().nullable(),
        /** A Sentry DSN: its key is public by design. */
        error_reporting: z.string().nullable(),
      }),
    ),
    transaction: 'own',
  },
});

export function thirdPartyRoutes({ thirdParties }: Config): Route[] {
  const { liveChatUrl, feedbackUrl, analyticsUrl, sentryDsn } = thirdParties;
  const data = {
    live_chat: liveChatUrl ?? null,
    feedback: feedbackUrl ?? null,
    analytics: analyticsUrl ?? null,
    error_reporting: sentryDsn ?? null,
  };
  return createRoutes('platform', calls, { thirdParties: async () => data });
}

/** Hosts that a page may load scripts from and connect to. */
export function thirdPartyOrigins(config: ThirdPartiesConfig): string[] {
  const { liveChatUrl, feedbackUrl, analyticsUrl, sentryDsn, hosts } = config;
  const origins = [liveChatUrl, feedbackUrl, analyticsUrl, sentryDsn].flatMap((url) =>
    url ? [new URL(url).origin] : [],
  );
  return [...new Set([...origins, ...hosts])];
}
