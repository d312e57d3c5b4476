// Contract of SMS senders (numbers and alphanumeric sender IDs), their carrier compliance, and the
// account's SMS settings.
import { isCountry } from '#platform/countries.ts';
import { z } from 'zod';
import {
  SuccessResponse,
  dataResponse,
  defineCalls,
  Id,
  Instant,
  idOf,
  line,
  listResponse,
  listQuery,
  text,
} from '#platform/contract.ts';
import {
  MAX_ADD_ON,
  OPT_IN_KINDS,
  PHONE_KINDS,
  PHONE_STATUSES,
  MAX_PREFIX,
  REGISTRATION_TYPES,
  MAX_USE_CASE,
  VERIFICATION_STATUSES,
  VOLUMES,
} from './shared.ts';

export const Phone = z.object({
  id: Id,
  kind: z.enum(PHONE_KINDS),
  /** A number (`+18335550100`), a short code (`12345`), or an alphanumeric sender ID. */
  value: z.string(),
  use_case: z.string(),
  status: z.enum(PHONE_STATUSES),
  /** The carrier's reason for the rejection. */
  reason: z.string().nullable(),
  /** Requirements that are not fulfilled yet; the sender cannot be used before. */
  missing: z.array(z.enum(['owner', 'terms', 'verification', 'approval'])),
  /**
   * Whether another account has added the same number and this account has no proof of ownership,
   * so it can neither send nor receive until the operator decides.
   */
  is_shared: z.boolean(),
  created: Instant,
});
export type Phone = z.infer<typeof Phone>;

const https = line(500)
  .pipe(z.union([z.literal(''), z.url({ protocol: /^https?$/ })]))
  .default('');
export const PhoneVerification = z.strictObject({
  business_name: line(200).default(''),
  registration_number: line(50).default(''),
  registration_type: z.enum(REGISTRATION_TYPES).nullable().default(null),
  registration_country: z
    .string()
    .regex(/^([A-Z]{2})?$/)
    .refine((code) => code === '' || isCountry(code))
    .default(''),
  website: https,
  street: line(200).default(''),
  city: line(100).default(''),
  state: line(100).default(''),
  zip: line(20).default(''),
  country: z
    .string()
    .regex(/^([A-Z]{2})?$/)
    .refine((code) => code === '' || isCountry(code))
    .default(''),
  contact_name: line(100).default(''),
  contact_email: line(254)
    .pipe(z.union([z.literal(''), z.email()]))
    .default(''),
  contact_phone: line(64).default(''),
  use_case: line(MAX_USE_CASE).default(''),
  use_case_summary: text(500).default(''),
  volume: z.enum(VOLUMES).nullable().default(null),
  opt_in_kind: z.enum(OPT_IN_KINDS).nullable().default(null),
  opt_in_image: https,
  sample: text(1000).default(''),
  privacy_url: https,
  terms_url: https,
  additional: text(1000).default(''),
});
export type PhoneVerification = z.infer<typeof PhoneVerification>;

export const Compliance = z.object({
  phone: Phone,
  terms: z
    .object({ version: z.string(), name: z.string(), at: Instant, is_current: z.boolean() })
    .nullable(),
  verification: z.object({
    status: z.enum(VERIFICATION_STATUSES),
    reason: z.string().nullable(),
    submitted_at: Instant.nullable(),
    /**
     * Whether the product submits the form to the provider; otherwise the user enters its decision.
     */
    is_forwarded: z.boolean(),
    values: PhoneVerification,
  }),
  owner: z.object({
    /** Whether the account may prove ownership by a code sent to the number. */
    by_code: z.boolean(),
    /** When the latest code expires; null if no code can be entered. */
    code_expires_at: Instant.nullable(),
    /** Whether OPERATOR_EMAILS names operators who approve senders. */
    has_operator: z.boolean(),
  }),
});
export type Compliance = z.infer<typeof Compliance>;

export const SmsSettings = z.object({
  /** Text at the start of SMS; null for the account's title. */
  prefix: z.string().nullable(),
  /** The text that is used while `prefix` is null. */
  default_prefix: z.string(),
  opt_out_text: z.string(),
  link_text: z.string(),
  plain_quotes: z.boolean(),
  is_onboarded: z.boolean(),
  /**
   * The provider that SMS are sent through; 'phone' is the built-in provider, which stores them.
   */
  provider: z.string(),
  /**
   * Whether SMS cost no credit: the account has its own provider, or the operator sells no credit.
   */
  is_free: z.boolean(),
});
export type SmsSettings = z.infer<typeof SmsSettings>;

const params = z.object({ id: idOf('phone') });
const phone = dataResponse(Phone);
const compliance = dataResponse(Compliance);
const BASE = '/client-api/api/phone';
const COMPLIANCE = `${BASE}/{id}/compliance` as const;

export const phoneCalls = defineCalls({
  listPhones: {
    method: 'GET',
    path: BASE,
    caller: 'account',
    summary: 'List SMS sender numbers and names',
    query: listQuery({ sorts: ['created', 'title', 'modified'] }),
    response: listResponse(Phone),
  },
  createPhone: {
    method: 'POST',
    path: BASE,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Add an SMS sender number or name',
    description: 'Accepts a number or short code of the provider, or a name of 2 to 11 characters.',
    body: z.strictObject({
      kind: z.enum(PHONE_KINDS),
      value: line(64, 1),
      use_case: line(MAX_USE_CASE, 1),
    }),
    response: phone,
    errors: { phone_taken: 409, sender_taken: 409 },
  },
  readPhone: {
    method: 'GET',
    path: `${BASE}/{id}`,
    caller: 'account',
    summary: 'Get an SMS sender',
    params,
    response: phone,
  },
  releasePhone: {
    method: 'DELETE',
    path: `${BASE}/{id}`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Remove an SMS sender',
    description: 'Campaigns that are scheduled from the sender must be canceled first.',
    params,
    response: SuccessResponse,
    errors: { phone_in_use: 409 },
  },
  sendPhoneCode: {
    method: 'POST',
    path: `${BASE}/{id}/code`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Send a code to an SMS sender',
    description:
      "An SMS with six digits goes to the sender's number, through the installation's provider. The code is valid for 10 minutes and replaces the previous code. At most 3 codes an hour go to one number and 5 an hour for one account (429).",
    params,
    response: dataResponse(z.object({ expires_at: Instant })),
    errors: { sender_taken: 409, phone_proven: 409, code_not_possible: 409 },
  },
  verifyPhoneCode: {
    method: 'POST',
    path: `${BASE}/{id}/code/verify`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Verify the code of an SMS sender',
    description:
      'The right code makes the account the owner of the number. After 5 wrong codes, or 10 minutes, a new code is needed (422).',
    params,
    body: z.strictObject({ code: line(20, 1) }),
    response: phone,
    errors: { sender_taken: 409, phone_proven: 409, wrong_code: 422, code_expired: 422 },
  },
  offeredNumbers: {
    method: 'GET',
    path: `${BASE}/offered`,
    caller: 'account',
    summary: 'List available toll-free numbers',
    description:
      'The list is empty if the provider offers no lookup, or if the account has its own provider.',
    response: dataResponse(z.array(z.object({ value: z.string() }))),
  },
  readCompliance: {
    method: 'GET',
    path: COMPLIANCE,
    caller: 'account',
    summary: 'Get carrier registration requirements of a sender',
    description: 'Returns which requirements are fulfilled.',
    params,
    response: compliance,
  },
  acceptTerms: {
    method: 'POST',
    path: `${COMPLIANCE}/terms`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Confirm the SMS terms of service',
    description: 'The confirmation is recorded with name, time and network address.',
    params,
    body: z.strictObject({ version: line(20, 1), name: line(200, 1) }),
    response: compliance,
    errors: { terms_outdated: 409 },
  },
  saveVerification: {
    method: 'PUT',
    path: `${COMPLIANCE}/verification`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Update the toll-free verification form',
    description: 'The form may be incomplete.',
    params,
    body: PhoneVerification,
    response: compliance,
    errors: { verification_under_way: 409 },
  },
  submitVerification: {
    method: 'POST',
    path: `${COMPLIANCE}/verification/submit`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Send the toll-free verification to the provider',
    description: 'Returns 422 with the missing fields if the form is incomplete.',
    params,
    response: compliance,
    errors: { verification_under_way: 409, terms_missing: 409 },
  },
  decideVerification: {
    method: 'POST',
    path: `${COMPLIANCE}/verification/decision`,
    caller: 'account',
    requiredRight: 'settings',
    summary: "Set the provider's verification decision",
    description: 'Applies to providers that do not report the decision themselves.',
    params,
    body: z.strictObject({ is_approved: z.boolean(), reason: line(500).optional() }),
    response: compliance,
    errors: { verification_not_submitted: 409 },
  },
  readSmsSettings: {
    method: 'GET',
    path: '/client-api/api/sms/settings',
    caller: 'account',
    summary: 'Get compliance texts and sending channel',
    description: 'Returns the texts that are added to SMS, and the provider that sends them.',
    response: dataResponse(SmsSettings),
  },
  saveSmsSettings: {
    method: 'PUT',
    path: '/client-api/api/sms/settings',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Update compliance texts',
    description:
      'The opt-out text must contain STOP, and the link text must contain {{unsubscribe_link}}.',
    body: z.strictObject({
      prefix: line(MAX_PREFIX).nullable().optional(),
      opt_out_text: line(MAX_ADD_ON, 1).optional(),
      link_text: line(MAX_ADD_ON, 1).optional(),
      plain_quotes: z.boolean().optional(),
      is_onboarded: z.literal(true).optional(),
    }),
    response: dataResponse(SmsSettings),
  },
});
