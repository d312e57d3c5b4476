// The default UTM parameters of an account, and the parameters that one campaign overrides.
import { z } from 'zod';
import { dataResponse, defineCalls, line } from '#platform/contract.ts';
import { hasOnlyTokens, MAX_UTM } from './utm.ts';

/** A value with tokens: {campaign_title}, {campaign_id}, {date}, {group}. */
export const UtmValue = line(MAX_UTM).refine(hasOnlyTokens, 'errors.fields.utm_token');

/** Parameters that a campaign sets itself; blank ones use the account's defaults. */
export const UtmOverride = z
  .strictObject({
    source: UtmValue,
    medium: UtmValue,
    term: UtmValue,
    content: UtmValue,
    id: UtmValue,
  })
  .partial();
export type UtmOverride = z.infer<typeof UtmOverride>;

export const UtmDefaults = z.object({
  /** Whether new email campaigns add UTM parameters to their links. */
  is_on: z.boolean(),
  /** Blank: `newsletter` for emails, `sendloom` for SMS. */
  source: z.string(),
  /** Blank: `email` or `sms`. */
  medium: z.string(),
  /** Blank: the title of the campaign. */
  campaign: z.string(),
  /** These parameters are not added if they are blank. */
  term: z.string(),
  content: z.string(),
  id: z.string(),
});
export type UtmDefaults = z.infer<typeof UtmDefaults>;

export const utmCalls = defineCalls({
  readUtmDefaults: {
    method: 'GET',
    path: '/client-api/api/utm',
    caller: 'account',
    summary: 'Get the default UTM parameters',
    description: 'The parameters apply to links in emails and SMS.',
    response: dataResponse(UtmDefaults),
  },
  updateUtmDefaults: {
    method: 'PATCH',
    path: '/client-api/api/utm',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Update the default UTM parameters',
    description:
      'Omitted fields keep their values. Values may contain the tokens {campaign_title}, {campaign_id}, {date} and {group}. Messages that are being sent keep their links.',
    body: UtmOverride.extend({ is_on: z.boolean(), campaign: UtmValue }).partial(),
    response: dataResponse(UtmDefaults),
  },
});
