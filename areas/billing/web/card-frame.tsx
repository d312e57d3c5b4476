// The card form in its frame: told to begin, asked for a card, which is a word to charge by once.
import { useComputedColorScheme } from '@mantine/core';
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { useTexts } from '#platform/web/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import classes from './billing.module.css';

export interface CardFrameHandle {
  /** A nonce; undefined where what was typed is no card, which the form says itself. */
  ask(): Promise<string | undefined>;
}

interface Props {
  ref: Ref<CardFrameHandle>;
  token: string;
  address: string;
  /** Enter was pressed in the form. */
  onEnter: () => void;
}

type Told = { from?: string; is?: string; card?: string; height?: number };

export function CardFrame({ ref, token, address, onEnter }: Props) {
  const t = useTexts('billing');
  const scheme = useComputedColorScheme('light');
  const frame = useRef<HTMLIFrameElement>(null);
  const waiting = useRef<(card: string | undefined) => void>(undefined);
  const enter = useRef(onEnter);
  enter.current = onEnter;
  const [height, setHeight] = useState(170);
  const [isReady, setReady] = useState(false);
  const tell = (message: object) =>
    frame.current?.contentWindow?.postMessage(message, location.origin);
  useImperativeHandle(ref, () => ({
    ask: () =>
      new Promise((resolve) => {
        waiting.current?.(undefined);
        waiting.current = resolve;
        tell({ is: 'submit' });
      }),
  }));
  useEffect(() => {
    const hear = (event: MessageEvent<Told>) => {
      if (event.origin !== location.origin || event.source !== frame.current?.contentWindow) return;
      const { from, is, card, height: tall } = event.data;
      if (from !== 'card-form') return;
      if (is === 'loaded') tell({ is: 'begin', token });
      if (is === 'ready' || is === 'failed') setReady(true);
      if (is === 'height' && tall) setHeight(Math.min(tall, 400));
      if (is === 'enter') enter.current();
      if (is === 'card' || is === 'invalid') {
        waiting.current?.(card);
        waiting.current = undefined;
      }
    };
    window.addEventListener('message', hear);
    return () => window.removeEventListener('message', hear);
  }, [token]);
  return (
    <>
      {!isReady && <LoadingState rows={3} />}
      <iframe
        ref={frame}
        className={classes.frame}
        title={t('checkout.card')}
        sandbox="allow-scripts allow-same-origin allow-forms allow-popups"
        src={`${address}&scheme=${scheme}`}
        style={{ blockSize: isReady ? height : 0 }}
      />
    </>
  );
}
