// Form of an event: its title, time and location.
import { useTexts } from '#platform/web/texts/texts.ts';
import { LineRow } from '#platform/web/editing/fields.tsx';
import type { BlockFormProps } from './form-pieces.tsx';
import { LocalTimeRow, ZoneRow } from './time-fields.tsx';

export function EventForm({ block, change }: BlockFormProps<'event'>) {
  const t = useTexts('content');
  const time = (name: 'starts' | 'ends', label: string) => (
    <LocalTimeRow
      label={label}
      value={block[name]}
      onChange={(value) => change({ [name]: value }, name)}
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
      <ZoneRow value={block.zone} onChange={(zone) => change({ zone }, 'zone')} />
      <LineRow
        label={t('event.place')}
        description={t('event.hint')}
        value={block.place}
        onChange={(place) => change({ place }, 'place')}
      />
    </>
  );
}
