// Sources that send email from a domain. Users can name a source and mark it as the account's own
// or as abuse.
import { useAction } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { type RowAction, RowMenu } from '#platform/web/ui/row-menu.tsx';
import { StatusDot, type Tone } from '#platform/web/ui/status-dot.tsx';
import type { DomainReports, ReportSource } from '../contract.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import { api, DELIVERABILITY } from './queries.ts';
import { formatSourceName } from './source-name.ts';
import classes from './deliverability.module.css';

const TONES: Record<ReportSource['verdict'], Tone> = {
  ours: 'success',
  known: 'success',
  unknown: 'warning',
  abuse: 'danger',
  forwarded: 'neutral',
  rest: 'neutral',
};

export function Sources({ domain }: { domain: DomainReports }) {
  const t = useTexts('deliverability');
  const actions = useSourceActions(domain.id);
  return (
    <section className={classes.section} aria-labelledby="sources">
      <h2 id="sources">{t('sources.title')}</h2>
      <p>{t(domain.sources.length === 0 ? 'sources.none' : 'sources.text')}</p>
      <ul className={classes.rows}>
        {domain.sources.map((source) => (
          <SourceRow key={source.source} source={source} actions={actions} />
        ))}
      </ul>
    </section>
  );
}

interface SourceRowProps {
  source: ReportSource;
  actions: RowAction<ReportSource>[];
}

function SourceRow({ source, actions }: SourceRowProps) {
  const t = useTexts('deliverability');
  const { list } = useFormats();
  const name = formatSourceName(t, source.source);
  const title = source.title || name;
  const isDecidable = source.source.includes(':');
  return (
    <li className={classes.row} data-unsigned={source.messages === 0 || undefined}>
      <span className={classes.name}>
        <bdi>{title}</bdi>
        <StatusDot tone={TONES[source.verdict]} label={t(`verdicts.${source.verdict}`)} />
        {source.title !== '' && (
          <p>
            <bdi>{name}</bdi>
          </p>
        )}
        {source.verdict === 'unknown' && source.suggestion !== '' && (
          <p>{t('sources.suggestion', { name: source.suggestion })}</p>
        )}
        {source.addresses.length > 0 && (
          <p>
            <bdi dir="ltr">{list(source.addresses, 'unit')}</bdi>
          </p>
        )}
      </span>
      <SourceFigures source={source} />
      <span className={classes.end}>
        {isDecidable && <RowMenu row={source} name={title} actions={actions} />}
      </span>
    </li>
  );
}

function SourceFigures({ source }: { source: ReportSource }) {
  const t = useTexts('deliverability');
  const { number, percent } = useFormats();
  const { messages, aligned, dkim, spf, refused, unsigned } = source;
  const formatRatio = (count: number) => percent(count / messages);
  return (
    <span>
      {messages > 0 &&
        t('sources.aligned', { amount: number(messages), share: formatRatio(aligned) })}
      {messages > 0 && (
        <p>
          {t('sources.checks', { dkim: formatRatio(dkim), spf: formatRatio(spf) })}
          {refused > 0 && <> · {t('sources.refused', { amount: number(refused) })}</>}
        </p>
      )}
      {unsigned > 0 && <p>{t('sources.unsigned', { amount: number(unsigned) })}</p>}
    </span>
  );
}

function useSourceActions(id: string): RowAction<ReportSource>[] {
  const t = useTexts('deliverability');
  const decide = (source: string, verdict: 'known' | 'unknown' | 'abuse', title = '') =>
    api('PUT /client-api/api/deliverability/domains/{id}/sources', {
      params: { id },
      body: { source, verdict, title },
    });
  const invalidates = [DELIVERABILITY];
  const setVerdict = useAction(
    ({ source, verdict }: { source: ReportSource; verdict: 'unknown' | 'abuse' }) =>
      decide(source.source, verdict),
    { invalidates },
  );
  const name = useAction(
    ({ source, title }: { source: ReportSource; title: string }) =>
      decide(source.source, 'known', title),
    { invalidates },
  );
  const promptName = (source: ReportSource) =>
    promptInput({
      type: 'text',
      title: t('name.title'),
      label: t('name.label'),
      description: t('name.text'),
      value: source.title || source.suggestion,
      maxLength: MAX_TITLE_LENGTH,
      confirm: t('name.confirm'),
      send: (title) => name.mutateAsync({ source, title }),
    });
  return [
    {
      label: t('acts.mine'),
      isHidden: ({ verdict }) => verdict === 'known',
      run: (source) => void promptName(source),
    },
    {
      label: t('acts.rename'),
      isHidden: ({ verdict }) => verdict !== 'known',
      run: (source) => void promptName(source),
    },
    {
      label: t('acts.abuse'),
      isHidden: ({ verdict }) => verdict === 'abuse',
      run: (source) => setVerdict.mutate({ source, verdict: 'abuse' }),
    },
    {
      label: t('acts.undo'),
      isHidden: ({ verdict }) => verdict === 'unknown',
      run: (source) => setVerdict.mutate({ source, verdict: 'unknown' }),
    },
  ];
}
