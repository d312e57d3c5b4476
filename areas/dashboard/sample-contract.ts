// Endpoints for an account with sample data, so that a new owner sees every screen with content.
import { z } from 'zod';
import { SuccessResponse, dataResponse, defineCalls, Id } from '#platform/contract.ts';

const PATH = '/client-api/api/sample_account';

export const SampleAccount = z.object({
  /** Null while there is none. */
  id: Id.nullable(),
  state: z.enum(['none', 'preparing', 'ready']),
});
export type SampleAccount = z.infer<typeof SampleAccount>;

export const sampleCalls = defineCalls({
  getSampleAccount: {
    method: 'GET',
    path: PATH,
    caller: 'account',
    requiredRight: 'none',
    summary: 'Get the account with sample data',
    isPersonal: true,
    response: dataResponse(SampleAccount),
  },
  createSampleAccount: {
    method: 'POST',
    path: PATH,
    caller: 'account',
    requiredRight: 'none',
    summary: 'Create an account with sample data',
    description:
      'The account is filled in the background. A user has at most one, and repeating the request returns it.',
    isPersonal: true,
    response: dataResponse(SampleAccount),
  },
  removeSampleAccount: {
    method: 'DELETE',
    path: PATH,
    caller: 'account',
    requiredRight: 'none',
    summary: 'Remove the account with sample data',
    description:
      "Deletes the account with everything in it; its rows are deleted in the background. Sessions in it continue in the user's own account.",
    isPersonal: true,
    response: SuccessResponse,
  },
});
