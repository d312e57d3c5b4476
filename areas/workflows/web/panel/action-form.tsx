// Settings of an ACTION step.
import { Select, Textarea, TextInput } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { StepData } from '../../contract.ts';
import { ACTIONS } from '../../shared.ts';
import { FieldPicker, GroupPicker } from './pickers.tsx';
import type { StepFormProps } from './step-panel.tsx';

type ActionData = Partial<StepData['ACTION']>;

export function ActionForm({ draft: { data, change } }: StepFormProps) {
  const t = useTexts('workflows');
  const { action, group, from_group: from } = data as ActionData;
  return (
    <>
      <Select
        label={t('actionForm.what')}
        description={action && t(`actionHint.${action}`)}
        value={action ?? null}
        allowDeselect={false}
        comboboxProps={{ shadow: 'md' }}
        data={ACTIONS.map((action) => ({ value: action, label: t(`action.${action}`) }))}
        onChange={(next) => change({ action: next ?? undefined })}
      />
      {action === 'MOVE' && (
        <GroupPicker
          label={t('actionForm.from')}
          value={from}
          onChange={(id) => change({ from_group: id })}
        />
      )}
      {(action === 'MOVE' || action === 'COPY' || action === 'REMOVE') && (
        <GroupPicker
          label={t(action === 'REMOVE' ? 'fields.group' : 'actionForm.to')}
          value={group}
          onChange={(id) => change({ group: id })}
        />
      )}
      <Details data={data} change={change} />
    </>
  );
}

/** Settings of actions that do not concern groups. */
function Details({ data, change }: Pick<StepFormProps['draft'], 'data' | 'change'>) {
  const t = useTexts('workflows');
  const { action, field, value, message, url, channel } = data as ActionData;
  return (
    <>
      {action === 'UNSUBSCRIBE' && (
        <Select
          label={t('actionForm.channel')}
          value={channel ?? 'email'}
          allowDeselect={false}
          comboboxProps={{ shadow: 'md' }}
          data={(['email', 'sms'] as const).map((name) => ({
            value: name,
            label: t(`channel.${name}`),
          }))}
          onChange={(next) => change({ channel: next ?? undefined })}
        />
      )}
      {action === 'NOTIFY' && (
        <Textarea
          label={t('actionForm.message')}
          autosize
          minRows={2}
          maxLength={500}
          dir="auto"
          value={message ?? ''}
          onChange={(event) => change({ message: event.currentTarget.value || undefined })}
        />
      )}
      {action === 'WEBHOOK' && (
        <TextInput
          type="url"
          dir="ltr"
          label={t('actionForm.url')}
          maxLength={2000}
          value={url ?? ''}
          onChange={(event) => change({ url: event.currentTarget.value || undefined })}
        />
      )}
      {action === 'FIELD' && (
        <>
          <FieldPicker
            label={t('fields.field')}
            value={field}
            onChange={(id) => change({ field: id })}
          />
          <TextInput
            label={t('actionForm.value')}
            description={t('actionForm.valueHint')}
            maxLength={1000}
            dir="auto"
            value={value === null || value === undefined ? '' : String(value)}
            onChange={(event) => change({ value: event.currentTarget.value || null })}
          />
        </>
      )}
    </>
  );
}
