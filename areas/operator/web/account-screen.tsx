// One account: its data and usage, its payments, and the operator's actions.
import { Button, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { OperatorAccount, Payment } from '../contract.ts';
import { MAX_REASON } from '../shared.ts';
import { AccountState } from './accounts-screen.tsx';
import classes from './operator.module.css';
import { OperatorPage } from './operator-page.tsx';
import { ACCOUNTS, api } from './queries.ts';

export default function AccountScreen() {
  const t = useTexts('operator');
  const id = useParam('account');
  const account = useQuery({
    ...api.query('GET /client-api/api/operator/accounts/{id}', { params: { id } }),
    retry: false,
  });
  const backLink = { to: '/operator/accounts', label: t('accounts.title') };
  const details = account.data?.data;
  return (
    <OperatorPage
      title={
        <bdi>{details?.title || toUnicodeDomain(details?.email ?? '') || t('accounts.one')}</bdi>
      }
      back={backLink}
      status={details && <AccountState account={details} />}
      actions={details && <Actions account={details} />}
      width="reading"
    >
      {details ? (
        <div className={classes.sections}>
          <AccountFacts account={details} />
          {details.payments.length > 0 && (
            <Payments account={details} payments={details.payments} />
          )}
        </div>
      ) : account.isLoadingError ? (
        <FailedState error={account.error} retry={() => void account.refetch()} />
      ) : (
        <LoadingState rows={6} />
      )}
    </OperatorPage>
  );
}

function Actions({ account }: { account: OperatorAccount }) {
  const t = useTexts('operator');
  const params = { id: account.id };
  const suspend = async () => {
    const reason = await promptInput({
      type: 'text',
      title: t('suspend.title'),
      label: t('suspend.reason'),
      description: t('suspend.text'),
      maxLength: MAX_REASON,
      confirm: t('suspend.confirm'),
      send: (typedReason) =>
        api('POST /client-api/api/operator/accounts/{id}/suspend', {
          params,
          body: { reason: typedReason },
        }),
    });
    if (reason === undefined) return;
    toast(t('suspend.done'));
    await invalidate(ACCOUNTS);
  };
  const restore = async () => {
    await api('POST /client-api/api/operator/accounts/{id}/restore', { params });
    toast(t('restore.done'));
    await invalidate(ACCOUNTS);
  };
  return account.suspended ? (
    <Button onClick={() => void restore()}>{t('restore.act')}</Button>
  ) : (
    <Button variant="default" color="danger" onClick={() => void suspend()}>
      {t('suspend.act')}
    </Button>
  );
}

function AccountFacts({ account }: { account: OperatorAccount }) {
  const t = useTexts('operator');
  const { date, dateTime, number } = useFormats();
  const entries: [string, string][] = [
    [t('accounts.owner'), toUnicodeDomain(account.email ?? '–')],
    [t('accounts.plan'), account.plan ?? '–'],
    ...(account.valid_to
      ? [[t('accounts.validTo'), date(account.valid_to)] as [string, string]]
      : []),
    [t('accounts.subscribers'), number(account.subscribers)],
    [t('accounts.emails'), number(account.emails)],
    [t('accounts.created'), date(account.created)],
    ...(account.suspended
      ? ([
          [t('accounts.since'), dateTime(account.suspended)],
          [t('suspend.reason'), account.suspended_reason ?? ''],
        ] as [string, string][])
      : []),
  ];
  return (
    <dl className={classes.figures}>
      {entries.map(([label, value]) => (
        <div key={label} className={classes.figure}>
          <dt>{label}</dt>
          <dd>
            <bdi>{value}</bdi>
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Payments({ account, payments }: { account: OperatorAccount; payments: Payment[] }) {
  const t = useTexts('operator');
  const { dateTime, money } = useFormats();
  const formatAmount = ({ total, currency }: Payment) => money(total / 100, currency.toUpperCase());
  const refund = async (payment: Payment) => {
    const isDone = await confirm({
      title: t('payments.refundTitle', { amount: formatAmount(payment) }),
      message: t('payments.refundText'),
      confirm: t('payments.refund'),
      isDanger: true,
      run: () =>
        api('POST /client-api/api/operator/accounts/{id}/payments/{payment}/refund', {
          params: { id: account.id, payment: payment.id },
        }),
    });
    if (isDone) await invalidate(ACCOUNTS);
  };
  const head = (['what', 'when', 'amount', 'state'] as const).map((name) => t(`payments.${name}`));
  return (
    <section aria-label={t('payments.title')}>
      <h2 className={classes.heading}>{t('payments.title')}</h2>
      <Table.ScrollContainer minWidth={480} scrollAreaProps={{ viewportProps: { tabIndex: 0 } }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              {[...head, ''].map((text) => (
                <Table.Th key={text}>{text}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {payments.map((payment) => (
              <Table.Tr key={payment.id}>
                <Table.Td>
                  <bdi>{payment.plan ?? t('payments.smsCredit')}</bdi>
                </Table.Td>
                <Table.Td>{payment.paid ? dateTime(payment.paid) : '–'}</Table.Td>
                <Table.Td>{formatAmount(payment)}</Table.Td>
                <Table.Td>{t(`payments.is.${payment.state}`)}</Table.Td>
                <Table.Td ta="end">
                  {payment.state === 'paid' && (
                    <Button size="compact-sm" variant="subtle" onClick={() => void refund(payment)}>
                      {t('payments.refund')}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </section>
  );
}
