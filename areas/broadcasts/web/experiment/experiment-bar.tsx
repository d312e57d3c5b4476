// A bar of the variants' shares with subscriber counts, and the smallest difference that the test
// can show.
import { Button, Group, Text } from '@mantine/core';
import {
  isTooCoarse,
  suggestTestShare,
  computeVisibleDifference,
} from '#areas/experiments/visible-difference.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type ExperimentMetric, MIN_VARIANT_PEOPLE } from '../../shared.ts';
import { getVariantLetter } from './experiment-api.ts';
import classes from './experiment-bar.module.css';
import { type RecipientPart, splitRecipients } from './experiment-values.ts';

interface BarShares {
  variants: number;
  testShare: number;
  holdoutShare: number;
}

/** `recipientCount`: the number of recipients that the shares divide; undefined while unknown. */
export function ExperimentBar({
  shares,
  recipientCount,
}: {
  shares: BarShares;
  recipientCount: number | undefined;
}) {
  const t = useTexts('experiments');
  const { number, percent } = useFormats();
  const getName = ({ kind, number: variant }: RecipientPart) =>
    kind === 'variant' ? getVariantLetter(variant) : t(`shares.${kind}`);
  const recipientParts = splitRecipients(shares);
  return (
    <div>
      <div className={classes.bar} aria-hidden="true">
        {recipientParts.map((recipientPart) => (
          <div
            key={`${recipientPart.kind}${recipientPart.number}`}
            className={classes.part}
            data-kind={recipientPart.kind}
            data-odd={recipientPart.number % 2 === 0 || undefined}
            style={{
              flexBasis: `${recipientPart.percentage}%`,
              flexGrow: recipientPart.percentage,
            }}
          >
            {recipientPart.percentage >= 8 && getName(recipientPart)}
          </div>
        ))}
      </div>
      <ul className={classes.legend}>
        {recipientParts.map((recipientPart) => {
          const count = Math.round(((recipientCount ?? 0) * recipientPart.percentage) / 100);
          return (
            <li key={`${recipientPart.kind}${recipientPart.number}`}>
              <b>{getName(recipientPart)}</b> {percent(recipientPart.percentage / 100)}
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
  shares: BarShares;
  recipientCount: number;
  metric: ExperimentMetric;
  /** Expected response rate. */
  rate: number;
  /** Called with the smallest test share that can show a meaningful difference. */
  onShare?: (percentage: number) => void;
}

/**
 * Shows the smallest difference that the test can show, or that the variants get too few
 * recipients. Revenue has no such difference, because it depends on the amounts.
 */
export function VisibleDifference({ shares, recipientCount, metric, rate, onShare }: VisibleProps) {
  const t = useTexts('experiments');
  const { number } = useFormats();
  const { variants, testShare, holdoutShare } = shares;
  const variantSize = Math.floor((recipientCount * testShare) / 100 / variants);
  if (variantSize < MIN_VARIANT_PEOPLE) {
    return (
      <Text size="sm" c="danger" role="status">
        {t('shares.few', { min: MIN_VARIANT_PEOPLE })}
      </Text>
    );
  }
  if (metric === 'revenue') return null;
  const coarse = isTooCoarse(variants, variantSize, rate);
  const points = Math.round(computeVisibleDifference(variants, variantSize, rate) * 1000) / 10;
  const suggestedShare = coarse
    ? suggestTestShare(recipientCount, variants, rate, 100 - holdoutShare)
    : undefined;
  return (
    <Group gap="xs" role="status">
      <Text size="sm" c={coarse ? 'warning' : 'dimmed'}>
        {t('shares.visible', { points: number(points) })} {coarse && t('shares.coarse')}
      </Text>
      {suggestedShare !== undefined && onShare && (
        <Button size="compact-sm" variant="default" onClick={() => onShare(suggestedShare)}>
          {t('shares.suggest', { share: number(suggestedShare) })}
        </Button>
      )}
    </Group>
  );
}
