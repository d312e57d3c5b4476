// A countdown in the canvas, as its image would show it.
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { texts } from '#platform/web/texts/texts.ts';
import { splitCountdown } from '../../countdown-parts.ts';
import classes from './blocks.module.css';
import { justify } from './canvas-styles.ts';
import { minutesUntil } from './minutes-until.ts';
import { resolveAlign, type BlockViewProps } from './view-pieces.tsx';

export function CountdownView(props: BlockViewProps<'countdown'>) {
  const { block } = props;
  // The time when the canvas was opened; the countdown does not run in the canvas.
  const [now] = useState(Date.now);
  const { i18n } = useTranslation(undefined, { i18n: texts });
  const minutesLeft = minutesUntil(block.ends, block.zone, now);
  const isText = minutesLeft === 0 && block.ended.trim() !== '';
  const style = { color: block.digits, background: block.boxes };
  return (
    <div className={classes.row} style={{ justifyContent: justify[resolveAlign(props)] }}>
      <div
        className={classes.countdown}
        style={{ width: `${block.width}%` }}
        data-dim={minutesLeft === undefined || undefined}
      >
        {isText && <div style={style}>{block.ended}</div>}
        {!isText &&
          splitCountdown(minutesLeft ?? 0, i18n.language ?? 'en').map(({ unit, value, label }) => (
            <div key={unit} style={style}>
              <strong>{value}</strong>
              <span>{label}</span>
            </div>
          ))}
      </div>
    </div>
  );
}
