// Default UTM parameters of links in emails and SMS.
import { Button, Group, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { invalidate } from '#platform/web/api/queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { UTM_NAMES, type UtmName } from '../../content/utm.ts';
import type { UtmDefaults } from '../../content/utm-contract.ts';
import { api } from './queries.ts';
import {
  UtmField,
  type UtmFormValues,
  toUtmForm,
  createUtmRules,
} from '#areas/broadcasts/web/index.ts';

const CALL = '/client-api/api/utm';

export default function UtmScreen() {
  const t = useTexts('broadcasts');
  const defaults = useQuery(api.query(`GET ${CALL}`));
  return (
    <Page title={t('utm.title')} description={t('utm.description')} width="reading">
      {defaults.data ? (
        <DefaultsForm defaults={defaults.data.data} />
      ) : defaults.isError ? (
        <FailedState error={defaults.error} retry={() => void defaults.refetch()} />
      ) : (
        <LoadingState rows={6} />
      )}
    </Page>
  );
}

type UtmScreenValues = UtmFormValues & { is_on: boolean };

function DefaultsForm({ defaults }: { defaults: UtmDefaults }) {
  const t = useTexts('broadcasts');
  const { form, isBusy, submit } = useKeptForm<UtmScreenValues>('settings:utm', {
    initialValues: { ...toUtmForm(defaults), is_on: defaults.is_on },
    validate: createUtmRules(t('utm.tokenUnknown')),
    send: async (values) => {
      const { data } = await api(`PATCH ${CALL}`, { body: values });
      toast(t('utm.saved'));
      form.resetDirty({ ...toUtmForm(data), is_on: data.is_on });
      await invalidate(CALL);
    },
  });
  // The built-in values differ between emails and SMS, so these texts name both.
  const builtIn: Partial<Record<UtmName, string>> = {
    source: t('utm.builtIn.source'),
    medium: t('utm.builtIn.medium'),
    campaign: t('utm.builtIn.campaign'),
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <Switch
          label={t('utm.isOn')}
          description={t('utm.isOnHint')}
          {...form.getInputProps('is_on', { type: 'checkbox' })}
        />
        {UTM_NAMES.map((name) => (
          <UtmField
            key={name}
            label={t(`utm.names.${name}`)}
            description={builtIn[name] ?? t('utm.builtIn.none')}
            inputProps={form.getInputProps(name)}
          />
        ))}
        <Text size="sm" c="dimmed">
          {t('utm.kept')}
        </Text>
        <Group>
          <Button type="submit" loading={isBusy}>
            {t('utm.save')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
