// Preview of the form in a frame, as it runs on websites: it can be filled in and submitted, and no
// request leaves the frame.
import { Alert, Button, Group, NativeSelect, SegmentedControl } from '@mantine/core';
import { IconRefresh } from '@tabler/icons-react';
import { useCallback, useEffect, useRef, useState } from 'react';
import { compileForm } from '#embed/forms/shared/compile.ts';
import type { Snapshot } from '#embed/forms/shared/document.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { WORDS } from '../../validation-messages.ts';
import { listWebFonts } from '../../web-fonts.ts';
import classes from './builder.module.css';
import { useSamplePrize } from './sample-prize.ts';
import { useBuilder, useDraft } from './store.ts';

const VIEWS = ['desktop', 'tablet', 'phone'] as const;

/**
 * Moments when a visitor can see the form. A note appears above the frame if the settings disable
 * the chosen moment.
 */
const MOMENTS = ['now', 'scroll', 'leave', 'sent'] as const;
type PreviewMoment = (typeof MOMENTS)[number];

const PAGE_HTML =
  '<!doctype html><html lang="en"><head><meta name="viewport" content="width=device-width"><title>Preview</title></head><body><main></main><script type="module" src="/f/r/preview.js"></script></body></html>';

export default function Preview() {
  const t = useTexts('forms-builder');
  const { type } = useBuilder();
  const [view, setView] = useState<(typeof VIEWS)[number]>('desktop');
  const [moment, setMoment] = useState<PreviewMoment>('now');
  const { frame, show, isClosed, isOff } = usePreviewFrame(moment);
  // An embedded form is always visible on its page.
  const moments = type === 'embed' ? (['now', 'sent'] as const) : MOMENTS;
  return (
    <section className={classes.canvas} aria-label={t('preview.title')}>
      <Group className={classes.sides} gap="xs" justify="space-between">
        <SegmentedControl
          size="xs"
          aria-label={t('view.title')}
          value={view}
          onChange={(value) => setView(VIEWS.find((view) => view === value) ?? 'desktop')}
          data={VIEWS.map((value) => ({ value, label: t(`view.${value}`) }))}
        />
        <Group gap="xs">
          <NativeSelect
            size="xs"
            aria-label={t('preview.moment')}
            value={moment}
            onChange={({ currentTarget }) =>
              setMoment(MOMENTS.find((moment) => moment === currentTarget.value) ?? 'now')
            }
            data={moments.map((value) => ({ value, label: t(`preview.moments.${value}`) }))}
          />
          <Button
            size="xs"
            variant={isClosed ? 'filled' : 'default'}
            leftSection={<IconRefresh size={16} stroke={1.75} />}
            onClick={show}
          >
            {t('preview.again')}
          </Button>
        </Group>
      </Group>
      <div role="status">
        {isOff && (
          <Alert color="warning" mx="sm" mb="xs">
            {t('preview.off')}
          </Alert>
        )}
      </div>
      <div className={classes.stage} data-view={view}>
        <iframe
          ref={frame}
          title={t('preview.title')}
          sandbox="allow-same-origin allow-scripts allow-forms"
          srcDoc={PAGE_HTML}
        />
      </div>
    </section>
  );
}

/** Makes the page in the frame show the form at the chosen moment. */
function usePreviewFrame(moment: PreviewMoment) {
  const { settings } = useDraft();
  const frame = useRef<HTMLIFrameElement>(null);
  const snapshot = useSnapshot();
  const prize = useSamplePrize(true);
  const [isClosed, setClosed] = useState(false);
  const isOff =
    (moment === 'scroll' && !settings.scroll) ||
    (moment === 'leave' && settings.show_on_leave === false);
  const percent = settings.scroll_percent;
  const show = useCallback(() => {
    setClosed(false);
    const message = { base: location.origin, snapshot, prize, moment, isOff, percent };
    frame.current?.contentWindow?.postMessage(message, '*');
  }, [snapshot, prize, moment, isOff, percent]);
  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent) => {
      if (source !== frame.current?.contentWindow) return;
      if (data === 'ready') show();
      if (data === 'closed') setClosed(true);
    };
    window.addEventListener('message', onMessage);
    // Shows the form again after each change of its draft or of the moment.
    show();
    return () => window.removeEventListener('message', onMessage);
  }, [show]);
  return { frame, show, isClosed, isOff };
}

/** Returns the snapshot that publishing would create. */
function useSnapshot(): Snapshot {
  const t = useTexts('forms-builder');
  const { id, type } = useBuilder();
  const { document, settings, groups } = useDraft();
  const { language, layout, teaser } = document;
  return {
    id,
    version: 0,
    type,
    layout,
    language,
    direction: language === 'fas' ? 'rtl' : 'ltr',
    ...compileForm(document, { type, interests: groups.filter(({ isMandatory }) => !isMandatory) }),
    words: {
      ...WORDS[language],
      ...settings.validation_messages,
      close: t('platform:dialog.close'),
    },
    captcha: 'none',
    fonts: listWebFonts(document),
    redirect: '',
    teaser,
    wheel:
      type === 'spinToWin' && settings.wheel_config
        ? settings.wheel_config.setup.map(({ label, colour }) => ({ label, colour }))
        : null,
  };
}
