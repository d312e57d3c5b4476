// Selects the range of days: a preset, or two chosen days.
import { NativeSelect, TextInput } from '@mantine/core';
import { usePersianCalendar } from '#platform/web/texts/persian-calendar.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { PersianDay } from '#platform/web/ui/persian-day.tsx';
import classes from './dashboard.module.css';
import { type DayRange, isDay, RANGES, type useRange } from './range.ts';

type RangeState = ReturnType<typeof useRange>;

export function RangeChoice({ range }: { range: RangeState }) {
  const t = useTexts('dashboard');
  const { name, days, today } = range;
  const applyChange = (change: Partial<DayRange>) => {
    const nextDays = { ...days, ...change };
    if (isDay(nextDays.from) && isDay(nextDays.to) && nextDays.from <= nextDays.to) {
      range.chooseDays(nextDays);
    }
  };
  return (
    <div className={classes.range}>
      <NativeSelect
        aria-label={t('range.label')}
        value={name}
        data={RANGES.map((value) => ({
          value,
          label: value === 'chosen' ? t('range.chosen') : t('range.last', { count: Number(value) }),
        }))}
        onChange={({ currentTarget: { value } }) => {
          const preset = RANGES.find((preset) => preset === value);
          if (preset) range.choose(preset);
        }}
      />
      {name === 'chosen' && <ChosenDays {...{ days, today, onChange: applyChange }} />}
    </div>
  );
}

interface DaysProps {
  days: DayRange;
  today: string;
  onChange: (change: Partial<DayRange>) => void;
}

/** The first and the last day. */
function ChosenDays({ days, today, onChange }: DaysProps) {
  const t = useTexts('dashboard');
  if (usePersianCalendar()) {
    return (
      <>
        <PersianDay
          label={t('range.from')}
          value={days.from}
          max={days.to}
          onChange={(from) => onChange({ from })}
        />
        <PersianDay
          label={t('range.to')}
          value={days.to}
          min={days.from}
          max={today}
          onChange={(to) => onChange({ to })}
        />
      </>
    );
  }
  return (
    <>
      <TextInput
        type="date"
        aria-label={t('range.from')}
        key={`from ${days.from}`}
        defaultValue={days.from}
        max={days.to}
        onBlur={({ currentTarget: { value } }) => onChange({ from: value })}
      />
      <TextInput
        type="date"
        aria-label={t('range.to')}
        key={`to ${days.to}`}
        defaultValue={days.to}
        min={days.from}
        max={today}
        onBlur={({ currentTarget: { value } }) => onChange({ to: value })}
      />
    </>
  );
}
