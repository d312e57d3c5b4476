// The settings of a transactional email: its title, subject and sender.
import { Alert, Button, Group, SimpleGrid, Stack, TextInput } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useServerForm } from '#platform/web/forms.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';
import {
  EnvelopeFields,
  EnvelopePreview,
  createEnvelope,
  useEnvelopeRules,
} from '../../content/web/index.ts';
import type { Transactional } from '../contract.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import { api, transactionalPath, affectedQueries, useEmail } from './queries.ts';

export default function SettingsScreen() {
  const email = useEmail(useParam('transactional'));
  if (email.isLoadingError) return <FailedState error={email.error} retry={email.refetch} />;
  if (!email.data) return <LoadingState rows={6} />;
  return <SettingsForm key={email.data.data.revision} email={email.data.data} />;
}

function SettingsForm({ email }: { email: Transactional }) {
  const t = useTexts('transactional');
  const { form, isBusy, submit } = useSettings(email);
  return (
    <Page
      title={email.title}
      back={{ to: transactionalPath(email.id, 'overview'), label: t('overview') }}
      width="reading"
    >
      <form onSubmit={submit} noValidate>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          <Stack gap="md">
            <TextInput
              label={t('fields.title')}
              description={t('fields.titleHint')}
              maxLength={MAX_TITLE_LENGTH}
              required
              {...form.getInputProps('title')}
            />
            <EnvelopeFields getFieldProps={form.getInputProps} />
            <Alert color="gray">{t('fields.permissionHint')}</Alert>
            <Group justify="flex-end">
              <Button type="submit" loading={isBusy}>
                {t('save')}
              </Button>
            </Group>
          </Stack>
          <EnvelopePreview envelope={form.getValues()} />
        </SimpleGrid>
      </form>
    </Page>
  );
}

function useSettings(email: Transactional) {
  const t = useTexts('transactional');
  const navigate = useNavigate();
  const { user, account } = useSession();
  const rules = useEnvelopeRules();
  const { form, isBusy, submit } = useServerForm({
    initialValues: {
      title: email.title,
      ...createEnvelope(email, { name: account.title, email: user.email }),
    },
    validate: {
      title: (value) => (value.trim() ? null : t('fields.titleRequired')),
      ...rules,
    },
    send: async (values) => {
      const response = await api('PATCH /client-api/api/transactional/{id}', {
        params: { id: email.id },
        body: { ...values, revision: email.revision },
      });
      form.resetDirty();
      await invalidate(...affectedQueries(response.data.id));
      const next = response.data.editor === null ? 'editor' : 'overview';
      await navigate({ to: transactionalPath(response.data.id, next), ignoreBlocker: true });
    },
  });
  useUnsaved({
    name: `transactional:${email.id}:settings`,
    unsaved: form.isDirty() ? form.getValues() : undefined,
    restore: (values) => form.setValues(values),
    discard: () => form.reset(),
    onLeave: 'store',
  });
  return { form, isBusy, submit };
}
