// Settings of an SMS step.
import { Select, Switch, Textarea } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useSenders } from '../../../sms/web/index.ts';
import type { StepData } from '../../contract.ts';
import { HoldingFields } from './holding-fields.tsx';
import type { FormProps } from './step-panel.tsx';

export function SmsForm({ draft }: FormProps) {
  const t = useTexts('workflows');
  const { data, change } = draft;
  const sms = data as Partial<StepData['SMS']>;
  const senders = useSenders();
  return (
    <>
      <Select
        label={t('sms.sender')}
        required
        value={sms.phone ?? null}
        allowDeselect={false}
        comboboxProps={{ shadow: 'md' }}
        data={(senders.data?.data ?? []).map(({ id, value }) => ({ value: id, label: value }))}
        onChange={(phone) => change({ phone: phone ?? undefined })}
      />
      <Textarea
        label={t('sms.text')}
        description={t('sms.textHint', { tag: '{{firstname}}' })}
        required
        autosize
        minRows={4}
        maxRows={12}
        maxLength={2000}
        dir="auto"
        value={sms.text ?? ''}
        onChange={(event) => change({ text: event.currentTarget.value || undefined })}
      />
      <Switch
        label={t('sms.prefix')}
        checked={sms.add_organization_name ?? true}
        onChange={(event) => change({ add_organization_name: event.currentTarget.checked })}
      />
      <Switch
        label={t('sms.optOut')}
        checked={sms.append_opt_out ?? true}
        onChange={(event) => change({ append_opt_out: event.currentTarget.checked })}
      />
      <Switch
        label={t('email.measures')}
        checked={sms.google_analytics ?? false}
        onChange={(event) => change({ google_analytics: event.currentTarget.checked })}
      />
      <HoldingFields draft={draft} />
    </>
  );
}
