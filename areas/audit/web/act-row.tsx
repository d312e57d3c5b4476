// One action in the audit log: its time, its actor, its object, and the recorded values.
import { Text } from '@mantine/core';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { type Texts, useTexts } from '#platform/web/texts/texts.ts';
import type { AuditEntry } from '../contract.ts';
import { getActionArea, getActionKind } from './act-kinds.ts';
import classes from './audit.module.css';

function formatAuthor({ actor, user, token, assistant }: AuditEntry, t: Texts): string {
  if (actor === 'system') return t('actors.system');
  if (token) return token.title || t('actors.token');
  if (assistant) return assistant;
  return user?.name ?? (user?.email ? toUnicodeDomain(user.email) : t('actors.session'));
}

export function ActRow({ entry }: { entry: AuditEntry }) {
  const t = useTexts('audit');
  const { dateTime } = useFormats();
  const area = getActionArea(entry.action);
  const hasValues = entry.before != null || entry.after != null;
  return (
    <li className={classes.act}>
      <time dateTime={entry.at}>{dateTime(entry.at)}</time>
      <span className={classes.author}>
        <bdi>{formatAuthor(entry, t)}</bdi>
        {entry.ip && (
          <Text size="xs" c="dimmed" span>
            <bdi dir="ltr">{entry.ip}</bdi>
          </Text>
        )}
      </span>
      <span className={classes.what}>
        <span>
          {t('sentence', {
            area: area ? t(`areas.${area}`) : entry.action,
            kind: t(`kinds.${getActionKind(entry.action)}`),
          })}
          {entry.count !== null && ` ${t('count', { count: entry.count })}`}
        </span>
        <Text size="xs" c="dimmed" span>
          <code dir="ltr">
            {[entry.action, entry.subject, entry.fields.join(', ')].filter(Boolean).join(' · ')}
          </code>
        </Text>
        {hasValues && (
          <details>
            <summary>{t('values')}</summary>
            {entry.before != null && <Values label={t('before')} value={entry.before} />}
            {entry.after != null && <Values label={t('after')} value={entry.after} />}
          </details>
        )}
      </span>
    </li>
  );
}

function Values({ label, value }: { label: string; value: unknown }) {
  return (
    <div className={classes.values}>
      <span>{label}</span>
      <pre dir="ltr">{JSON.stringify(value, null, 2)}</pre>
    </div>
  );
}
