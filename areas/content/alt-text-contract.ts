// The call that gets an alternative text for an image from the account's model.
import { z } from 'zod';
import { isConfirmed, modelErrors, ModelRequest } from '#areas/models/contract.ts';
import { dataResponse, defineCalls } from '#platform/contract.ts';
import { LANGUAGES } from '#platform/languages.ts';

export const AltTextResponse = z.object({
  request: ModelRequest,
  alt: z.string().nullable().describe('Null until the request is confirmed'),
});
export type AltTextResponse = z.infer<typeof AltTextResponse>;

export const altTextCalls = defineCalls({
  suggestAltText: {
    method: 'POST',
    path: '/client-api/api/images/alt_text',
    caller: 'account',
    audit: 'none',
    acceptsIdempotencyKey: false,
    transaction: 'own',
    slots: 'preview',
    summary: 'Get a suggestion for alternative text',
    description:
      'Sends the first frame of an image of the library to the model, reduced to 1024 pixels. Without `is_confirmed`, nothing is sent, and the response contains only the request with the image.',
    body: z.strictObject({
      src: z.string().max(2000).describe('Address of an image of the library'),
      language: z.enum(LANGUAGES),
      is_confirmed: isConfirmed,
    }),
    response: dataResponse(AltTextResponse),
    errors: { ...modelErrors, not_found: 404, image_unreadable: 422 },
  },
});
