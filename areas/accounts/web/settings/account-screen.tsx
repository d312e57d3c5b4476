// The account settings: an overview, and forms for company, postal address and region.
import { Anchor, TextInput } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Suspense } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { Account } from '../../contract.ts';
import { MAX_TITLE_LENGTH } from '../../shared.ts';
import { findWebsiteIssue } from '../../validation.ts';
import { WebsiteField } from '../website-field.tsx';
import { api, invalidateSession, useAccount, useReachable } from './queries.ts';
import { Section, SectionForm } from './section.tsx';
import classes from './settings.module.css';
import { useSavedForm } from './use-kept-form.ts';

// Two forms are loaded separately, because the lists of countries and zones are large.
const AddressForm = lazyWithRetry(() => import('./address-form.tsx'));
const RegionForm = lazyWithRetry(() => import('./region-form.tsx'));

export default function AccountScreen() {
  const t = useTexts('accounts');
  const account = useAccount();
  return (
    <Page title={t('account.title')} width="reading">
      {account.data ? (
        <AccountSettings account={account.data} />
      ) : account.isError ? (
        <FailedState error={account.error} retry={() => void account.refetch()} />
      ) : (
        <LoadingState rows={8} />
      )}
    </Page>
  );
}

function AccountSettings({ account }: { account: Account }) {
  const t = useTexts('accounts');
  return (
    <>
      <AccountFactsList account={account} />
      <Section title={t('account.company')} text={t('account.companyText')}>
        <CompanyForm account={account} />
      </Section>
      <Section title={t('account.address')} text={t('account.addressText')}>
        <Suspense fallback={<LoadingState rows={4} />}>
          <AddressForm account={account} />
        </Suspense>
      </Section>
      <Section title={t('account.region')} text={t('account.regionText')}>
        <Suspense fallback={<LoadingState rows={3} />}>
          <RegionForm account={account} />
        </Suspense>
      </Section>
    </>
  );
}

function AccountFactsList({ account }: { account: Account }) {
  const t = useTexts('accounts');
  const { number, date } = useFormats();
  const reach = useReachable().data?.data;
  const isActive = account.status === 'active';
  return (
    <dl className={classes.facts}>
      <div>
        <dt>{t('account.status')}</dt>
        <dd>
          <StatusDot
            tone={isActive ? 'success' : 'warning'}
            label={isActive ? t('account.active') : account.status}
          />
        </dd>
      </div>
      {account.active_plan.id !== 'unlimited' && (
        <div>
          <dt>{t('account.plan')}</dt>
          <dd>
            <Anchor component={Link} to="/settings/billing">
              {t('account.seePlan')}
            </Anchor>
          </dd>
        </div>
      )}
      {account.plan_valid_to && (
        <div>
          <dt>{t('account.planEnds')}</dt>
          <dd>{date(account.plan_valid_to)}</dd>
        </div>
      )}
      <div>
        <dt>{t('account.subscribers')}</dt>
        <dd>{reach ? number(reach.reachable) : '\u00a0'}</dd>
      </div>
      <div>
        <dt>{t('account.since')}</dt>
        <dd>{date(account.created)}</dd>
      </div>
    </dl>
  );
}

function CompanyForm({ account }: { account: Account }) {
  const t = useTexts('accounts');
  const { form, isBusy, submit } = useSavedForm('company', {
    initialValues: {
      title: account.title,
      website: account.website ?? '',
      industry: account.industry ?? '',
    },
    validate: {
      title: (title) => (title.trim() === '' ? t('account.titleRequired') : null),
      website: (website) => {
        const issue = findWebsiteIssue(website);
        if (!issue) return null;
        return t(issue === 'required' ? 'account.websiteRequired' : 'account.websiteInvalid');
      },
    },
    send: async ({ title, website, industry }) => {
      const body = {
        title: title.trim(),
        website: website.trim(),
        ...(industry.trim() === (account.industry ?? '') ? {} : { industry: industry.trim() }),
      };
      await api('PATCH /client-api/api/accounts', { body });
      toast(t('settings.saved'));
      await invalidateSession();
    },
  });
  return (
    <SectionForm onSubmit={submit} isBusy={isBusy} isChanged={form.isDirty()}>
      <TextInput
        label={t('account.name')}
        autoComplete="organization"
        maxLength={MAX_TITLE_LENGTH}
        {...form.getInputProps('title')}
      />
      <WebsiteField form={form} label={t('account.website')} />
      <TextInput
        label={t('account.industry')}
        maxLength={100}
        {...form.getInputProps('industry')}
      />
    </SectionForm>
  );
}
