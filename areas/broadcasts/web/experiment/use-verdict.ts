// The verdict of an experiment in sentences: who won, by how much, and with what certainty.
import { useAmount } from '#platform/web/texts/amount.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { type ExperimentDetails, getVariantLetter } from './experiment-api.ts';

type DecidedResult = NonNullable<ExperimentDetails['decided']>;
export type Difference = NonNullable<DecidedResult['verdict']>;

/** Formats of differences: points for rates, amounts for revenue. */
export function useDifferences(currency: string | null) {
  const { number, percent } = useFormats();
  const amount = useAmount();
  const formatPoints = (fraction: number) => number(Math.round(fraction * 1000) / 10);
  const formatMoney = (value: number) => amount(value, currency ?? '', 4);
  return { formatPoints, formatMoney, percent };
}

export function useVerdict({ metric, revenue_currency: currency }: ExperimentDetails) {
  const t = useTexts('experiments');
  const { formatPoints, formatMoney, percent } = useDifferences(currency);
  const isRevenue = metric === 'revenue';
  const value = isRevenue ? formatMoney : percent;
  const formatRange = (verdict: Difference) => {
    const format = isRevenue ? formatMoney : formatPoints;
    const { difference, low, high } = verdict;
    return { points: format(difference), low: format(low), high: format(high) };
  };
  const describeWinner = (verdict: Difference) =>
    [
      t(`verdict.won.${metric}`, {
        letter: getVariantLetter(verdict.leader),
        value: value(verdict.leader_value),
        other: getVariantLetter(verdict.runner_up),
        otherValue: value(verdict.runner_up_value),
      }),
      t(isRevenue ? 'verdict.amount' : 'verdict.points', formatRange(verdict)),
    ].join(' ');
  const describeNoWinner = (verdict: Difference | null) =>
    [
      t('verdict.none'),
      verdict &&
        t(isRevenue ? 'verdict.leadsAmount' : 'verdict.leads', {
          letter: getVariantLetter(verdict.leader),
          ...formatRange(verdict),
        }),
    ]
      .filter(Boolean)
      .join(' ');
  return { describeWinner, describeNoWinner };
}

/** `startedAt`: the start of the campaign, for the time from sending to the decision. */
export function useDecisionText(experiment: ExperimentDetails, startedAt: string | null) {
  const t = useTexts('experiments');
  const { dateTime } = useFormats();
  const { describeWinner, describeNoWinner } = useVerdict(experiment);
  const { decided, rest, final } = experiment;
  if (!decided) return [];
  const { winner, chosen, outcome, at, by, verdict } = decided;
  const letter = getVariantLetter(chosen ?? winner ?? 1);
  const elapsedMs = startedAt ? Math.max(0, Date.parse(at) - Date.parse(startedAt)) : undefined;
  const minutes = elapsedMs === undefined ? 0 : Math.round(elapsedMs / 60_000);
  const timeText =
    minutes === 0
      ? t('verdict.at', { at: dateTime(at) })
      : t('verdict.after', {
          ...{ at: dateTime(at), hours: Math.floor(minutes / 60), minutes: minutes % 60 },
        });
  const isSettled = winner !== null && verdict !== null && outcome !== 'manual';
  const sentences = [
    outcome === 'manual'
      ? t('verdict.chosen', { name: by ?? t('verdict.owner'), letter, at: dateTime(at) })
      : isSettled
        ? describeWinner(verdict)
        : describeNoWinner(verdict),
    outcome !== 'manual' && timeText,
    rest && chosen !== null && t('verdict.rest', { letter: getVariantLetter(chosen) }),
    // After an early decision, counts continue to grow.
    outcome === 'early' &&
      final &&
      t('verdict.final', {
        sentence: final.low > 0 ? describeWinner(final) : describeNoWinner(final),
      }),
  ];
  return sentences.filter((sentence) => typeof sentence === 'string');
}
