// Title, time and place of an event.
import { TextInput } from '@mantine/core';
import { useTimeZones } from '#platform/web/texts/places.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LineRow } from '#platform/web/editing/fields.tsx';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import type { FormProps } from './form-pieces.tsx';

export function EventForm({ block, change }: FormProps<'event'>) {
  const t = useTexts('content');
  const zones = useTimeZones(block.zone);
  const time = (name: 'starts' | 'ends', label: string) => (
    <TextInput
      size="xs"
      type="datetime-local"
      dir="ltr"
      label={label}
      min="2000-01-01T00:00"
      max="2099-12-31T23:59"
      value={block[name]}
      onChange={(event) => change({ [name]: event.currentTarget.value.slice(0, 16) }, name)}
    />
  );
  return (
    <>
      <LineRow
        label={t('event.title')}
        value={block.title}
        onChange={(title) => change({ title }, 'title')}
      />
      {time('starts', t('event.starts'))}
      {time('ends', t('event.ends'))}
      <SearchableSelect
        size="xs"
        label={t('event.zone')}
        dir="ltr"
        data={zones}
        value={block.zone || null}
        onChange={(zone) => zone && change({ zone }, 'zone')}
      />
      <LineRow
        label={t('event.place')}
        description={t('event.hint')}
        value={block.place}
        onChange={(place) => change({ place }, 'place')}
      />
    </>
  );
}
