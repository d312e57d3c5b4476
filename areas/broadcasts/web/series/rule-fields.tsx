// The fields of a rule: frequency, days, time, start and end.
import { Button, Group, NumberInput, Select, Stack, Switch, Text } from '@mantine/core';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { DayField } from '#platform/web/ui/day-field.tsx';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { MAX_INTERVAL, NTHS, type SeriesRule } from '../../series-rule.ts';
import { STEP_MINUTES } from '../../wall-time.ts';
import { useWeekdays } from './rule-sentence.ts';

export type RuleForm = {
  every: SeriesRule['every'];
  interval: number;
  weekdays: number[];
  monthKind: 'day' | 'last_day' | 'weekday';
  day: number;
  nth: (typeof NTHS)[number];
  weekday: number;
  time: string;
  starts_on: string;
  /** Empty if the series has no end. */
  ends_on: string;
  is_only_new: boolean;
};

export function toRule(form: RuleForm): SeriesRule {
  const { every, interval, time, monthKind, day, nth, weekday } = form;
  if (every === 'week') return { every, interval, weekdays: form.weekdays, time };
  if (monthKind === 'day') return { every, interval, on: { kind: 'day', day }, time };
  if (monthKind === 'last_day') return { every, interval, on: { kind: 'last_day' }, time };
  return { every, interval, on: { kind: 'weekday', nth, weekday }, time };
}

const TIMES = Array.from({ length: (24 * 60) / STEP_MINUTES }, (_, step) => {
  const minutes = step * STEP_MINUTES;
  return [Math.floor(minutes / 60), minutes % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
});

interface FieldsProps {
  form: RuleForm;
  onChange: (change: Partial<RuleForm>) => void;
  zone: string;
}

export function RuleFields({ form, onChange, zone }: FieldsProps) {
  const t = useTexts('broadcasts');
  const { time: clockTime } = useFormats();
  return (
    <Stack gap="sm">
      <Frequency form={form} onChange={onChange} />
      {form.every === 'week' ? (
        <Weekdays form={form} onChange={onChange} />
      ) : (
        <MonthDays form={form} onChange={onChange} />
      )}
      <SearchableSelect
        label={t('series.time')}
        description={t('schedule.zone', { zone })}
        allowDeselect={false}
        value={form.time}
        onChange={(value) => value && onChange({ time: value })}
        data={TIMES.map((value) => ({
          value,
          label: clockTime(new Date(`1970-01-01T${value}:00Z`), 'UTC'),
        }))}
      />
      <Group grow align="flex-start">
        <DayField
          label={t('series.starts')}
          value={form.starts_on}
          onChange={(value) => onChange({ starts_on: value })}
        />
        <DayField
          label={t('series.ends')}
          value={form.ends_on}
          onChange={(value) => onChange({ ends_on: value })}
        />
      </Group>
      <Switch
        label={t('series.onlyNew')}
        description={t(form.is_only_new ? 'series.onlyNewOn' : 'series.onlyNewOff')}
        checked={form.is_only_new}
        onChange={(event) => onChange({ is_only_new: event.currentTarget.checked })}
      />
    </Stack>
  );
}

type PartProps = Omit<FieldsProps, 'zone'>;

function Frequency({ form, onChange }: PartProps) {
  const t = useTexts('broadcasts');
  return (
    <Group grow align="flex-start">
      <Select
        label={t('series.frequency')}
        allowDeselect={false}
        value={form.every}
        onChange={(value) => onChange({ every: value === 'month' ? 'month' : 'week' })}
        data={(['week', 'month'] as const).map((value) => ({
          value,
          label: t(`series.every.${value}`),
        }))}
        data-autofocus
      />
      <NumberInput
        label={t(`series.interval.${form.every}`)}
        min={1}
        max={MAX_INTERVAL}
        clampBehavior="strict"
        allowDecimal={false}
        value={form.interval}
        onChange={(value) => onChange({ interval: Math.max(1, Number(value) || 1) })}
      />
    </Group>
  );
}

function Weekdays({ form, onChange }: PartProps) {
  const t = useTexts('broadcasts');
  const name = useWeekdays();
  return (
    <div role="group" aria-label={t('series.weekdays')}>
      <Text size="sm" fw={500} mb={4}>
        {t('series.weekdays')}
      </Text>
      <Group gap={6}>
        {[1, 2, 3, 4, 5, 6, 7].map((weekday) => {
          const isOn = form.weekdays.includes(weekday);
          return (
            <Button
              key={weekday}
              size="compact-md"
              variant={isOn ? 'filled' : 'default'}
              aria-pressed={isOn}
              title={name(weekday, 'long')}
              onClick={() =>
                onChange({
                  weekdays: isOn
                    ? form.weekdays.filter((day) => day !== weekday)
                    : [...form.weekdays, weekday],
                })
              }
            >
              {name(weekday, 'short')}
            </Button>
          );
        })}
      </Group>
      {form.weekdays.length === 0 && (
        <Text size="xs" c="danger" mt={4}>
          {t('series.weekdaysNeeded')}
        </Text>
      )}
    </div>
  );
}

const MONTH_KINDS = ['day', 'last_day', 'weekday'] as const;

function MonthDays({ form, onChange }: PartProps) {
  const t = useTexts('broadcasts');
  const name = useWeekdays();
  return (
    <Group grow align="flex-start">
      <Select
        label={t('series.monthDay')}
        allowDeselect={false}
        value={form.monthKind}
        onChange={(value) =>
          onChange({ monthKind: MONTH_KINDS.find((kind) => kind === value) ?? 'day' })
        }
        data={MONTH_KINDS.map((value) => ({ value, label: t(`series.kinds.${value}`) }))}
      />
      {form.monthKind === 'day' && (
        <NumberInput
          label={t('series.day')}
          description={form.day > 28 ? t('series.shortMonths') : undefined}
          min={1}
          max={31}
          clampBehavior="strict"
          allowDecimal={false}
          value={form.day}
          onChange={(value) => onChange({ day: Math.max(1, Number(value) || 1) })}
        />
      )}
      {form.monthKind === 'weekday' && (
        <>
          <Select
            label={t('series.nth')}
            allowDeselect={false}
            value={String(form.nth)}
            onChange={(value) => onChange({ nth: NTHS.find((nth) => String(nth) === value) ?? 1 })}
            data={NTHS.map((nth) => ({ value: String(nth), label: t(`series.nths.${nth}`) }))}
          />
          <Select
            label={t('series.weekday')}
            allowDeselect={false}
            value={String(form.weekday)}
            onChange={(value) => onChange({ weekday: Number(value) })}
            data={[1, 2, 3, 4, 5, 6, 7].map((day) => ({
              value: String(day),
              label: name(day, 'long'),
            }))}
          />
        </>
      )}
    </Group>
  );
}
