// An event in the canvas.
import { Fragment } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { borderStyle, resolveTypography, textStyle } from './canvas-styles.ts';
import { resolveAlign, type BlockViewProps } from './view-pieces.tsx';

/** Product names, which are the same in every language. */
const CALENDARS = ['Google Calendar', 'Outlook'];

export function EventView(props: BlockViewProps<'event'>) {
  const { block, settings, color } = props;
  const t = useTexts('content');
  const { dateTime } = useFormats();
  const typography = { ...resolveTypography(block, settings), line_height: 1.4 };
  const times = [block.starts, block.ends]
    .filter(Boolean)
    .map((time) => dateTime(`${time}:00Z`, 'UTC'));
  return (
    <div
      style={{
        padding: 24,
        border: borderStyle(block.style.border),
        borderRadius: block.style.radius,
        color: color,
        textAlign: resolveAlign(props),
      }}
    >
      <div
        style={textStyle({ ...typography, size: typography.size + 2, weight: 700 })}
        data-dim={block.title === '' || undefined}
      >
        {block.title || t('event.title')}
      </div>
      <div
        style={{ ...textStyle(typography), paddingBlockStart: 4 }}
        data-dim={times.length === 0 || undefined}
      >
        {times.length === 0 ? t('event.noTime') : `${times.join(' – ')} (${block.zone})`}
      </div>
      {block.place && <div style={textStyle(typography)}>{block.place}</div>}
      <div
        style={{
          ...textStyle({ ...typography, size: typography.size - 2 }),
          paddingBlockStart: 12,
        }}
      >
        {CALENDARS.map((name, i) => (
          <Fragment key={name}>
            {i > 0 && ' · '}
            <u style={{ color: settings.link.color }}>{name}</u>
          </Fragment>
        ))}
      </div>
      <div style={textStyle({ ...typography, size: typography.size - 2 })}>
        {t('event.attached')}
      </div>
    </div>
  );
}
