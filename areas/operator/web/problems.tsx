// The installation's problems and their remedies, or a message that there are none.
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Problem } from '../contract.ts';
import classes from './operator.module.css';

export function Problems({ problems }: { problems: readonly Problem[] }) {
  const t = useTexts('operator');
  const show = useShownValues();
  if (problems.length === 0) {
    return (
      <p className={classes.well} role="status">
        <IconCircleCheck size={20} stroke={1.75} aria-hidden="true" />
        {t('well')}
      </p>
    );
  }
  return (
    <ul className={classes.troubles} aria-label={t('troubles.title')}>
      {problems.map(({ code, severity, values }) => {
        const Icon = severity === 'error' ? IconAlertTriangle : IconInfoCircle;
        return (
          <li key={`${code} ${JSON.stringify(values)}`} data-severity={severity}>
            <Icon size={20} stroke={1.75} aria-hidden="true" />
            <div>
              <b>{t(`troubles.${code}.is`, show(values))}</b>
              <p>{t(`troubles.${code}.do`)}</p>
            </div>
          </li>
        );
      })}
    </ul>
  );
}

/** Returns a function that formats numbers, instants and roles in the reader's language. */
function useShownValues() {
  const t = useTexts('operator');
  const { number, relative, bytes, milliseconds } = useFormats();

  return (values: Problem['values']): Record<string, string> =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => {
        if (name === 'role') return [name, t(`roles.names.${value}`, { defaultValue: `${value}` })];
        if (name === 'at') return [name, relative(String(value))];
        if (name === 'ms') return [name, milliseconds(Number(value))];
        if (name === 'free') return [name, bytes(Number(value))];
        return [name, typeof value === 'number' ? number(value) : value];
      }),
    );
}
