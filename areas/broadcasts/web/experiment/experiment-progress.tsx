// The experiment of a campaign that is being sent: progress per variant, the time of the decision,
// and buttons that choose the winner.
import { Alert, Button, Group, Paper, Progress, Stack, Text } from '@mantine/core';
import { useFormats } from '#platform/web/texts/formats.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { type Broadcast, type BroadcastUi, listAffectedQueries } from '../ui.ts';
import {
  type ExperimentDetails,
  getExperimentApi,
  getVariantLetter,
  useExperiment,
} from './experiment-api.ts';
import { useDecisionText } from './use-verdict.ts';

interface Props {
  ui: BroadcastUi;
  campaign: Broadcast;
}

export default function ExperimentProgress({ ui, campaign }: Props) {
  const experiment = useExperiment(ui, campaign.id);
  if (experiment.isLoadingError)
    return <FailedState error={experiment.error} retry={() => void experiment.refetch()} />;
  if (!experiment.data) return <LoadingState rows={3} />;
  return <VariantProgress ui={ui} campaign={campaign} experiment={experiment.data.data} />;
}

type ShownProps = Props & { experiment: ExperimentDetails };

function VariantProgress({ ui, campaign, experiment }: ShownProps) {
  const t = useTexts('experiments');
  const { number } = useFormats();
  const { variants, rest, state } = experiment;
  return (
    <Paper withBorder p="md" mb="md">
      <Text component="h2" fw={600} mb="sm">
        {t('title')}
      </Text>
      <ExperimentState experiment={experiment} startedAt={getStartTime(campaign)} />
      <Stack gap="sm" mt="sm">
        {variants.map(({ number: variant, figures, share }) => {
          const letter = getVariantLetter(variant);
          const recipientCount = figures?.people ?? 0;
          return (
            <div key={variant}>
              <Group justify="space-between" gap="xs">
                <Text size="sm">
                  <b>{letter}</b> <Rate experiment={experiment} variant={variant} />
                </Text>
                <Group gap="xs">
                  <Text size="sm" c="dimmed">
                    {t('shares.people', { count: recipientCount, number: number(recipientCount) })}
                  </Text>
                  {mayChoose(experiment) && (
                    <Button
                      size="compact-sm"
                      variant="default"
                      onClick={() => void choose(ui, campaign.id, variant, t)}
                    >
                      {t('choose.short', { letter })}
                    </Button>
                  )}
                </Group>
              </Group>
              <Progress
                value={recipientCount > 0 ? ((figures?.accepted ?? 0) / recipientCount) * 100 : 0}
                size="sm"
                animated={figures?.state === 'sending'}
                aria-label={`${t('variant.one', { letter })}, ${number(share)} %`}
              />
            </div>
          );
        })}
        {rest && state !== 'cancelled' && (
          <Text size="sm" c="dimmed">
            {t('report.rest')}:{' '}
            {rest.people === null
              ? t('report.restWaits')
              : t('shares.people', { count: rest.people, number: number(rest.people) })}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}

const getStartTime = (campaign: Broadcast) => campaign.delivery?.started_at ?? null;

const mayChoose = ({ state, rest }: ExperimentDetails) =>
  rest !== null && (state === 'testing' || state === 'waiting' || state === 'failed');

async function choose(
  ui: BroadcastUi,
  id: string,
  variant: number,
  t: ReturnType<typeof useTexts>,
): Promise<void> {
  await confirm({
    title: t('choose.button', { letter: getVariantLetter(variant) }),
    message: t('choose.message'),
    confirm: t('choose.short', { letter: getVariantLetter(variant) }),
    run: () =>
      getExperimentApi(ui)('POST /client-api/api/campaigns/{id}/experiment/decide', {
        params: { id },
        body: { variant },
      }),
  });
  await invalidate(...listAffectedQueries(ui, id));
}

function Rate({ experiment, variant }: { experiment: ExperimentDetails; variant: number }) {
  const t = useTexts('experiments');
  const { percent } = useFormats();
  const rate = experiment.variants[variant - 1]?.figures?.rate;
  if (!rate) return null;
  return (
    <span>
      {percent(rate.value)} {t(`metric.${experiment.metric}`).toLowerCase()}
    </span>
  );
}

/** Tests of revenue or send times, and tests that a user decides, always take their full time. */
const mayEndEarly = ({ decision, metric, variants }: ExperimentDetails) =>
  decision === 'automatic' &&
  metric !== 'revenue' &&
  variants.every(({ delay_minutes: delay }) => (delay ?? 0) === 0);

/**
 * Sentences about the state of the experiment: the verdict, or the event that the test waits for.
 */
export function ExperimentState(props: {
  experiment: ExperimentDetails;
  startedAt: string | null;
}) {
  const { experiment, startedAt } = props;
  const t = useTexts('experiments');
  const { dateTime } = useFormats();
  const decision = useDecisionText(experiment, startedAt);
  const { state, decides_at: decidesAt } = experiment;
  if (state === 'failed') return <Alert color="danger">{t('state.failed')}</Alert>;
  if (state === 'waiting') return <Alert color="warning">{t('state.waiting')}</Alert>;
  const sentences =
    state === 'testing'
      ? [
          t('state.changing'),
          decidesAt
            ? t(mayEndEarly(experiment) ? 'state.decides' : 'state.ends', {
                at: dateTime(decidesAt),
              })
            : t('state.starting'),
        ]
      : state === 'decided'
        ? decision
        : [t(`state.${state}`)];
  return (
    <Text size="sm" role="status">
      {sentences.join(' ')}
    </Text>
  );
}
