// The time zone, date format and email language of the account.
import { NativeSelect } from '@mantine/core';
import { useMemo } from 'react';
import { LANGUAGES, languageNames } from '#platform/web/texts/languages.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useTimeZones } from '#platform/web/texts/countries-and-zones.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import type { Account } from '../../contract.ts';
import { DATE_FORMATS } from '../../shared.ts';
import { listDateFormats } from './date-choices.ts';
import { api, invalidateSession } from './queries.ts';
import { SectionForm } from './section.tsx';
import { useSavedForm } from './use-kept-form.ts';

export default function RegionForm({ account }: { account: Account }) {
  const t = useTexts('accounts');
  const zones = useTimeZones(account.timezone);
  const formats = useMemo(() => listDateFormats(t), [t]);
  const { form, isBusy, submit } = useSavedForm('region', {
    initialValues: {
      timezone: account.timezone,
      language: account.language,
      date_format: account.date_format,
    },
    validate: { timezone: (zone) => (zone ? null : t('account.zoneRequired')) },
    send: async (values) => {
      const date_format =
        DATE_FORMATS.find((dateFormat) => dateFormat === values.date_format) ?? 'auto';
      await api('PATCH /client-api/api/accounts', { body: { ...values, date_format } });
      toast(t('settings.saved'));
      await invalidateSession();
    },
  });
  return (
    <SectionForm onSubmit={submit} isBusy={isBusy} isChanged={form.isDirty()}>
      <SearchableSelect
        label={t('account.zone')}
        description={t('account.zoneHint')}
        data={zones}
        allowDeselect={false}
        {...form.getInputProps('timezone')}
      />
      <NativeSelect
        label={t('account.language')}
        description={t('account.languageHint')}
        data={LANGUAGES.map((value) => ({ value, label: languageNames[value] }))}
        {...form.getInputProps('language')}
      />
      <NativeSelect
        label={t('account.dates')}
        data={formats}
        {...form.getInputProps('date_format')}
      />
    </SectionForm>
  );
}
