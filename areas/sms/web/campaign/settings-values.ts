// Settings of an SMS campaign as form values, and the calls that save them.
import {
  listAffectedQueries,
  type UtmFormValues,
  useSettingsSaving,
  toUtmForm,
  toUtmValues,
  createUtmRules,
} from '#areas/broadcasts/web/index.ts';
import { UTM_NAMES } from '#areas/content/utm.ts';
import type { Autosave } from '#platform/web/editing/use-autosave.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SmsCampaign } from '../../contract.ts';
import { api, isOn } from '../queries.ts';
import { smsUi } from '../ui.ts';
import { toContent, type SmsContent } from './preview.ts';

export type SmsSettingsValues = SmsContent & {
  title: string;
  phone_id: string;
  utm: UtmFormValues;
};

export const settingsFormValues = (campaign: SmsCampaign | undefined): SmsSettingsValues => ({
  title: campaign?.title ?? '',
  phone_id: campaign?.phone_id ?? '',
  text: campaign?.text ?? '',
  prefix: campaign ? isOn(campaign.add_organization_name) : true,
  optOut: campaign ? isOn(campaign.append_opt_out) : true,
  analytics: campaign ? isOn(campaign.google_analytics) : false,
  utm: toUtmForm(campaign?.utm ?? {}),
});

export const toSettingsBody = (values: SmsSettingsValues) => ({
  title: values.title.trim(),
  ...toContent(values),
  utm: toUtmValues(values.utm),
});

export function useSettingsRules() {
  const t = useTexts('sms');
  const tokenUnknown = useTexts('broadcasts')('utm.tokenUnknown');
  return {
    title: (value: string) => (value.trim() ? null : t('fields.titleRequired')),
    text: (value: string) => (value.trim() ? null : t('fields.textRequired')),
    phone_id: (value: string) => (value ? null : t('fields.senderNone')),
    utm: createUtmRules(tokenUnknown),
  };
}

type Rules = ReturnType<typeof useSettingsRules>;

const isValidUtm = (utm: UtmFormValues, rules: Rules): boolean =>
  UTM_NAMES.every((name) => rules.utm[name](utm[name]) === null);

/** Returns whether all values can be saved. The text and sender of a draft may be missing. */
export const isWhole = ({ title, utm }: SmsSettingsValues, rules: Rules): boolean =>
  rules.title(title) === null && isValidUtm(utm, rules);

/** Returns the values to save. Invalid values are omitted until the user corrects them. */
function toValidBody(values: SmsSettingsValues, rules: Rules) {
  const { title, utm, ...body } = toSettingsBody(values);
  return {
    ...body,
    ...(rules.title(title) === null && { title }),
    ...(isValidUtm(values.utm, rules) && { utm }),
  };
}

export function useSmsSaving(campaign: SmsCampaign): Autosave<SmsSettingsValues> {
  const rules = useSettingsRules();
  const params = { id: campaign.id };
  return useSettingsSaving<SmsCampaign, SmsSettingsValues>({
    name: `sms:${campaign.id}:settings`,
    row: campaign,
    toFormValues: settingsFormValues,
    load: async () => (await api('GET /client-api/api/sms/campaign/{id}', { params })).data,
    save: async (values, revision) => {
      const body = { ...toValidBody(values, rules), revision };
      const { data } = await api('PATCH /client-api/api/sms/campaign/{id}', { params, body });
      void invalidate(...listAffectedQueries(smsUi, campaign.id));
      return data;
    },
  });
}
