// Audience growth as a table, newest day first.
import { Table } from '@mantine/core';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Growth } from '../contract.ts';
import classes from './dashboard.module.css';

export default function GrowthTable({ growth }: { growth: Growth }) {
  const t = useTexts('dashboard');
  const { date, number } = useFormats();
  return (
    <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('growth.title')}>
      <Table fz="sm" stickyHeader>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t('growth.day')}</Table.Th>
            <Table.Th className={classes.number}>{t('growth.total')}</Table.Th>
            <Table.Th className={classes.number}>{t('growth.added')}</Table.Th>
            <Table.Th className={classes.number}>{t('growth.lostNow')}</Table.Th>
            <Table.Th className={classes.number}>{t('growth.removed')}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {growth.days.toReversed().map(({ day, total, added, lost, removed }) => (
            <Table.Tr key={day}>
              <Table.Td>{date(`${day}T12:00:00Z`, 'UTC')}</Table.Td>
              <Table.Td className={classes.number}>{number(total)}</Table.Td>
              <Table.Td className={classes.number}>{number(added)}</Table.Td>
              <Table.Td className={classes.number}>{number(lost)}</Table.Td>
              <Table.Td className={classes.number}>{number(removed)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}
