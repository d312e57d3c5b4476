// Settings of a delay.
import { Checkbox, Group, Select, TextInput } from '@mantine/core';
import { LOCALE } from '#platform/web/texts/languages.ts';
import { useSession } from '#platform/web/session/session.ts';
import { getCurrentLanguage, useTexts } from '#platform/web/texts/texts.ts';
import type { StepData } from '../../contract.ts';
import { DELAYS, type DelayUnit, UNITS } from '../../shared.ts';
import { ConditionsField } from './conditions-field.tsx';
import { ActivityPicker, AmountPicker, FieldPicker } from './pickers.tsx';
import type { StepFormProps } from './step-panel.tsx';

type Delay = Partial<StepData['delay']>;
const isUnit = (type: string | undefined): type is DelayUnit => UNITS.includes(type as DelayUnit);
const DELAY_KINDS = ['TIME', ...DELAYS.filter((delay) => !isUnit(delay))] as const;

export function DelayForm({ step, draft: { data, change } }: StepFormProps) {
  const t = useTexts('workflows');
  const { delay_type: type, amount, field } = data as Delay;
  const kind = isUnit(type) ? 'TIME' : type;
  const changeKind = (value: string | null) => {
    if (value === 'TIME') return change({ delay_type: 'DAYS', amount: amount ?? 1 });
    if (value !== 'UNTIL') return change({ delay_type: value ?? undefined });
    change({ delay_type: value, amount: amount ?? 3, unit: 'DAYS', until: { kind: 'activity' } });
  };
  return (
    <>
      <Select
        label={t('delayForm.what')}
        value={kind ?? null}
        allowDeselect={false}
        comboboxProps={{ shadow: 'md' }}
        data={DELAY_KINDS.map((value) => ({ value, label: t(`delay.${value}`) }))}
        onChange={changeKind}
      />
      {isUnit(type) && (
        <AmountPicker
          label={t('delayForm.amount')}
          amount={amount}
          unit={type}
          onChange={({ unit, ...rest }) => change({ ...rest, ...(unit && { delay_type: unit }) })}
        />
      )}
      {type === 'DATE' && <OnDate data={data as Delay} onChange={change} />}
      {type === 'FIELD' && (
        <FieldPicker
          types={['datetime', 'birthday']}
          label={t('fields.dateField')}
          value={field}
          onChange={(id) => change({ field: id })}
        />
      )}
      {type === 'UNTIL' && <UntilFields step={step} data={data as Delay} onChange={change} />}
      {type !== 'DATE' && <Resume data={data as Delay} onChange={change} />}
    </>
  );
}

interface PartProps {
  data: Delay;
  onChange: (change: Delay) => void;
}

function OnDate({ data: { date }, onChange }: PartProps) {
  const t = useTexts('workflows');
  const { account } = useSession();
  return (
    <TextInput
      type="datetime-local"
      dir="ltr"
      label={t('delayForm.date')}
      description={t('delayForm.zone', { zone: account.timezone })}
      value={date?.slice(0, 16).replace(' ', 'T') ?? ''}
      onChange={({ currentTarget: { value } }) =>
        onChange({ date: value ? `${value.slice(0, 16).replace('T', ' ')}:00` : undefined })
      }
    />
  );
}

/** A delay until engagement or until conditions match, with a maximum time. */
function UntilFields({ step, data, onChange }: PartProps & Pick<StepFormProps, 'step'>) {
  const t = useTexts('workflows');
  const until = data.until ?? { kind: 'activity' as const };
  return (
    <>
      <Select
        label={t('untilForm.what')}
        value={until.kind}
        allowDeselect={false}
        comboboxProps={{ shadow: 'md' }}
        data={(['activity', 'conditions'] as const).map((value) => ({
          value,
          label: t(`untilForm.${value}`),
        }))}
        onChange={(kind) => onChange({ until: { ...until, kind: kind as 'activity' } })}
      />
      {until.kind === 'activity' ? (
        <ActivityPicker
          step={step}
          value={until}
          onChange={(changes) => onChange({ until: { ...until, ...changes } })}
        />
      ) : (
        <ConditionsField
          value={until.conditions}
          onChange={(conditions) => onChange({ until: { ...until, conditions } })}
        />
      )}
      <AmountPicker
        label={t('untilForm.most')}
        amount={data.amount}
        unit={data.unit}
        onChange={onChange}
      />
    </>
  );
}

/** The weekdays and the time of day when people continue, and their time zone. */
function Resume({ data, onChange }: PartProps) {
  const t = useTexts('workflows');
  const { resume_days: days = [], resume_time: time, zone } = data;
  const names = listWeekdays(LOCALE[getCurrentLanguage()]);
  return (
    <>
      <Checkbox.Group
        label={t('delayForm.days')}
        description={t('delayForm.daysHint')}
        value={days.map(String)}
        onChange={(next) =>
          onChange({ resume_days: next.length > 0 ? next.map(Number) : undefined })
        }
      >
        <Group gap="xs" mt={6}>
          {names.map((name, day) => (
            <Checkbox key={name} value={String(day)} label={name} size="xs" />
          ))}
        </Group>
      </Checkbox.Group>
      <TextInput
        type="time"
        dir="ltr"
        label={t('delayForm.time')}
        value={time ?? ''}
        onChange={({ currentTarget: { value } }) =>
          onChange({ resume_time: value ? value.slice(0, 5) : undefined })
        }
      />
      <Select
        label={t('delayForm.zoneOf')}
        value={zone ?? 'person'}
        allowDeselect={false}
        comboboxProps={{ shadow: 'md' }}
        data={(['person', 'account'] as const).map((value) => ({
          value,
          label: t(`zone.${value}`),
        }))}
        onChange={(value) => onChange({ zone: value as 'person' })}
      />
    </>
  );
}

/** Returns the short names of the weekdays, from Sunday on as in the API. */
function listWeekdays(locale: string): string[] {
  const format = new Intl.DateTimeFormat(locale, { weekday: 'short', timeZone: 'UTC' });
  return Array.from({ length: 7 }, (_, day) => format.format(Date.UTC(2023, 0, 1 + day)));
}
