// Payment of an order: its summary, and the choice of a stored card or a new one, which is entered
// in a frame.
import { Alert, Button, Checkbox, Radio, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { showError } from '#platform/web/errors/errors.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useSession } from '#platform/web/session/session.ts';
import { TestToolNote } from '#platform/web/ui/test-tools.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { BillingOrder, OrderPayment, PaymentMethod } from '../contract.ts';
import classes from './billing.module.css';
import { CardFrame, type CardFrameHandle } from './card-frame.tsx';
import { useFailureText } from './failure.ts';
import { type OrderChange, OrderSummary } from './order-summary.tsx';
import { api, ORDERS, invalidateBilling, toMajorUnits } from './queries.ts';
import { WhereSold } from './purchase-guard.tsx';

const POLL_MS = 3_000;

export default function CheckoutScreen() {
  return (
    <WhereSold>
      <Checkout />
    </WhereSold>
  );
}

function Checkout() {
  const t = useTexts('billing');
  const id = useParam('order');
  const order = useQuery(api.query('GET /client-api/api/orders/{id}', { params: { id } }));
  if (order.data?.data.state === 'paid') {
    return <Redirect to={`/thank-you/${id}`} />;
  }
  return (
    <Page
      title={t('checkout.title')}
      back={{ to: '/settings/billing', label: t('title') }}
      width="reading"
    >
      {order.data ? (
        <CheckoutView order={order.data.data} />
      ) : order.isError ? (
        <FailedState error={order.error} retry={() => void order.refetch()} />
      ) : (
        <LoadingState rows={8} />
      )}
    </Page>
  );
}

function CheckoutView({ order }: { order: BillingOrder }) {
  const t = useTexts('billing');
  const params = { id: order.id };
  const change = async (body: OrderChange) => {
    await api('PUT /client-api/api/orders/{id}', { params, body });
    await invalidate(ORDERS);
  };
  const isOpen = order.state === 'draft' || order.state === 'failed';
  return (
    <>
      <TestToolNote tool="cards" />
      <div className={classes.checkout}>
        {order.state === 'paying' ? (
          <Waiting order={order} />
        ) : isOpen ? (
          <Pay order={order} />
        ) : (
          <p className={classes.notice}>{t('checkout.closed')}</p>
        )}
        <OrderSummary order={order} change={isOpen ? change : undefined} />
      </div>
    </>
  );
}

/**
 * Opens the thank-you screen once the order is paid. After a declined payment the screen stays open
 * with the order and the choice of a card.
 */
function useOutcome(order: BillingOrder) {
  const navigate = useNavigate();
  return async ({ is }: OrderPayment) => {
    const params = { order: order.id };
    if (is === 'paid') {
      await navigate({ to: '/thank-you/$order', params, replace: true });
      await invalidateBilling();
    } else {
      await invalidate(ORDERS);
    }
  };
}

function Pay({ order }: { order: BillingOrder }) {
  const t = useTexts('billing');
  const methods = useQuery(api.query('GET /client-api/api/payment-methods'));
  if (methods.isError && !methods.data) {
    return <FailedState error={methods.error} retry={() => void methods.refetch()} />;
  }
  if (!methods.data) return <LoadingState rows={5} />;
  const usable = methods.data.data.filter((method) => !method.is_expired);
  return (
    <section className={classes.card} aria-label={t('checkout.pay')}>
      <h2>{t('checkout.pay')}</h2>
      {order.failure !== null && <DeclinedMessage failure={order.failure} />}
      <PayForm order={order} methods={usable} />
    </section>
  );
}

/** The reason why the last payment failed. */
function DeclinedMessage({ failure }: { failure: string }) {
  const t = useTexts('billing');
  const failureText = useFailureText();
  return (
    <Alert color="danger" role="alert" title={t('failed.title')} mb="md">
      {failureText(failure)}
    </Alert>
  );
}

const NEW_CARD = 'new';

function PayForm({ order, methods }: { order: BillingOrder; methods: PaymentMethod[] }) {
  const [method, setMethod] = useState(methods[0]?.id ?? NEW_CARD);
  const [isCardSaved, setCardSaved] = useState(true);
  const [isBusy, setBusy] = useState(false);
  const card = useRef<CardFrameHandle>(null);
  const [isCardReady, setCardReady] = useState(false);
  const outcome = useOutcome(order);
  const { email } = useSession().user;
  const isFree = order.total === 0;
  const isNewCard = !isFree && method === NEW_CARD;
  const amount = toMajorUnits(order.total).toFixed(2);
  const pay = async () => {
    if (isBusy) return;
    setBusy(true);
    try {
      const payWith = isFree
        ? {}
        : method === NEW_CARD
          ? { card: await card.current?.createNonce({ amount, email }) }
          : { method_id: method };
      if ('card' in payWith && payWith.card === undefined) return;
      const { data } = await payOrder(order, isCardSaved, payWith as PaidBy);
      await outcome(data);
    } catch (error) {
      showError(error);
      await invalidate(ORDERS);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void pay();
      }}
    >
      <Stack gap="md">
        {!isFree && methods.length > 0 && (
          <Methods methods={methods} value={method} onChange={setMethod} />
        )}
        {isNewCard && (
          <>
            <NewCard
              ref={card}
              currency={order.currency}
              onReady={setCardReady}
              onEnter={() => void pay()}
            />
            <KeepCard isKept={isCardSaved} onChange={setCardSaved} />
          </>
        )}
        <Button type="submit" loading={isBusy} disabled={isNewCard && !isCardReady}>
          <PayVerb order={order} />
        </Button>
      </Stack>
    </form>
  );
}

function KeepCard({ isKept, onChange }: { isKept: boolean; onChange: (is: boolean) => void }) {
  const t = useTexts('billing');
  return (
    <Checkbox
      label={t('checkout.keep')}
      description={t('checkout.keepText')}
      checked={isKept}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  );
}

/** A new card or a stored method; neither for a free order. */
type PaidBy = { card?: string; method_id?: string };

const payOrder = (order: BillingOrder, save: boolean, method: PaidBy) =>
  api('POST /client-api/api/orders/{id}/pay', {
    params: { id: order.id },
    body: { total: order.total, save, ...method },
  });

function PayVerb({ order }: { order: BillingOrder }) {
  const t = useTexts('billing');
  const { money } = useFormats();
  if (order.total === 0) return t('checkout.finish');
  const amount = money(toMajorUnits(order.total), order.currency.toUpperCase());
  return t('checkout.payAmount', { amount });
}

function Methods(props: {
  methods: PaymentMethod[];
  value: string;
  onChange: (id: string) => void;
}) {
  const { methods, value, onChange } = props;
  const t = useTexts('billing');
  return (
    <Radio.Group label={t('checkout.method')} value={value} onChange={onChange}>
      <Stack gap="xs" mt="xs">
        {methods.map((method) => (
          <Radio
            key={method.id}
            value={method.id}
            label={<bdi dir="ltr">{`${method.brand} •••• ${method.last4}`}</bdi>}
          />
        ))}
        <Radio value={NEW_CARD} label={t('checkout.newCard')} />
      </Stack>
    </Radio.Group>
  );
}

function NewCard(props: {
  ref: React.Ref<CardFrameHandle>;
  currency: BillingOrder['currency'];
  onReady: (isReady: boolean) => void;
  onEnter: () => void;
}) {
  const { ref, currency, onReady, onEnter } = props;
  const token = useQuery({
    ...api.query('GET /client-api/api/orders/client_token', { query: { currency } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  if (token.isError && !token.data)
    return <FailedState error={token.error} retry={() => void token.refetch()} />;
  if (!token.data) return <LoadingState rows={3} />;
  const { token: cardToken, frame, gateway } = token.data.data;
  return (
    <CardFrame
      ref={ref}
      token={cardToken}
      address={frame}
      hasBankChallenges={gateway === 'braintree'}
      onReady={onReady}
      onEnter={onEnter}
    />
  );
}

/** Polls while the bank's authentication or the result is pending. */
function Waiting({ order }: { order: BillingOrder }) {
  const t = useTexts('billing');
  const outcome = useOutcome(order);
  const [url, setUrl] = useState<string>();
  const [polls, setPolls] = useState(0);
  const latestOutcome = useRef(outcome);
  latestOutcome.current = outcome;
  useEffect(() => {
    let isOver = false;
    const poll = async () => {
      const { data } = await api('POST /client-api/api/orders/{id}/finish', {
        params: { id: order.id },
        body: {},
      });
      if (isOver) return;
      setUrl(data.action?.url);
      if (data.is === 'paid' || data.is === 'declined') await latestOutcome.current(data);
    };
    void poll().catch(() => undefined);
    const timer = setInterval(() => void poll().catch(() => undefined), POLL_MS);
    return () => {
      isOver = true;
      clearInterval(timer);
    };
  }, [order.id, polls]);
  return (
    <section className={classes.card} aria-label={t('checkout.waiting')} aria-live="polite">
      <h2>{t(url ? 'checkout.bank' : 'checkout.waiting')}</h2>
      <p>{t(url ? 'checkout.bankText' : 'checkout.waitingText')}</p>
      {url ? (
        <Button component="a" href={url} target="_blank" rel="noreferrer">
          {t('checkout.openBank')}
        </Button>
      ) : (
        <Button variant="default" onClick={() => setPolls(polls + 1)}>
          {t('checkout.ask')}
        </Button>
      )}
    </section>
  );
}
