// Step 1: title, subject, preheader and sender. A campaign comes into being with its first save.
import {
  Alert,
  Button,
  Group,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { Navigate, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { StepPage } from '#areas/broadcasts/web/index.ts';
import { type ApiError } from '#platform/web/api.ts';
import { useServerForm } from '#platform/web/forms.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { touch } from '#platform/web/queries.ts';
import { useSession } from '#platform/web/session.ts';
import { useTexts } from '#platform/web/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useUnsaved } from '#platform/web/use-unsaved.ts';
import { isEmail } from '#platform/web/validators.ts';
import { InboxRow } from '../../content/web/index.ts';
import type { Campaign } from '../contract.ts';
import { NAME_MOST, PREHEADER_MOST, SUBJECT_MOST, TITLE_MOST, UTM_MOST } from '../limits.ts';
import { stepPath } from './paths.ts';
import { api, touchesOf, useCampaign } from './queries.ts';
import { emailUi } from './ui.ts';

export default function SettingsScreen() {
  const { campaign: id } = useParams({ strict: false }) as { campaign?: string };
  return id === undefined ? <SettingsForm campaign={undefined} /> : <Existing id={id} />;
}

function Existing({ id }: { id: string }) {
  const campaign = useCampaign(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={6} />;
  const { data } = campaign.data;
  if (data.status !== 'DRAFT') return <Navigate to={stepPath(id, 'review')} replace />;
  return <SettingsForm campaign={data} />;
}

type Values = {
  title: string;
  subject: string;
  preheader: string;
  from_name: string;
  from_email: string;
  reply_to: string;
  language: string;
  measures: boolean;
  utm_campaign: string;
};

function valuesOf(
  campaign: Campaign | undefined,
  user: { email: string },
  company: string,
): Values {
  return {
    title: campaign?.title ?? '',
    subject: campaign?.subject ?? '',
    preheader: campaign?.preheader ?? '',
    from_name: campaign?.from_name || company,
    from_email: campaign?.from_email || user.email,
    reply_to: campaign?.reply_to ?? '',
    language: campaign?.language ?? '',
    measures: Boolean(campaign?.utm_campaign),
    utm_campaign: campaign?.utm_campaign ?? '',
  };
}

function SettingsForm({ campaign }: { campaign: Campaign | undefined }) {
  const t = useTexts('campaigns');
  const navigate = useNavigate();
  const { user, account } = useSession();
  const revision = useRef(campaign?.revision);
  const keyOf = useKeyOf();
  const { form, isBusy, submit } = useServerForm<Values>({
    initialValues: valuesOf(campaign, user, account.title),
    validate: {
      title: (value) => (value.trim() ? null : t('fields.titleRequired')),
      subject: (value) => (value.trim() ? null : t('fields.subjectRequired')),
      from_email: (value) => (isEmail(value.trim()) ? null : t('fields.emailInvalid')),
      reply_to: (value) =>
        value.trim() === '' || isEmail(value.trim()) ? null : t('fields.emailInvalid'),
    },
    onError: (error) => isStale(error, revision),
    send: async (values) => {
      const { measures, ...settings } = values;
      const body = {
        ...settings,
        language: asLanguage(values.language),
        // Without a name of its own it takes the title's.
        utm_campaign: measures ? values.utm_campaign.trim() || values.title.trim() : null,
      };
      const saved = campaign
        ? await api('PATCH /client-api/api/campaigns/{id}', {
            params: { id: campaign.id },
            body: { ...body, revision: revision.current },
          })
        : await api('POST /client-api/api/campaigns', { body, idempotencyKey: keyOf(body) });
      form.resetDirty();
      await touch(...touchesOf(saved.data.id));
      await navigate({ to: stepPath(saved.data.id, 'design'), ignoreBlocker: true });
    },
  });
  useUnsaved({
    name: `campaign:${campaign?.id ?? 'new'}:settings`,
    unsaved: form.isDirty() ? { values: form.getValues(), revision: revision.current } : undefined,
    restore: (edit) => {
      // What was saved elsewhere since is told of, as where both are open at once.
      revision.current = edit.revision;
      form.setValues(edit.values);
    },
    guard: true,
  });
  const isBehind =
    campaign !== undefined &&
    revision.current !== undefined &&
    campaign.revision > revision.current;
  useEffect(() => {
    // Nothing typed yet: simply show what another tab saved.
    if (!isBehind || form.isDirty()) return;
    revision.current = campaign.revision;
    form.setInitialValues(valuesOf(campaign, user, account.title));
    form.reset();
  });
  const { subject, preheader, from_name } = form.getValues();
  return (
    <StepPage ui={emailUi} campaign={campaign} step="settings">
      <form onSubmit={submit} noValidate>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" maw={1200}>
          <Stack gap="md">
            {isBehind && form.isDirty() && (
              <Alert color="warning" title={t('stale.title')}>
                <Text size="sm">{t('stale.settings')}</Text>
                <Button
                  mt="xs"
                  size="xs"
                  variant="default"
                  onClick={() => {
                    revision.current = campaign.revision;
                    form.setValues(valuesOf(campaign, user, account.title));
                    form.resetDirty();
                  }}
                >
                  {t('stale.take')}
                </Button>
              </Alert>
            )}
            <TextInput
              label={t('fields.title')}
              description={t('fields.titleHint')}
              maxLength={TITLE_MOST}
              required
              data-autofocus={campaign === undefined || undefined}
              {...form.getInputProps('title')}
            />
            <TextInput
              label={t('fields.subject')}
              description={t('fields.subjectHint')}
              maxLength={SUBJECT_MOST}
              required
              dir="auto"
              {...form.getInputProps('subject')}
            />
            <TextInput
              label={t('fields.preheader')}
              description={t('fields.preheaderHint')}
              maxLength={PREHEADER_MOST}
              dir="auto"
              {...form.getInputProps('preheader')}
            />
            <TextInput
              label={t('fields.fromName')}
              maxLength={NAME_MOST}
              autoComplete="organization"
              {...form.getInputProps('from_name')}
            />
            <TextInput
              label={t('fields.fromEmail')}
              type="email"
              dir="ltr"
              autoComplete="email"
              required
              {...form.getInputProps('from_email')}
            />
            <TextInput
              label={t('fields.replyTo')}
              description={t('fields.replyToHint')}
              type="email"
              dir="ltr"
              {...form.getInputProps('reply_to')}
            />
            <Select
              label={t('fields.language')}
              description={t('fields.languageHint')}
              allowDeselect={false}
              data={[
                { value: '', label: t('languages.account') },
                ...LANGUAGES.map((value) => ({ value, label: t(`languages.${value}`) })),
              ]}
              {...form.getInputProps('language')}
            />
            <Switch
              label={t('fields.measures')}
              description={t('fields.measuresHint')}
              {...form.getInputProps('measures', { type: 'checkbox' })}
            />
            {form.getValues().measures && (
              <TextInput
                label={t('fields.utmCampaign')}
                placeholder={form.getValues().title}
                maxLength={UTM_MOST}
                dir="auto"
                {...form.getInputProps('utm_campaign')}
              />
            )}
            <Group justify="flex-end">
              <Button type="submit" loading={isBusy}>
                {t('saveAndContinue')}
              </Button>
            </Group>
          </Stack>
          <div>
            <Text size="sm" fw={600} mb="xs">
              {t('inbox.title')}
            </Text>
            <InboxRow
              from={from_name || t('fields.fromName')}
              subject={subject}
              preheader={preheader}
            />
          </div>
        </SimpleGrid>
      </form>
    </StepPage>
  );
}

/** The same words sent once more, after an answer was lost, make no second campaign. */
function useKeyOf(): (body: object) => string {
  const last = useRef({ body: '', key: '' });
  return (body) => {
    const words = JSON.stringify(body);
    if (last.current.body !== words) last.current = { body: words, key: crypto.randomUUID() };
    return last.current.key;
  };
}

function asLanguage(value: string) {
  return LANGUAGES.find((language) => language === value) ?? null;
}

/** The banner above tells it; the query brings the newer one. */
function isStale(error: ApiError, revision: { current: number | undefined }): boolean {
  if (error.code !== 'stale_revision') return false;
  void touch('/client-api/api/campaigns');
  return revision.current !== undefined;
}
