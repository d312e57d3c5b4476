// An SMS as a phone displays it.
import { Text } from '@mantine/core';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from '../sms.module.css';

export function PhoneFrame({ from, text }: { from: string; text: string }) {
  const t = useTexts('sms');
  return (
    <figure className={classes.phone} aria-label={t('preview.title')}>
      <bdi className={classes.from} dir="auto">
        {from}
      </bdi>
      {text.trim() === '' ? (
        <Text size="sm" c="dimmed">
          {t('preview.empty')}
        </Text>
      ) : (
        <div className={classes.bubble} dir="auto">
          {text}
        </div>
      )}
    </figure>
  );
}
