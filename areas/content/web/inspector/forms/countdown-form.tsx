// Form of a countdown: its end, final text, link and colors.
import { useTexts } from '#platform/web/texts/texts.ts';
import { ColorRow } from '#platform/web/editing/box-fields.tsx';
import { LineRow } from '#platform/web/editing/fields.tsx';
import { DOCUMENT_LIMITS } from '../../../document.ts';
import { type BlockFormProps, Href, WidthRow } from './form-pieces.tsx';
import { LocalTimeRow, ZoneRow } from './time-fields.tsx';

export function CountdownForm({ block, change }: BlockFormProps<'countdown'>) {
  const t = useTexts('content');
  const color = (name: 'digits' | 'boxes') => (
    <ColorRow
      label={t(`countdown.${name}`)}
      value={block[name]}
      isFixed
      onChange={(value) => value && change({ [name]: value }, name)}
    />
  );
  return (
    <>
      <LocalTimeRow
        label={t('event.ends')}
        value={block.ends}
        onChange={(ends) => change({ ends }, 'ends')}
      />
      <ZoneRow value={block.zone} onChange={(zone) => change({ zone }, 'zone')} />
      <LineRow
        label={t('countdown.ended')}
        description={t('countdown.endedHint')}
        value={block.ended}
        onChange={(ended) => change({ ended: ended.slice(0, DOCUMENT_LIMITS.countdown) }, 'ended')}
      />
      <Href value={block.href} onChange={(href) => change({ href }, 'href')} />
      <WidthRow value={block.width} onChange={(width) => change({ width }, 'width')} />
      {color('digits')}
      {color('boxes')}
    </>
  );
}
