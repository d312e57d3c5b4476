// Converts the settings of a campaign to form values and saves them.
import {
  type UtmFormValues,
  useSettingsSaving,
  toUtmForm,
  toUtmValues,
  createUtmRules,
} from '#areas/broadcasts/web/index.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { LANGUAGES } from '#platform/languages.ts';
import type { Autosave } from '#platform/web/editing/use-autosave.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type EnvelopeValues, createEnvelope, useEnvelopeRules } from '../../content/web/index.ts';
import { UTM_NAMES } from '../../content/utm.ts';
import type { Campaign } from '../contract.ts';
import { api, listAffectedQueries } from './queries.ts';

export type CampaignSettingsValues = EnvelopeValues & {
  title: string;
  language: string;
  /** Whether UTM parameters are added. */
  measures: boolean;
  utm: UtmFormValues;
};

export function settingsFormValues(
  campaign: Campaign | undefined,
  sender: { name: string; email: string; reply_to?: string },
): CampaignSettingsValues {
  const envelope = createEnvelope(campaign, sender);
  return {
    title: campaign?.title ?? '',
    ...envelope,
    reply_to: envelope.reply_to || toUnicodeDomain(sender.reply_to ?? ''),
    language: campaign?.language ?? '',
    measures: campaign !== undefined && campaign.utm_campaign !== null,
    utm: toUtmForm({ ...campaign?.utm, campaign: campaign?.utm_campaign ?? '' }),
  };
}

export function toSettingsBody({ measures, utm, language, ...settings }: CampaignSettingsValues) {
  const { campaign = '', ...others } = toUtmValues(utm);
  return {
    ...settings,
    language: LANGUAGES.find((known) => known === language) ?? null,
    utm_campaign: measures ? campaign : null,
    utm: others,
  };
}

export function useSettingsRules() {
  const t = useTexts('campaigns');
  const tokenUnknown = useTexts('broadcasts')('utm.tokenUnknown');
  return {
    title: (value: string) => (value.trim() ? null : t('fields.titleRequired')),
    ...useEnvelopeRules(),
    utm: createUtmRules(tokenUnknown),
  };
}

type Rules = ReturnType<typeof useSettingsRules>;

/** Leaves out invalid values, which are sent once they are corrected. */
function toValidBody(values: CampaignSettingsValues, rules: Rules) {
  const { title, from_email, reply_to, utm, utm_campaign, ...body } = toSettingsBody(values);
  return {
    ...body,
    ...(rules.title(title) === null && { title }),
    ...(rules.from_email(from_email) === null && { from_email }),
    ...(rules.reply_to(reply_to) === null && { reply_to }),
    ...(isValidUtm(values.utm, rules) && { utm, utm_campaign }),
  };
}

const isValidUtm = (utm: UtmFormValues, rules: Rules): boolean =>
  UTM_NAMES.every((name) => rules.utm[name](utm[name]) === null);

/** Returns whether all values are valid and thus part of a save. */
export const isWhole = (values: CampaignSettingsValues, rules: Rules): boolean =>
  rules.title(values.title) === null &&
  rules.from_email(values.from_email) === null &&
  rules.reply_to(values.reply_to) === null &&
  isValidUtm(values.utm, rules);

export function useCampaignSaving(campaign: Campaign): Autosave<CampaignSettingsValues> {
  const { id } = campaign;
  const { user, account } = useSession();
  const rules = useSettingsRules();
  const sender = { name: account.title, email: user.email };
  const params = { id };
  return useSettingsSaving<Campaign, CampaignSettingsValues>({
    name: `campaign:${id}:envelope`,
    row: campaign,
    toFormValues: (row) => settingsFormValues(row, sender),
    load: async () => (await api('GET /client-api/api/campaigns/{id}', { params })).data,
    save: async (values, revision) => {
      const body = { ...toValidBody(values, rules), revision };
      const { data } = await api('PATCH /client-api/api/campaigns/{id}', { params, body });
      void invalidate(...listAffectedQueries(id));
      return data;
    },
  });
}
