// Step 1: name, sender, text and what is added to it. The first save creates the campaign.
import { Button, Group, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { StepPage, touchesOf } from '#areas/broadcasts/web/index.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useKeyOf } from '#platform/web/hooks/use-key-of.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import type { SmsCampaign } from '../../contract.ts';
import { MAX_TITLE } from '../../shared.ts';
import { CostLine } from './cost.tsx';
import { MessageField } from './message-field.tsx';
import { stepPath } from '../paths.ts';
import { PersonChoice } from './person-choice.tsx';
import { PhoneFrame } from './phone-frame.tsx';
import { contentOf, type SmsContent, useSmsPreview } from './preview.ts';
import { api, asBroadcast, isOn, useSenders, useSms } from '../queries.ts';
import { SenderField } from '../senders/sender-field.tsx';
import { SmsTestNote } from '../test-note.tsx';
import { smsUi } from '../ui.ts';

export default function SettingsScreen() {
  const { sms: id } = useParams({ strict: false }) as { sms?: string };
  return id === undefined ? <SettingsForm campaign={undefined} /> : <Existing id={id} />;
}

function Existing({ id }: { id: string }) {
  const campaign = useSms(id);
  if (campaign.isLoadingError)
    return <FailedState error={campaign.error} retry={campaign.refetch} />;
  if (!campaign.data) return <LoadingState rows={6} />;
  const { data } = campaign.data;
  if (data.status !== 'DRAFT') return <Redirect to={stepPath(id, 'review')} />;
  return <SettingsForm campaign={data} />;
}

type Values = SmsContent & { title: string; phone_id: string };

const valuesOf = (campaign: SmsCampaign | undefined): Values => ({
  title: campaign?.title ?? '',
  phone_id: campaign?.phone_id ?? '',
  text: campaign?.text ?? '',
  prefix: campaign ? isOn(campaign.add_organization_name) : true,
  optOut: campaign ? isOn(campaign.append_opt_out) : true,
  analytics: campaign ? isOn(campaign.google_analytics) : false,
});

function SettingsForm({ campaign }: { campaign: SmsCampaign | undefined }) {
  const t = useTexts('sms');
  const { form, isBusy, submit } = useSettings(campaign);
  const values = form.getValues();
  const [person, setPerson] = useState<string | null>(null);
  const preview = useSmsPreview(values, person);
  const sender = useSenders().data?.data.find((choice) => choice.id === values.phone_id);
  return (
    <StepPage ui={smsUi} campaign={campaign && asBroadcast(campaign)} step="settings">
      <form onSubmit={submit} noValidate>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" maw={1200}>
          <Stack gap="md">
            <TextInput
              label={t('fields.title')}
              maxLength={MAX_TITLE}
              required
              data-autofocus={campaign === undefined || undefined}
              {...form.getInputProps('title')}
            />
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
              worst={preview.data?.data.worst}
            />
            {values.text.trim() !== '' && (
              <CostLine campaign={campaign?.id} parts={preview.data?.data.worst.parts} />
            )}
            <SmsTestNote />
            <AddOnSwitches form={form} />
            <Group justify="flex-end">
              <Button type="submit" loading={isBusy}>
                {t('saveAndContinue')}
              </Button>
            </Group>
          </Stack>
          <Stack gap="xs">
            <PersonChoice value={person} onChange={setPerson} />
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

function AddOnSwitches({ form }: Pick<ReturnType<typeof useSettings>, 'form'>) {
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
    </>
  );
}

/** The form; saving it leads to the next step. */
function useSettings(campaign: SmsCampaign | undefined) {
  const t = useTexts('sms');
  const navigate = useNavigate();
  const keyOf = useKeyOf();
  const { form, isBusy, submit } = useKeptForm<Values>(`sms:${campaign?.id ?? 'new'}`, {
    initialValues: valuesOf(campaign),
    validate: {
      title: (value) => (value.trim() ? null : t('fields.titleRequired')),
      text: (value) => (value.trim() ? null : t('fields.textRequired')),
      phone_id: (value) => (value ? null : t('fields.senderNone')),
    },
    send: async (values) => {
      const body = { title: values.title.trim(), ...contentOf(values) };
      const saved = campaign
        ? await api('PATCH /client-api/api/sms/campaign/{id}', {
            params: { id: campaign.id },
            body: { ...body, revision: campaign.revision },
          })
        : await api('POST /client-api/api/sms/campaign', {
            body,
            idempotencyKey: keyOf(body),
          });
      form.resetDirty();
      await invalidate(...touchesOf(smsUi, saved.data.id));
      await navigate({ to: stepPath(saved.data.id, 'recipients'), ignoreBlocker: true });
    },
  });
  return { form, isBusy, submit };
}
