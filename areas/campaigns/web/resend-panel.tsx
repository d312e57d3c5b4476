// The panel that sets up, changes and cancels a resend to non-openers, shown with its campaign.
import { Button, Group, NativeSelect, Paper, Stack, Text, TextInput } from '@mantine/core';
import { IconMailForward } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Campaign } from '../contract.ts';
import { MAX_SUBJECT } from '../shared.ts';
import { api, listAffectedQueries } from './queries.ts';

const HOURS = [12, 24, 48, 72, 96, 120, 144, 168];

type Resend = NonNullable<Campaign['resend']>;

/** Reasons for a failed start that have a message; other failures are shown without a reason. */
const FAILURES = [
  'content_invalid',
  'sender_not_verified',
  'not_found',
  'server_error',
  'document_too_slow',
] as const;

export default function ResendPanel({ campaign }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const { dateTime } = useFormats();
  const [isEditing, setEditing] = useState(false);
  if (campaign.resend_of !== null) return <OriginalCampaignLink id={campaign.resend_of} />;
  const { resend } = campaign;
  const zone = campaign.schedule_zone ?? undefined;
  const isSet = resend?.state === 'waiting' || resend?.state === 'started';
  const failure = FAILURES.find((failure) => failure === resend?.reason);
  return (
    <Paper withBorder p="md">
      <Text component="h2" fw={600} mb="xs">
        {t('resend.title')}
      </Text>
      {isEditing ? (
        <ResendForm campaign={campaign} close={() => setEditing(false)} />
      ) : resend && isSet ? (
        <ResendStatus campaign={campaign} resend={resend} onEdit={() => setEditing(true)} />
      ) : (
        <Stack gap="sm" align="start">
          <Text size="sm" c="dimmed">
            {t('resend.text')}
          </Text>
          {resend?.state === 'failed' && (
            <Text size="sm" c="var(--danger)" role="status">
              {resend.reason === 'late' && resend.due_at
                ? t('resend.late', { time: dateTime(resend.due_at, zone) })
                : t(failure ? `resend.failures.${failure}` : 'resend.failed')}
            </Text>
          )}
          <Button
            size="sm"
            variant="default"
            leftSection={<IconMailForward size={18} stroke={1.75} />}
            onClick={() => setEditing(true)}
          >
            {t('resend.setUp')}
          </Button>
        </Stack>
      )}
    </Paper>
  );
}

/** The link to the first campaign, for a campaign that is a resend. */
function OriginalCampaignLink({ id }: { id: string }) {
  const t = useTexts('campaigns');
  return (
    <Paper withBorder p="md">
      <Text size="sm">
        {t('resend.isOne')} <Link to={`/campaigns/${id}/confirm`}>{t('resend.first')}</Link>
      </Text>
    </Paper>
  );
}

function ResendStatus({
  campaign,
  resend,
  onEdit,
}: {
  campaign: Campaign;
  resend: Resend;
  onEdit: () => void;
}) {
  const t = useTexts('campaigns');
  const { dateTime } = useFormats();
  const delay = useDelay();
  const { id } = campaign;
  const cancelResend = useAction(
    () => api('DELETE /client-api/api/campaigns/{id}/resend', { params: { id } }),
    { invalidates: listAffectedQueries(id) },
  );
  if (resend.state === 'started') {
    return (
      <Text size="sm">
        {t('resend.started')}{' '}
        {resend.campaign && (
          <Link to={`/campaigns/${resend.campaign}/confirm`}>{t('resend.open')}</Link>
        )}
      </Text>
    );
  }
  const zone = campaign.schedule_zone ?? undefined;
  return (
    <Stack gap="sm" align="start">
      <Text size="sm">
        {resend.due_at
          ? t('resend.dueAt', { time: dateTime(resend.due_at, zone) })
          : t('resend.dueAfter', { delay: delay(resend.hours) })}
      </Text>
      <Text size="sm" fw={500}>
        <bdi>{resend.subject}</bdi>
      </Text>
      <Group gap="xs">
        <Button size="sm" variant="default" onClick={onEdit}>
          {t('resend.change')}
        </Button>
        <Button
          size="sm"
          variant="default"
          loading={cancelResend.isPending}
          onClick={() => cancelResend.mutate(undefined)}
        >
          {t('resend.takeBack')}
        </Button>
      </Group>
    </Stack>
  );
}

function ResendForm({ campaign, close }: { campaign: Campaign; close: () => void }) {
  const t = useTexts('campaigns');
  const delay = useDelay();
  const { id, resend } = campaign;
  const { form, isBusy, submit } = useServerForm({
    initialValues: {
      subject: resend?.subject ?? campaign.subject,
      hours: String(resend?.hours ?? 48),
    },
    validate: {
      subject: (value) => (value.trim() ? null : t('composing:envelope.subjectRequired')),
    },
    send: async (values) => {
      const body = { subject: values.subject, hours: Number(values.hours) };
      await api('PUT /client-api/api/campaigns/{id}/resend', { params: { id }, body });
      await Promise.all(listAffectedQueries(id).map((path) => invalidate(path)));
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <TextInput
          label={t('composing:envelope.subject')}
          description={t('resend.subjectHint')}
          maxLength={MAX_SUBJECT}
          {...form.getInputProps('subject')}
        />
        <NativeSelect
          label={t('resend.when')}
          description={campaign.sent_at ? t('resend.whenSent') : undefined}
          data={HOURS.map((hours) => ({ value: String(hours), label: delay(hours) }))}
          {...form.getInputProps('hours')}
        />
        <Group gap="xs">
          <Button type="submit" size="sm" loading={isBusy}>
            {t('resend.save')}
          </Button>
          <Button size="sm" variant="default" onClick={close}>
            {t('platform:confirm.cancel')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useDelay(): (hours: number) => string {
  const t = useTexts('campaigns');
  return (hours) =>
    hours % 24 === 0
      ? t('resend.days', { count: hours / 24 })
      : t('resend.hours', { count: hours });
}
