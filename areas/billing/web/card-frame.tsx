// The card form in its frame: told to begin, asked for a card, which is a word to charge by once.
import { useComputedColorScheme } from '@mantine/core';
import { type Ref, useEffect, useImperativeHandle, useRef, useState } from 'react';
import { useTexts } from '#platform/web/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import classes from './billing.module.css';

/** What the bank is asked to confirm. */
interface CardPayment {
  /** As it is written: `12.50`. */
  amount: string;
  email: string;
}

export interface CardFrameHandle {
  /**
   * A nonce for what is to be paid, confirmed by the bank where it asks; undefined where what was typed is no
   * card or the bank refused, which the form says itself.
   */
  ask(payment: CardPayment): Promise<string | undefined>;
}

interface Props {
  ref: Ref<CardFrameHandle>;
  token: string;
  address: string;
  /** The form shows banks' own questions, which fail in a sandbox; the page is ours, with a policy of its own. */
  canAskBanks: boolean;
  /** True once it can be asked; false where it is gone. */
  onReady: (isReady: boolean) => void;
  /** Enter was pressed in the form. */
  onEnter: () => void;
}

type Told = { from?: string; is?: string; card?: string; height?: number };

export function CardFrame({ ref, token, address, canAskBanks, onReady, onEnter }: Props) {
  const t = useTexts('billing');
  const scheme = useComputedColorScheme('light');
  const frame = useRef<HTMLIFrameElement>(null);
  const waiting = useRef<(card: string | undefined) => void>(undefined);
  const enter = useRef(onEnter);
  enter.current = onEnter;
  const [height, setHeight] = useState(170);
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    onReady(isReady);
    return () => onReady(false);
  }, [isReady, onReady]);
  const tell = (message: object) =>
    frame.current?.contentWindow?.postMessage(message, location.origin);
  useImperativeHandle(ref, () => ({
    ask: (payment) =>
      new Promise((resolve) => {
        waiting.current?.(undefined);
        waiting.current = resolve;
        tell({ is: 'submit', ...payment });
      }),
  }));
  useEffect(() => {
    const hear = (event: MessageEvent<Told>) => {
      if (event.origin !== location.origin || event.source !== frame.current?.contentWindow) return;
      const { from, is, card, height: tall } = event.data;
      if (from !== 'card-form') return;
      if (is === 'loaded') tell({ is: 'begin', token });
      if (is === 'ready' || is === 'failed') setReady(true);
      if (is === 'height' && tall) setHeight(Math.min(tall, 700));
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
        sandbox={
          canAskBanks ? undefined : 'allow-scripts allow-same-origin allow-forms allow-popups'
        }
        src={`${address}&scheme=${scheme}`}
        style={{ blockSize: isReady ? height : 0 }}
      />
    </>
  );
}
