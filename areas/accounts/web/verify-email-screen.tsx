// The screen that an address verification link opens.
import { Button, Loader } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { text, useSearchParams } from '#platform/web/api/address.ts';
import { FailedState } from '#platform/web/ui/states.tsx';
import { ApiError } from '#platform/web/api/api.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SignInMessage } from './sign-in-form.tsx';
import { api } from './sign-in-service.ts';

const address = { token: text('') };

export default function VerifyEmailScreen() {
  const t = useTexts('accounts');
  const [{ token }] = useSearchParams(address);
  // The verification is requested once per link because the result does not change.
  const verification = useQuery({
    queryKey: ['verify-email', token],
    queryFn: () => api('POST /auth/api/verify-email', { body: { token } }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
    meta: { notFound: 'inline' },
    retry: false,
  });
  const isExpired =
    token === '' || (verification.error instanceof ApiError && verification.error.status === 422);
  // A plain link reloads the app so that it reads the session and the verification again.
  const home = (
    <Button component="a" href="/">
      {t('verify.continue')}
    </Button>
  );
  if (isExpired) {
    return (
      <SignInMessage title={t('links.expiredTitle')} action={home}>
        {t('verify.expired')}
      </SignInMessage>
    );
  }
  if (verification.isLoadingError) {
    return <FailedState error={verification.error} retry={() => void verification.refetch()} />;
  }
  if (verification.isPending) {
    return (
      <SignInMessage title={t('verify.title')}>
        <Loader size="sm" role="status" aria-label={t('platform:states.loading')} />
      </SignInMessage>
    );
  }
  return (
    <SignInMessage title={t('verify.doneTitle')} action={home}>
      {t('verify.done')}
    </SignInMessage>
  );
}
