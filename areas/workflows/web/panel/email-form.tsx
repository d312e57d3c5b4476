// Settings of an EMAIL step: sender and subject, the link to the editor, a test email, UTM
// parameters, and when it is held or skipped.
import { Button, Group, Paper, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { EmailInput } from '#platform/web/ui/email-input.tsx';
import { isEmail } from '#platform/web/validators.ts';
import {
  InboxRow,
  SubscriberSelect,
  TestEmailButton,
  usePlainPreview,
} from '../../../content/web/index.ts';
import type { StepData } from '../../contract.ts';
import { MAX_UTM } from '../../shared.ts';
import { buildEmailPath, LIST_PATH, STEP_EMAILS } from '../queries.ts';
import { useBuilder } from '../use-builder.ts';
import { HoldingFields } from './hold-fields.tsx';
import type { StepFormProps } from './step-panel.tsx';

export function EmailForm({ step, draft }: StepFormProps) {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const { data, change } = draft;
  const email = data as Partial<StepData['EMAIL']>;
  const line = (name: 'subject' | 'preheader' | 'from_name' | 'from_email' | 'reply_to') => ({
    label: t(`email.${name}`),
    value: email[name] ?? '',
    onChange: (event: { currentTarget: { value: string } }) =>
      change({ [name]: event.currentTarget.value || undefined }),
  });
  const isInvalid = (value: string | undefined) =>
    value && !isEmail(value.trim()) ? t('email.wrong') : undefined;
  return (
    <>
      <TextInput {...line('subject')} required maxLength={255} dir="auto" />
      <TextInput {...line('preheader')} maxLength={255} dir="auto" />
      <TextInput {...line('from_name')} required maxLength={100} dir="auto" />
      <EmailInput {...line('from_email')} required error={isInvalid(email.from_email)} />
      <EmailInput {...line('reply_to')} error={isInvalid(email.reply_to)} />
      <EmailContent step={step} draft={draft} />
      <Measures title={workflow.title} value={email.utm_campaign} onChange={change} />
      <HoldingFields draft={draft} />
    </>
  );
}

/** UTM parameters on links; the campaign defaults to the title of the workflow. */
function Measures({
  title,
  value,
  onChange,
}: {
  title: string;
  value: string | undefined;
  onChange: (change: { utm_campaign: string | undefined }) => void;
}) {
  const t = useTexts('workflows');
  return (
    <>
      <Switch
        label={t('email.measures')}
        checked={value !== undefined}
        onChange={(event) =>
          onChange({
            utm_campaign: event.currentTarget.checked ? title.slice(0, MAX_UTM) : undefined,
          })
        }
      />
      {value !== undefined && (
        <TextInput
          label={t('email.campaign')}
          maxLength={MAX_UTM}
          dir="auto"
          value={value}
          onChange={(event) => onChange({ utm_campaign: event.currentTarget.value })}
        />
      )}
    </>
  );
}

function EmailContent({ step, draft }: StepFormProps) {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const navigate = useNavigate();
  const [person, setPerson] = useState<string | null>(null);
  const email = { basePath: STEP_EMAILS, id: step.id };
  const hasContent = step.editor !== null;
  const preview = usePlainPreview(email, person, hasContent);
  const {
    subject = '',
    preheader = '',
    from_name: name,
  } = draft.data as Partial<StepData['EMAIL']>;
  const design = async () => {
    await draft.save();
    await invalidate(LIST_PATH);
    await navigate({
      to: buildEmailPath(workflow.id, step.id, step.editor ?? 'editor'),
      ignoreBlocker: true,
    });
  };
  const saveDraft = async () => {
    await draft.save();
    return true;
  };
  return (
    <Paper withBorder p="sm">
      <Stack gap="sm">
        <InboxRow from={name || t('email.from_name')} subject={subject} preheader={preheader} />
        {hasContent && (
          <Text size="sm" c="dimmed" lineClamp={6} dir="auto" style={{ whiteSpace: 'pre-line' }}>
            {preview.data?.data.text ?? ''}
          </Text>
        )}
        <Group gap="xs">
          <Button
            size="xs"
            leftSection={<IconPencil size={16} stroke={1.75} />}
            onClick={() => void design()}
          >
            {t(hasContent ? 'email.edit' : 'email.write')}
          </Button>
        </Group>
        {hasContent && (
          <>
            <SubscriberSelect email={email} value={person} onChange={setPerson} />
            <Group>
              <TestEmailButton email={email} subscriberId={person} beforeSend={saveDraft} />
            </Group>
          </>
        )}
      </Stack>
    </Paper>
  );
}
