// Serves transactional SMS in the web app and in the public API.
import { type Route, serve } from '#platform/server/http/serve.ts';
import { publicSmsCalls } from '../public-sms-contract.ts';
import { smsCalls } from '../sms-contract.ts';
import { listSms, readText, sendSms, type SmsOptions } from './sms.ts';

export function smsRoutes(options: SmsOptions): Route[] {
  return [
    ...serve('transactional', smsCalls, {
      listTexts: ({ tx, caller, query }) => listSms(tx, caller.accountId, query.list),
    }),
    ...serve(
      'transactional',
      publicSmsCalls,
      {
        sendText: async ({ tx, caller, body, reply }) => {
          const { add_organization_name: hasPrefix, append_opt_out: hasOptOut, ...call } = body;
          const smsCall = { ...call, hasPrefix: hasPrefix ?? false, hasOptOut: hasOptOut ?? false };
          const sent = await sendSms(tx, caller.accountId, smsCall, options);
          reply.header('x-message-id', sent.smsId);
          return { success: true as const, message: 'SMS sent', ...sent };
        },
        readText: ({ tx, caller, params }) => readText(tx, caller.accountId, params.id),
      },
      {},
      'sms',
    ),
  ];
}
