// The suppression list: addresses that receive no messages even if they are added again, each with
// its reason.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  Instant,
  listResponse,
  listQuery,
} from '#platform/contract.ts';
import { CHANNELS, SUPPRESSION_REASONS } from '#areas/subscribers/shared.ts';
import { MAX_SUPPRESSIONS } from './shared.ts';

const Channel = z.enum(CHANNELS);

export const SuppressionListItem = z.object({
  id: z.string().describe('A keyed hash of the address. The address itself is not stored.'),
  reason: z
    .enum(SUPPRESSION_REASONS)
    .describe('Accounts can remove `bounced` and `manual` entries.'),
  since: Instant,
  subscriber: z
    .object({ id: Id, address: z.string() })
    .nullable()
    .describe('Null if no subscriber of the account has the address any more.'),
});
export type SuppressionListItem = z.infer<typeof SuppressionListItem>;

const NamedReason = z
  .enum(SUPPRESSION_REASONS)
  .exclude(['erased'])
  .describe('The account can remove only `bounced` and `manual` entries later.');
const AddressesResult = z.object({
  added: z.number(),
  already: z.number(),
  invalid: z.array(z.string()).describe('The first values that are not valid addresses'),
  invalid_count: z.number(),
});
const addressDefaults = {
  channel: Channel.default('email'),
  reason: NamedReason.default('manual'),
};
const filters = {
  channel: Channel.default('email'),
  reason: z.enum(SUPPRESSION_REASONS).optional(),
};

export const suppressionCalls = defineCalls({
  listSuppressions: {
    method: 'GET',
    path: '/client-api/api/suppressions',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List suppressed addresses',
    description: 'Returns the newest first. The search finds one exact address.',
    query: listQuery({ sorts: ['created'], order: 'created', direction: 'desc' }, filters),
    response: listResponse(SuppressionListItem),
  },
  addSuppressions: {
    method: 'POST',
    path: '/client-api/api/suppressions',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Add addresses to the suppression list',
    description:
      'Subscribers with these addresses get the status of the reason on the channel: bounced, reported, or otherwise unsubscribed.',
    body: z.strictObject({
      addresses: z.array(z.string().max(320)).min(1).max(MAX_SUPPRESSIONS),
      ...addressDefaults,
    }),
    response: dataResponse(AddressesResult),
  },
  importSuppressions: {
    method: 'POST',
    path: '/client-api/api/suppressions/import',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Import suppressed addresses from a file',
    description:
      'Accepts multipart with one part `file`: CSV, TXT, TSV or XLSX, up to 20 MB. The first address of each row is used. The addresses are added after the whole file has been read.',
    query: z.strictObject(addressDefaults),
    response: dataResponse(AddressesResult),
    errors: {
      file_missing: 422,
      file_empty: 422,
      file_too_large: 413,
      no_list: 422,
      no_addresses: 422,
      old_workbook: 422,
      workbook_damaged: 422,
      workbook_encrypted: 422,
      workbook_too_large: 422,
    },
    acceptsIdempotencyKey: false,
    transaction: 'own',
  },
  exportSuppressions: {
    method: 'GET',
    path: '/client-api/api/suppressions/export',
    caller: 'account',
    requiredRight: 'export',
    summary: 'Export the suppression list',
    description:
      'Returns a CSV file. The address of an entry is included only while a subscriber has it.',
    query: z.strictObject(filters),
    transaction: 'own',
  },
  liftSuppression: {
    method: 'DELETE',
    path: '/client-api/api/suppressions/{id}',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Remove an address from the suppression list',
    description: 'A subscriber with this address is restored to the channel.',
    params: z.object({ id: z.string().regex(/^[A-Za-z0-9_-]{43}$/) }),
    body: z.strictObject({ channel: Channel.default('email') }),
    response: SuccessResponse,
    errors: { suppression_kept: 409, suppression_no_consent: 409 },
  },
});
