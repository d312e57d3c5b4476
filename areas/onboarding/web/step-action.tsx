// The actions of the checklist's steps.
import { Button, type ButtonProps } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { createContext, Suspense, useContext, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { ALREADY_VERIFIED_MS, failure, toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { USERS_PATH } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { ScreenLink } from '#platform/web/ui/screen-link.tsx';
import { readFlags, useDomains, useLatest } from './queries.ts';
import { toCampaignPath, INTRODUCE, toReportPath, type Step } from './steps.ts';

const AddDomainDialog = lazyWithRetry(async () => ({
  default: (await import('#areas/domains/web/index.ts')).AddDomainDialog,
}));
const ResendDialog = lazyWithRetry(() => import('./resend-dialog.tsx'));

/**
 * Steps other than the current one have a less prominent button because a screen has one primary
 * button.
 */
const Aside = createContext(false);

function useButtonStyle(): Pick<ButtonProps, 'variant' | 'size'> {
  return useContext(Aside) ? { variant: 'subtle', size: 'compact-md' } : {};
}

export function StepAction({ step, isAside = false }: { step: Step; isAside?: boolean }) {
  return (
    <Aside value={isAside}>
      <Action step={step} />
    </Aside>
  );
}

function Action({ step }: { step: Step }) {
  const t = useTexts('onboarding');
  switch (step) {
    case 'register':
      return <LinkButton to={INTRODUCE}>{t('steps.register.action')}</LinkButton>;
    case 'verify':
      return <VerifyEmail />;
    case 'domain':
      return <ConfirmDomain />;
    case 'contacts':
      return <LinkButton to="/subscribers/import">{t('steps.contacts.action')}</LinkButton>;
    case 'send':
      return <Send />;
    case 'report':
      return <Report />;
  }
}

function LinkButton({ to, children }: { to: string; children: string }) {
  return (
    <Button component={Link} to={to} {...useButtonStyle()}>
      {children}
    </Button>
  );
}

/**
 * Checks whether the address is verified before it offers to resend the email, because the link in
 * the email may have been opened on another device.
 */
function VerifyEmail() {
  const t = useTexts('onboarding');
  const [isChecking, setChecking] = useState(false);
  const [isDialogOpen, setDialogOpen] = useState(false);
  const buttonStyle = useButtonStyle();
  const check = async () => {
    setChecking(true);
    try {
      const flags = await readFlags();
      if (!flags.email_verified) return setDialogOpen(true);
      toast(t('steps.verify.already'), { duration: ALREADY_VERIFIED_MS });
      await invalidate(USERS_PATH);
    } catch {
      failure(t('errors.fetch'));
    } finally {
      setChecking(false);
    }
  };
  return (
    <>
      <Button {...buttonStyle} disabled={isChecking} onClick={() => void check()}>
        {isChecking ? t('steps.verify.checking') : t('steps.verify.action')}
      </Button>
      <Suspense fallback={null}>
        {isDialogOpen && <ResendDialog close={() => setDialogOpen(false)} />}
      </Suspense>
    </>
  );
}

/**
 * The action of the domain step: opens the domain that waits for its DNS records, if there is one,
 * and offers to add another domain.
 */
function ConfirmDomain() {
  const t = useTexts('onboarding');
  const [isOpen, setOpen] = useState<boolean>();
  const buttonStyle = useButtonStyle();
  const waiting = useDomains().data?.data[0];
  return (
    <>
      {waiting && (
        <Button component={Link} to={`/settings/domains/${waiting.id}`} {...buttonStyle}>
          {t('steps.domain.goOn', { domain: waiting.shown_name })}
        </Button>
      )}
      <Button
        {...(waiting ? { ...buttonStyle, variant: 'subtle' } : buttonStyle)}
        onClick={() => setOpen(true)}
      >
        {t('steps.domain.action')}
      </Button>
      <Suspense fallback={null}>
        {isOpen !== undefined && <AddDomainDialog isOpen={isOpen} close={() => setOpen(false)} />}
      </Suspense>
    </>
  );
}

function Send() {
  const t = useTexts('onboarding');
  const drafts = useLatest('DRAFT', true);
  const draft = drafts.data?.data[0];
  return (
    <Button
      component={Link}
      to={toCampaignPath(draft)}
      loading={drafts.isPending}
      {...useButtonStyle()}
    >
      {t(draft ? 'steps.send.goOn' : 'steps.send.action')}
    </Button>
  );
}

function Report() {
  const t = useTexts('onboarding');
  const sentCampaigns = useLatest('SENT', true);
  const [path = '', search = ''] = toReportPath(sentCampaigns.data?.data[0]).split('?');
  return (
    <Button
      component={ScreenLink}
      to={path}
      search={Object.fromEntries(new URLSearchParams(search))}
      loading={sentCampaigns.isPending}
      {...useButtonStyle()}
    >
      {t('steps.report.action')}
    </Button>
  );
}
