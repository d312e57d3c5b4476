// Warnings for the form's author before saving: poor contrast, missing fields.
import { Alert, List } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import { adviceOn } from './advice.ts';
import classes from './builder.module.css';
import { useDraft } from './store.ts';

export function Advice() {
  const t = useTexts('forms-builder');
  const advice = adviceOn(useDraft());
  if (advice.length === 0) return null;
  return (
    <Alert color="warning" mt="md" title={t('advice.title')}>
      <List size="sm" spacing={4} className={classes.advice}>
        {advice.map((one) => (
          <List.Item key={one}>{t(`advice.${one}`)}</List.Item>
        ))}
      </List>
    </Alert>
  );
}
