// The list of findings, worst first, each with its location if known.
import { Button, Text } from '@mantine/core';
import { IconAlertTriangle, IconBulb, IconCircleX } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { EditorFinding } from './composing.ts';
import classes from './findings.module.css';

/**
 * Maximum number of findings of one kind that are shown at first: ten unknown merge tags are one
 * problem.
 */
const MAX_SAME_CODE = 3;

/**
 * Codes of findings about links. Several findings of one code form one entry, which expands to list
 * them.
 */
const GROUPED = new Set(['placeholder_link', 'link_broken', 'link_unreachable']);

const SEVERITIES = ['error', 'warning', 'tip'];

const ICONS = { error: IconCircleX, warning: IconAlertTriangle, tip: IconBulb };

export interface FindingsProps {
  findings: readonly EditorFinding[];
  /** Target of the Resolve button, if there is one. */
  resolve?: (
    finding: EditorFinding,
  ) => { to: string; hash?: string } | { onClick: () => void } | undefined;
  /** Replaces another product's merge tag by ours everywhere. */
  replace?: (tag: string, by: string) => void;
}

/** Shows each finding once, starting with the findings that block sending. */
export function Findings({ findings: found, resolve, replace }: FindingsProps) {
  const t = useTexts('composing');
  const [isOpen, setOpen] = useState(false);
  const findings = inOrder(found);
  const groups = Map.groupBy(
    findings.filter((finding) => GROUPED.has(finding.code)),
    toGroupKey,
  );
  const single = findings.filter((finding) => (groups.get(toGroupKey(finding))?.length ?? 0) < 2);
  const visibleFindings = isOpen ? single : limitSameCode(single);
  const hiddenCount = single.length - visibleFindings.length;
  const entries: (EditorFinding | readonly EditorFinding[])[] = inOrder([
    ...visibleFindings,
    ...[...groups.values()].flatMap((group) => (group.length > 1 && group[0] ? [group[0]] : [])),
  ]).map((finding) => {
    const group = groups.get(toGroupKey(finding));
    return group && group.length > 1 ? group : finding;
  });
  return (
    <ul className={classes.list}>
      {entries.map((entry, index) => {
        const firstFinding = 'code' in entry ? entry : entry[0];
        if (!firstFinding) return null;
        const key = `${firstFinding.code}${index}`;
        const resolution = resolve?.(firstFinding);
        if (!('code' in entry)) return <Group key={key} group={entry} resolution={resolution} />;
        return <Entry key={key} finding={entry} resolution={resolution} replace={replace} />;
      })}
      {hiddenCount > 0 && (
        <li className={classes.finding}>
          <Button size="compact-sm" variant="subtle" onClick={() => setOpen(true)}>
            {t('checks.more', { count: hiddenCount })}
          </Button>
        </li>
      )}
    </ul>
  );
}

type Resolution = ReturnType<NonNullable<FindingsProps['resolve']>>;

function Entry(props: {
  finding: EditorFinding;
  resolution: Resolution;
  replace: FindingsProps['replace'];
}) {
  const { finding, resolution, replace } = props;
  const t = useTexts('composing');
  const { number } = useFormats();
  const textOf = useFindingText();
  const { values = {}, line, column } = finding;
  return (
    <li className={classes.finding} data-tone={finding.severity}>
      <SeverityIcon severity={finding.severity} />
      <div className={classes.words}>
        <Text size="sm">
          <span className={classes.hidden}>{t(`severity.${finding.severity}`)}: </span>
          {textOf(finding)}
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
      <ResolveButton resolution={resolution} />
    </li>
  );
}

/** "4 example links", with the links behind a button. */
function Group({ group, resolution }: { group: readonly EditorFinding[]; resolution: Resolution }) {
  const t = useTexts('composing');
  const { number } = useFormats();
  const textOf = useFindingText();
  const [isOpen, setOpen] = useState(false);
  const [first] = group;
  if (!first) return null;
  const count = { count: group.length, total: number(group.length) };
  return (
    <li className={classes.finding} data-tone={first.severity}>
      <SeverityIcon severity={first.severity} />
      <div className={classes.words}>
        <Text size="sm">
          <span className={classes.hidden}>{t(`severity.${first.severity}`)}: </span>
          {t(`checks.many.${first.code}`, count)}{' '}
          <Button
            size="compact-xs"
            variant="subtle"
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          >
            {t(isOpen ? 'checks.many.hide' : 'checks.many.show')}
          </Button>
        </Text>
        {isOpen &&
          group.map((finding, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two findings may be alike
            <Text key={index} size="xs" c="dimmed">
              {textOf(finding)}
            </Text>
          ))}
      </div>
      <ResolveButton resolution={resolution} />
    </li>
  );
}

function SeverityIcon({ severity }: Pick<EditorFinding, 'severity'>) {
  const Icon = ICONS[severity];
  return <Icon size={18} stroke={1.75} className={classes.icon} aria-hidden="true" />;
}

function ResolveButton({ resolution }: { resolution: Resolution }) {
  const t = useTexts('composing');
  if (resolution === undefined) return null;
  const buttonProps = { size: 'compact-sm', variant: 'default' };
  if ('onClick' in resolution) {
    return (
      <Button {...buttonProps} onClick={resolution.onClick}>
        {t('checks.resolve')}
      </Button>
    );
  }
  return (
    <Button {...buttonProps} component={Link} to={resolution.to} hash={resolution.hash ?? ''}>
      {t('checks.resolve')}
    </Button>
  );
}

function useFindingText() {
  const t = useTexts('composing');
  const { bytes } = useFormats();
  return ({ code, values = {} }: EditorFinding) =>
    t(`checks.${code}`, {
      ...isolateDirections(values),
      ...(typeof values.bytes === 'number' ? { size: bytes(values.bytes) } : {}),
      ...(typeof values.limit === 'number' ? { most: bytes(values.limit) } : {}),
    });
}

const toGroupKey = ({ code, severity }: EditorFinding) => `${code} ${severity}`;

/** Returns the findings without duplicates, sorted by severity and then in the order found. */
function inOrder(findings: readonly EditorFinding[]): EditorFinding[] {
  const unique = new Map(findings.map((finding) => [JSON.stringify(finding), finding]));
  return [...unique.values()].sort(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  );
}

/**
 * Limits each kind to `MAX_SAME_CODE` findings. Also shows a single finding above the limit,
 * because a button would need the same space.
 */
function limitSameCode(findings: readonly EditorFinding[]): readonly EditorFinding[] {
  const countEarlier = (finding: EditorFinding, index: number) =>
    findings.slice(0, index).filter((earlier) => earlier.code === finding.code).length;
  const isOverLimit = (code: string) =>
    findings.filter((finding) => finding.code === code).length > MAX_SAME_CODE + 1;
  return findings.filter(
    (finding, index) => !isOverLimit(finding.code) || countEarlier(finding, index) < MAX_SAME_CODE,
  );
}

/** Isolates the text direction of tags and URLs inside a sentence. */
function isolateDirections(
  values: Record<string, string | number>,
): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      name,
      typeof value === 'string' ? `\u2068${value}\u2069` : value,
    ]),
  );
}
