// The frame of the operator's screens. It needs no session of an account, because the account's
// database node may be down; the server accepts the operator's session instead.
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { renewalDue } from '#platform/web/api/renewal.ts';
import { sessionQuery, useUserLanguage } from '#platform/web/session/session.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page, type PageProps } from '#platform/web/ui/page.tsx';
import classes from './operator.module.css';

export function OperatorPage(props: PageProps) {
  const t = useTexts('operator');
  // The session is requested only if there may be one: without a session, the request would
  // redirect to sign-in.
  useQuery({ ...sessionQuery, enabled: renewalDue() !== undefined, retry: false });
  useUserLanguage();
  return (
    <div className={classes.frame}>
      <Anchor component={Link} to="/" size="sm" className={classes.toAccount}>
        {t('toAccount')}
      </Anchor>
      <Page {...props} />
    </div>
  );
}
