// One user of the account. The page of another user has the names and rights; the page of the
// signed-in user has the names, email address, language, ways to sign in, notifications and
// sessions.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { findPreset } from '#platform/rights.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useRights } from '#platform/web/session/rights.ts';
import { ConsentChoices, useOfferedSlots } from '#platform/web/ui/consent-choices.tsx';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { AccountUser } from '../../settings-contract.ts';
import { EmailForm, LanguageChoice, NamesForm } from './profile-forms.tsx';
import { PasswordForm } from './password-form.tsx';
import { Passkeys } from './passkeys.tsx';
import { Notifications } from './notifications.tsx';
import { api } from './queries.ts';
import { Section } from './section.tsx';
import { Sessions } from './sessions.tsx';
import classes from './settings.module.css';
import { TwoFactor } from './two-factor.tsx';
import { getUserName, useUserActions } from './user-actions.ts';

const SingleSignOn = lazyWithRetry(() => import('./single-sign-on.tsx'));
const RightsForm = lazyWithRetry(() => import('./rights-form.tsx'));

export default function UserScreen() {
  const t = useTexts('accounts');
  const id = useParam('user');
  const user = useQuery(api.query('GET /client-api/api/account_users/{id}', { params: { id } }));
  if (user.data?.data.is_you) return <OwnProfile user={user.data.data} />;
  if (user.data) return <Colleague user={user.data.data} />;
  return (
    <Page title={t('users.one')} width="reading">
      {user.isError ? (
        <FailedState error={user.error} retry={() => void user.refetch()} />
      ) : (
        <LoadingState rows={6} />
      )}
    </Page>
  );
}

function OwnProfile({ user }: { user: AccountUser }) {
  const t = useTexts('accounts');
  return (
    <Page title={t('profile.title')} width="reading">
      <Section title={t('profile.names')} text={t('profile.namesText')}>
        <NamesForm key={user.id} user={user} />
      </Section>
      <Section title={t('fields.email')} text={t('profile.emailText')}>
        <EmailForm user={user} />
      </Section>
      <Section title={t('profile.language')} text={t('profile.languageText')}>
        <LanguageChoice />
      </Section>
      <Section title={t('fields.password')} text={t('profile.passwordText')}>
        <PasswordForm id={user.id} email={user.email} />
      </Section>
      <Section title={t('twoFactor.title')} text={t('twoFactor.text')}>
        <TwoFactor />
      </Section>
      <Section title={t('passkeys.title')} text={t('passkeys.text')}>
        <Passkeys />
        <Suspense>
          <SingleSignOn />
        </Suspense>
      </Section>
      <Section title={t('notifications.title')} text={t('notifications.text')}>
        <Notifications />
      </Section>
      <Section title={t('sessions.title')} text={t('sessions.text')}>
        <Sessions />
      </Section>
      <Privacy />
    </Page>
  );
}

/** The section is shown only on installations with third-party scripts. */
function Privacy() {
  const t = useTexts('accounts');
  if (useOfferedSlots().length === 0) return null;
  return (
    <Section title={t('profile.privacy')} text={t('profile.privacyText')}>
      <div className={classes.form}>
        <ConsentChoices />
      </div>
    </Section>
  );
}

function Colleague({ user }: { user: AccountUser }) {
  const t = useTexts('accounts');
  const navigate = useNavigate();
  const { remove } = useUserActions();
  const isAdmin = useRights().has('admin');
  // No prompt is shown for unsaved names because the user is removed.
  const leave = () => navigate({ to: '/settings/users', replace: true, ignoreBlocker: true });
  return (
    <Page
      title={<bdi>{getUserName(user)}</bdi>}
      description={<bdi>{toUnicodeDomain(user.email)}</bdi>}
      back={{ to: '/settings/users', label: t('users.title') }}
      width="reading"
      actions={
        isAdmin && (
          <Button variant="default" onClick={() => void remove(user, leave)}>
            {t('users.remove')}
          </Button>
        )
      }
    >
      {isAdmin ? (
        <>
          <Section title={t('profile.names')} text={t('users.namesText')}>
            <NamesForm key={user.id} user={user} />
          </Section>
          <Section title={t('rights.title')} text={t('rights.text')}>
            <Suspense fallback={<LoadingState rows={6} />}>
              <RightsForm key={user.id} user={user} />
            </Suspense>
          </Section>
        </>
      ) : (
        <Section title={t('rights.title')}>
          {t(`rights.presets.${findPreset(user.denied) ?? 'custom'}`)}
        </Section>
      )}
    </Page>
  );
}
