// Parts of inspector fields: a titled section, a labeled row, a reset to the default.
import { ActionIcon, Text, Tooltip } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import classes from './fields.module.css';

/**
 * A value with a default (`defaultValue`), for instance from the email's settings; the default
 * applies while the value is undefined.
 */
export interface DefaultedFieldProps<Value> {
  label: string;
  value: Value | undefined;
  defaultValue?: Value | undefined;
  onChange: (value: Value | undefined) => void;
  /** True if the value cannot be reset to the default. */
  isFixed?: boolean;
}

export function FieldPart({ title, children }: { title?: string; children: ReactNode }) {
  const id = useId();
  return (
    <section className={classes.part} aria-labelledby={title ? id : undefined}>
      {title && (
        <h3 id={id} className={classes.partTitle}>
          {title}
        </h3>
      )}
      {children}
    </section>
  );
}

export function Row({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.row}>
      <Text component="span" size="sm" className={classes.rowLabel} aria-hidden="true">
        {label}
      </Text>
      <div className={classes.rowField}>{children}</div>
    </div>
  );
}

export function Reset({ label, reset }: { label: string; reset: () => void }) {
  const t = useTexts('editing');
  return (
    <Tooltip label={t('style.reset')}>
      <ActionIcon
        size="sm"
        variant="subtle"
        color="gray"
        aria-label={`${t('style.reset')}: ${label}`}
        onClick={reset}
      >
        <IconArrowBackUp size={14} stroke={1.75} />
      </ActionIcon>
    </Tooltip>
  );
}
