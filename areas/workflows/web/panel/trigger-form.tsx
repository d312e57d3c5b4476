// Settings of the trigger.
import { Alert, NumberInput, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableMultiSelect } from '#platform/web/ui/searchable-select.tsx';
import { queryAllFields } from '../../../fields/web/index.ts';
import type { StepData } from '../../contract.ts';
import { PRODUCT_TRIGGERS, STORE_TRIGGERS, TRIGGERS } from '../../shared.ts';
import { EventPicker, FieldPicker, FormPicker, GroupPicker, SegmentPicker } from './pickers.tsx';
import { ProductPicker, StorePicker } from './store-pickers.tsx';
import type { StepFormProps } from './step-panel.tsx';

type TriggerData = Partial<StepData['trigger']>;

export function TriggerForm({ draft: { data, change } }: StepFormProps) {
  const t = useTexts('workflows');
  const { triggerType: type } = data as TriggerData;
  return (
    <>
      <Select
        label={t('triggerForm.what')}
        description={type && t(`triggerHint.${type}`)}
        value={type ?? null}
        allowDeselect={false}
        comboboxProps={{ shadow: 'md' }}
        data={TRIGGERS.map((value) => ({ value, label: t(`trigger.${value}`) }))}
        onChange={(value) => change({ triggerType: value ?? undefined })}
      />
      <Settings data={data as TriggerData} onChange={change} />
    </>
  );
}

interface SettingsProps {
  data: TriggerData;
  onChange: (change: TriggerData) => void;
}

function Settings({ data, onChange }: SettingsProps) {
  const t = useTexts('workflows');
  if (STORE_TRIGGERS.has(data.triggerType ?? ''))
    return <StoreSettings data={data} onChange={onChange} />;
  switch (data.triggerType) {
    case 'LIST_ADD':
    case 'LIST_REMOVE':
      return (
        <>
          <GroupPicker
            label={t('fields.group')}
            value={data.listId}
            onChange={(listId) => onChange({ listId })}
          />
          <Alert color="gray">{t('triggerForm.byHand')}</Alert>
        </>
      );
    case 'FORM_SUBMIT':
      return (
        <FormPicker
          label={t('fields.form')}
          placeholder={t('triggerForm.anyForm')}
          clearable
          value={data.form}
          onChange={(form) => onChange({ form })}
        />
      );
    case 'SEGMENT_ENTER':
      return (
        <SegmentPicker
          label={t('fields.segment')}
          value={data.segment}
          onChange={(segment) => onChange({ segment })}
        />
      );
    case 'EVENT':
      return (
        <EventPicker
          label={t('fields.event')}
          value={data.event}
          onChange={(event) => onChange({ event })}
        />
      );
    case 'LINK_CLICK':
      return <UrlField data={data} onChange={onChange} />;
    case 'DATE':
    case 'ANNIVERSARY':
      return <DateSettings data={data} onChange={onChange} />;
    case 'FIELD_UPDATE':
      return <FieldSettings data={data} onChange={onChange} />;
    default:
      return null;
  }
}

function UrlField({ data, onChange }: SettingsProps) {
  const t = useTexts('workflows');
  return (
    <TextInput
      type="url"
      dir="ltr"
      label={t('triggerForm.url')}
      description={t('triggerForm.urlHint')}
      maxLength={2000}
      value={data.url ?? ''}
      onChange={(event) => onChange({ url: event.currentTarget.value || undefined })}
    />
  );
}

/** Product or store of the trigger. */
function StoreSettings({ data, onChange }: SettingsProps) {
  const t = useTexts('workflows');
  if (!PRODUCT_TRIGGERS.has(data.triggerType ?? ''))
    return (
      <StorePicker
        label={t('fields.store')}
        placeholder={t('triggerForm.anyStore')}
        clearable
        value={data.store}
        onChange={(store) => onChange({ store })}
      />
    );
  const isAny = data.triggerType === 'PRODUCT_VIEWED';
  return (
    <ProductPicker
      label={t('fields.product')}
      {...(isAny && { placeholder: t('triggerForm.anyProduct'), clearable: true })}
      value={data.product}
      onChange={(product) => onChange({ product })}
    />
  );
}

function DateSettings({ data, onChange }: SettingsProps) {
  const t = useTexts('workflows');
  return (
    <>
      <FieldPicker
        types={data.triggerType === 'DATE' ? ['datetime'] : ['datetime', 'birthday']}
        label={t('fields.dateField')}
        value={data.field}
        onChange={(field) => onChange({ field })}
      />
      <NumberInput
        label={t('triggerForm.offset')}
        min={-365}
        max={365}
        allowDecimal={false}
        value={data.offset_days ?? 0}
        onChange={(next) => onChange({ offset_days: typeof next === 'number' ? next : undefined })}
      />
      <TextInput
        type="time"
        dir="ltr"
        label={t('delayForm.time')}
        description={t('delayForm.timeHint')}
        value={data.time ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange({ time: value ? value.slice(0, 5) : undefined })
        }
      />
    </>
  );
}

function FieldSettings({ data, onChange }: SettingsProps) {
  const t = useTexts('workflows');
  const fieldsQuery = useQuery(queryAllFields());
  return (
    <SearchableMultiSelect
      label={t('fields.fields')}
      description={t('triggerForm.anyFieldHint')}
      value={data.fields ?? []}
      data={(fieldsQuery.data?.data ?? []).map(({ id, title }) => ({ value: id, label: title }))}
      onChange={(fields) => onChange({ fields })}
    />
  );
}
