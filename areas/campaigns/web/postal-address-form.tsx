// The form of the postal address, loaded when its dialog opens.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { client } from '#platform/web/api.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { touch } from '#platform/web/queries.ts';
import { useSession } from '#platform/web/session.ts';
import { useTexts } from '#platform/web/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import type { calls } from '../../accounts/contract.ts';

const api = client<typeof calls>();

export default function AddressForm({
  close,
  onSaved,
}: {
  close: () => void;
  onSaved: () => void;
}) {
  const t = useTexts('campaigns');
  const { account } = useSession();
  const countries = useCountries();
  const required = (value: string) => (value.trim() ? null : t('fields.required'));
  const { form, isBusy, submit } = useServerForm({
    initialValues: {
      address: '',
      city: '',
      state: '',
      zip_code: '',
      country: account.country ?? '',
    },
    validate: { address: required, city: required, state: required, country: required },
    send: async (values) => {
      await api('PATCH /client-api/api/account_questionnaire', {
        body: { ...values, timezone: account.timezone },
      });
      await touch('/client-api/api/users');
      onSaved();
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <Text size="sm" c="dimmed">
          {t('address.why')}
        </Text>
        <TextInput
          label={t('address.address')}
          autoComplete="street-address"
          required
          data-autofocus
          {...form.getInputProps('address')}
        />
        <Group grow gap="sm">
          <TextInput
            label={t('address.zip')}
            autoComplete="postal-code"
            {...form.getInputProps('zip_code')}
          />
          <TextInput
            label={t('address.city')}
            autoComplete="address-level2"
            required
            {...form.getInputProps('city')}
          />
        </Group>
        <TextInput
          label={t('address.state')}
          autoComplete="address-level1"
          required
          {...form.getInputProps('state')}
        />
        <SearchableSelect
          label={t('address.country')}
          autoComplete="country-name"
          required
          data={countries}
          {...form.getInputProps('country')}
        />
        <Group justify="flex-end" gap="xs" mt="sm">
          <Button variant="default" onClick={close}>
            {t('cancel')}
          </Button>
          <Button type="submit" loading={isBusy}>
            {t('address.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Codes that ISO 3166 reserves or has withdrawn, which browsers still name. */
const NO_COUNTRIES =
  'AC AN BU CP CQ CS DD DG DY EA EU EZ FX HV IC NH NT QO QU RH SU TA TP UK UN VD XA XB YD YU ZR ZZ';
const A = 65;

/** All countries in the reader's language, in its order. */
function useCountries(): { value: string; label: string }[] {
  const { language } = useTranslation().i18n;
  return useMemo(() => {
    const names = new Intl.DisplayNames(language, { type: 'region', fallback: 'none' });
    const list: { value: string; label: string }[] = [];
    for (let i = 0; i < 26 * 26; i++) {
      const value = String.fromCharCode(A + Math.floor(i / 26), A + (i % 26));
      const label = NO_COUNTRIES.includes(value) ? undefined : names.of(value);
      if (label) list.push({ value, label });
    }
    return list.sort((a, b) => a.label.localeCompare(b.label, language));
  }, [language]);
}
