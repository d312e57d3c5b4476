// Calls of transactional SMS, in the web app and in the public API.
import { type Route, serve } from '#platform/server/http/serve.ts';
import { publicTextCalls } from '../public-texts-contract.ts';
import { textCalls } from '../texts-contract.ts';
import { listTexts, readText, sendText, type TextOptions } from './texts.ts';

export function textRoutes(options: TextOptions): Route[] {
  return [
    ...serve('transactional', textCalls, {
      listTexts: ({ tx, who, query }) => listTexts(tx, who.accountId, query.list),
    }),
    ...serve(
      'transactional',
      publicTextCalls,
      {
        sendText: async ({ tx, who, body, reply }) => {
          const { add_organization_name: hasPrefix, append_opt_out: hasOptOut, ...call } = body;
          const smsCall = { ...call, hasPrefix: hasPrefix ?? false, hasOptOut: hasOptOut ?? false };
          const sent = await sendText(tx, who.accountId, smsCall, options);
          reply.header('x-message-id', sent.smsId);
          return { success: true as const, message: 'SMS sent', ...sent };
        },
        readText: async ({ tx, who, params }) => ({
          data: await readText(tx, who.accountId, params.id),
        }),
      },
      {},
      'sms',
    ),
  ];
}
