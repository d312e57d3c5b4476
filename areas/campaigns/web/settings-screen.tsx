// Step 1: title, subject, preheader and sender. A campaign is created by its first save.
import { Button, Group, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { StepPage } from '#areas/broadcasts/web/index.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { type ApiError } from '#platform/web/api/api.ts';
import { StaleNotice } from '#platform/web/editing/stale-notice.tsx';
import { type Form, useServerForm } from '#platform/web/forms.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useKeyOf } from '#platform/web/hooks/use-key-of.ts';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';
import {
  EnvelopeFields,
  EnvelopePreview,
  envelopeOf,
  useEnvelopeRules,
} from '../../content/web/index.ts';
import type { Campaign } from '../contract.ts';
import { MAX_TITLE, MAX_UTM } from '../shared.ts';
import { stepPath } from './paths.ts';
import { api, touchesOf, useCampaign } from './queries.ts';
import classes from './settings-screen.module.css';
import { emailUi } from './ui.ts';

export default function SettingsScreen() {
  const { campaign: id } = useParams({ strict: false }) as { campaign?: string };
  return id === undefined ? <NewCampaignForm /> : <Existing id={id} />;
}

/** A new one has the sender of the last one; without it, the signed-in user. */
function NewCampaignForm() {
  const last = useQuery(
    api.query('GET /client-api/api/campaigns', {
      query: { limit: 1, order: 'created', direction: 'desc', as_list: 'true' },
    }),
  );
  if (!last.data && !last.isError) return <LoadingState rows={6} />;
  return <SettingsForm campaign={undefined} last={last.data?.data[0]} />;
}

function Existing({ id }: { id: string }) {
  const campaign = useCampaign(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={6} />;
  const { data } = campaign.data;
  if (data.status !== 'DRAFT') return <Redirect to={stepPath(id, 'review')} />;
  return <SettingsForm campaign={data} />;
}

type Values = ReturnType<typeof valuesOf>;

function valuesOf(campaign: Campaign | undefined, sender: { name: string; email: string }) {
  return {
    title: campaign?.title ?? '',
    ...envelopeOf(campaign, sender),
    language: campaign?.language ?? '',
    measures: Boolean(campaign?.utm_campaign),
    utm_campaign: campaign?.utm_campaign ?? '',
  };
}

type SettingsFormProps = { campaign: Campaign | undefined; last?: Campaign | undefined };

function SettingsForm({ campaign, last }: SettingsFormProps) {
  const t = useTexts('campaigns');
  const { form, isBusy, submit, isBehind, takeNewer } = useSettings(campaign, last);
  return (
    <StepPage ui={emailUi} campaign={campaign} step="settings">
      <form onSubmit={submit} noValidate>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" maw={1200}>
          <Stack gap="md">
            {isBehind && form.isDirty() && (
              <StaleNotice text={t('stale.settings')} settle={takeNewer} canKeep={false} />
            )}
            <TextInput
              label={t('fields.title')}
              description={t('fields.titleHint')}
              maxLength={MAX_TITLE}
              required
              data-autofocus={campaign === undefined || undefined}
              {...form.getInputProps('title')}
            />
            <EnvelopeFields propsOf={form.getInputProps} />
            <LanguageField {...form.getInputProps('language')} />
            <MeasuringFields form={form} />
            <Group justify="flex-end" className={classes.save} data-foot="">
              <Button type="submit" loading={isBusy}>
                {t('saveAndContinue')}
              </Button>
            </Group>
          </Stack>
          <EnvelopePreview envelope={form.getValues()} />
        </SimpleGrid>
      </form>
    </StepPage>
  );
}

function LanguageField(props: object) {
  const t = useTexts('campaigns');
  return (
    <Select
      label={t('fields.language')}
      description={t('fields.languageHint')}
      allowDeselect={false}
      data={[
        { value: '', label: t('languages.account') },
        ...LANGUAGES.map((value) => ({ value, label: t(`languages.${value}`) })),
      ]}
      {...props}
    />
  );
}

function MeasuringFields({ form }: { form: Form<Values> }) {
  const t = useTexts('campaigns');
  const { measures, title } = form.getValues();
  return (
    <>
      <Switch
        label={t('fields.measures')}
        description={t('fields.measuresHint')}
        {...form.getInputProps('measures', { type: 'checkbox' })}
      />
      {measures && (
        <TextInput
          label={t('fields.utmCampaign')}
          placeholder={title}
          maxLength={MAX_UTM}
          dir="auto"
          {...form.getInputProps('utm_campaign')}
        />
      )}
    </>
  );
}

/** The form, its saving, and later saves of another tab. */
function useSettings(campaign: Campaign | undefined, last: Campaign | undefined) {
  const t = useTexts('campaigns');
  const { user, account } = useSession();
  const isKnown = campaign === undefined && last !== undefined && last.from_email !== '';
  const sender = isKnown
    ? { name: last.from_name, email: last.from_email }
    : { name: account.title, email: user.email };
  const saved = valuesOf(campaign, sender);
  if (isKnown) saved.reply_to = toUnicodeDomain(last.reply_to);
  const revision = useRef(campaign?.revision);
  const save = useSaving(campaign, revision);
  const rules = useEnvelopeRules();
  const { form, isBusy, submit } = useServerForm<Values>({
    initialValues: saved,
    validate: {
      title: (value) => (value.trim() ? null : t('fields.titleRequired')),
      ...rules,
    },
    onError: (error) => isStale(error, revision),
    send: (values): Promise<void> => save(values, () => form.resetDirty()),
  });
  useUnsaved({
    name: `campaign:${campaign?.id ?? 'new'}:settings`,
    unsaved: form.isDirty() ? { values: form.getValues(), revision: revision.current } : undefined,
    restore: (edit) => {
      // A later save elsewhere is reported, as with both tabs open.
      revision.current = edit.revision;
      form.setValues(edit.values);
    },
    discard: () => form.reset(),
    leaving: 'store',
  });
  const isBehind = campaign !== undefined && campaign.revision > (revision.current ?? Infinity);
  useEffect(() => {
    // Without unsaved changes, show the changes of another tab.
    if (!isBehind || form.isDirty()) return;
    revision.current = campaign.revision;
    form.setInitialValues(saved);
    form.reset();
  });
  const takeNewer = () => {
    revision.current = campaign?.revision;
    form.setValues(saved);
    form.resetDirty();
  };
  return { form, isBusy, submit, isBehind, takeNewer };
}

type Revision = { current: number | undefined };

/** Saves, and continues to the next step. */
function useSaving(campaign: Campaign | undefined, revision: Revision) {
  const navigate = useNavigate();
  const keyOf = useKeyOf();
  return async ({ measures, ...settings }: Values, onSaved: () => void) => {
    const body = {
      ...settings,
      language: asLanguage(settings.language),
      // Without its own value it uses the title.
      utm_campaign: measures ? settings.utm_campaign.trim() || settings.title.trim() : null,
    };
    const saved = campaign
      ? await api('PATCH /client-api/api/campaigns/{id}', {
          params: { id: campaign.id },
          body: { ...body, revision: revision.current },
        })
      : await api('POST /client-api/api/campaigns', { body, idempotencyKey: keyOf(body) });
    onSaved();
    await invalidate(...touchesOf(saved.data.id));
    await navigate({ to: stepPath(saved.data.id, 'design'), ignoreBlocker: true });
  };
}

function asLanguage(value: string) {
  return LANGUAGES.find((language) => language === value) ?? null;
}

/** The banner above reports it; the query loads the newer one. */
function isStale(error: ApiError, revision: Revision): boolean {
  if (error.code !== 'stale_revision') return false;
  void invalidate('/client-api/api/campaigns');
  return revision.current !== undefined;
}
