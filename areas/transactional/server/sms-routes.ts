// Calls of transactional SMS, in the web app and in the public API.
import { type Route, serve } from '#platform/server/http/serve.ts';
import { publicSmsCalls } from '../public-sms-contract.ts';
import { smsCalls } from '../sms-contract.ts';
import { listSms, readText, sendSms, type SmsOptions } from './sms.ts';

export function smsRoutes(options: SmsOptions): Route[] {
  return [
    ...serve('transactional', smsCalls, {
      listTexts: ({ tx, who, query }) => listSms(tx, who.accountId, query.list),
    }),
    ...serve(
      'transactional',
      publicSmsCalls,
      {
        sendText: async ({ tx, who, body, reply }) => {
          const { add_organization_name: hasPrefix, append_opt_out: hasOptOut, ...call } = body;
          const smsCall = { ...call, hasPrefix: hasPrefix ?? false, hasOptOut: hasOptOut ?? false };
          const sent = await sendSms(tx, who.accountId, smsCall, options);
          reply.header('x-message-id', sent.smsId);
          return { success: true as const, message: 'SMS sent', ...sent };
        },
        readText: ({ tx, who, params }) => readText(tx, who.accountId, params.id),
      },
      {},
      'sms',
    ),
  ];
}
