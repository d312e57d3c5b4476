// Settings of an SMS step. Length, preview, cost and test work as in an SMS campaign.
import { Group, Stack, Switch } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import {
  CostPerSubscriber,
  MessageField,
  SubscriberChoice,
  PhoneFrame,
  SenderField,
  type SmsContent,
  SmsTestNote,
  UnsavedTestButton,
  useSenders,
  useSmsPreview,
} from '../../../sms/web/index.ts';
import type { StepData } from '../../contract.ts';
import { builderPath } from '../queries.ts';
import { useBuilder } from '../use-builder.ts';
import { HoldingFields } from './hold-fields.tsx';
import type { StepFormProps } from './step-panel.tsx';

type SmsData = Partial<StepData['SMS']>;

const toContent = (sms: SmsData): SmsContent => ({
  phone_id: sms.phone ?? null,
  text: sms.text ?? '',
  prefix: sms.add_organization_name ?? true,
  optOut: sms.append_opt_out ?? true,
  analytics: sms.google_analytics ?? false,
});

export function SmsForm({ draft }: StepFormProps) {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const { data, change } = draft;
  const content = toContent(data as SmsData);
  const [subscriberId, setSubscriberId] = useState<string | null>(null);
  const preview = useSmsPreview(content, subscriberId);
  const partCount = preview.data?.data.worst.parts;
  return (
    <>
      <SenderField
        value={content.phone_id}
        onChange={(phone) => change({ phone })}
        returnTo={{ to: builderPath(workflow.id), kind: 'workflow', takesSender: true }}
      />
      <Stack gap={4}>
        <MessageField
          value={content.text}
          onChange={(text) => change({ text: text || undefined })}
          longestPreview={preview.data?.data.worst}
        />
        {content.text.trim() !== '' && <CostPerSubscriber parts={partCount} />}
      </Stack>
      <Switch
        label={t('sms.prefix')}
        checked={content.prefix}
        onChange={(event) => change({ add_organization_name: event.currentTarget.checked })}
      />
      <Switch
        label={t('sms.optOut')}
        checked={content.optOut}
        onChange={(event) => change({ append_opt_out: event.currentTarget.checked })}
      />
      <Switch
        label={t('email.measures')}
        checked={content.analytics}
        onChange={(event) => change({ google_analytics: event.currentTarget.checked })}
      />
      <Preview
        content={content}
        subscriberId={subscriberId}
        onSubscriberChange={setSubscriberId}
        previewText={preview.data?.data.shown.text}
      />
      <HoldingFields draft={draft} />
    </>
  );
}

interface PreviewProps {
  content: SmsContent;
  subscriberId: string | null;
  onSubscriberChange: (id: string | null) => void;
  previewText: string | undefined;
}

function Preview({ content, subscriberId, onSubscriberChange, previewText }: PreviewProps) {
  const t = useTexts('sms');
  const sender = useSenders().data?.data.find(({ id }) => id === content.phone_id);
  return (
    <Stack gap="xs">
      <SubscriberChoice value={subscriberId} onChange={onSubscriberChange} />
      <PhoneFrame
        from={sender?.value ?? t('fields.sender')}
        text={content.text.trim() === '' ? '' : (previewText ?? '')}
      />
      <Group gap="xs">
        <UnsavedTestButton content={content} subscriber={subscriberId} />
      </Group>
      <SmsTestNote />
    </Stack>
  );
}
