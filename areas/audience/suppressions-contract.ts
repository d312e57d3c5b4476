// The list of suppressions: which addresses get nothing, whoever adds them again, and why.
import { z } from 'zod';
import { defineCalls, Done, Id, Instant, listAnswer, listQuery } from '#platform/contract.ts';
import { CHANNELS, SUPPRESSION_REASONS } from '#areas/subscribers/limits.ts';

const Channel = z.enum(CHANNELS);

export const ListedSuppression = z.object({
  id: z.string().describe('A keyed hash of the address, which itself is not kept'),
  reason: z
    .enum(SUPPRESSION_REASONS)
    .describe('bounced and manual (the account’s own act) may be lifted by the account'),
  since: Instant,
  subscriber: z
    .object({ id: Id, address: z.string() })
    .nullable()
    .describe('Null where the address belongs to nobody in the account any more'),
});
export type ListedSuppression = z.infer<typeof ListedSuppression>;

export const suppressionCalls = defineCalls({
  listSuppressions: {
    method: 'GET',
    path: '/client-api/api/suppressions',
    who: 'account',
    summary: 'Addresses that get nothing, the newest first; a search finds one whole address',
    query: listQuery(
      { sorts: ['created'], order: 'created', direction: 'desc' },
      {
        channel: Channel.default('email'),
        reason: z.enum(SUPPRESSION_REASONS).optional(),
      },
    ),
    answer: listAnswer(ListedSuppression),
  },
  liftSuppression: {
    method: 'DELETE',
    path: '/client-api/api/suppressions/{id}',
    who: 'account',
    summary: 'Takes an address off the list, and brings its person back into the channel',
    params: z.object({ id: z.string().regex(/^[A-Za-z0-9_-]{43}$/) }),
    body: z.strictObject({ channel: Channel.default('email') }),
    answer: Done,
    errors: { suppression_kept: 409, suppression_no_consent: 409 },
  },
});
