// Fields of the settings, with a preview of the email in an inbox.
import { Button, Group, Select, SimpleGrid, Stack, Switch, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { type ComponentProps, type ReactNode, Suspense } from 'react';
import { StepPage, UtmOverrideFields } from '#areas/broadcasts/web/index.ts';
import { LANGUAGES } from '#platform/languages.ts';
import type { FormHandle } from '#platform/web/forms.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { EnvelopeFields, EnvelopePreview } from '../../content/web/index.ts';
import type { Campaign } from '../contract.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import { experimentPath } from './paths.ts';
import classes from './settings-screen.module.css';
import type { CampaignSettingsValues } from './settings-values.ts';
import { SubjectAssist } from './subject-assist.tsx';
import { emailUi } from './ui.ts';

interface SettingsFormProps {
  campaign: Campaign | undefined;
  form: FormHandle<CampaignSettingsValues>;
  submit: ComponentProps<'form'>['onSubmit'];
  isBusy: boolean;
  notice?: ReactNode;
  /** The saving state, shown beside the button. */
  state?: ReactNode;
}

export function SettingsForm(props: SettingsFormProps) {
  const { campaign, form, submit, isBusy, notice, state } = props;
  const t = useTexts('campaigns');
  return (
    <StepPage ui={emailUi} campaign={campaign} step="settings">
      <form onSubmit={submit} noValidate>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="xl" maw={1200}>
          <Stack gap="md">
            {notice}
            <TextInput
              label={t('fields.title')}
              description={t('fields.titleHint')}
              maxLength={MAX_TITLE_LENGTH}
              required
              data-autofocus={campaign === undefined || undefined}
              {...form.getInputProps('title')}
            />
            <EnvelopeFields getFieldProps={form.getInputProps} />
            {campaign && (
              <SubjectAssist
                campaign={campaign}
                language={LANGUAGES.find((value) => value === form.getValues().language)}
                onSelect={(subject) => form.setFieldValue('subject', subject)}
              />
            )}
            <LanguageField {...form.getInputProps('language')} />
            <MeasuringFields form={form} />
            {campaign && campaign.resend_of === null && (
              <Button component={Link} to={experimentPath(campaign.id)} variant="default" me="auto">
                {t(
                  campaign.experiment ? 'broadcasts:experiment.edit' : 'broadcasts:experiment.run',
                )}
              </Button>
            )}
            <Group justify="flex-end" className={classes.save} data-foot="">
              {state}
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

function MeasuringFields({ form }: { form: FormHandle<CampaignSettingsValues> }) {
  const t = useTexts('campaigns');
  return (
    <>
      <Switch
        label={t('fields.measures')}
        description={t('fields.measuresHint')}
        {...form.getInputProps('measures', { type: 'checkbox' })}
      />
      {form.getValues().measures && (
        <Suspense fallback={<LoadingState rows={1} />}>
          <UtmOverrideFields
            channel="email"
            getInputProps={(name) => form.getInputProps(`utm.${name}`)}
          />
        </Suspense>
      )}
    </>
  );
}
