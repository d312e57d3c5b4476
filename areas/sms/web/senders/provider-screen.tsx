// The form of one of the account's own SMS providers: its credentials, rate, and position in the
// order of use.
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { OutletForm } from '#areas/delivery/web/index.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { SmsProvider } from '../../providers-contract.ts';
import { AccountFields, PaceFields, ProviderOrder } from './provider-fields.tsx';
import {
  toProviderBody,
  listFinishedLimits,
  type ProviderForm,
  providerFormValues,
} from './provider-form.ts';
import { ProviderDot } from './provider-state.tsx';
import { providers as api, PROVIDERS } from '../queries.ts';

const NEW_ID = 'new';
const LIST_PATH = '/settings/sms-providers';

export default function ProviderScreen() {
  const t = useTexts('sms');
  const id = useParam('provider');
  const backLink = { to: LIST_PATH, label: t('providers.title') };
  const provider = useQuery({
    ...api.query('GET /client-api/api/sms/providers/{id}', { params: { id } }),
    enabled: id !== NEW_ID,
    // The form starts with the current values, not with values cached by an earlier visit.
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (id === NEW_ID) return <Editor back={backLink} />;
  if (provider.data) return <Editor provider={provider.data.data} back={backLink} />;
  return (
    <Page title={t('providers.one')} back={backLink} width="reading">
      {provider.isError ? (
        <FailedState error={provider.error} retry={() => void provider.refetch()} />
      ) : (
        <LoadingState rows={8} />
      )}
    </Page>
  );
}

function Editor({
  provider,
  back,
}: {
  provider?: SmsProvider;
  back: { to: string; label: string };
}) {
  const t = useTexts('sms');
  const navigate = useNavigate();
  const { form, isBusy, submit } = useKeptForm<ProviderForm>(
    `sms-provider:${provider?.id ?? NEW_ID}`,
    {
      secrets: ['secret', 'hook_key'],
      initialValues: providerFormValues(provider),
      validate: {
        title: (title) => (title.trim() === '' ? t('fields.required') : null),
        secret: (secret) => (!provider && secret.trim() === '' ? t('fields.required') : null),
      },
      send: async (values) => {
        const body = toProviderBody(values);
        // Removes incomplete rows first so that server errors by row index match the rows.
        form.setFieldValue('number_limits', listFinishedLimits(values));
        if (provider) {
          const call = { params: { id: provider.id }, body };
          await api('PATCH /client-api/api/sms/providers/{id}', call);
        } else {
          const { kind } = values;
          await api('POST /client-api/api/sms/providers', { body: { ...body, kind } });
        }
        toast(t('providers.saved', { title: body.title }));
        form.resetDirty();
        await invalidate(PROVIDERS);
        await navigate({ to: LIST_PATH, ignoreBlocker: true });
      },
    },
  );
  return (
    <Page
      title={provider ? <bdi>{provider.title}</bdi> : t('providers.add')}
      status={provider && <ProviderDot provider={provider} />}
      back={back}
      width="reading"
    >
      <OutletForm onSubmit={submit}>
        <AccountFields form={form} isKnown={provider !== undefined} />
        <PaceFields form={form} />
        <ProviderOrder form={form} />
        <Group gap="xs">
          <Button type="submit" loading={isBusy}>
            {t(provider ? 'save' : 'providers.add')}
          </Button>
          <Button variant="default" onClick={() => void navigate({ to: LIST_PATH })}>
            {t('platform:confirm.cancel')}
          </Button>
        </Group>
      </OutletForm>
    </Page>
  );
}
