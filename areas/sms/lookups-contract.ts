// Contract of lookups for the SMS screens: subscribers for previews, the price of an SMS, and a
// campaign's usage by country and provider.
import { z } from 'zod';
import { dataResponse, defineCalls, Id, idOf, line } from '#platform/contract.ts';
import { params, SMS_CAMPAIGNS_PATH, SmsCost } from './campaign-contract.ts';

/**
 * Usage in one country or through one provider. `micros` is the amount paid from credit, in
 * millionths of the currency; null if these SMS were free.
 */
const SmsUsage = z.object({
  name: z.string(),
  accepted: z.number(),
  undelivered: z.number(),
  parts: z.number(),
  micros: z.number().nullable(),
});
export type SmsUsage = z.infer<typeof SmsUsage>;

export const lookupCalls = defineCalls({
  listSmsPreviewPeople: {
    method: 'GET',
    path: '/client-api/api/sms/people',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List subscribers to preview an SMS with',
    description: 'The search matches the beginning of a name or number.',
    query: z.object({ search: line(64).optional() }),
    response: dataResponse(z.array(z.object({ id: Id, name: z.string(), phone: z.string() }))),
  },
  textCost: {
    method: 'GET',
    path: '/client-api/api/sms/cost',
    caller: 'account',
    summary: 'Get the price of one SMS part',
    description:
      'Returns the total price of one part to each recipient of a campaign. Without a campaign, or if it has no recipients yet, all SMS subscribers count.',
    query: z.object({ campaign: idOf('sms').optional() }),
    response: dataResponse(
      z.object({ recipients: z.number(), is_chosen: z.boolean(), cost: SmsCost.nullable() }),
    ),
  },
  smsShares: {
    method: 'GET',
    path: `${SMS_CAMPAIGNS_PATH}/{id}/report/shares`,
    caller: 'account',
    summary: 'Get SMS usage and cost',
    description:
      "Returns accepted messages, parts and cost by country and provider. The country is '' if it is unknown.",
    params,
    response: dataResponse(
      z.object({
        currency: z.string(),
        countries: z.array(SmsUsage),
        providers: z.array(SmsUsage),
      }),
    ),
    errors: { not_sent_yet: 409 },
  },
});
