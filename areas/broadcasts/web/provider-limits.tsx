// The rate of bounces or complaints that stopped a campaign, compared with the limits of providers.
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { PROVIDER_LIMITS } from '#areas/delivery/shared.ts';
import classes from './provider-limits.module.css';

type ExceededCounts = { count: number; of: number };

/** Scales the bar so that the largest limit or value is near its end. */
const SCALE_MARGIN = 1.15;

export function ProviderLimits({
  reason,
  halted: { count, of },
}: {
  reason: keyof typeof PROVIDER_LIMITS;
  halted: ExceededCounts;
}) {
  const t = useTexts('broadcasts');
  const { number, percent } = useFormats();
  const ratio = count / of;
  const limits = PROVIDER_LIMITS[reason];
  const end = Math.max(ratio, ...limits.map((limit) => limit.share)) * SCALE_MARGIN;
  const toPosition = (value: number) => ({ insetInlineStart: `${(value / end) * 100}%` });
  return (
    <div className={classes.panel}>
      <p className={classes.share}>
        <strong>{percent(ratio)}</strong>{' '}
        {t(`limits.${reason}.share`, { part: number(count), total: number(of) })}
      </p>
      <div className={classes.scale} aria-hidden="true">
        <div className={classes.came} style={{ inlineSize: `${(ratio / end) * 100}%` }} />
        {limits.map((limit) => (
          <div key={limit.name} className={classes.tick} style={toPosition(limit.share)} />
        ))}
      </div>
      <ul className={classes.limits}>
        {limits.map((limit) => {
          const remaining = Math.ceil(limit.share * of) - count;
          return (
            <li key={limit.name} data-is-passed={remaining <= 0 || undefined}>
              <strong>{percent(limit.share)}</strong>
              <span>{t(`limits.${reason}.${limit.name}`)}</span>
              <span className={classes.distance}>
                {remaining <= 0
                  ? t('limits.passed')
                  : t('limits.left', { count: remaining, total: number(remaining) })}
              </span>
            </li>
          );
        })}
      </ul>
    </div>
  );
}
