// The usage of a limit as a number and a bar, which is amber from 80 % and red from 90 %.
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { AMBER_FROM, RED_FROM } from '../shared.ts';
import classes from './billing.module.css';

interface Props {
  label: string;
  used: number;
  limit: number | null;
}

export function UsageBar({ label, used, limit }: Props) {
  const t = useTexts('billing');
  const { number } = useFormats();
  const fraction = limit === null ? 0 : limit === 0 ? 1 : used / limit;
  const tone = fraction >= RED_FROM ? 'danger' : fraction >= AMBER_FROM ? 'warning' : 'calm';
  const valueText =
    limit === null ? number(used) : t('usage.of', { used: number(used), limit: number(limit) });
  return (
    <div className={classes.usage}>
      <div className={classes.usageWords}>
        <span>{label}</span>
        <b>{valueText}</b>
      </div>
      {limit !== null && (
        <div
          className={classes.bar}
          data-tone={tone}
          role="meter"
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={limit}
          aria-valuenow={Math.min(used, limit)}
          aria-valuetext={valueText}
        >
          <span style={{ inlineSize: `${Math.min(100, fraction * 100)}%` }} />
        </div>
      )}
      {fraction > 1 && <p className={classes.over}>{t('usage.over')}</p>}
    </div>
  );
}
