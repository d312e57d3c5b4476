// The experiment of a sent campaign: the verdict, the variants and their intervals, and the
// comparison with the control group.
import { Paper, Stack, Table, Text } from '@mantine/core';
import { useAmount } from '#platform/web/texts/amount.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { BroadcastUi } from '../ui.ts';
import { type ExperimentDetails, getVariantLetter, useExperiment } from './experiment-api.ts';
import { ExperimentState } from './experiment-progress.tsx';
import classes from './experiment-report.module.css';
import { useDifferences } from './use-verdict.ts';

interface Props {
  ui: Pick<BroadcastUi, 'base'>;
  id: string;
  startedAt: string | null;
}

export default function ExperimentReport({ ui, id, startedAt }: Props) {
  const t = useTexts('experiments');
  const experimentQuery = useExperiment(ui, id);
  if (experimentQuery.isLoadingError)
    return (
      <FailedState error={experimentQuery.error} retry={() => void experimentQuery.refetch()} />
    );
  if (!experimentQuery.data) return <LoadingState rows={5} />;
  const experiment = experimentQuery.data.data;
  return (
    <Stack gap="lg">
      <Paper withBorder p="md">
        <ExperimentState experiment={experiment} startedAt={startedAt} />
      </Paper>
      <Table.ScrollContainer minWidth={640} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Variants experiment={experiment} />
      </Table.ScrollContainer>
      <Text size="sm" c="dimmed">
        {t('report.interpretation')}
      </Text>
      <Effect experiment={experiment} />
    </Stack>
  );
}

type Variant = ExperimentDetails['variants'][number];

function Variants({ experiment }: { experiment: ExperimentDetails }) {
  const t = useTexts('experiments');
  const { variants, metric, revenue_currency: currency } = experiment;
  const hasStore = variants.some(({ figures }) => figures?.buyers != null);
  const max = Math.max(0.001, ...variants.map(({ figures }) => figures?.rate?.high ?? 0));
  return (
    <Table verticalSpacing="sm">
      <Table.Thead>
        <Table.Tr>
          <Table.Th scope="col">{t('report.variant')}</Table.Th>
          <Table.Th scope="col">{t(`metric.${metric}`)}</Table.Th>
          <Table.Th scope="col">{t('report.accepted')}</Table.Th>
          <Table.Th scope="col">{t('report.opens')}</Table.Th>
          <Table.Th scope="col">{t('report.clicks')}</Table.Th>
          {hasStore && <Table.Th scope="col">{t('report.buyers')}</Table.Th>}
          {hasStore && <Table.Th scope="col">{t('report.revenue')}</Table.Th>}
          <Table.Th scope="col">{t('report.unsubscribes')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {variants.map((variant) => (
          <Row
            key={variant.number}
            variant={variant}
            max={max}
            currency={hasStore ? currency : undefined}
          />
        ))}
      </Table.Tbody>
    </Table>
  );
}

const NO_FIGURES = {
  ...{ rate: null, accepted: 0, opens: 0, clicks: 0, unsubscribes: 0 },
  ...{ buyers: null, revenue: null },
};

/** `currency`: undefined without a store; the row then has no columns for buyers and revenue. */
function Row(props: { variant: Variant; max: number; currency: string | null | undefined }) {
  const { variant, max, currency } = props;
  const { number } = useFormats();
  const amount = useAmount();
  const { rate, accepted, opens, clicks, buyers, revenue, unsubscribes } =
    variant.figures ?? NO_FIGURES;
  const label = variant.subject ?? variant.text ?? variant.from_name ?? variant.preheader;
  return (
    <Table.Tr>
      <Table.Th scope="row">
        {getVariantLetter(variant.number)}
        {label && (
          <Text size="sm" c="dimmed" lineClamp={2}>
            <bdi>{label}</bdi>
          </Text>
        )}
      </Table.Th>
      <Table.Td>{rate ? <IntervalBar rate={rate} max={max} /> : '–'}</Table.Td>
      <Table.Td>{number(accepted)}</Table.Td>
      <Table.Td>{number(opens)}</Table.Td>
      <Table.Td>{number(clicks)}</Table.Td>
      {currency !== undefined && <Table.Td>{number(buyers ?? 0)}</Table.Td>}
      {currency !== undefined && <Table.Td>{amount(revenue ?? 0, currency ?? '')}</Table.Td>}
      <Table.Td>{number(unsubscribes)}</Table.Td>
    </Table.Tr>
  );
}

type Rate = NonNullable<NonNullable<Variant['figures']>['rate']>;

function IntervalBar({ rate, max }: { rate: Rate; max: number }) {
  const t = useTexts('experiments');
  const { percent } = useFormats();
  const positionAt = (value: number) => `${(value / max) * 100}%`;
  const between = { low: percent(rate.low), high: percent(rate.high) };
  return (
    <div>
      {percent(rate.value)}
      <div className={classes.track} role="img" aria-label={t('report.interval', between)}>
        <div
          className={classes.interval}
          style={{
            insetInlineStart: positionAt(rate.low),
            inlineSize: positionAt(rate.high - rate.low),
          }}
        />
        <div className={classes.mark} style={{ insetInlineStart: positionAt(rate.value) }} />
      </div>
    </div>
  );
}

function Effect({ experiment }: { experiment: ExperimentDetails }) {
  const t = useTexts('experiments');
  const { number, dateTime } = useFormats();
  const { formatPoints, formatMoney, percent } = useDifferences(experiment.revenue_currency);
  const effect = experiment.holdout?.effect;
  if (!effect) return null;
  const { buyers, revenue } = effect;
  const isUnclear = buyers !== null && buyers.low <= 0 && buyers.high >= 0;
  const formatRatio = (count: number, total: number) => percent(total > 0 ? count / total : 0);
  return (
    <Paper withBorder p="md">
      <Text component="h2" fw={600} mb="sm">
        {t('effect.title')}
      </Text>
      <Text size="sm">
        {buyers
          ? t('effect.buyers', {
              chosen: number(effect.chosen),
              share: formatRatio(effect.chosen_buyers, effect.chosen),
              heldOut: number(effect.held_out),
              heldOutShare: formatRatio(effect.held_out_buyers, effect.held_out),
              points: formatPoints(buyers.difference),
              low: formatPoints(buyers.low),
              high: formatPoints(buyers.high),
            })
          : t('effect.none')}{' '}
        {isUnclear && t('effect.unclear')}
      </Text>
      {revenue && (
        <Text size="sm" mt="xs">
          {t('effect.revenue', {
            points: formatMoney(revenue.difference),
            low: formatMoney(revenue.low),
            high: formatMoney(revenue.high),
          })}
        </Text>
      )}
      <Text size="sm" c="dimmed" mt="xs">
        {t('effect.until', { at: dateTime(effect.until) })}
      </Text>
    </Paper>
  );
}
