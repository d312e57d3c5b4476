// The shares of the variants as a bar with numbers of subscribers, and the smallest difference that
// the test can show.
import { Button, Group, Text } from '@mantine/core';
import {
  isTooCoarse,
  suggestTestShare,
  computeVisibleDifference,
} from '#areas/experiments/visible-difference.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type Metric, MIN_VARIANT_PEOPLE } from '../../shared.ts';
import { variantLetter } from './experiment-api.ts';
import classes from './experiment-bar.module.css';
import { type Part, partsOf } from './experiment-values.ts';

interface Shares {
  variants: number;
  testShare: number;
  holdoutShare: number;
}

/** `people`: the number of recipients that the shares divide; undefined while unknown. */
export function ExperimentBar({ shares, people }: { shares: Shares; people: number | undefined }) {
  const t = useTexts('experiments');
  const { number, percent } = useFormats();
  const nameOf = ({ kind, number: variant }: Part) =>
    kind === 'variant' ? variantLetter(variant) : t(`shares.${kind}`);
  const parts = partsOf(shares);
  return (
    <div>
      <div className={classes.bar} aria-hidden="true">
        {parts.map((part) => (
          <div
            key={`${part.kind}${part.number}`}
            className={classes.part}
            data-kind={part.kind}
            data-odd={part.number % 2 === 0 || undefined}
            style={{ flexBasis: `${part.share}%`, flexGrow: part.share }}
          >
            {part.share >= 8 && nameOf(part)}
          </div>
        ))}
      </div>
      <ul className={classes.legend}>
        {parts.map((part) => {
          const count = Math.round(((people ?? 0) * part.share) / 100);
          return (
            <li key={`${part.kind}${part.number}`}>
              <b>{nameOf(part)}</b> {percent(part.share / 100)}
              {count > 0 && (
                <span className={classes.muted}>
                  {' · '}
                  {t('shares.people', { count, number: number(count) })}
                </span>
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

interface VisibleProps {
  shares: Shares;
  people: number;
  metric: Metric;
  /** Expected share of recipients who act. */
  rate: number;
  /** Called with the smallest test share that can show a meaningful difference. */
  onShare?: (share: number) => void;
}

/**
 * Shows the smallest difference that the test can show, or that the variants get too few
 * recipients. Revenue has no such difference, because it depends on the amounts.
 */
export function VisibleDifference({ shares, people, metric, rate, onShare }: VisibleProps) {
  const t = useTexts('experiments');
  const { number } = useFormats();
  const { variants, testShare, holdoutShare } = shares;
  const each = Math.floor((people * testShare) / 100 / variants);
  if (each < MIN_VARIANT_PEOPLE) {
    return (
      <Text size="sm" c="danger" role="status">
        {t('shares.few', { min: MIN_VARIANT_PEOPLE })}
      </Text>
    );
  }
  if (metric === 'revenue') return null;
  const coarse = isTooCoarse(variants, each, rate);
  const points = Math.round(computeVisibleDifference(variants, each, rate) * 1000) / 10;
  const better = coarse ? suggestTestShare(people, variants, rate, 100 - holdoutShare) : undefined;
  return (
    <Group gap="xs" role="status">
      <Text size="sm" c={coarse ? 'warning' : 'dimmed'}>
        {t('shares.visible', { points: number(points) })} {coarse && t('shares.coarse')}
      </Text>
      {better !== undefined && onShare && (
        <Button size="compact-sm" variant="default" onClick={() => onShare(better)}>
          {t('shares.suggest', { share: number(better) })}
        </Button>
      )}
    </Group>
  );
}
