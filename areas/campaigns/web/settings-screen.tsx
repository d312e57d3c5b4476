// Step 1: title, subject, preheader and sender. The first save creates the campaign; from then on,
// changes are saved automatically.
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { DraftOnly, SavedSettings } from '#areas/broadcasts/web/index.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useIdempotencyKey } from '#platform/web/hooks/use-key-of.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import type { Campaign } from '../contract.ts';
import { stepPath } from './paths.ts';
import { api, listAffectedQueries, useCampaign } from './queries.ts';
import { SettingsForm } from './settings-form.tsx';
import {
  toSettingsBody,
  isWhole,
  type CampaignSettingsValues,
  useSettingsRules,
  useCampaignSaving,
  settingsFormValues,
} from './settings-values.ts';

export default function SettingsScreen() {
  const { campaign: id } = useParams({ strict: false }) as { campaign?: string };
  return id === undefined ? <NewCampaign /> : <ExistingCampaign key={id} id={id} />;
}

/**
 * A new campaign gets the sender of the last campaign. If there is no campaign yet, or the last one
 * has no sender, the sender is the name of the account with the email address of the signed-in
 * user.
 */
function NewCampaign() {
  const lastCampaignQuery = useQuery(
    api.query('GET /client-api/api/campaigns', {
      query: { limit: 1, order: 'created', direction: 'desc', as_list: 'true' },
    }),
  );
  const utm = useQuery({ ...api.query('GET /client-api/api/utm'), meta: { notFound: 'inline' } });
  const isLoading = [lastCampaignQuery, utm].some(({ data, isError }) => !data && !isError);
  if (isLoading) return <LoadingState rows={6} />;
  return (
    <NewCampaignForm
      lastCampaign={lastCampaignQuery.data?.data[0]}
      hasUtm={utm.data?.data.is_on ?? false}
    />
  );
}

function NewCampaignForm({
  lastCampaign,
  hasUtm,
}: {
  lastCampaign: Campaign | undefined;
  hasUtm: boolean;
}) {
  const navigate = useNavigate();
  const keyOf = useIdempotencyKey();
  const { user, account } = useSession();
  const isKnown = lastCampaign !== undefined && lastCampaign.from_email !== '';
  const sender = isKnown
    ? {
        name: lastCampaign.from_name,
        email: lastCampaign.from_email,
        reply_to: lastCampaign.reply_to,
      }
    : { name: account.title, email: user.email };
  const { form, isBusy, submit } = useKeptForm<CampaignSettingsValues>('campaign:new:settings', {
    initialValues: { ...settingsFormValues(undefined, sender), measures: hasUtm },
    validate: useSettingsRules(),
    send: async (values) => {
      const body = toSettingsBody(values);
      const response = await api('POST /client-api/api/campaigns', {
        body,
        idempotencyKey: keyOf(body),
      });
      form.resetDirty();
      await invalidate(...listAffectedQueries(response.data.id));
      await navigate({ to: stepPath(response.data.id, 'design'), ignoreBlocker: true });
    },
  });
  return <SettingsForm campaign={undefined} form={form} submit={submit} isBusy={isBusy} />;
}

function ExistingCampaign({ id }: { id: string }) {
  return (
    <DraftOnly query={useCampaign(id)} reviewPath={stepPath(id, 'review')}>
      {(campaign) => <SavedForm campaign={campaign} />}
    </DraftOnly>
  );
}

function SavedForm({ campaign }: { campaign: Campaign }) {
  const t = useTexts('campaigns');
  const navigate = useNavigate();
  const rules = useSettingsRules();
  return (
    <SavedSettings
      saving={useCampaignSaving(campaign)}
      validate={rules}
      isWhole={(values) => isWhole(values, rules)}
      next={() => navigate({ to: stepPath(campaign.id, 'design'), ignoreBlocker: true })}
      staleText={t('stale.settings')}
    >
      {(formParts) => <SettingsForm campaign={campaign} {...formParts} />}
    </SavedSettings>
  );
}
