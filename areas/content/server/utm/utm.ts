// UTM parameters of a message: from its campaign, then the account, then the built-in defaults.
import { cutText } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { toWallTime } from '#platform/server/zoned-time.ts';
import {
  BUILT_IN_UTM,
  mergeUtmLayers,
  hasToken,
  MAX_UTM_REPLACED,
  replaceTokens,
  UTM_NAMES,
  type UtmChannel,
  type UtmValues,
} from '../../utm.ts';
import type { UtmDefaults } from '../../utm-contract.ts';
import * as store from './utm.sql.ts';

/** Data of a campaign or workflow for tokens. */
export type UtmCampaign = { title: string; id: string; groups: readonly string[] };

export type UtmChoice = {
  /** Values of the campaign; blank ones use the account's. */
  values: UtmValues;
  /** Instant of the token {date}; null: now. */
  at: Date | null;
  /** Read only if a token needs it. */
  readCampaign(db: Reader): Promise<UtmCampaign>;
};

export async function readUtmDefaults(db: Reader, accountId: number): Promise<UtmDefaults> {
  const { is_on, values } = (await store.findUtmDefaults(db, accountId)) ?? {
    is_on: false,
    values: {},
  };
  const { source = '', medium = '', campaign = '', term = '', content = '', id = '' } = values;
  return { is_on, source, medium, campaign, term, content, id };
}

export async function updateUtmDefaults(
  tx: Tx,
  accountId: number,
  { is_on: isOn, ...values }: { is_on?: boolean | undefined } & UtmValues,
): Promise<UtmDefaults> {
  await store.mergeUtmDefaults(tx, accountId, { isOn, values }, clock.now());
  return readUtmDefaults(tx, accountId);
}

/** @param timezone of the account, for the token {date} */
export async function resolveUtm(
  db: Reader,
  { accountId, timezone }: { accountId: number; timezone: string },
  channel: UtmChannel,
  choice: UtmChoice,
): Promise<UtmValues> {
  const { values: defaults = {} } = (await store.findUtmDefaults(db, accountId)) ?? {};
  const templates = mergeUtmLayers(choice.values, defaults, BUILT_IN_UTM[channel]);
  const needsCampaign = (['campaign_title', 'campaign_id', 'group'] as const).some((token) =>
    UTM_NAMES.some((name) => hasToken(templates[name] ?? '', token)),
  );
  const campaignValues = needsCampaign
    ? await choice.readCampaign(db)
    : { title: '', id: '', groups: [] };
  const tokens = {
    campaign_title: campaignValues.title,
    campaign_id: campaignValues.id,
    date: toWallTime(choice.at ?? clock.now(), timezone).slice(0, 10),
    group: campaignValues.groups.join(', '),
  };
  const values: UtmValues = {};
  for (const name of UTM_NAMES) {
    const value = replaceTokens(templates[name] ?? '', tokens);
    if (value !== '') values[name] = cutText(value, MAX_UTM_REPLACED);
  }
  // If the source consists of empty tokens only, the built-in source is used, because analytics
  // services ignore the other parameters without a source.
  const source = values.source ?? BUILT_IN_UTM[channel].source;
  return { ...values, source };
}
