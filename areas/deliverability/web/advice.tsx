// The next step for a domain in one sentence.
import { Alert } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconInfoCircle } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Advice, DomainSummary } from '../contract.ts';
import { formatSourceName } from './source-name.ts';
import classes from './deliverability.module.css';

type AdviceTone = 'good' | 'act' | 'neutral';

const TONES: Record<Advice['code'], AdviceTone> = {
  publish: 'act',
  upload: 'neutral',
  request: 'act',
  wait: 'neutral',
  unsigned: 'neutral',
  name_source: 'act',
  check_unknown: 'act',
  fix_ours: 'act',
  fix_known: 'act',
  more_evidence: 'neutral',
  below: 'act',
  to_quarantine: 'good',
  below_reject: 'neutral',
  to_reject: 'good',
  later_reject: 'neutral',
  stay_quarantine: 'neutral',
  protected: 'good',
};
const ICONS = { good: IconCircleCheck, act: IconAlertTriangle, neutral: IconInfoCircle };
const COLORS = { good: 'success', act: 'warning', neutral: 'thread' };

/** Steps with a link that opens the page of the domain's DNS records. */
const IN_DNS: ReadonlySet<Advice['code']> = new Set([
  'publish',
  'request',
  'fix_ours',
  'to_quarantine',
  'to_reject',
]);

export function AdviceNote({ domain }: { domain: DomainSummary }) {
  const t = useTexts('deliverability');
  const text = useAdviceText(domain);
  const { code } = domain.advice;
  const tone = TONES[code];
  const Icon = ICONS[tone];
  return (
    <Alert
      color={COLORS[tone]}
      variant="light"
      icon={<Icon size={18} stroke={1.75} aria-hidden="true" />}
    >
      {text}
      {IN_DNS.has(code) && (
        <>
          {' '}
          <Link to={`/settings/domains/${domain.id}`} className={classes.link}>
            {t('openDns')}
          </Link>
        </>
      )}
    </Alert>
  );
}

function useAdviceText({ advice, shown_name: domain }: DomainSummary): string {
  const t = useTexts('deliverability');
  const { number, percent, date, list } = useFormats();
  const base = { domain };
  switch (advice.code) {
    case 'name_source':
    case 'check_unknown':
      return t(`advice.${advice.code}`, {
        ...base,
        source: formatSourceName(t, advice.source),
        amount: number(advice.messages),
      });
    case 'fix_known':
      return t('advice.fix_known', {
        ...base,
        source: advice.title || formatSourceName(t, advice.source),
        share: percent(advice.share),
      });
    case 'fix_ours':
    case 'below':
    case 'to_quarantine':
    case 'below_reject':
    case 'to_reject':
      return t(`advice.${advice.code}`, { ...base, share: percent(advice.share) });
    case 'more_evidence': {
      const missingParts = (['days', 'reporters', 'messages'] as const)
        .filter((missingPart) => advice[missingPart] > 0)
        .map((missingPart) => t(`needs.${missingPart}`, { amount: number(advice[missingPart]) }));
      return t('advice.more_evidence', { ...base, needs: list(missingParts, 'unit') });
    }
    case 'later_reject':
      return t('advice.later_reject', { ...base, day: date(`${advice.day}T12:00:00Z`) });
    default:
      return t(`advice.${advice.code}`, base);
  }
}
