// Serves transactional SMS in the web app and in the public API.
import { type Route, createRoutes } from '#platform/server/http/serve.ts';
import { publicSmsCalls } from '../public-sms-contract.ts';
import { smsCalls } from '../sms-contract.ts';
import { listSms, readSms, sendSms, type SmsSendOptions } from './sms.ts';

export function smsRoutes(options: SmsSendOptions): Route[] {
  return [
    ...createRoutes('transactional', smsCalls, {
      listTexts: ({ tx, caller, query }) => listSms(tx, caller.accountId, query.list),
    }),
    ...createRoutes(
      'transactional',
      publicSmsCalls,
      {
        sendText: async ({ tx, caller, body, reply }) => {
          const { add_organization_name: hasPrefix, append_opt_out: hasOptOut, ...call } = body;
          const smsCall = { ...call, hasPrefix: hasPrefix ?? false, hasOptOut: hasOptOut ?? false };
          const result = await sendSms(tx, caller.accountId, smsCall, options);
          reply.header('x-message-id', result.smsId);
          return { success: true as const, message: 'SMS sent', ...result };
        },
        readText: ({ tx, caller, params }) => readSms(tx, caller.accountId, params.id),
      },
      {},
      'sms',
    ),
  ];
}
