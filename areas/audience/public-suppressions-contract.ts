// The list of suppressions as the public API has it: addresses that get nothing on a channel, and why.
import { z } from 'zod';
import { CHANNELS, SUPPRESSION_REASONS } from '#areas/subscribers/limits.ts';
import { type Call, defineCalls } from '#platform/contract.ts';
import { V2Time, v2List, v2Page } from '#platform/v2-contract.ts';
import { PUBLIC_SUPPRESSIONS_MOST } from './limits.ts';

const Channel = z.string().toLowerCase().pipe(z.enum(CHANNELS));
const Reason = z.string().toLowerCase().pipe(z.enum(SUPPRESSION_REASONS));
const addresses = z.union([
  z.array(z.string().max(320)).min(1).max(PUBLIC_SUPPRESSIONS_MOST),
  z
    .string()
    .max(320)
    .transform((one) => [one]),
]);

export const PublicSuppression = z.object({
  id: z.string().describe('A keyed hash of the address, which itself is not kept'),
  address: z
    .string()
    .nullable()
    .describe('While a subscriber has it, or where it was asked for; otherwise null'),
  channel: z.enum(CHANNELS),
  reason: z.enum(SUPPRESSION_REASONS),
  may_be_removed: z
    .boolean()
    .describe('bounced and manual are the account’s to remove, all else the people’s own'),
  created: V2Time,
});
export type PublicSuppression = z.infer<typeof PublicSuppression>;

const params = z.object({ address: z.string().min(1).max(320) });
const ofChannel = z.object({ channel: Channel.default('email') });

export const publicSuppressionCalls = defineCalls({
  listSuppressions: {
    method: 'GET',
    path: '/v2/suppressions',
    who: 'account',
    summary: 'Addresses that get nothing on a channel, newest first; `address` finds a whole one',
    query: v2List(
      { order: 'created', direction: 'desc' },
      {
        channel: Channel.default('email'),
        reason: Reason.optional(),
        address: z.string().max(320).optional(),
      },
    ),
    answer: v2Page(PublicSuppression),
  },
  getSuppression: {
    method: 'GET',
    path: '/v2/suppressions/{address}',
    who: 'account',
    summary: 'Whether an address gets nothing, and why; 404 where it may be written to',
    params,
    query: ofChannel,
    answer: z.object({ data: PublicSuppression }),
    example: { params: { address: 'left@home.example' } },
  },
  addSuppressions: {
    method: 'POST',
    path: '/v2/suppressions',
    who: 'account',
    summary: 'Puts addresses on the list; subscribers who have one leave the channel',
    body: z.object({
      addresses,
      channel: Channel.default('email'),
      reason: Reason.pipe(z.enum(SUPPRESSION_REASONS).exclude(['erased'])).default('manual'),
    }),
    answer: z.object({
      success: z.literal(true),
      message: z.string(),
      data: z.object({ added: z.number(), already: z.number(), invalid: z.array(z.string()) }),
    }),
    example: { body: { addresses: ['left@home.example'] } },
  },
  removeSuppressions: {
    method: 'DELETE',
    path: '/v2/suppressions',
    who: 'account',
    summary: 'Takes addresses off the list where that is the account’s to do, and says which stay',
    body: z.object({ addresses, channel: Channel.default('email') }),
    answer: z.object({
      success: z.literal(true),
      message: z.string(),
      data: z.object({
        removed: z.array(z.string()),
        kept: z.array(
          z.object({
            address: z.string(),
            reason: z.enum(SUPPRESSION_REASONS),
            message: z.string(),
          }),
        ),
        not_listed: z.array(z.string()),
      }),
    }),
    example: { body: { addresses: ['left@home.example'] } },
  },
  removeSuppression: {
    method: 'DELETE',
    path: '/v2/suppressions/{address}',
    who: 'account',
    summary: 'Takes one address off the list; 409 where only its owner can come back',
    params,
    query: ofChannel,
    answer: z.object({ success: z.literal(true), message: z.string() }),
    errors: { suppression_kept: 409, suppression_no_consent: 409 },
    example: { params: { address: 'left@home.example' } },
  },
} satisfies Record<string, Call>);
