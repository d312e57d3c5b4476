// The experiment of a draft: its variants, their shares, and how the winner is decided.
import { Button, Group, Paper, Stack, Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { notice } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { ApiError } from '#platform/web/api/api.ts';
import { useRecipients } from '../recipient-count.tsx';
import { StepPage } from '../steps.tsx';
import { type Broadcast, type BroadcastUi, listAffectedQueries } from '../ui.ts';
import { DecisionFields } from './decision-fields.tsx';
import { type ExperimentDetails, getExperimentApi, useExperiment } from './experiment-api.ts';
import {
  toExperimentBody,
  type ExperimentValues,
  type TextField,
  experimentFormValues,
} from './experiment-values.ts';
import { SharesFields } from './shares-fields.tsx';
import { VariantsFields } from './variants-fields.tsx';

export interface SetupProps {
  ui: BroadcastUi;
  campaign: Broadcast;
  /** Values of variant A, shown as placeholders in the fields of the other variants. */
  control: Partial<Record<TextField, string>>;
  /** Path of the editor for a variant's design. */
  getDesignPath?: (variant: string) => string;
}

export default function ExperimentSetup(props: SetupProps) {
  const { ui, campaign } = props;
  const experiment = useExperiment(ui, campaign.id);
  const isNew = experiment.error instanceof ApiError && experiment.error.status === 404;
  if (experiment.isLoadingError && !isNew)
    return <FailedState error={experiment.error} retry={() => void experiment.refetch()} />;
  if (!experiment.data && !isNew) return <LoadingState rows={6} />;
  const existing = isNew ? undefined : experiment.data?.data;
  // A save gives new variants their ids, which change the key and so reset the form.
  const key = existing?.variants.map(({ id }) => id).join() ?? 'new';
  return <SetupForm key={key} {...props} experiment={existing} />;
}

type ExperimentFormProps = SetupProps & { experiment: ExperimentDetails | undefined };

function SetupForm(props: ExperimentFormProps) {
  const { ui, campaign, control, getDesignPath, experiment } = props;
  const t = useTexts('experiments');
  const recipientCount = useRecipients(ui, campaign.id).data?.data.count;
  const { form, isBusy, submit } = useExperimentForm(props);
  return (
    <StepPage ui={ui} campaign={campaign} step="settings">
      <form onSubmit={submit} noValidate>
        <Stack gap="lg" maw={900}>
          <Text c="dimmed">{t('intro')}</Text>
          <Paper withBorder p="md">
            <VariantsFields
              channel={ui.channel}
              form={form}
              control={control}
              getDesignPath={getDesignPath}
            />
          </Paper>
          <Paper withBorder p="md">
            <SharesFields form={form} recipientCount={recipientCount} experiment={experiment} />
          </Paper>
          <Paper withBorder p="md">
            <DecisionFields channel={ui.channel} form={form} />
          </Paper>
          <FormActions {...props} isBusy={isBusy} />
        </Stack>
      </form>
    </StepPage>
  );
}

function useExperimentForm({ ui, campaign: { id }, experiment }: ExperimentFormProps) {
  const t = useTexts('experiments');
  const keptForm = useKeptForm<ExperimentValues>(`experiment:${id}`, {
    initialValues: experimentFormValues(experiment, ui.channel),
    validate: {
      fields: (fields) => (fields.length === 0 ? t('fields.none') : null),
      testShare: (share, { holdoutShare }) =>
        share + holdoutShare > 100 ? t('shares.tooLarge') : null,
    },
    apiFieldNames: {
      test_share: 'testShare',
      holdout_share: 'holdoutShare',
      holdout_days: 'holdoutDays',
      duration_hours: 'duration',
    },
    send: async (values) => {
      await getExperimentApi(ui)('PUT /client-api/api/campaigns/{id}/experiment', {
        params: { id },
        body: toExperimentBody(values, ui.channel),
      });
      keptForm.form.resetDirty(values);
      await invalidate(...listAffectedQueries(ui, id));
      notice(t('saved'));
    },
  });
  return keptForm;
}

function FormActions({
  ui,
  campaign,
  experiment,
  isBusy,
}: ExperimentFormProps & { isBusy: boolean }) {
  const t = useTexts('experiments');
  const navigate = useNavigate();
  const { id, title } = campaign;
  const settingsPath = ui.getStepPath(id, 'settings');
  const remove = () =>
    confirm({
      title: t('removeTitle'),
      message: t('removeMessage', { title }),
      confirm: t('remove'),
      isDanger: true,
      run: async () => {
        await getExperimentApi(ui)('DELETE /client-api/api/campaigns/{id}/experiment', {
          params: { id },
          query: {},
        });
        await navigate({ to: settingsPath, ignoreBlocker: true });
        await invalidate(...listAffectedQueries(ui, id));
      },
    });
  return (
    <Group justify="flex-end">
      {experiment && (
        <Button variant="subtle" color="danger" me="auto" onClick={() => void remove()}>
          {t('remove')}
        </Button>
      )}
      <Button variant="default" component={Link} to={settingsPath}>
        {t('back')}
      </Button>
      <Button type="submit" loading={isBusy}>
        {t('save')}
      </Button>
    </Group>
  );
}
