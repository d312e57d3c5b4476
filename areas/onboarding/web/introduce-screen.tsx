// The first onboarding form: first name, last name, company and website. Continuing to the address
// form saves the values. While values are unsaved or missing, any other navigation is blocked,
// except signing out. Closing the tab shows no prompt because the browser stores the input and
// restores it on return.
import { Button, Group, TextInput } from '@mantine/core';
import { IconArrowRight } from '@tabler/icons-react';
import { useBlocker, useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import type { Account } from '#areas/accounts/contract.ts';
import { MAX_NAME_LENGTH, MAX_TITLE_LENGTH, MAX_URL } from '#areas/accounts/shared.ts';
import { findNameIssue, findWebsiteIssue } from '#areas/accounts/validation.ts';
import { WebsiteField } from '#areas/accounts/web/index.ts';
import {
  focusFirstError,
  type FormHandle,
  landOnFields,
  useServerForm,
} from '#platform/web/forms.ts';
import { failure, notice } from '#platform/web/errors/notices.tsx';
import { useSession } from '#platform/web/session/session.ts';
import { type Texts, useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';
import { OnboardingFrame } from './onboarding-frame.tsx';
import classes from './onboarding.module.css';
import { api, refreshOnboarding, useAccount } from './queries.ts';
import { ADDRESS } from './steps.ts';

interface Introduction extends Record<string, unknown> {
  name: string;
  surname: string;
  website: string;
  /**
   * The name that subscribers know the company by; requested once, for the footers of all emails.
   */
  company: string;
}

export default function IntroduceScreen() {
  const t = useTexts('onboarding');
  const account = useAccount();
  return (
    <OnboardingFrame step="introduce" title={t('introduce.title')} text={t('introduce.text')}>
      {account.data ? (
        <IntroduceForm account={account.data} />
      ) : account.isError ? (
        <FailedState error={account.error} title={t('errors.fetch')} retry={account.refetch} />
      ) : (
        <LoadingState rows={3} />
      )}
    </OnboardingFrame>
  );
}

function IntroduceForm({ account }: { account: Account }) {
  const t = useTexts('onboarding');
  const { form, isBusy, save } = useIntroduction(account);
  const navigate = useNavigate();
  return (
    <form
      className={classes.form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save(true).then((isSaved) => {
          if (isSaved) void navigate({ to: ADDRESS });
        });
      }}
    >
      <div className={classes.pair}>
        <TextInput
          label={t('introduce.name')}
          autoComplete="given-name"
          maxLength={MAX_NAME_LENGTH}
          autoFocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('introduce.surname')}
          autoComplete="family-name"
          maxLength={MAX_NAME_LENGTH}
          {...form.getInputProps('surname')}
        />
      </div>
      <TextInput
        label={t('accounts:account.name')}
        description={t('accounts:account.companyText')}
        autoComplete="organization"
        maxLength={MAX_TITLE_LENGTH}
        {...form.getInputProps('company')}
      />
      <WebsiteField form={form} label={t('introduce.website')} />
      <Group justify="flex-end">
        <Button
          type="submit"
          loading={isBusy}
          rightSection={<IconArrowRight size={18} stroke={1.75} className={classes.arrow} />}
        >
          {t('introduce.next')}
        </Button>
      </Group>
    </form>
  );
}

function useIntroduction(account: Account) {
  const t = useTexts('onboarding');
  const { user } = useSession();
  const first = {
    name: user.name ?? '',
    surname: user.surname ?? '',
    website: account.website ?? '',
    company: account.title,
  };
  const { form } = useServerForm<Introduction>({
    initialValues: first,
    validate: rulesOf(t),
    send: async () => undefined,
  });
  const [isBusy, setBusy] = useState(false);
  const isSaved = useRef(first.name !== '' && first.surname !== '' && first.website !== '');
  /**
   * Saves the form; resolves to true once it is saved. Unchanged values are sent again only if
   * `isForced`.
   */
  const save = async (isForced: boolean): Promise<boolean> => {
    if (isSaved.current && !form.isDirty() && !isForced) return true;
    if (isBusy || form.validate().hasErrors) {
      focusFirstError();
      return false;
    }
    setBusy(true);
    isSaved.current = await send(form, t, account.title);
    setBusy(false);
    return isSaved.current;
  };
  useUnsaved<Introduction>({
    name: 'onboarding:introduce',
    unsaved: form.isDirty() ? form.getValues() : undefined,
    restore: (edit) => form.setValues(edit),
    discard: () => form.reset(),
    onLeave: 'store',
  });
  useBlocker({
    enableBeforeUnload: false,
    shouldBlockFn: async ({ next }) => {
      if (next.pathname === ADDRESS) return !(await save(false));
      if (isSaved.current && !form.isDirty()) return false;
      notice(t('introduce.blocked'), { id: 'introduce-blocked' });
      return true;
    },
  });
  return { form, isBusy, save };
}

function rulesOf(t: Texts) {
  const validateName = (key: 'name' | 'surname') => (text: string) => {
    const issue = findNameIssue(text);
    return issue ? t(`introduce.issues.${key}.${issue}`, { most: MAX_NAME_LENGTH }) : null;
  };
  return {
    name: validateName('name'),
    surname: validateName('surname'),
    website: (text: string) => {
      const issue = findWebsiteIssue(text);
      if (!issue) return null;
      if (issue === 'long') return t('introduce.issues.websiteLong', { most: MAX_URL });
      return t(`accounts:account.${issue === 'required' ? 'websiteRequired' : 'websiteInvalid'}`);
    },
  };
}

async function send(form: FormHandle<Introduction>, t: Texts, title: string): Promise<boolean> {
  const { name, surname, website, company } = form.getValues();
  try {
    await api('PATCH /client-api/api/user_questionnaire', {
      body: { name: name.trim(), surname: surname.trim(), website: website.trim() },
    });
    if (company.trim() !== '' && company.trim() !== title) {
      await api('PATCH /client-api/api/accounts', { body: { title: company.trim() } });
    }
  } catch (error) {
    if (landOnFields(form, error)) return false;
    failure(t('errors.save'));
    return false;
  }
  form.resetDirty();
  await refreshOnboarding();
  return true;
}
