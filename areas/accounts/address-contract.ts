// Autocompletion of postal addresses: predictions for typed text, the details of a chosen prediction,
// and the time zone of a location.
import { z } from 'zod';
import { dataResponse, defineCalls, text } from '#platform/contract.ts';
import { MAX_ADDRESS, MAX_PREDICTIONS } from './shared.ts';

export const AddressPrediction = z.object({
  description: z.string(),
  place_id: z.string(),
  structured_formatting: z.object({
    main_text: z.string(),
    /** The matches of the typed text within main_text, in UTF-16 code units. */
    main_text_matched_substrings: z.array(z.object({ offset: z.number(), length: z.number() })),
    secondary_text: z.string(),
  }),
});
export type AddressPrediction = z.infer<typeof AddressPrediction>;

/** Fields are empty if the provider has no value. */
export const AddressDetails = z.object({
  address: z.string(),
  city: z.string(),
  state: z.string(),
  zip_code: z.string(),
  /** ISO 3166-1 alpha-2. */
  country: z.string(),
  location: z.object({ lat: z.number(), lng: z.number() }),
});
export type AddressDetails = z.infer<typeof AddressDetails>;

export const TimeZoneResponse = z.object({
  /** The zone is valid only if the status is OK. */
  status: z.enum(['OK', 'ZERO_RESULTS', 'UNAVAILABLE']),
  time_zone_id: z.string().nullable(),
});
export type TimeZoneResponse = z.infer<typeof TimeZoneResponse>;

const Session = z
  .string()
  .regex(/^[\w-]{1,36}$/)
  .optional();

export const addressCalls = defineCalls({
  predictAddress: {
    method: 'GET',
    path: '/client-api/api/addresses/predictions',
    caller: 'account',
    summary: 'List address predictions for an input',
    query: z.strictObject({ input: text(MAX_ADDRESS, 1), session: Session }),
    response: dataResponse(z.array(AddressPrediction).max(MAX_PREDICTIONS)),
    transaction: 'own',
  },
  readAddress: {
    method: 'GET',
    path: '/client-api/api/addresses/details',
    caller: 'account',
    summary: 'Get the address of a prediction',
    query: z.strictObject({
      place_id: z.string().regex(/^[\w:.-]{1,512}$/),
      input: text(MAX_ADDRESS).optional(),
      session: Session,
    }),
    response: dataResponse(AddressDetails),
    errors: { not_found: 404 },
    transaction: 'own',
  },
  readTimeZone: {
    method: 'GET',
    path: '/client-api/api/addresses/time_zone',
    caller: 'account',
    summary: 'Get the time zone of a place',
    description: 'The time zone is valid only if the status is OK.',
    query: z.strictObject({
      lat: z.coerce.number().min(-90).max(90),
      lng: z.coerce.number().min(-180).max(180),
    }),
    response: dataResponse(TimeZoneResponse),
    transaction: 'own',
  },
});
