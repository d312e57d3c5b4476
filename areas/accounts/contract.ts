// Users and accounts, and the sign-in service under /auth.
import { z } from 'zod';
import { isCountry } from '#platform/countries.ts';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  line,
} from '#platform/contract.ts';
import { toWireEmail } from '#platform/email-address.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { RIGHTS } from '#platform/rights.ts';
import { MAX_ADDRESS, DATE_FORMATS, MIN_PASSWORD, MAX_PASSWORD, TEST_TOOLS } from './shared.ts';
import { findNameIssue, findPlaceIssue, findPostalIssue, findWebsiteIssue } from './validation.ts';

/**
 * Creates a field that browser and server validate alike; the locale files hold the message of each
 * issue by its name.
 */
function createValidatedField(name: string, findIssue: (input: string) => string | undefined) {
  return z
    .string()
    .trim()
    .superRefine((input, context) => {
      const issue = findIssue(input);
      if (issue) context.addIssue({ code: 'custom', message: `errors.${name}.${issue}` });
    });
}

const Website = createValidatedField('website', findWebsiteIssue);

/** A first and a last name, validated as in the onboarding form, but either may be empty. */
export const Names = z.strictObject({
  name: createValidatedField('name', allowEmpty(findNameIssue)).optional(),
  surname: createValidatedField('surname', allowEmpty(findNameIssue)).optional(),
});

function allowEmpty(findIssue: (input: string) => string | undefined) {
  return (input: string) => (input === '' ? undefined : findIssue(input));
}

/**
 * RFC 5321: at most 64 characters before the @, and 63 in each label of the domain. The top-level
 * domain may be punycode.
 */
const ADDRESS =
  /^(?!.{321})(?!\.)(?!.*\.\.)(?!.*\.@)[\w!#$%&'*+/=?^`{|}~.-]{1,64}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+(?:[a-z]{2,63}|xn--[a-z0-9-]{1,59})$/i;
export const Email = z
  .string()
  .transform(toWireEmail)
  .pipe(z.email({ pattern: ADDRESS }).max(254));
/**
 * The address of a lookup. A malformed address is accepted so that the response does not depend on
 * the address.
 */
const LookupEmail = z
  .string()
  .trim()
  .max(254)
  .transform((input) => toWireEmail(input.replaceAll('\0', ' ')));
export const Password = z.string().min(MIN_PASSWORD).max(MAX_PASSWORD);
export const Secret = z.string().min(20).max(200);

export const WireText = z.string().max(8_000);
/** The signed response of an authenticator (WebAuthn, AuthenticationResponseJSON). */
export const PasskeyResponse = z.looseObject({
  id: z.string().min(1).max(2_000),
  rawId: z.string().max(2_000),
  type: z.literal('public-key'),
  response: z.looseObject({
    clientDataJSON: WireText,
    authenticatorData: WireText,
    signature: WireText,
    userHandle: z.string().max(200).nullish(),
  }),
});

export const User = z.object({
  id: Id,
  email: z.string(),
  name: z.string().nullable(),
  surname: z.string().nullable(),
  tour: z.number(),
  account: Id,
  language: z.enum(LANGUAGES),
  email_verified: z.boolean(),
});
export type User = z.infer<typeof User>;

export const Account = z.object({
  id: Id,
  title: z.string(),
  website: z.string().nullable(),
  address: z.string().nullable(),
  city: z.string().nullable(),
  state: z.string().nullable(),
  zip_code: z.string().nullable(),
  country: z.string().nullable(),
  timezone: z.string(),
  language: z.enum(LANGUAGES),
  date_format: z.string(),
  status: z.string(),
  activation_level: z.number(),
  industry: z.string().nullable(),
  subscriber_collection: z.string().nullable(),
  active_plan: z.object({
    id: z.string().describe('The ID of the paid order, `free`, or `unlimited` without billing.'),
  }),
  plan_valid_to: Instant.nullable(),
  subscriber_count: z.number(),
  is_sample: z
    .boolean()
    .describe('Whether the account contains invented sample data, which its user can remove.'),
  created: Instant,
});
export type Account = z.infer<typeof Account>;

/**
 * The number of subscribers who may get messages, and the number who no longer may. Each subscriber
 * counts once in `reachable` or `lost`; a subscriber may count in both `email` and `sms`.
 */
export const Reach = z.object({
  /** By email, by SMS, or both. */
  reachable: z.number(),
  email: z.number(),
  sms: z.number(),
  /** Subscribers who unsubscribed, bounced or complained, and are reachable on no channel. */
  lost: z.number(),
  unsubscribed: z.number(),
  bounced: z.number(),
  complained: z.number(),
});

export type Reach = z.infer<typeof Reach>;

/** The steps of onboarding that are done. */
export const OnboardingFlags = z.object({
  email_verified: z.boolean(),
  registration_completed: z.boolean(),
  introduce_completed: z.boolean(),
  email_sent: z.boolean(),
  report_viewed: z.boolean(),
  subscriber_added: z.boolean(),
  campaign_created: z.boolean(),
  domain_verified: z.boolean(),
});
export type OnboardingFlags = z.infer<typeof OnboardingFlags>;

export const SignedInResponse = dataResponse(
  z.object({
    user: User,
    account: Account,
    rights: z.array(z.enum(RIGHTS)).describe('What the user may do in the account'),
    /** Whether emails go to the built-in test inbox and are not delivered. */
    test_inbox: z.boolean(),
    /** The built-in test tools that this browser can open. */
    test_tools: z.array(z.enum(TEST_TOOLS)),
  }),
);

export const calls = defineCalls({
  signUp: {
    method: 'POST',
    path: '/auth/api/sign-up',
    caller: 'visitor',
    summary: 'Create an account and its first user',
    description: 'Starts a session.',
    body: z.strictObject({
      email: Email,
      password: Password,
      language: z.enum(LANGUAGES).optional(),
      timezone: z.string().max(64).optional(),
    }),
    response: SignedInResponse,
    errors: { email_taken: 409, sign_up_closed: 403, sign_up_unavailable: 503 },
    transaction: 'own',
  },
  signIn: {
    method: 'POST',
    path: '/auth/api/sign-in',
    caller: 'visitor',
    summary: 'Start a session by password',
    description: 'Sets the session cookies.',
    body: z.strictObject({
      email: LookupEmail,
      password: z.string().max(1000),
      /**
       * The second factor of a user who has set one up: a code from the app, or a recovery code.
       */
      code: z.string().max(100).optional(),
      /** A passkey instead of the code. */
      passkey: PasskeyResponse.optional(),
    }),
    response: SignedInResponse,
    errors: {
      ...{ wrong_credentials: 422, code_required: 422, wrong_code: 422, passkey_failed: 422 },
      // The database nodes of all the user's accounts are unavailable. An operator still gets a
      // session, which is valid only for the operator's page.
      ...{ account_unavailable: 503, operator_page_only: 503 },
    },
    transaction: 'own',
  },
  signOut: {
    method: 'POST',
    path: '/auth/api/sign-out',
    caller: 'visitor',
    summary: 'Stop the session',
    description: 'Clears the session cookies.',
    response: SuccessResponse,
    transaction: 'own',
  },
  refresh: {
    method: 'POST',
    path: '/auth/api/refresh',
    caller: 'visitor',
    summary: "Rotate the session's tokens",
    description: 'A refresh token that is used again after more than ten seconds ends the session.',
    response: SignedInResponse,
    errors: { session_ended: 401 },
    transaction: 'own',
  },
  forgotPassword: {
    method: 'POST',
    path: '/auth/api/forgot-password',
    caller: 'visitor',
    summary: 'Send a password reset email',
    description: 'The response does not depend on whether the address is known.',
    body: z.strictObject({ email: LookupEmail }),
    response: SuccessResponse,
  },
  resetPassword: {
    method: 'POST',
    path: '/auth/api/reset-password',
    caller: 'visitor',
    summary: 'Set a password with a reset link',
    description:
      'Ends all other access of the user: sessions, API tokens, SMTP users, invitations, and identities at an identity provider. Second factors remain if the address was verified.',
    body: z.strictObject({ token: Secret, password: Password }),
    response: SuccessResponse,
    errors: { link_expired: 422 },
  },
  verifyEmail: {
    method: 'POST',
    path: '/auth/api/verify-email',
    caller: 'visitor',
    summary: 'Verify an email address by a link',
    body: z.strictObject({ token: Secret }),
    response: SuccessResponse,
    errors: { link_expired: 422 },
  },
  getSession: {
    method: 'GET',
    path: '/client-api/api/users',
    caller: 'account',
    requiredRight: 'none',
    summary: 'Get the current user and account',
    response: SignedInResponse,
  },
  getOnboarding: {
    method: 'GET',
    path: '/client-api/api/users/onboard',
    caller: 'account',
    requiredRight: 'none',
    summary: 'Get the onboarding status',
    response: dataResponse(OnboardingFlags),
  },
  updateUser: {
    method: 'PATCH',
    path: '/client-api/api/users/{id}',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'Update the current user',
    description: 'Changes the onboarding completion, email address, name or language.',
    params: z.object({ id: idOf('user') }),
    body: Names.extend({
      tour: z.number().int().min(0).max(2).optional(),
      email: Email.optional(),
      current: z
        .string()
        .max(1000)
        .describe('The password; required to change a verified email address')
        .optional(),
      language: z.enum(LANGUAGES).optional(),
    }),
    response: dataResponse(User),
    errors: { email_taken: 409, wrong_password: 422 },
  },
  resendVerification: {
    method: 'GET',
    path: '/client-api/api/users/{id}/resend_verification_letter',
    caller: 'account',
    requiredRight: 'none',
    summary: 'Resend the verification email',
    params: z.object({ id: idOf('user') }),
    response: SuccessResponse,
    requiresWriteHeader: true,
  },
  saveUserQuestionnaire: {
    method: 'PATCH',
    path: '/client-api/api/user_questionnaire',
    caller: 'account',
    requiredRight: 'settings',
    summary: "Set the website and user's name",
    body: z.strictObject({
      website: Website,
      name: createValidatedField('name', findNameIssue),
      surname: createValidatedField('surname', findNameIssue),
    }),
    response: SignedInResponse,
  },
  saveAccountQuestionnaire: {
    method: 'PATCH',
    path: '/client-api/api/account_questionnaire',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Set the postal address and time zone',
    body: z
      .strictObject({
        address: createValidatedField('address', findPlaceIssue),
        city: createValidatedField('city', findPlaceIssue),
        state: createValidatedField('state', findPlaceIssue),
        timezone: createValidatedField('timezone', (zone) => (zone ? undefined : 'required')),
        country: createValidatedField('country', (code) =>
          isCountry(code) ? undefined : 'required',
        ),
        zip_code: line(MAX_ADDRESS).nullable().optional(),
      })
      .superRefine((body, context) => {
        const issue = findPostalIssue(body.zip_code ?? '', body.country);
        if (!issue) return;
        context.addIssue({ code: 'custom', path: ['zip_code'], message: `errors.postal.${issue}` });
      }),
    response: SignedInResponse,
  },
  saveAccount: {
    method: 'PATCH',
    path: '/client-api/api/accounts',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Update the account',
    description: 'Changes the title, website, industry, language, time zone or date format.',
    body: z.strictObject({
      title: line(255).optional(),
      website: Website.optional(),
      industry: line(100).optional(),
      language: z.enum(LANGUAGES).optional(),
      timezone: z.string().min(1).max(64).optional(),
      date_format: z.enum(DATE_FORMATS).optional(),
    }),
    response: dataResponse(Account),
  },
  dashboardReachable: {
    method: 'GET',
    path: '/client-api/api/accounts/dashboard_reachable',
    caller: 'account',
    summary: 'Get reachable subscribers by channel',
    response: dataResponse(Reach),
  },
});
