// Warnings above the table about columns that seem to contain opt-outs but are not mapped to a
// status. The user must decide about each before the start.
import { Alert, Button, Group } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { listUndecidedOptOuts, type MappingPlan, withColumn, withTarget } from './plan.ts';

export function OptOutColumns(props: { plan: MappingPlan; onChange: (plan: MappingPlan) => void }) {
  const { plan, onChange } = props;
  const t = useTexts('imports');
  const { number } = useFormats();
  return listUndecidedOptOuts(plan).map(({ column, title }) => {
    const name = title || t('columns.number', { number: number(column + 1) });
    return (
      <Alert
        key={column}
        color="warning"
        mb="sm"
        icon={<IconAlertTriangle size={18} stroke={1.75} />}
        title={t('optOuts.title', { column: name })}
      >
        <p>{t('optOuts.text')}</p>
        <Group gap="xs" mt="xs">
          <Button
            variant="default"
            size="xs"
            onClick={() => onChange(withTarget(plan, column, 'email_suppressed'))}
          >
            {t('optOuts.left')}
          </Button>
          <Button
            variant="default"
            size="xs"
            onClick={() => onChange(withTarget(plan, column, 'email_status'))}
          >
            {t('optOuts.agreed')}
          </Button>
          <Button
            variant="default"
            size="xs"
            onClick={() => onChange(withColumn(plan, column, { isIgnored: true }))}
          >
            {t('optOuts.ignore')}
          </Button>
        </Group>
      </Alert>
    );
  });
}
