// Preview of an email, and its options: screen width or plain text, mail client, light or dark, and
// with or without images.
import { ActionIcon, Group, NativeSelect, SegmentedControl, Text } from '@mantine/core';
import {
  IconAlignLeft,
  IconDeviceDesktop,
  IconDeviceMobile,
  IconMoon,
  IconPhotoOff,
} from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CLIP_BYTES } from '../../shared.ts';
import classes from './preview-frame.module.css';
import type { MailClient } from './client-rules.ts';
import { PreviewFrame } from './preview-frame.tsx';

const ClientFrame = lazyWithRetry(() => import('./client-frame.tsx'));

export type PreviewMode = {
  device: 'desktop' | 'mobile' | 'plain';
  isDark: boolean;
  hasImages: boolean;
  /** Mail client whose rules are applied; `browser` shows the email unchanged. */
  client: 'browser' | MailClient;
};

const MOBILE_WIDTH_PX = 375;
const ICONS = { desktop: IconDeviceDesktop, mobile: IconDeviceMobile, plain: IconAlignLeft };
const DEVICES = ['desktop', 'mobile', 'plain'] as const;

export function usePreviewMode() {
  const [mode, setMode] = useState<PreviewMode>({
    device: 'desktop',
    isDark: false,
    hasImages: true,
    client: 'browser',
  });
  return {
    mode,
    change: (patch: Partial<PreviewMode>) => setMode((now) => ({ ...now, ...patch })),
  };
}

export interface PreviewModesProps {
  mode: PreviewMode;
  onChange: (patch: Partial<PreviewMode>) => void;
}

export function PreviewModes({ mode, onChange }: PreviewModesProps) {
  const t = useTexts('content');
  const isPlain = mode.device === 'plain';
  const toggle = (
    label: string,
    Icon: typeof IconMoon,
    isOn: boolean,
    patch: Partial<PreviewMode>,
  ) => (
    <ActionIcon
      title={label}
      variant={isOn ? 'light' : 'default'}
      size="input-xs"
      aria-label={label}
      aria-pressed={isOn}
      disabled={isPlain}
      onClick={() => onChange(patch)}
    >
      <Icon size={16} stroke={1.75} />
    </ActionIcon>
  );
  return (
    <Group gap={6}>
      <SegmentedControl
        size="xs"
        flex="none"
        aria-label={t('preview.device')}
        value={mode.device}
        onChange={(device) => onChange({ device: device as PreviewMode['device'] })}
        data={DEVICES.map((value) => {
          const Icon = ICONS[value];
          return {
            value,
            label: (
              <span className={classes.device} title={t(`preview.${value}`)}>
                <Icon size={16} stroke={1.75} aria-hidden="true" />
                <span>{t(`preview.${value}`)}</span>
              </span>
            ),
          };
        })}
      />
      <NativeSelect
        size="xs"
        aria-label={t('clients.title')}
        value={mode.client}
        disabled={isPlain}
        onChange={(event) =>
          onChange({ client: event.currentTarget.value as PreviewMode['client'] })
        }
        data={(['browser', 'gmail', 'outlook'] as const).map((value) => ({
          value,
          label: t(`clients.${value}`),
        }))}
      />
      {toggle(t('preview.dark'), IconMoon, mode.isDark, { isDark: !mode.isDark })}
      {toggle(t('preview.noImages'), IconPhotoOff, !mode.hasImages, { hasImages: !mode.hasImages })}
    </Group>
  );
}

export function PreviewContent({
  mode,
  html,
  text,
}: {
  mode: PreviewMode;
  html: string;
  text: string;
}) {
  if (mode.device === 'plain') return <PlainPreview text={text} />;
  return <ModeFrame mode={mode} html={html} />;
}

interface ModeFrameProps {
  mode: PreviewMode;
  html: string;
  height?: number | undefined;
}

/** The email in its frame, as the chosen mail client shows it. */
export function ModeFrame({ mode, html, height }: ModeFrameProps) {
  const { client, device, isDark, hasImages } = mode;
  // Outlook for Windows has no narrow screens.
  const isNarrow = device === 'mobile' && client !== 'outlook';
  const frame = { html, height, isDark, hasImages, width: isNarrow ? MOBILE_WIDTH_PX : undefined };
  if (client === 'browser') return <PreviewFrame {...frame} />;
  return (
    <Suspense fallback={null}>
      <ClientFrame {...frame} client={client} />
    </Suspense>
  );
}

export function PlainPreview({ text }: { text: string }) {
  return (
    <pre className={classes.plain} dir="auto">
      {text}
    </pre>
  );
}

/** Size of the email relative to Gmail's clipping limit. */
export function SizeMeter({ size }: { size: number }) {
  const t = useTexts('content');
  const { bytes, percent } = useFormats();
  const ratio = size / CLIP_BYTES;
  const tone = ratio > 1 ? 'danger' : ratio > 0.8 ? 'warning' : 'success';
  return (
    <div className={classes.meter} title={t('preview.sizeHint')}>
      <div
        role="meter"
        aria-label={t('preview.size')}
        aria-valuemin={0}
        aria-valuemax={CLIP_BYTES}
        aria-valuenow={Math.min(size, CLIP_BYTES)}
        className={classes.track}
      >
        <span data-tone={tone} style={{ inlineSize: `${Math.min(100, ratio * 100)}%` }} />
      </div>
      <Text size="xs" c={ratio > 1 ? 'danger' : 'dimmed'}>
        {t('preview.sizeOf', { size: bytes(size), most: bytes(CLIP_BYTES), share: percent(ratio) })}
      </Text>
    </div>
  );
}
