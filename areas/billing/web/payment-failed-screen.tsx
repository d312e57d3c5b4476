// A failed payment: its reason, and the link to retry.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useFailureText } from './failure.ts';
import { OrderOutcome } from './order-outcome.tsx';

export default function PaymentFailedScreen() {
  const t = useTexts('billing');
  const failureText = useFailureText();
  return (
    <OrderOutcome
      title={t('failed.title')}
      text={t('failed.text')}
      renderOrder={({ failure }) => <p>{failureText(failure)}</p>}
      next={(id) =>
        id === undefined ? (
          <Button component={Link} to="/settings/billing/upgrade">
            {t('failed.again')}
          </Button>
        ) : (
          <Button component={Link} to={`/checkout/${id}`}>
            {t('failed.again')}
          </Button>
        )
      }
    />
  );
}
