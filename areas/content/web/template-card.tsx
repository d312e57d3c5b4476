// A template in a gallery: a card, and a large preview in a dialog with the button that chooses it.
import { Button, Group, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useOpenedHere } from '#platform/web/hooks/use-opened.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { preparePage } from './preview/prepared.ts';
import { PreviewFrame } from './preview/preview-frame.tsx';
import classes from './template-gallery.module.css';

export interface CardTemplate {
  id: string;
  title: string;
  description?: string;
  thumbnail_url: string;
}

export interface TemplateCardProps {
  template: CardTemplate;
  onOpen: () => void;
  /** Additional actions in a corner of the card. */
  tools?: ReactNode;
}

export function TemplateCard({ template, onOpen, tools }: TemplateCardProps) {
  return (
    <li className={classes.card}>
      <Thumbnail template={template} />
      <button type="button" className={classes.open} onClick={onOpen}>
        <span className={classes.cardTitle}>
          <bdi>{template.title}</bdi>
        </span>
        {template.description && <span className={classes.cardText}>{template.description}</span>}
      </button>
      {tools && <div className={classes.tools}>{tools}</div>}
    </li>
  );
}

export interface LargeTemplateProps {
  template: CardTemplate;
  isBusy: boolean;
  close: () => void;
  onUse: () => void;
}

export function LargeTemplate({ template, isBusy, close, onUse }: LargeTemplateProps) {
  const t = useTexts('content');
  const html = useRendered(template, true);
  return (
    <Dialog opened={useOpenedHere()} onClose={close} size={760} title={template.title}>
      <Group justify="space-between" mb="sm" wrap="nowrap">
        <Text size="sm" c="dimmed">
          {template.description}
        </Text>
        <Button flex="none" loading={isBusy} onClick={onUse} data-autofocus>
          {t('templates.use')}
        </Button>
      </Group>
      <div className={classes.large}>
        {html.isLoadingError && <FailedState error={html.error} retry={html.refetch} />}
        {html.isPending && <LoadingState rows={8} />}
        {html.data !== undefined && (
          <PreviewFrame html={html.data} title={template.title} height="68dvh" />
        )}
      </div>
    </Dialog>
  );
}

/** The rendered email as an inert thumbnail, loaded when it scrolls into view. */
function Thumbnail({ template }: { template: CardTemplate }) {
  const container = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = container.current;
    if (!element) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) setNear(true);
      },
      { rootMargin: '400px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  const html = useRendered(template, isNear).data;
  return (
    <div ref={container} className={classes.thumbnail} aria-hidden="true">
      {html !== undefined && (
        <iframe title={template.title} sandbox="" tabIndex={-1} srcDoc={preparePage(html)} />
      )}
    </div>
  );
}

function useRendered({ thumbnail_url }: CardTemplate, enabled: boolean) {
  return useQuery({
    queryKey: ['template html', thumbnail_url],
    enabled,
    staleTime: Number.POSITIVE_INFINITY,
    // A server without stored thumbnails renders them one after another, so loading may take a
    // while.
    retry: 4,
    queryFn: async ({ signal }) => {
      const response = await fetch(thumbnail_url, { signal });
      if (!response.ok) throw new Error(`${response.status}`);
      return response.text();
    },
  });
}
