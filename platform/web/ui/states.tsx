// States of lists and panels without content: empty, loading and failed.
import { Button, Skeleton, Text } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { type ComponentType, type ReactNode, useEffect, useState } from 'react';
import { ApiError } from '../api-error.ts';
import { errorTexts } from '../errors/errors.ts';
import { useTexts } from '../texts/texts.ts';
import classes from './states.module.css';

type StateIcon = ComponentType<{ size?: number; stroke?: number }>;

export interface EmptyStateProps {
  icon?: StateIcon;
  title: string;
  /** The purpose of the listed objects. */
  children?: ReactNode;
  /** The single sensible action: usually a Button. */
  action?: ReactNode;
  /** A preview of the future content, instead of the icon. */
  sample?: ReactNode;
  /** The state fills the whole page: its title is the page's heading. */
  isPage?: boolean;
}

export function EmptyState(props: EmptyStateProps) {
  const { icon: Icon, title, children, action, sample, isPage } = props;
  const Heading = isPage ? 'h1' : 'h2';
  return (
    <div className={classes.state} data-empty-state="">
      {sample ?? (Icon && <Icon size={28} stroke={1.5} />)}
      <Heading className={classes.title}>{title}</Heading>
      {children && (
        <Text c="dimmed" maw={440} component="div">
          {children}
        </Text>
      )}
      {action && <div className={classes.action}>{action}</div>}
    </div>
  );
}

export interface LoadingStateProps {
  /** Expected number of rows. */
  rows?: number;
  /** Pixels of one row. */
  height?: number;
  /** Custom skeletons in the layout of the content. */
  children?: ReactNode;
}

/** Skeletons of the content, shown only after 200 ms: a quick response never flickers. */
export function LoadingState({ rows = 5, height = 44, children }: LoadingStateProps) {
  const t = useTexts('platform');
  const isShown = useDelay(200);
  return (
    <div aria-busy="true" aria-live="polite" className={classes.loading}>
      <span className={classes.hidden}>{t('states.loading')}</span>
      <div style={{ visibility: isShown ? 'visible' : 'hidden' }} aria-hidden="true">
        {children ??
          Array.from({ length: rows }, (_, row) => (
            <Skeleton key={row} height={height - 12} mb={12} width={`${100 - (row % 3) * 8}%`} />
          ))}
      </div>
    </div>
  );
}

export interface FailedStateProps {
  error: unknown;
  /** The message for a failed request; by default the shared message of the error. */
  title?: string;
  retry?: () => void;
  action?: { label: string; run: () => void };
  isPage?: boolean;
}

export function FailedState({ error, title, retry, action, isPage }: FailedStateProps) {
  const Heading = isPage ? 'h1' : 'h2';
  const t = useTexts('platform');
  const texts = errorTexts(error);
  const shownAction = action ?? (retry && { label: t('states.retry'), run: retry });
  return (
    <div className={classes.state} role="alert">
      <IconAlertTriangle size={28} stroke={1.5} className={classes.warning} aria-hidden="true" />
      <Heading className={classes.title}>{title ?? texts.title ?? t('states.failed')}</Heading>
      {error !== undefined && (
        <Text c="dimmed" maw={480} className={classes.message}>
          {texts.message}
        </Text>
      )}
      {error instanceof ApiError && error.requestId && (
        <Text c="dimmed" size="xs">
          {t('states.requestId')} <code>{error.requestId}</code>
        </Text>
      )}
      {shownAction && (
        <div className={classes.action}>
          <Button variant="default" onClick={shownAction.run}>
            {shownAction.label}
          </Button>
        </div>
      )}
    </div>
  );
}

export function useDelay(milliseconds: number): boolean {
  const [isOver, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), milliseconds);
    return () => clearTimeout(timer);
  }, [milliseconds]);
  return isOver;
}
