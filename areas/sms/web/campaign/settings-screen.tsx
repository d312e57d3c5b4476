// Step 1: name, sender, text and additions to the text. The first save creates the campaign; from
// then on, changes are saved automatically.
import { Button, Group, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, Suspense, useState } from 'react';
import {
  DraftOnly,
  SavedSettings,
  StepPage,
  listAffectedQueries,
  UtmOverrideFields,
} from '#areas/broadcasts/web/index.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import type { FormHandle } from '#platform/web/forms.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { useIdempotencyKey } from '#platform/web/hooks/use-key-of.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import type { SmsCampaign, SmsPreview } from '../../contract.ts';
import { MAX_TITLE_LENGTH } from '../../shared.ts';
import { CostLine } from './cost.tsx';
import { MessageField } from './message-field.tsx';
import { stepPath } from '../paths.ts';
import { SubscriberChoice } from './subscriber-choice.tsx';
import { PhoneFrame } from './phone-frame.tsx';
import { useSmsPreview } from './preview.ts';
import {
  toSettingsBody,
  isWhole,
  type SmsSettingsValues,
  useSettingsRules,
  useSmsSaving,
  settingsFormValues,
} from './settings-values.ts';
import { api, toBroadcast, useSenders, useSms } from '../queries.ts';
import { SenderField } from '../senders/sender-field.tsx';
import { SmsTestNote } from '../test-note.tsx';
import { smsUi } from '../ui.ts';

export default function SettingsScreen() {
  const { sms: id } = useParams({ strict: false }) as { sms?: string };
  return id === undefined ? <NewSmsForm /> : <Existing key={id} id={id} />;
}

function NewSmsForm() {
  const navigate = useNavigate();
  const keyOf = useIdempotencyKey();
  const { form, isBusy, submit } = useKeptForm<SmsSettingsValues>('sms:new', {
    initialValues: settingsFormValues(undefined),
    validate: useSettingsRules(),
    send: async (values) => {
      const body = toSettingsBody(values);
      const response = await api('POST /client-api/api/sms/campaign', {
        body,
        idempotencyKey: keyOf(body),
      });
      form.resetDirty();
      await invalidate(...listAffectedQueries(smsUi, response.data.id));
      await navigate({ to: stepPath(response.data.id, 'recipients'), ignoreBlocker: true });
    },
  });
  return <SettingsForm campaign={undefined} form={form} submit={submit} isBusy={isBusy} />;
}

function Existing({ id }: { id: string }) {
  return (
    <DraftOnly query={useSms(id)} reviewPath={stepPath(id, 'review')}>
      {(campaign) => <SavedForm campaign={campaign} />}
    </DraftOnly>
  );
}

function SavedForm({ campaign }: { campaign: SmsCampaign }) {
  const navigate = useNavigate();
  const rules = useSettingsRules();
  return (
    <SavedSettings
      saving={useSmsSaving(campaign)}
      validate={rules}
      isWhole={(values) => isWhole(values, rules)}
      next={() => navigate({ to: stepPath(campaign.id, 'recipients'), ignoreBlocker: true })}
    >
      {(formParts) => <SettingsForm campaign={campaign} {...formParts} />}
    </SavedSettings>
  );
}

interface SettingsFormProps {
  campaign: SmsCampaign | undefined;
  form: FormHandle<SmsSettingsValues>;
  submit: ComponentProps<'form'>['onSubmit'];
  isBusy: boolean;
  notice?: ReactNode;
  /** Whether everything is saved, shown beside the button. */
  state?: ReactNode;
}

function SettingsForm({ campaign, form, submit, isBusy, notice, state }: SettingsFormProps) {
  const t = useTexts('sms');
  const values = form.getValues();
  const [subscriberId, setSubscriberId] = useState<string | null>(null);
  const preview = useSmsPreview(values, subscriberId);
  const sender = useSenders().data?.data.find((choice) => choice.id === values.phone_id);
  return (
    <StepPage ui={smsUi} campaign={campaign && toBroadcast(campaign)} step="settings">
      <form onSubmit={submit} noValidate>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" maw={1200}>
          <Stack gap="md">
            {notice}
            <TextInput
              label={t('fields.title')}
              maxLength={MAX_TITLE_LENGTH}
              required
              data-autofocus={campaign === undefined || undefined}
              {...form.getInputProps('title')}
            />
            <MessagePart
              campaign={campaign}
              form={form}
              longestPreview={preview.data?.data.worst}
            />
            <SmsTestNote />
            <AddOnSwitches form={form} />
            {campaign && <ExperimentButton campaign={campaign} />}
            <Group justify="flex-end">
              {state}
              <Button type="submit" loading={isBusy}>
                {t('saveAndContinue')}
              </Button>
            </Group>
          </Stack>
          <Stack gap="xs">
            <SubscriberChoice value={subscriberId} onChange={setSubscriberId} />
            <PhoneFrame
              from={sender?.value ?? t('fields.sender')}
              text={values.text.trim() === '' ? '' : (preview.data?.data.shown.text ?? '')}
            />
          </Stack>
        </SimpleGrid>
      </form>
    </StepPage>
  );
}

interface MessagePartProps extends Pick<SettingsFormProps, 'campaign' | 'form'> {
  /** The preview with the most parts. */
  longestPreview: SmsPreview | undefined;
}

/** The sender and text fields, and the cost. */
function MessagePart({ campaign, form, longestPreview }: MessagePartProps) {
  const values = form.getValues();
  return (
    <>
      <SenderField
        value={values.phone_id}
        onChange={(id) => form.setFieldValue('phone_id', id)}
        error={form.errors.phone_id}
        returnTo={{
          to: campaign ? stepPath(campaign.id, 'settings') : '/sms/create',
          kind: 'campaign',
          takesSender: true,
        }}
      />
      <MessageField
        value={values.text}
        onChange={(text) => form.setFieldValue('text', text)}
        onBlur={() => void form.validateField('text')}
        error={form.errors.text}
        longestPreview={longestPreview}
      />
      {values.text.trim() !== '' && (
        <CostLine campaign={campaign?.id} parts={longestPreview?.parts} />
      )}
    </>
  );
}

function ExperimentButton({ campaign }: { campaign: SmsCampaign }) {
  const t = useTexts('sms');
  return (
    <Button component={Link} to={smsUi.getExperimentPath(campaign.id)} variant="default" me="auto">
      {t(campaign.experiment ? 'broadcasts:experiment.edit' : 'broadcasts:experiment.run')}
    </Button>
  );
}

function AddOnSwitches({ form }: { form: FormHandle<SmsSettingsValues> }) {
  const t = useTexts('sms');
  return (
    <>
      {(['prefix', 'optOut', 'analytics'] as const).map((name) => (
        <Switch
          key={name}
          label={t(`fields.${name}`)}
          {...form.getInputProps(name, { type: 'checkbox' })}
        />
      ))}
      {form.getValues().analytics && (
        <Suspense fallback={<LoadingState rows={1} />}>
          <UtmOverrideFields
            channel="sms"
            getInputProps={(name) => form.getInputProps(`utm.${name}`)}
          />
        </Suspense>
      )}
    </>
  );
}
