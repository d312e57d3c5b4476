// The suppression list in the public API: addresses that receive no messages on a channel, each
// with its reason.
import { z } from 'zod';
import { CHANNELS, SUPPRESSION_REASONS } from '#areas/subscribers/shared.ts';
import { type Call, defineCalls } from '#platform/contract.ts';
import { V2Time, v2List, v2Page } from '#platform/v2-contract.ts';
import { MAX_PUBLIC_SUPPRESSIONS } from './shared.ts';

const Channel = z.string().toLowerCase().pipe(z.enum(CHANNELS));
const Reason = z.string().toLowerCase().pipe(z.enum(SUPPRESSION_REASONS));
const addresses = z.union([
  z.array(z.string().max(320)).min(1).max(MAX_PUBLIC_SUPPRESSIONS),
  z
    .string()
    .max(320)
    .transform((value) => [value]),
]);

export const PublicSuppression = z.object({
  id: z.string().describe('A keyed hash of the address. The address itself is not stored.'),
  address: z
    .string()
    .nullable()
    .describe(
      'The address, if a subscriber has it or the path of the request names it; otherwise null.',
    ),
  channel: z.enum(CHANNELS),
  reason: z.enum(SUPPRESSION_REASONS),
  may_be_removed: z
    .boolean()
    .describe(
      'Accounts can remove `bounced` and `manual` entries. The subscriber ends `unsubscribed` entries by opting in again. `reported` and `erased` entries are permanent.',
    ),
  created: V2Time,
});
export type PublicSuppression = z.infer<typeof PublicSuppression>;

const params = z.object({ address: z.string().min(1).max(320) });
const ofChannel = z.object({ channel: Channel.default('email') });

export const publicSuppressionCalls = defineCalls({
  listSuppressions: {
    method: 'GET',
    path: '/v2/suppressions',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List suppressed addresses of a channel',
    description: 'Returns the newest entries first. `address` finds one exact address.',
    query: v2List(
      { order: 'created', direction: 'desc' },
      {
        channel: Channel.default('email'),
        reason: Reason.optional(),
        address: z.string().max(320).optional(),
      },
    ),
    response: v2Page(PublicSuppression),
  },
  getSuppression: {
    method: 'GET',
    path: '/v2/suppressions/{address}',
    caller: 'account',
    requiredRight: 'people',
    summary: 'Get the suppression of an address',
    description:
      'Includes the reason. The `id` of an entry is accepted instead of the address. Returns 404 if the address is not suppressed.',
    params,
    query: ofChannel,
    response: z.object({ data: PublicSuppression }),
    example: { params: { address: 'left@home.example' } },
  },
  addSuppressions: {
    method: 'POST',
    path: '/v2/suppressions',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Add addresses to the suppression list',
    description:
      'Accepts up to 1,000 addresses. Subscribers with these addresses get the status of the reason on the channel: bounced, reported, or otherwise unsubscribed. A stronger reason of an existing entry remains. `data` counts new and existing entries, and `invalid` lists what is not an address.',
    body: z.object({
      addresses,
      channel: Channel.default('email'),
      reason: Reason.pipe(z.enum(SUPPRESSION_REASONS).exclude(['erased'])).default('manual'),
    }),
    response: z.object({
      success: z.literal(true),
      message: z.string(),
      data: z.object({ added: z.number(), already: z.number(), invalid: z.array(z.string()) }),
    }),
    example: { body: { addresses: ['left@home.example'] } },
  },
  removeSuppressions: {
    method: 'DELETE',
    path: '/v2/suppressions',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Remove addresses from the suppression list',
    description:
      'Accepts up to 1,000 addresses or IDs of entries. Removes those that the account may remove, and restores their subscribers to the channel. `kept` lists the others with their reasons, and `not_listed` those that are not suppressed.',
    body: z.object({ addresses, channel: Channel.default('email') }),
    response: z.object({
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
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Remove an address from the suppression list',
    description:
      'Restores the subscriber with this address to the channel. Returns 404 if the address is not suppressed, 409 `suppression_kept` if the account may not remove the entry, and 409 `suppression_no_consent` if the subscriber never subscribed.',
    params,
    query: ofChannel,
    response: z.object({ success: z.literal(true), message: z.string() }),
    errors: { suppression_kept: 409, suppression_no_consent: 409 },
    example: { params: { address: 'left@home.example' } },
  },
} satisfies Record<string, Call>);
