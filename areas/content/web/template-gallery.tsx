// Gallery of templates: saved ones first, then built-in ones by purpose, with rendered thumbnails;
// a click shows a large preview.
import { Group, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { showError } from '#platform/web/errors/errors.ts';
import type { ResponseOf } from '#platform/web/api/api.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { calls } from '../contract.ts';
import type { EmailDocument } from '../document.ts';
import { createEmailDocument, createSection } from '../document-factory.ts';
import { TEMPLATE_PURPOSES, type TemplatePurpose } from '../shared.ts';
import { createFreshBlock } from './block-kinds.ts';
import { toEmailSettings } from './brand/brand-settings.ts';
import { useBrand } from './brand/use-brand.ts';
import { SavedTemplateList } from './saved-templates.tsx';
import { api } from './queries.ts';
import { LargeTemplate, TemplateCard } from './template-card.tsx';
import classes from './template-gallery.module.css';

type GalleryTemplate = ResponseOf<typeof calls, 'GET /client-api/api/templates'>['data'][number];

type Start = { title: string; subject: string };

export interface TemplateGalleryProps {
  /** `from`: the built-in template that was chosen. */
  onChoose: (document: EmailDocument, from?: Start) => Promise<void>;
  /** Other starting points, shown as cards first. */
  others?: ReactNode;
  /**
   * If set, blank documents have no footer, as transactional emails have nothing to unsubscribe
   * from.
   */
  isFooterless?: boolean | undefined;
}

export default function TemplateGallery({ onChoose, others, isFooterless }: TemplateGalleryProps) {
  const t = useTexts('content');
  const templates = useQuery({ ...api.query('GET /client-api/api/templates'), staleTime: 300_000 });
  const [purpose, setPurpose] = useState<TemplatePurpose | 'all'>(
    isFooterless ? 'transactional' : 'all',
  );
  const [shown, setShown] = useState<GalleryTemplate>();
  const { isBusy, begin: start, take, blank } = useStart(onChoose, isFooterless);
  // Templates of transactional emails are listed only for such emails, because only API calls
  // supply their values.
  const list = (templates.data?.data ?? []).filter(
    (template) => isFooterless || template.purpose !== 'transactional',
  );
  const purposes = TEMPLATE_PURPOSES.filter((templatePurpose) =>
    list.some((template) => template.purpose === templatePurpose),
  );
  const visibleTemplates = list.filter(
    (template) => purpose === 'all' || template.purpose === purpose,
  );
  return (
    <div className={classes.gallery}>
      <div className={classes.starts}>
        <BlankStart isBusy={isBusy} isFooterless={isFooterless} start={blank} />
        {others}
      </div>
      <SavedTemplateList isBusy={isBusy} onStart={start} />
      <Group justify="space-between" align="center" mt="xl" mb="sm">
        <Text component="h2" size="lg" fw={600}>
          {t('templates.title')}
        </Text>
        <div className={classes.purposes}>
          <PurposeChoice purposes={purposes} value={purpose} onChange={setPurpose} />
        </div>
      </Group>
      {templates.isLoadingError && (
        <FailedState error={templates.error} retry={templates.refetch} />
      )}
      {templates.isPending && <LoadingState rows={6} />}
      <ul className={classes.grid}>
        {visibleTemplates.map((template) => (
          <TemplateCard key={template.id} template={template} onOpen={() => setShown(template)} />
        ))}
      </ul>
      {shown && (
        <LargeTemplate
          template={shown}
          isBusy={isBusy}
          close={() => setShown(undefined)}
          onUse={() => void take(shown.id)}
        />
      )}
    </div>
  );
}

interface BlankStartProps {
  isBusy: boolean;
  isFooterless: boolean | undefined;
  start: () => Promise<void>;
}

function BlankStart({ isBusy, isFooterless, start }: BlankStartProps) {
  const t = useTexts('content');
  return (
    <button type="button" className={classes.start} disabled={isBusy} onClick={() => void start()}>
      <span className={classes.startTitle}>{t('templates.blank')}</span>
      <span className={classes.startText}>
        {t(isFooterless ? 'templates.blankFooterless' : 'templates.blankText')}
      </span>
    </button>
  );
}

type Purpose = TemplatePurpose | 'all';
interface PurposeChoiceProps {
  purposes: readonly TemplatePurpose[];
  value: Purpose;
  onChange: (purpose: Purpose) => void;
}

function PurposeChoice({ purposes, value: purpose, onChange }: PurposeChoiceProps) {
  const t = useTexts('content');
  return (
    <SegmentedControl
      size="xs"
      aria-label={t('templates.purpose')}
      value={purpose}
      onChange={(value) => onChange(value as Purpose)}
      data={(['all', ...purposes] as const).map((value) => ({
        value,
        label: t(`templates.purposes.${value}`),
      }))}
    />
  );
}

/** Starts an email: from a blank document, a built-in template, or the result of `make`. */
function useStart(onChoose: TemplateGalleryProps['onChoose'], isFooterless = false) {
  const t = useTexts('content');
  const brand = useBrand();
  const [isBusy, setBusy] = useState(false);
  const start = async (make: () => Promise<EmailDocument>, from?: () => Start | undefined) => {
    setBusy(true);
    try {
      const document = await make();
      await onChoose(document, from?.());
    } catch (error) {
      showError(error);
    } finally {
      setBusy(false);
    }
  };
  const chooseTemplate = (id: string) => {
    let from: Start | undefined;
    return start(
      async () => {
        const { data } = await api('GET /client-api/api/templates/{id}', { params: { id } });
        from = { title: data.title, subject: data.subject };
        return data.document;
      },
      () => from,
    );
  };
  const blank = () =>
    start(async () => {
      const document = createEmailDocument([
        createSection([[createFreshBlock('header', t)]]),
        createSection([
          [
            createFreshBlock('heading', t),
            createFreshBlock('text', t),
            createFreshBlock('button', t),
          ],
        ]),
        ...(isFooterless ? [] : [createSection([[createFreshBlock('footer', t)]])]),
      ]);
      return brand
        ? { ...document, settings: toEmailSettings(brand, document.settings) }
        : document;
    });
  return { isBusy, begin: start, take: chooseTemplate, blank };
}
