// The settings of a transactional email: what it is called, its subject and its sender. It comes into being
// with its first save.
import { Alert, Button, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useRef } from 'react';
import { useServerForm } from '#platform/web/forms.ts';
import { touch } from '#platform/web/queries.ts';
import { useSession } from '#platform/web/session.ts';
import { useTexts } from '#platform/web/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useUnsaved } from '#platform/web/use-unsaved.ts';
import { isEmail } from '#platform/web/validators.ts';
import { InboxRow } from '../../content/web/index.ts';
import type { Transactional } from '../contract.ts';
import { NAME_MOST, PREHEADER_MOST, SUBJECT_MOST, TITLE_MOST } from '../limits.ts';
import { api, EMAILS, pathOf, touchesOf, useEmail } from './queries.ts';

export default function SettingsScreen() {
  const { transactional: id } = useParams({ strict: false }) as { transactional?: string };
  return id === undefined ? <SettingsForm email={undefined} /> : <Existing id={id} />;
}

function Existing({ id }: { id: string }) {
  const email = useEmail(id);
  if (email.isLoadingError) return <FailedState error={email.error} retry={email.refetch} />;
  if (!email.data) return <LoadingState rows={6} />;
  return <SettingsForm key={email.data.data.revision} email={email.data.data} />;
}

function SettingsForm({ email }: { email: Transactional | undefined }) {
  const t = useTexts('transactional');
  const navigate = useNavigate();
  const { user, account } = useSession();
  const key = useRef(crypto.randomUUID());
  const { form, isBusy, submit } = useServerForm({
    initialValues: {
      title: email?.title ?? '',
      subject: email?.subject ?? '',
      preheader: email?.preheader ?? '',
      from_name: email?.from_name || account.title,
      from_email: email?.from_email || user.email,
      reply_to: email?.reply_to ?? '',
    },
    validate: {
      title: (value) => (value.trim() ? null : t('fields.titleRequired')),
      subject: (value) => (value.trim() ? null : t('fields.subjectRequired')),
      from_email: (value) => (isEmail(value.trim()) ? null : t('fields.emailInvalid')),
      reply_to: (value) =>
        value.trim() === '' || isEmail(value.trim()) ? null : t('fields.emailInvalid'),
    },
    send: async (values) => {
      const saved = email
        ? await api('PATCH /client-api/api/transactional/{id}', {
            params: { id: email.id },
            body: { ...values, revision: email.revision },
          })
        : await api('POST /client-api/api/transactional', {
            body: values,
            idempotencyKey: key.current,
          });
      form.resetDirty();
      await touch(...touchesOf(saved.data.id));
      const next = saved.data.editor === null ? 'editor' : 'overview';
      await navigate({ to: pathOf(saved.data.id, next), ignoreBlocker: true });
    },
  });
  useUnsaved({
    name: `transactional:${email?.id ?? 'new'}:settings`,
    unsaved: form.isDirty() ? form.getValues() : undefined,
    restore: (values) => form.setValues(values),
    guard: true,
  });
  const { subject, preheader, from_name } = form.getValues();
  return (
    <Page
      title={email ? email.title : t('create')}
      back={
        email
          ? { to: pathOf(email.id, 'overview'), label: t('overview') }
          : { to: EMAILS, label: t('title') }
      }
      width="reading"
    >
      <form onSubmit={submit} noValidate>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl">
          <Stack gap="md">
            <TextInput
              label={t('fields.title')}
              description={t('fields.titleHint')}
              maxLength={TITLE_MOST}
              required
              data-autofocus={email === undefined || undefined}
              {...form.getInputProps('title')}
            />
            <TextInput
              label={t('fields.subject')}
              maxLength={SUBJECT_MOST}
              required
              dir="auto"
              {...form.getInputProps('subject')}
            />
            <TextInput
              label={t('fields.preheader')}
              maxLength={PREHEADER_MOST}
              dir="auto"
              {...form.getInputProps('preheader')}
            />
            <TextInput
              label={t('fields.fromName')}
              maxLength={NAME_MOST}
              autoComplete="organization"
              {...form.getInputProps('from_name')}
            />
            <TextInput
              label={t('fields.fromEmail')}
              type="email"
              dir="ltr"
              required
              {...form.getInputProps('from_email')}
            />
            <TextInput
              label={t('fields.replyTo')}
              type="email"
              dir="ltr"
              {...form.getInputProps('reply_to')}
            />
            <Alert color="gray">{t('fields.permissionHint')}</Alert>
            <Group justify="flex-end">
              <Button type="submit" loading={isBusy}>
                {t('save')}
              </Button>
            </Group>
          </Stack>
          <div>
            <Text size="sm" fw={600} mb="xs">
              {t('inbox')}
            </Text>
            <InboxRow
              from={from_name || t('fields.fromName')}
              subject={subject}
              preheader={preheader}
            />
          </div>
        </SimpleGrid>
      </form>
    </Page>
  );
}
