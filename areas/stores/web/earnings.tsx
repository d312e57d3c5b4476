// The revenue attributed to messages, with one line per currency, because amounts of different
// currencies are never added.
import { Anchor, Table, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useId } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Earned } from '../earned-contract.ts';
import { useAmount } from '#platform/web/texts/amount.ts';
import classes from './stores.module.css';

interface EarningsProps {
  /** Null without revenue and without a connected store; nothing is rendered then. */
  earned: readonly Earned[] | null;
  /** Number of people who received at least one message. */
  recipients: number;
}

export default function Earnings({ earned, recipients }: EarningsProps) {
  const t = useTexts('stores');
  const id = useId();
  if (!earned) return null;
  return (
    <section aria-labelledby={id} className={classes.earnings}>
      <h2 id={id} className={classes.heading}>
        {t('earned.title')}
      </h2>
      <p className={classes.note}>
        {t('earned.hint')}{' '}
        <Anchor component={Link} to="/settings/sales-attribution" underline="always" inherit>
          {t('earned.settings')}
        </Anchor>
      </p>
      {earned.length === 0 ? (
        <Text c="dimmed">{t('earned.none')}</Text>
      ) : (
        <Lines earned={earned} recipients={recipients} label={t('earned.title')} />
      )}
    </section>
  );
}

interface LinesProps {
  earned: readonly Earned[];
  recipients: number;
  label: string;
}

function Lines({ earned, recipients, label }: LinesProps) {
  const t = useTexts('stores');
  const { number } = useFormats();
  const amount = useAmount();
  return (
    <Table aria-label={label} className={classes.table}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{t('earned.orders')}</Table.Th>
          <Table.Th>{t('earned.revenue')}</Table.Th>
          <Table.Th>{t('earned.perRecipient')}</Table.Th>
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {earned.map(({ currency, orders, revenue }) => (
          <Table.Tr key={currency}>
            <Table.Td>{number(orders)}</Table.Td>
            <Table.Td className={classes.revenue}>{amount(revenue, currency)}</Table.Td>
            <Table.Td>{recipients > 0 ? amount(revenue / recipients, currency) : '–'}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}
