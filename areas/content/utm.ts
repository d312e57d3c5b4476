// UTM parameters of links in emails and SMS, and the tokens in their values; shared by server and
// web.

/** In the order they are added to a link. */
export const UTM_NAMES = ['source', 'medium', 'campaign', 'term', 'content', 'id'] as const;
export type UtmName = (typeof UTM_NAMES)[number];
export type UtmValues = { [Name in UtmName]?: string | undefined };

/** Written in braces: `{date}`. */
export const UTM_TOKENS = ['campaign_title', 'campaign_id', 'date', 'group'] as const;
export type UtmToken = (typeof UTM_TOKENS)[number];

/** Maximum length of a value as written. */
export const MAX_UTM = 100;
/** Maximum length of a value with its tokens replaced. */
export const MAX_UTM_REPLACED = 255;

export type UtmChannel = 'email' | 'sms';

/** Values for accounts that have set none. */
export const BUILT_IN_UTM: Record<UtmChannel, UtmValues> = {
  email: { source: 'newsletter', medium: 'email', campaign: '{campaign_title}' },
  sms: { source: 'sendloom', medium: 'sms', campaign: '{campaign_title}' },
};

const TOKEN = /\{(campaign_title|campaign_id|date|group)\}/g;

/** Returns false for braces that form no token, because they would be sent literally. */
export const hasOnlyTokens = (value: string): boolean => !/[{}]/.test(value.replace(TOKEN, ''));

export const hasToken = (value: string, token: UtmToken): boolean => value.includes(`{${token}}`);

/** Replaces the tokens; consecutive spaces, as around an empty token, become one. */
export function replaceTokens(value: string, values: Record<UtmToken, string>): string {
  return value
    .replace(TOKEN, (_, token: UtmToken) => values[token])
    .replace(/\s+/g, ' ')
    .trim();
}

/** Returns the first value of each parameter that is not blank. */
export function mergeUtmLayers(...layers: readonly UtmValues[]): UtmValues {
  const values: UtmValues = {};
  for (const name of UTM_NAMES) {
    const value = layers.map((layer) => layer[name]?.trim()).find(Boolean);
    if (value) values[name] = value;
  }
  return values;
}
