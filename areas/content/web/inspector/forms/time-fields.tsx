// A wall time and its time zone.
import { TextInput } from '@mantine/core';
import { useTimeZones } from '#platform/web/texts/countries-and-zones.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';

interface FieldProps {
  value: string;
  onChange: (value: string) => void;
}

/** The value is `YYYY-MM-DDTHH:MM`, or empty for no time. */
export function LocalTimeRow({ label, value, onChange }: FieldProps & { label: string }) {
  return (
    <TextInput
      size="xs"
      type="datetime-local"
      dir="ltr"
      label={label}
      min="2000-01-01T00:00"
      max="2099-12-31T23:59"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value.slice(0, 16))}
    />
  );
}

export function ZoneRow({ value, onChange }: FieldProps) {
  const t = useTexts('content');
  const zones = useTimeZones(value);
  return (
    <SearchableSelect
      size="xs"
      label={t('event.zone')}
      dir="ltr"
      data={zones}
      value={value || null}
      onChange={(zone) => zone && onChange(zone)}
    />
  );
}
