// List of findings, worst first, each with its place.
import { Button, Text } from '@mantine/core';
import { IconAlertTriangle, IconBulb, IconCircleX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Finding } from './composing.ts';
import classes from './findings.module.css';

/** Number of findings of one kind shown open; ten links of one dead host are one problem. */
const ALIKE = 3;

const ICONS = { error: IconCircleX, warning: IconAlertTriangle, tip: IconBulb };

export interface FindingsProps {
  findings: readonly Finding[];
  /** Target of the Resolve button, if there is one. */
  resolve?: (finding: Finding) => { to: string; hash?: string } | { act: () => void } | undefined;
  /** Replaces another product's merge tag by ours everywhere. */
  replace?: (tag: string, by: string) => void;
}

export function Findings({ findings, resolve, replace }: FindingsProps) {
  const t = useTexts('composing');
  const { number, bytes } = useFormats();
  const [isOpen, setOpen] = useState(false);
  const shown = isOpen ? findings : withoutMany(findings);
  const rest = findings.length - shown.length;
  return (
    <ul className={classes.list}>
      {shown.map((finding, index) => {
        const Icon = ICONS[finding.severity];
        const { values = {}, line, column } = finding;
        const interpolations = {
          ...isolated(values),
          ...(typeof values.bytes === 'number' ? { size: bytes(values.bytes) } : {}),
          ...(typeof values.limit === 'number' ? { most: bytes(values.limit) } : {}),
        };
        const resolution = resolve?.(finding);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: two findings may be alike
          <li
            key={`${finding.code}${index}`}
            className={classes.finding}
            data-tone={finding.severity}
          >
            <Icon size={18} stroke={1.75} className={classes.icon} aria-hidden="true" />
            <div className={classes.words}>
              <Text size="sm">
                <span className={classes.hidden}>{t(`severity.${finding.severity}`)}: </span>
                {t(`checks.${finding.code}`, interpolations)}
              </Text>
              {line !== undefined && (
                <Text size="xs" c="dimmed">
                  {t(`parts.${finding.part}`)}
                  {' · '}
                  {t('checks.place', { line: number(line), column: number(column ?? 1) })}
                </Text>
              )}
            </div>
            {replace && typeof values.becomes === 'string' && (
              <Button
                size="compact-sm"
                variant="default"
                onClick={() => replace(String(values.tag), String(values.becomes))}
              >
                {t('checks.replace', { tag: `\u2068${values.becomes}\u2069` })}
              </Button>
            )}
            {resolution !== undefined &&
              ('to' in resolution ? (
                <Button
                  component={Link}
                  to={resolution.to}
                  hash={resolution.hash ?? ''}
                  size="compact-sm"
                  variant="default"
                >
                  {t('checks.resolve')}
                </Button>
              ) : (
                <Button size="compact-sm" variant="default" onClick={resolution.act}>
                  {t('checks.resolve')}
                </Button>
              ))}
          </li>
        );
      })}
      {rest > 0 && (
        <li className={classes.finding}>
          <Button size="compact-sm" variant="subtle" onClick={() => setOpen(true)}>
            {t('checks.more', { count: rest })}
          </Button>
        </li>
      )}
    </ul>
  );
}

/** One more than the limit is shown too, because a button would take its place. */
function withoutMany(findings: readonly Finding[]): readonly Finding[] {
  const place = (finding: Finding, index: number) =>
    findings.slice(0, index).filter((one) => one.code === finding.code).length;
  const many = (code: string) =>
    findings.filter((finding) => finding.code === code).length > ALIKE + 1;
  return findings.filter((finding, index) => !many(finding.code) || place(finding, index) < ALIKE);
}

/** Isolates the text direction of tags and URLs inside a sentence. */
function isolated(values: Record<string, string | number>): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? `\u2068${value}\u2069` : value,
    ]),
  );
}
